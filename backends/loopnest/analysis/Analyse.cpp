// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/ClosedForm.h"
#include "backends/loopnest/analysis/Enumeration.h"

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
    result.counts = enumerate(flat, options.hops, result.errors);
}

AnalysisResult loopnest::analyse(const Nest &nest, const AnalysisOptions &options) {
  AnalysisResult result;
  llvm::Optional<FlatNest> flat = flatten(nest, result.errors);
  if (!flat)
    return result;
  if (!options.enumerate && hasClosedForm(*flat))
    result.counts = closedForm(*flat, options.hops, result.errors);
  else
    enumerateWithin(*flat, options, result);
  return result;
}
