// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapped nests and their counts as JSON, one case per object:
//   {"case": {"dims": {"p": 8}, "tensors": {"I": [{"p": 2, "r": 1, "1": 3}]}, "output": "O",
//             "hierarchy": [{"memory": "DRAM", "keep": ["I"]}, {"array": "PE"}, …],
//             "mapping": {"DRAM": [["p", 4]], "PE": [["p", 2]]}},
//    "expected": {"macs": …, "steps": …, "max_active_lanes": …, "memories": {…}, "arrays": {…}}}
// A subscript maps dims to coefficients, "1" to its constant. Optional in a case: "extents"
// {"I": [8, null]} (what is outside is padding), "axes" {"x": 14, "y": 12} of an array with
// "multicast" and "reduce" lists of its axes, and as a parallel loop [["p", "r"], 3, "x"], where a
// driven dim may be {"dim": "p", "step": 2}. An array without axes has one that is long enough.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_CASEJSON_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_CASEJSON_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/Nest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace perfc {
namespace loopnest {

/// Reads the object under "case"; dims and tensors come in the order of their names. The error says
/// which part is malformed. Semantics are left to `validate`.
llvm::Expected<Nest> readCase(const llvm::json::Object &object);

/// The counts in the layout of "expected".
llvm::json::Object writeCounts(const Nest &nest, const Counts &counts);

/// Where `expected` has a figure that `counts` lacks or has otherwise: "RF.W.fills: 12, not 13".
/// Figures that `expected` does not mention are not compared.
std::vector<std::string> differences(const llvm::json::Object &expected, const Nest &nest,
                                     const Counts &counts);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_CASEJSON_H
