// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/ClosedForm.h"
#include "backends/loopnest/analysis/Conditions.h"
#include "backends/loopnest/analysis/Decouple.h"
#include "backends/loopnest/analysis/Enumeration.h"
#include "backends/loopnest/analysis/Flow.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

std::vector<AnalysisError> loopnest::validate(const Nest &nest) {
  std::vector<AnalysisError> errors;
  flatten(nest, errors);
  return errors;
}

static void enumerateWithin(const FlatNest &flat, const AnalysisOptions &options,
                            AnalysisResult &result) {
  int64_t work = enumerationWork(flat);
  if (work < 0 || work > options.workLimit)
    result.errors.push_back(
        {AnalysisErrorKind::TooLarge, "", "", work < 0 ? INT64_MAX : work, options.workLimit});
  else
    result.counts =
        enumerate(flat, options.hops, llvm::is_contained(options.transfers, true), result.errors);
  result.isExecuted = result.counts.hasValue();
}

static bool lacksHops(const Counts &counts) {
  return llvm::any_of(counts.arrays, [](const ArrayCounts &array) {
    return llvm::any_of(array.hops, [](const auto &hops) { return !hops; });
  });
}

static bool lacksTransfers(const Counts &counts, const std::vector<bool> &wanted) {
  for (size_t m = 0; m < std::min(wanted.size(), counts.memories.size()); ++m)
    if (wanted[m] && llvm::any_of(counts.memories[m].tensors,
                                  [](const auto &tensor) { return tensor && !tensor->transfers; }))
      return true;
  return false;
}

static void takeTransfers(Counts &from, Counts &to) {
  for (size_t m = 0; m < to.memories.size(); ++m)
    for (size_t t = 0; t < to.memories[m].tensors.size(); ++t)
      if (auto &tensor = to.memories[m].tensors[t])
        tensor->transfers = std::move(from.memories[m].tensors[t]->transfers);
}

/// The closed form, with hops and transfers from an enumeration where only that has them, and the
/// output on shorter loops where it has none.
static void evaluateClosed(const FlatNest &flat, const AnalysisOptions &options,
                           AnalysisResult &result) {
  llvm::Optional<OutputCounts> output;
  if (!hasClosedForm(flat))
    output = stretchedOutput(flat, options.workLimit);
  result.isStretched = output.hasValue();
  if (output || hasClosedForm(flat))
    result.counts =
        closedForm(flat, options, result.errors, output ? output.getPointer() : nullptr);
  if (!result.counts && result.errors.empty())
    return enumerateWithin(flat, options, result);
  for (unsigned t = 0; t < flat.nest->tensors.size(); ++t)
    if (llvm::any_of(factorsOf(*flat.nest, t).groups,
                     [](const RankGroup &group) { return group.ranks.size() > 1; }))
      result.coupled.push_back(t);
  bool hops = options.hops && result.counts && lacksHops(*result.counts);
  bool transfers = result.counts && lacksTransfers(*result.counts, options.transfers);
  if (!hops && !transfers)
    return;
  int64_t work = enumerationWork(flat);
  if (work < 0 || work > options.hopWorkLimit)
    return;
  llvm::Optional<Counts> executed = enumerate(flat, hops, transfers, result.errors);
  if (executed && hops)
    result.counts->arrays = std::move(executed->arrays);
  if (executed && transfers)
    takeTransfers(*executed, *result.counts);
}

/// Points that conditions leave out are left out where the nest is short enough to be executed.
static AnalysisResult analyseConditional(const Nest &nest, const AnalysisOptions &options) {
  AnalysisResult result;
  Nest shorter = trimmed(nest);
  llvm::Optional<FlatNest> flat = flatten(shorter, result.errors);
  if (!flat)
    return result;
  if (shorter.conditions.empty())
    return analyse(shorter, options);
  int64_t work = enumerationWork(*flat);
  if (work >= 0 && work <= options.conditionLimit) {
    enumerateWithin(*flat, options, result);
    return result;
  }
  shorter.conditions.clear();
  result = analyse(shorter, options);
  result.counted = std::move(shorter);
  return result;
}

AnalysisResult loopnest::analyse(const Nest &nest, const AnalysisOptions &options) {
  if (!nest.conditions.empty())
    return analyseConditional(nest, options);
  AnalysisResult result;
  llvm::Optional<FlatNest> flat = flatten(nest, result.errors);
  if (!flat)
    return result;
  if (options.enumerate) {
    enumerateWithin(*flat, options, result);
    return result;
  }
  llvm::Optional<Nest> simpler = decoupled(nest);
  std::vector<AnalysisError> tooWide; // reduced subscripts may be, then the given ones stay
  if (llvm::Optional<FlatNest> reduced = simpler ? flatten(*simpler, tooWide) : llvm::None)
    flat = std::move(reduced);
  if (hasClosedForm(*flat) || canStretch(*flat))
    evaluateClosed(*flat, options, result);
  else
    enumerateWithin(*flat, options, result);
  return result;
}
