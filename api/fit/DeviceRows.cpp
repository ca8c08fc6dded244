// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/DeviceRows.h"

#include "api/fit/Calibration.h"
#include "api/fit/Unknowns.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/target/TargetOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;
using Eigen::VectorXd;

/// What z = 0 stands for.
static double unitOf(const Dimension &dimension) {
  constexpr double second = 1e-3, macs = 1e6, bytes = 4e6;
  if (dimension == Dimension(BaseUnit::Second))
    return second;
  return (dimension == Dimension() / BaseUnit::Second ? macs : bytes) / second;
}

static bool isTime(const Dimension &dimension) { return dimension == Dimension(BaseUnit::Second); }

double LayerFigure::logOf(double figure) const {
  double log = std::log(figure / unitOf(dimension));
  return isTime(dimension) ? log : -log;
}

double LayerFigure::figureOf(double z) const {
  return unitOf(dimension) * std::exp(isTime(dimension) ? z : -z);
}

std::string LayerFigure::text(double value, unsigned digits) const {
  constexpr double micro = 1e-6, giga = 1e9, operations = 2; // of a multiply-accumulate
  if (isTime(dimension))
    return fmt::format("{:.{}g}us", value / micro, digits);
  bool isRate = dimension == Dimension() / BaseUnit::Second;
  return fmt::format("{:.{}g}{}", value * (isRate ? operations : 1) / giga, digits,
                     isRate ? "GFLOP/s" : "GB/s");
}

DeviceMeasurements Device::measured(llvm::ArrayRef<size_t> places) const {
  DeviceMeasurements found;
  auto count = static_cast<Index>(places.size());
  auto known = llvm::find_if(rows, [](const DeviceRow &row) { return row.amounts != nullptr; });
  found.amounts = Eigen::MatrixXd::Zero(count, known == rows.end() ? 0 : known->amounts->size());
  found.logs.resize(count);
  for (Index i = 0; i < count; ++i) {
    const DeviceRow &row = rows[places[static_cast<size_t>(i)]];
    if (row.amounts)
      found.amounts.row(i) = row.amounts->transpose();
    found.logs[i] = row.log;
  }
  return found;
}

double LayerFigure::countOf(double log) const {
  constexpr double second = 1e-3;
  return std::exp(log) * (isTime(dimension) ? 1 : unitOf(dimension) * second);
}

void api::setSkipped(ValidationRow &row, const Fit &fit, llvm::StringRef reason) {
  if (Prediction *prediction = fittedOf(row, fit)) {
    prediction->predicted = llvm::None;
    prediction->skipped = reason.str();
  }
}

void api::setPredicted(ValidationRow &row, const Fit &fit, double log, double variance) {
  if (Prediction *prediction = fittedOf(row, fit)) {
    double value = std::exp(log);
    prediction->predicted = Number::fromReal(value);
    prediction->halfWidth = value * endOfInterval * std::sqrt(variance);
    prediction->skipped.clear();
  }
}

/// What times follow from, of the entries of `layers`.
static bool isFigure(const ir::AttrDict::Entry &entry) {
  return entry.first != "measured" && entry.first != "power";
}

static UncertaintySource sourceOf(llvm::StringRef key) {
  return uncertaintySource("<layers>." + key.str(), 0);
}

/// Puts z = 0 in place of all figures, each with an interval of its own.
static void makeSources(ir::Module &module) {
  constexpr double interval = 1e-3;
  for (ir::Operation &op : module.body()) {
    if (!op.is(target::ChipOp::opName) || !op.hasAttr("layers"))
      continue;
    ir::AttrDict figures;
    for (const ir::AttrDict::Entry &entry : op.dictAttr("layers").entries())
      if (isFigure(entry)) {
        Dimension dimension = entry.second.asQuantity().dimension();
        double unit = unitOf(dimension);
        figures.set(entry.first,
                    Quantity(Uncertain(unit, interval * unit, sourceOf(entry.first)), dimension));
      }
    op.setAttr("layers", figures);
  }
}

