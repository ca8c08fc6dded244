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
       .attrs =
           {symbolAttr("run", "what runs")
                .oneOf({"op.kernel", "loopnest.nest", "loopnest.fused", "loopnest.dataflow",
                        "tile.kernel"}),
            stringAttr("label", "shown in results"), intAttr("count", "how often").atLeast(1),
            symbolAttr("on", "the part of the chip that runs it").oneOf({"target.chip"}).optional(),
            intAttr("live_bytes", "resident while it runs").atLeast(0),
            intAttr("input_bytes", "of activations it reads").atLeast(0),
            intAttr("output_bytes", "it writes").atLeast(0),
            intAttr("weight_bytes", "of weights it reads").atLeast(0),
            listAttr("finish", AttrKind::Dict,
                     "operands that only fused elementwise statements read")
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

Attribute phase::FinishOperand::toAttribute() const {
  AttrDict entry;
  entry.set("tensor", tensor);
  entry.set("role", role);
  entry.set("words", words);
  entry.set("bytes", bytes);
  return entry;
}

std::vector<phase::FinishOperand> phase::finishOperands(const Operation *kernel) {
  std::vector<FinishOperand> operands;
  if (!kernel)
    return operands;
  for (const Attribute &value : kernel->listAttr("finish")) {
    const AttrDict &entry = value.asDict();
    operands.push_back({entry.find("tensor")->asString().str(),
                        entry.find("role")->asString().str(), entry.find("words")->asInt(),
                        entry.find("bytes")->asInt()});
  }
  return operands;
}

int64_t phase::finishBytes(llvm::ArrayRef<FinishOperand> operands) {
  int64_t bytes = 0;
  for (const FinishOperand &operand : operands)
    bytes += operand.bytes;
  return bytes;
}
