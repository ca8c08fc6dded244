// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/FamilyReport.h"

#include "api/fit/Unknowns.h"
#include "tools/driver/Table.h"
#include "tools/driver/validate/AgreementTable.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

std::vector<ValidationRow> driver::predictedBy(const FamilyFit &fit,
                                               llvm::ArrayRef<std::string> labels,
                                               llvm::Optional<size_t> shots,
                                               std::vector<PredictedDevices> &lines) {
  LeftOutRows found = labels.empty()
                          ? LeftOutRows{fit.withShots(shots.getValueOr(SIZE_MAX)), llvm::None}
                          : fit.leaveOut(labels, shots);
  lines.push_back({fit.fit().name, llvm::join(labels, ", "), shots, fit.statistics(found.rows),
                   found.correction});
  return found.rows;
}

void driver::printPredicted(Session &session, llvm::ArrayRef<PredictedDevices> all) {
  Table table({{"family", Align::Left},
               {"left out", Align::Left},
               {"shots"},
               {"rows"},
               {"devices"},
               {"median mape %"},
               {"p90 %"},
               {"mean r"},
               {"cover %"},
               {"skip"}});
  auto figure = [](const llvm::Optional<double> &value, double unit = 1) {
    return value ? fmt::format("{:.3g}", *value * unit) : std::string("-");
  };
  for (const PredictedDevices &each : all)
    table.addRow({each.family, each.leftOut.empty() ? "-" : each.leftOut,
                  each.shots ? std::to_string(*each.shots) : "all", std::to_string(each.found.rows),
                  std::to_string(each.found.devices), figure(each.found.median),
                  figure(each.found.p90), figure(each.found.rank), figure(each.found.covered, 100),
                  std::to_string(each.found.skipped)});
  table.print(session.out, session.tableWidth(), session.colorOut);
  for (const PredictedDevices &each : all)
    if (each.found.rows == 0)
      session.out << "  nothing of " << each.family << " is predicted: it has "
                  << (each.found.skipped ? "no row that can be" : "no rows") << '\n';
  for (const PredictedDevices &each : all)
    if (each.correction)
      session.out << fmt::format(
          "  errors of the shots correct {} of {}: cross-validated error {:.3g} % with "
          "that, {:.3g} % without\n",
          counted(each.correction->rows, "row"), each.family, 100 * each.correction->with,
          100 * each.correction->without);
}

void driver::printSkipped(Session &session, llvm::ArrayRef<llvm::ArrayRef<ValidationRow>> tables) {
  std::map<std::string, size_t> counts;
  for (llvm::ArrayRef<ValidationRow> rows : tables)
    for (const ValidationRow &row : rows)
      if (!row.predictions.empty() && !row.predictions.front().skipped.empty())
        ++counts[row.predictions.front().skipped];
  for (const auto &[reason, count] : counts)
    session.out << "  skipped " << counted(count, "row") << ": " << reason << '\n';
}

/// Errors in percent; null where it was not tried.
static emit::Json correctionJson(const llvm::Optional<Correction> &correction) {
  if (!correction)
    return emit::Json();
  return emit::Json::object()
      .set("rows", correction->rows)
      .set("error_with", 100 * correction->with)
      .set("error_without", 100 * correction->without);
}

emit::Json driver::predictedJson(llvm::ArrayRef<PredictedDevices> all) {
  emit::Json list = emit::Json::array();
  for (const PredictedDevices &each : all)
    list.push(emit::Json::object()
                  .set("family", each.family)
                  .set("left_out", each.leftOut)
                  .set("shots", each.shots ? emit::Json(*each.shots) : emit::Json())
                  .set("rows", each.found.rows)
                  .set("devices", each.found.devices)
                  .set("skipped", each.found.skipped)
                  .set("median_mape", orNull(each.found.median))
                  .set("p90_mape", orNull(each.found.p90))
                  .set("spearman", orNull(each.found.rank))
                  .set("covered", orNull(each.found.covered))
                  .set("correction", correctionJson(each.correction)));
  return list;
}

void driver::printChip(Session &session, llvm::StringRef chip, const ChipFit &fit, size_t next) {
  session.out << "calibrate " << chip << ": " << counted(fit.fitted().size(), "row") << '\n';
  Table table({{"figure", Align::Left}, {"written"}, {"fitted"}, {"90 % within"}});
  for (const ChipFit::Figure &figure : fit.figures())
    table.addRow({figure.figure.key, figure.figure.text(figure.written, 4),
                  figure.figure.text(figure.fitted, 4), fmt::format("{:.2f}x", figure.factor)});
  table.print(session.out, session.tableWidth(), session.colorOut);
  printAgreement(session, "fitted", fit.fitted());
  printAgreement(session, "each predicted by the others", fit.leftOut());
  for (const std::string &name : fit.next(next))
    session.out << "measure next: " << name << '\n';
}

emit::Json driver::chipJson(llvm::StringRef chip, const ChipFit &fit, size_t next) {
  emit::Json figures = emit::Json::array(), names = emit::Json::array();
  for (const ChipFit::Figure &figure : fit.figures())
    figures.push(emit::Json::object()
                     .set("name", figure.figure.key)
                     .set("unit", figure.figure.dimension.unitText())
                     .set("written", figure.written)
                     .set("value", figure.fitted)
                     .set("factor", figure.factor));
  for (const std::string &name : fit.next(next))
    names.push(name);
  return emit::Json::object()
      .set("name", chip)
      .set("figures", std::move(figures))
      .set("fitted", withAgreement(emit::Json::object(), fit.fitted()))
      .set("left_out", withAgreement(emit::Json::object(), fit.leftOut()))
      .set("next", std::move(names));
}

namespace {
/// A figure of a typical device, and the factor within which 90 % of devices are of it.
struct TypicalFigure {
  const LayerFigure &figure;
  double value, factor;
};
} // namespace

static std::vector<TypicalFigure> typicalFigures(const FamilyFit &fit, const Family &family) {
  std::vector<TypicalFigure> all;
  Eigen::VectorXd typical = family.prior(family.meanSheet()).mean;
  for (const LayerFigure &figure : fit.deviceRows().figures()) {
    auto at = static_cast<Eigen::Index>(all.size());
    all.push_back({figure, figure.figureOf(typical[at]),
                   std::exp(endOfInterval * std::sqrt(family.covariance()(at, at)))});
  }
  return all;
}

void driver::printFamily(Session &session, const FamilyFit &fit,
                         const llvm::Optional<Family> &family) {
  size_t count = 0;
  for (const Device &device : fit.deviceRows().devices())
    count += device.rows.size();
  session.out << "calibrate " << fit.fit().name << ": " << counted(count, "row") << " of "
              << counted(fit.deviceRows().devices().size(), "device") << '\n';
  if (!family)
    return;
  Table table({{"figure", Align::Left}, {"typical"}, {"90 % within"}});
  for (const TypicalFigure &each : typicalFigures(fit, *family))
    table.addRow(
        {each.figure.key, each.figure.text(each.value, 4), fmt::format("{:.2g}x", each.factor)});
  table.print(session.out, session.tableWidth(), session.colorOut);
}

emit::Json driver::familyJson(const FamilyFit &fit, const llvm::Optional<Family> &family) {
  emit::Json list = emit::Json::array();
  if (family)
    for (const TypicalFigure &each : typicalFigures(fit, *family))
      list.push(emit::Json::object()
                    .set("name", each.figure.key)
                    .set("unit", each.figure.dimension.unitText())
                    .set("value", each.value)
                    .set("factor", each.factor));
  return list;
}