bool DeviceRows::read(FitRows &ofProgram, const Fit &wanted, DiagnosticEngine &diagnostics) {
  rows = &ofProgram;
  ofFit = &wanted;
  return readDevices(diagnostics) && readFigures(diagnostics) && readAmounts(diagnostics);
}

/// The value of a label as a number.
static llvm::Optional<double> numberOf(llvm::StringRef text) {
  double value = 0;
  if (text.getAsDouble(value))
    return text == "true"    ? llvm::Optional<double>(1)
           : text == "false" ? 0
                             : llvm::Optional<double>();
  return value;
}

bool DeviceRows::readDevices(DiagnosticEngine &diagnostics) {
  std::map<std::string, size_t> known;
  const Fit::Family &family = *ofFit->family;
  for (const auto &row : llvm::enumerate(rows->rows())) {
    const Prediction *prediction = fittedOf(row.value(), *ofFit);
    if (row.value().isLeftOut || !isOf(row.value(), ofFit->only) || !prediction)
      continue;
    bool isMeasured = prediction->reference.hasValue();
    if (isMeasured && prediction->reference->real <= 0) {
      notAboveZero.push_back(row.index());
      continue;
    }
    std::string name = groupOf(row.value(), family.by).str();
    auto [place, isNew] = known.try_emplace(name, members.size());
    if (isNew) {
      members.push_back({name, VectorXd(static_cast<Index>(family.sheet.size())), {}});
      for (size_t i = 0; i < family.sheet.size(); ++i) {
        llvm::StringRef text = groupOf(row.value(), family.sheet[i]);
        llvm::Optional<double> number = numberOf(text);
        if (!number) {
          diagnostics.report(
              family.range, diag::BadFit,
              fmt::format("numbers `{}` of a data sheet, not `{}`", family.sheet[i], text.str()));
          return false;
        }
        members.back().sheet[static_cast<Index>(i)] = *number;
      }
    }
    Device &device = members[place->second];
    (isMeasured ? device.rows : device.open)
        .push_back({row.index(), nullptr, isMeasured ? std::log(prediction->reference->real) : 0});
  }
  llvm::erase_if(members, [](const Device &device) { return device.rows.empty(); });
  return true;
}

bool DeviceRows::readFigures(DiagnosticEngine &diagnostics) {
  for (const Device &device : members) {
    chips.push_back(rows->layersOf(device.rows.front().number));
    for (const ir::AttrDict::Entry &entry : chips.back().layers.entries())
      if (isFigure(entry) &&
          llvm::none_of(list, [&](const LayerFigure &figure) { return figure.key == entry.first; }))
        list.push_back({entry.first, entry.second.asQuantity().dimension()});
    if (chips.back().layers.empty()) {
      diagnostics.report(ofFit->family->range, diag::BadFit,
                         fmt::format("chips with `layers`: `{}` has none", device.name));
      return false;
    }
  }
  // 15 GFLOP/s, 4 GB/s and 50 us, so that no fit depends on what the program says.
  start = VectorXd::Zero(static_cast<Index>(list.size()));
  for (size_t k = 0; k < list.size(); ++k)
    if (isTime(list[k].dimension))
      start[static_cast<Index>(k)] = -3;
    else if (list[k].dimension == Dimension() / BaseUnit::Second)
      start[static_cast<Index>(k)] = -2;
  return true;
}

/// What stands for times that are sums over `figures`; nothing where this is none.
static llvm::Optional<VectorXd> amountsIn(const Prediction *prediction,
                                          llvm::ArrayRef<LayerFigure> figures) {
  constexpr double interval = 1e-3, exact = 1e-6;
  if (!prediction || !prediction->predicted || prediction->predicted->real <= 0)
    return llvm::None;
  VectorXd amounts = VectorXd::Zero(static_cast<Index>(figures.size()));
  for (const Uncertain::Contribution &part : prediction->contributions)
    for (size_t k = 0; k < figures.size(); ++k)
      if (part.source == sourceOf(figures[k].key))
        amounts[static_cast<Index>(k)] = std::fabs(part.delta) / interval;
  double sum = amounts.sum();
  if (sum <= 0 || std::fabs(sum / prediction->predicted->real - 1) > exact)
    return llvm::None;
  return amounts;
}

