// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/CountVerifier.h"
#include "ir/common/diagnostics/Hardware.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

bool CountVerifier::verify(const Nest &nest, const Counts &counts, SourceRange place,
                           DiagnosticEngine &diagnostics) {
  std::vector<AnalysisError> errors;
  llvm::Optional<FlatNest> flat = flatten(nest, errors);
  llvm::Optional<ExactCounts> exact;
  if (flat)
    exact = countExactly(*flat, limits);
  std::vector<std::string> different;
  if (exact)
    different = disagreements(nest, *exact, counts);
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++found.nests;
    found.equal += exact && different.empty();
    found.tooLarge += !exact;
  }
  if (!different.empty())
    diagnostics.report(place, diag::CountsDiffer, llvm::join(different, "; "));
  return different.empty();
}

VerifiedNests CountVerifier::takeFound() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(found, {});
}
