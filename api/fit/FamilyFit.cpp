// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/FamilyFit.h"

#include "api/fit/Calibration.h"
#include "api/fit/ErrorProcess.h"
#include "api/fit/LeftOutErrors.h"
#include "api/fit/Unknowns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;

bool FamilyFit::read(FitRows &ofProgram, const Fit &fit, DiagnosticEngine &diagnostics,
                     unsigned ofThreads) {
  rows = &ofProgram;
  ofFit = &fit;
  threads = ofThreads;
  return measured.read(ofProgram, fit, diagnostics);
}

static std::vector<size_t> worksOf(const Device &device, llvm::ArrayRef<size_t> places) {
  std::vector<size_t> works;
  for (size_t place : places)
    works.push_back(device.rows[place].work);
  return works;
}

llvm::Optional<Family>
FamilyFit::familyOf(llvm::function_ref<bool(const Device &)> isIn,
                    llvm::function_ref<bool(const DeviceRow &)> isKnown) const {
  constexpr size_t leastRows = 6; // fewer say nothing of so many figures
  std::vector<FamilyMember> members;
  for (size_t least : {leastRows, size_t(1)}) {
    for (const Device &device : measured.devices()) {
      std::vector<size_t> places;
      for (size_t i = 0; isIn(device) && i < device.rows.size(); ++i)
        if (isKnown(device.rows[i]))
          places.push_back(i);
      if (places.size() >= least)
        members.push_back({device.sheet, device.measured(places), worksOf(device, places)});
    }
    if (!members.empty())
      break;
  }
  if (members.empty())
    return llvm::None;
  const Fit::Family &wanted = *ofFit->family;
  return Family(members, measured.begin(),
                {wanted.ridge, wanted.apart, wanted.leastError, wanted.learnsWork});
}

llvm::Optional<Family> FamilyFit::all() const {
  return familyOf([](const Device &) { return true; }, [](const DeviceRow &) { return true; });
}

/// Parts are in the order of a hash of the names, so that neighbours in the table are not in one.
FamilyFit::Parts FamilyFit::partsBy(llvm::StringRef label, size_t most) const {
  std::map<std::pair<uint64_t, std::string>, bool> groups;
  for (const Device &device : measured.devices())
    for (const DeviceRow &row : device.rows) {
      std::string group = groupOf(rows->rows()[row.number], label).str();
      if (!group.empty())
        groups[{llvm::xxHash64(group), group}] = true;
    }
  Parts found;
  found.label = label.str();
  found.count = std::min(most, groups.size());
  for (const auto &[group, isThere] : groups)
    found.parts.emplace(group.second, found.parts.size() % most);
  return found;
}

bool FamilyFit::differsWithinDevices(llvm::StringRef label) const {
  return llvm::any_of(measured.devices(), [&](const Device &device) {
    return llvm::any_of(device.rows, [&](const DeviceRow &row) {
      return groupOf(rows->rows()[row.number], label) !=
             groupOf(rows->rows()[device.rows.front().number], label);
    });
  });
}

/// With what the family knows of works, where it learns them.
static DeviceMeasurements measurementsOf(const Device &device, llvm::ArrayRef<size_t> places,
                                         const Family *family) {
  DeviceMeasurements found = device.measured(places);
  if (family && family->works())
    found.amounts = family->works()->amountsOf(worksOf(device, places));
  return found;
}

static bool isKnown(const DeviceRow &row, const Family *family) {
  return family && family->works() ? family->works()->knows(row.work) : row.amounts != nullptr;
}

static constexpr llvm::StringLiteral notRun = "no device of the family has run it";
static constexpr llvm::StringLiteral noOther = "there is no other device to learn a family from";