bool DeviceRows::readAmounts(DiagnosticEngine &diagnostics) {
  auto workOf = [&](size_t number) {
    llvm::StringRef label = ofFit->family->work;
    return label.empty() ? std::to_string(number) : groupOf(rows->rows()[number], label).str();
  };
  auto forRows = [&](llvm::function_ref<void(DeviceRow &)> each) {
    for (Device &device : members)
      for (std::vector<DeviceRow> *some : {&device.rows, &device.open})
        llvm::for_each(*some, each);
  };
  std::map<size_t, std::string> wanted; // rows in rising order
  std::map<std::string, size_t> first;
  forRows([&](DeviceRow &row) { first.try_emplace(workOf(row.number), row.number); });
  std::map<std::string, size_t> numberOfWork;
  for (const auto &[work, number] : first) {
    wanted.emplace(number, work);
    numberOfWork.emplace(work, namesOfWorks.size());
    namesOfWorks.push_back(work);
  }
  std::vector<size_t> numbers;
  for (const auto &[number, work] : wanted)
    numbers.push_back(number);
  std::vector<ValidationRow> found = rows->predictWith(makeSources, numbers);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Prediction *prediction = fittedOf(found[i], *ofFit);
    if (llvm::Optional<VectorXd> amounts = amountsIn(prediction, list)) {
      amountsOfWork[wanted[numbers[i]]] = *amounts;
    } else if (!ofFit->family->learnsWork) {
      std::string reason = prediction ? prediction->skipped : "";
      diagnostics.report(ofFit->family->range, diag::BadFit,
                         fmt::format("times that are sums over figures of `layers`: that of `{}` "
                                     "is none{}{}",
                                     found[i].name, reason.empty() ? "" : ", ", reason));
      return false;
    }
  }
  forRows([&](DeviceRow &row) {
    std::string work = workOf(row.number);
    row.work = numberOfWork[work];
    auto known = amountsOfWork.find(work);
    row.amounts = known == amountsOfWork.end() ? nullptr : &known->second;
  });
  return true;
}

DevicePrior DeviceRows::writtenPrior(const Device &device) const {
  const ir::AttrDict &chip = chips[static_cast<size_t>(&device - members.data())].layers;
  auto count = static_cast<Index>(list.size());
  DevicePrior prior{start, Eigen::MatrixXd::Zero(count, count), 0.01};
  std::map<UncertaintySource, VectorXd> sources;
  for (size_t k = 0; k < list.size(); ++k) {
    const ir::Attribute *figure = chip.find(list[k].key);
    if (!figure)
      continue;
    Uncertain value = figure->asQuantity().toUncertain();
    prior.mean[static_cast<Index>(k)] = list[k].logOf(value.central());
    double sign = isTime(list[k].dimension) ? 1 : -1;
    for (const Uncertain::Contribution &part : value.contributions())
      sources.try_emplace(part.source, VectorXd::Zero(count)).first->second[static_cast<Index>(k)] =
          sign * part.delta / value.central() / endOfInterval;
  }
  for (const auto &[source, slopes] : sources)
    prior.covariance += slopes * slopes.transpose();
  // A figure that is written without an interval is known to some percent.
  prior.covariance.diagonal().array() += 1e-4;
  if (const ir::Attribute *measured = chip.find("measured")) {
    Uncertain value = measured->asQuantity().toUncertain();
    double deviation = value.halfWidth() / value.central() / endOfInterval;
    prior.variance = std::max(deviation * deviation, 1e-4);
  }
  return prior;
}
