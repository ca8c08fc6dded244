// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/phase/PhaseOps.h"

using namespace perfc;
using namespace perfc::ir;

llvm::ArrayRef<OpDecl> phase::phaseOps() {
  static const RegionDecl steps{{"phase.kernel", "phase.repeat", "phase.collective"}};
  static const std::vector<OpDecl> table = {
      {.name = "phase.sequence",
       .doc = "The order in which a graph runs on one chip.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {symbolAttr("of", "what runs").oneOf({"op.graph", "op.kernel"}),
                 symbolAttr("target", "where").oneOf({"target.chip"})},
       .regions = {steps}},
      {.name = "phase.kernel",
       .doc = "One kernel; byte counts are those of its tensors.",
       .attrs = {symbolAttr("run", "what runs")
                     .oneOf({"op.kernel", "loopnest.nest", "loopnest.fused", "loopnest.dataflow",
                             "tile.kernel"}),
                 stringAttr("label", "shown in results"), intAttr("count", "how often").atLeast(1),
                 intAttr("live_bytes", "resident while it runs").atLeast(0),
                 intAttr("input_bytes", "of activations it reads").atLeast(0),
                 intAttr("output_bytes", "it writes").atLeast(0),
                 intAttr("weight_bytes", "of weights it reads").atLeast(0),
                 intAttr("extra_bytes", "of these two, what only fused elementwise statements read")
                     .atLeast(0)
                     .optional(),
                 listAttr("sparsity", AttrKind::Dict, "tensors with zeros").optional(),
                 listAttr("savings", AttrKind::Dict, "what is left out at zeros").optional()}},
      {.name = "phase.repeat",
       .doc = "Its region, so many times.",
       .attrs = {intAttr("count", "how often").atLeast(0)},
       .regions = {steps}},
      {.name = "phase.collective",
       .doc = "A collective that the chip takes part in.",
       .attrs = {stringAttr("kind", "all_reduce, all_gather, …"),
                 intAttr("bytes", "that one rank contributes").atLeast(0),
                 stringAttr("label", "shown in results"),
                 quantityAttr("load", {}, "of an all_to_allv").optional(),
                 listAttr("sizes", AttrKind::Quantity, "of an all_to_allv").optional(),
                 stringAttr("algorithm", "that its line names").optional()}}};
  return table;
}
