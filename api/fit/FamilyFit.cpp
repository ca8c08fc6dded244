// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/FamilyFit.h"

#include "api/fit/Calibration.h"
#include "api/fit/Unknowns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <atomic>
#include <cmath>
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

Family FamilyFit::familyOf(llvm::function_ref<bool(const Device &)> isIn,
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
  if (members.empty()) // the only one there is: nothing but what is written
    members.push_back(
        {measured.devices().front().sheet, measured.devices().front().measured({}), {}});
  return Family(members, measured.begin(), ofFit->family->ridge);
}

Family FamilyFit::all() const {
  return familyOf([](const Device &) { return true; }, [](const DeviceRow &) { return true; });
}

/// The part of each group by `label`: in the order of a hash of the names, so that neighbours in
/// the table are not in one.
std::map<std::string, size_t> FamilyFit::partsBy(llvm::StringRef label, size_t most) const {
  std::map<std::pair<uint64_t, std::string>, bool> groups;
  for (const Device &device : measured.devices())
    for (const DeviceRow &row : device.rows) {
      std::string group = groupOf(rows->rows()[row.number], label).str();
      if (!group.empty())
        groups[{llvm::xxHash64(group), group}] = true;
    }
  std::map<std::string, size_t> parts;
  for (const auto &[group, isThere] : groups)
    parts.emplace(group.second, parts.size() % most);
  return parts;
}

/// Adds the rows of `device` that are no shots, or of these those that are hidden, as the prior and
/// `shots` of the others foretell them.
void FamilyFit::foretell(const Device &device, const DevicePrior &prior, const Family *family,
                         size_t shots, llvm::function_ref<bool(const DeviceRow &)> isHidden,
                         bool onlyHidden, std::vector<ValidationRow> &into) const {
  std::vector<size_t> known, wanted;
  for (size_t i = 0; i < device.rows.size(); ++i)
    (isHidden(device.rows[i]) ? wanted : known).push_back(i);
  std::vector<size_t> chosen;
  for (size_t place : measurementsToMake(prior, device.measured(known).amounts, shots))
    chosen.push_back(known[place]);
  for (size_t place : known)
    if (!onlyHidden && !llvm::is_contained(chosen, place))
      wanted.push_back(place);
  if (wanted.empty())
    return;
  DeviceMeasurements shotsMade = device.measured(chosen);
  // What shots are known to take longer says nothing of what is new.
  for (size_t i = 0; family && !onlyHidden && i < chosen.size(); ++i)
    shotsMade.logs[static_cast<Index>(i)] -= family->biasOf(device.rows[chosen[i]].work);
  DevicePosterior posterior = devicePosterior(prior, shotsMade);
  PredictedLogs logs = predictedLogs(posterior, device.measured(wanted).amounts);
  for (size_t i = 0; i < wanted.size(); ++i) {
    ValidationRow row = rows->rows()[device.rows[wanted[i]].number];
    auto at = static_cast<Index>(i);
    double bias = family ? family->biasOf(device.rows[wanted[i]].work) : 0;
    double left = family ? family->varianceOf(device.rows[wanted[i]].work) : prior.variance;
    setPredicted(row, *ofFit, logs.logs[at] + bias, logs.variances[at] + left);
    into.push_back(std::move(row));
  }
}

std::vector<ValidationRow> FamilyFit::withShots(size_t shots) const {
  std::vector<ValidationRow> all;
  for (const Device &device : measured.devices())
    foretell(
        device, measured.writtenPrior(device), nullptr, shots,
        [](const DeviceRow &) { return false; },
        /*onlyHidden=*/false, all);
  return all;
}

std::vector<ValidationRow> FamilyFit::leaveOut(llvm::ArrayRef<std::string> labels,
                                               size_t shots) const {
  constexpr size_t fewDevices = 24, partsOfMany = 8, workParts = 7;
  std::map<std::string, size_t> ofDevices = partsBy(labels[0], fewDevices), ofWork;
  size_t deviceParts = ofDevices.size();
  if (ofDevices.size() > fewDevices)
    ofDevices = partsBy(labels[0], deviceParts = partsOfMany);
  if (labels.size() > 1)
    ofWork = partsBy(labels[1], workParts);
  auto partOf = [&](const std::map<std::string, size_t> &parts, llvm::StringRef label,
                    const DeviceRow &row) {
    auto found = parts.find(groupOf(rows->rows()[row.number], label).str());
    return found == parts.end() ? SIZE_MAX : found->second;
  };
  size_t across = labels.size() > 1 ? std::min(workParts, ofWork.size()) : 1;
  size_t count = deviceParts * across;
  std::vector<std::vector<ValidationRow>> found(count);
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = 0; (i = next.fetch_add(1)) < count;) {
      auto isLeft = [&](const Device &device) {
        return partOf(ofDevices, labels[0], device.rows.front()) == i / across;
      };
      auto isHidden = [&](const DeviceRow &row) {
        return labels.size() > 1 && partOf(ofWork, labels[1], row) == i % across;
      };
      Family family = familyOf([&](const Device &device) { return !isLeft(device); },
                               [&](const DeviceRow &row) { return !isHidden(row); });
      for (const Device &device : measured.devices())
        if (isLeft(device))
          foretell(device, family.prior(device.sheet), &family, shots, isHidden, labels.size() > 1,
                   found[i]);
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
  std::vector<ValidationRow> all;
  for (std::vector<ValidationRow> &part : found)
    std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

DeviceStatistics FamilyFit::statistics(llvm::ArrayRef<ValidationRow> foretold) const {
  std::map<std::string, std::vector<const Prediction *>> devices;
  DeviceStatistics found;
  double covered = 0;
  for (const ValidationRow &row : foretold)
    if (const Prediction *prediction = predictionOf(row, *ofFit)) {
      devices[groupOf(row, ofFit->family->by).str()].push_back(prediction);
      double away = std::fabs(prediction->predicted->real - prediction->reference->real);
      covered += away <= prediction->halfWidth;
      ++found.rows;
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
  found.median = quantile(means, 0.5).getValueOr(0);
  found.p90 = quantile(means, 0.9).getValueOr(0);
  found.rank = ranked ? ranks / static_cast<double>(ranked) : 0;
  found.covered = found.rows ? covered / static_cast<double>(found.rows) : 0;
  return found;
}