/// Adds the rows of `device` that are wanted and no shots, as the prior and the shots predict
/// them.
void FamilyFit::predict(const Device &device, const DevicePrior &prior, const Family *family,
                        const Choice &choice, std::vector<ValidationRow> &into) const {
  std::vector<size_t> known, wanted, chosen;
  for (size_t i = 0; i < device.rows.size(); ++i)
    if (isKnown(device.rows[i], family) && choice.isKnown(device.rows[i]))
      known.push_back(i);
  DeviceMeasurements all = measurementsOf(device, known, family);
  for (size_t place : measurementsToMake(prior, all.amounts, choice.shots))
    chosen.push_back(known[place]);
  for (size_t i = 0; i < device.rows.size(); ++i) {
    if (!choice.isWanted(device.rows[i]) || llvm::is_contained(chosen, i))
      continue;
    if (isKnown(device.rows[i], family)) {
      wanted.push_back(i);
    } else {
      into.push_back(rows->rows()[device.rows[i].number]);
      if (family)
        setSkipped(into.back(), *ofFit, notRun);
    }
  }
  if (wanted.empty())
    return;
  DeviceMeasurements shotsMade = measurementsOf(device, chosen, family);
  // What shots are known to take longer says nothing of what is new.
  for (size_t i = 0; family && !choice.isNew && i < chosen.size(); ++i)
    shotsMade.logs[static_cast<Index>(i)] -= family->biasOf(device.rows[chosen[i]].work);
  DevicePosterior posterior = devicePosterior(prior, shotsMade);
  Eigen::MatrixXd amounts = measurementsOf(device, wanted, family).amounts;
  PredictedLogs logs = predictedLogs(posterior, amounts);
  if (family && choice.tuning.corrects && !chosen.empty()) {
    std::vector<size_t> shotWorks = worksOf(device, chosen);
    logs = correctedLogs(prior, shotsMade, posterior, amounts,
                         {family->errorCorrelation(shotWorks, shotWorks),
                          family->errorCorrelation(worksOf(device, wanted), shotWorks)});
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const DeviceRow &of = device.rows[wanted[i]];
    ValidationRow row = rows->rows()[of.number];
    auto at = static_cast<Index>(i);
    double variance = logs.variances[at] + (family ? family->varianceOf(of.work) : prior.variance);
    if (family && family->works()) {
      Eigen::VectorXd shares = logs.shares.row(at);
      variance += shares.dot(family->works()->covarianceOf(of.work) * shares);
    }
    setPredicted(row, *ofFit, logs.logs[at] + (family ? family->biasOf(of.work) : 0),
                 variance * choice.tuning.wider * choice.tuning.wider);
    into.push_back(std::move(row));
  }
}

/// Adds the rows that no device has, with the reason.
void FamilyFit::addUnusable(std::vector<ValidationRow> &into) const {
  for (size_t number : measured.unusable()) {
    into.push_back(rows->rows()[number]);
    setSkipped(into.back(), *ofFit, "its measurement is 0");
  }
}

static bool isAny(const DeviceRow &) { return true; }

std::vector<ValidationRow> FamilyFit::withShots(size_t shots) const {
  std::vector<ValidationRow> all;
  for (const Device &device : measured.devices())
    predict(device, measured.writtenPrior(device), nullptr,
            {isAny, isAny, /*isNew=*/false, shots, {}}, all);
  addUnusable(all);
  return all;
}

FamilyFit::Labels FamilyFit::partsOf(llvm::ArrayRef<std::string> labels) const {
  constexpr size_t fewDevices = 24, partsOfMany = 8, workParts = 7;
  Labels found;
  for (const std::string &label : labels)
    if (labels.size() > 1 ? label == labels.back() : differsWithinDevices(label)) {
      found.works = partsBy(label, workParts);
    } else {
      found.devices = partsBy(label, SIZE_MAX);
      if (found.devices.count > fewDevices)
        found.devices = partsBy(label, partsOfMany);
    }
  return found;
}

bool FamilyFit::isIn(llvm::ArrayRef<size_t> out, const Parts &parts, const DeviceRow &row) const {
  if (!parts.leave())
    return false;
  auto found = parts.parts.find(groupOf(rows->rows()[row.number], parts.label).str());
  return found != parts.parts.end() && llvm::is_contained(out, found->second);
}

llvm::Optional<Family> FamilyFit::familyWithout(const Labels &labels, const LeftOut &out) const {
  return familyOf(
      [&](const Device &device) { return !isIn(out.devices, labels.devices, device.rows.front()); },
      [&](const DeviceRow &row) { return !isIn(out.works, labels.works, row); });
}

std::vector<ValidationRow> FamilyFit::predictParts(const Labels &labels, const LeftOut &out,
                                                   const llvm::Optional<Family> &family,
                                                   size_t shots, const Tuning &tuning) const {
  bool hidesWorks = labels.works.leave();
  auto isKnown = [&](const DeviceRow &row) { return !isIn(out.works, labels.works, row); };
  auto isWanted = [&](const DeviceRow &row) {
    return !hidesWorks || isIn(out.works.back(), labels.works, row);
  };
  std::vector<ValidationRow> found;
  for (const Device &device : measured.devices()) {
    if (labels.devices.leave() && !isIn(out.devices.back(), labels.devices, device.rows.front()))
      continue;
    if (family)
      predict(device, family->prior(device.sheet), family.getPointer(),
              {isKnown, isWanted, hidesWorks, shots, tuning}, found);
    else
      for (const DeviceRow &row : llvm::make_filter_range(device.rows, isWanted)) {
        found.push_back(rows->rows()[row.number]);
        setSkipped(found.back(), *ofFit, noOther);
      }
  }
  return found;
}

