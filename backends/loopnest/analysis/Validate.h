// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions that make a nest well formed: references in range, positive sizes and factors,
// factors that are just enough (the outermost loop of a dimension starts its last pass inside it),
// axes that are long enough, subscripts that fit in 64 bits.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_VALIDATE_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_VALIDATE_H

#include "backends/loopnest/analysis/AnalysisError.h"
#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

/// Appends what is wrong with sizes, references and loops.
void checkStructure(const Nest &nest, std::vector<AnalysisError> &errors);

/// Appends what is wrong with coverage; the structure must be sound.
void checkCoverage(const Nest &nest, std::vector<AnalysisError> &errors);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_VALIDATE_H
