// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many rows each expert gets of those that keys send to experts. The mean is m = rows /
// experts.
//     uniform     each key by chance: m rows each; below 3, experts (1 - exp(-m)) have one at all,
//                 or where keys differ in groups of c, experts (1 - (1 - c / experts)^(rows / c))
//     balanced    m rows each; below 1, as many experts as rows have one
//     power_law   loads lie on [1, most] with a density in proportion to x^-theta (as benchmarks
//                 of expert layers draw them); expert i of E has the quantile (i + 1/2) / E of it,
//                 in proportion. With at most a row for each expert they are chosen by chance
//     zipf        expert i in proportion to i^-theta
// None gets more than all tokens. Sources: aiconfigurator, collector/helper.py (power law); balls
// in bins (uniform).
#ifndef PERFC_PASSES_ANALYSIS_EXPERTLOADS_H
#define PERFC_PASSES_ANALYSIS_EXPERTLOADS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace perfc {
namespace passes {

/// Experts that have so many rows each; a part of one where it has rows now and then only.
struct ExpertRows {
  double experts = 0, rows = 0;
};

struct ExpertSpread {
  llvm::StringRef kind; ///< as above; "" as uniform
  double theta = 0;
  double most = 0;   ///< of a power law
  double chosen = 0; ///< keys that differ among themselves; 0 where nothing says so
};

/// `rows` of `tokens` tokens (0: any number) on `experts` experts, by `spread`.
std::vector<ExpertRows> expertLoads(const ExpertSpread &spread, double rows, int64_t experts,
                                    double tokens);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_EXPERTLOADS_H