std::pair<FamilyFit::Tuning, llvm::Optional<Correction>>
FamilyFit::tuningOf(const Labels &labels, const LeftOut &out, size_t shots) const {
  constexpr size_t enough = 16; // devices, for the width of intervals
  // Of what no other device has run there are no errors that others could be correlated with.
  bool mayCorrect = !labels.works.leave() && shots > 0;
  LeftOutErrors plain, corrected;
  std::set<std::string> predicted;
  size_t turns = labels.devices.leave() ? labels.devices.count : labels.works.count;
  for (size_t i = 1; i < turns && (mayCorrect || predicted.size() < enough); ++i) {
    LeftOut inner = out;
    auto next = [i](std::vector<size_t> &list, size_t count) { // never the one that is out
      if (count > 1)
        list.push_back((list.back() + 1 + (i - 1) % (count - 1)) % count);
    };
    next(inner.devices, labels.devices.count);
    next(inner.works, labels.works.count);
    llvm::Optional<Family> family = familyWithout(labels, inner);
    std::vector<ValidationRow> found = predictParts(labels, inner, family, shots, {});
    plain.add(found, *ofFit);
    for (const ValidationRow &row : found)
      if (predictionOf(row, *ofFit))
        predicted.insert(groupOf(row, ofFit->family->by).str());
    if (mayCorrect)
      corrected.add(predictParts(labels, inner, family, shots, {/*corrects=*/true}), *ofFit);
  }
  bool corrects = corrected.areSignificantlyBelow(plain);
  llvm::Optional<Correction> correction;
  if (!corrected.empty())
    correction = Correction{0, plain.mean(), corrected.mean()};
  return {{corrects, (corrects ? corrected : plain).widening()}, correction};
}

LeftOutRows FamilyFit::leaveOut(llvm::ArrayRef<std::string> names,
                                llvm::Optional<size_t> ofDevice) const {
  Labels labels = partsOf(names);
  size_t shots = ofDevice.getValueOr(SIZE_MAX);
  size_t count = labels.devices.count * labels.works.count;
  std::vector<LeftOutRows> found(count);
  std::atomic<size_t> next{0};
  Watcher &watcher = rows->watcher();
  watcher.at(fmt::format("calibrate {} without {}", ofFit->name, llvm::join(names, ", ")));
  std::mutex counting;
  size_t done = 0;
  auto finish = [&] {
    std::lock_guard<std::mutex> lock(counting);
    watcher.count(Watcher::Level::Statement, static_cast<int64_t>(++done),
                  static_cast<int64_t>(count));
  };
  auto work = [&] {
    for (size_t i = 0; (i = next.fetch_add(1)) < count; finish()) {
      LeftOut out{{i / labels.works.count}, {i % labels.works.count}};
      auto [tuning, correction] = tuningOf(labels, out, shots);
      found[i] = {predictParts(labels, out, familyWithout(labels, out), shots, tuning), correction};
      if (tuning.corrects)
        found[i].correction->rows = static_cast<size_t>(llvm::count_if(
            found[i].rows, [&](const ValidationRow &row) { return predictionOf(row, *ofFit); }));
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
  LeftOutRows all;
  Correction sum;
  double tried = 0;
  for (LeftOutRows &part : found) {
    std::move(part.rows.begin(), part.rows.end(), std::back_inserter(all.rows));
    if (!part.correction)
      continue;
    ++tried;
    sum.rows += part.correction->rows;
    sum.without += part.correction->without;
    sum.with += part.correction->with;
  }
  if (tried > 0)
    all.correction = Correction{sum.rows, sum.without / tried, sum.with / tried};
  addUnusable(all.rows);
  return all;
}

DeviceStatistics FamilyFit::statistics(llvm::ArrayRef<ValidationRow> predicted) const {
  std::map<std::string, std::vector<const Prediction *>> devices;
  DeviceStatistics found;
  double covered = 0;
  for (const ValidationRow &row : predicted) {
    const Prediction *prediction = predictionOf(row, *ofFit);
    (prediction ? found.rows : found.skipped) += 1;
    if (!prediction)
      continue;
    devices[groupOf(row, ofFit->family->by).str()].push_back(prediction);
    double away = std::fabs(prediction->predicted->real - prediction->reference->real);
    covered += away <= prediction->halfWidth;
  }
  found.devices = devices.size();
  std::vector<double> means;
  double ranks = 0;
  size_t ranked = 0;
  for (const auto &[name, predictions] : devices) {
    std::vector<double> predicted, reference;
    double sum = 0;
    for (const Prediction *each : predictions) {
      predicted.push_back(each->predicted->real);
      reference.push_back(each->reference->real);
      sum += std::fabs(predicted.back() / reference.back() - 1);
    }
    means.push_back(100 * sum / static_cast<double>(predictions.size()));
    if (auto rank = spearman(predicted, reference); rank && predictions.size() > 3) {
      ranks += *rank;
      ++ranked;
    }
  }
  found.median = quantile(means, 0.5);
  found.p90 = quantile(means, 0.9);
  if (ranked > 0)
    found.rank = ranks / static_cast<double>(ranked);
  if (found.rows > 0)
    found.covered = covered / static_cast<double>(found.rows);
  return found;
}
