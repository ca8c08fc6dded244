// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/phase/PhaseOps.h"

using namespace perfc;
using namespace perfc::ir;

llvm::ArrayRef<OpDecl> phase::phaseOps() {
  static const RegionDecl steps{
      {"phase.kernel", "phase.repeat", "phase.collective", "phase.weight", "phase.keep"}};
  AttrDecl load =
      quantityAttr("load", {}, "of the busiest expert-parallel rank over the mean").optional();
  AttrDecl dropped =
      quantityAttr("dropped", {}, "share of the tokens that no expert takes").optional();
  AttrDecl after = listAttr("after", AttrKind::Int,
                            "the kernels and collectives of its sequence, counted from "
                            "0, that make what it reads")
                       .atLeast(0)
                       .optional();
  static const std::vector<OpDecl> table = {
      {.name = "phase.sequence",
       .doc = "The order in which a graph, or a part of a model that stages share out, runs on one "
              "chip.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs =
           {symbolAttr("of", "what runs").oneOf({"op.graph", "op.kernel"}),
            symbolAttr("target", "where").oneOf({"target.chip"}),
            stringAttr("part", "what stands before the layers, one layer, or what follows")
                .oneOf({"before", "layers", "after"})
                .optional(),
            intAttr("layers", "of this kind, one behind the other").atLeast(0).optional(),
            flagAttr("kept", "layers that keep their activations, while the same ones before "
                             "recompute them"),
            intAttr("input_bytes", "that a layer gets from the one before").atLeast(0).optional(),
            intAttr("working_bytes", "the most that is live of what it makes")
                .atLeast(0)
                .optional(),
            listAttr("outputs", AttrKind::Int, "the steps that make what goes out of it")
                .atLeast(0)
                .optional()},
       .regions = {steps}},
      {.name = "phase.kernel",
       .doc = "One kernel; byte counts are those of its tensors.",
       .attrs =
           {symbolAttr("run", "what runs")
                .oneOf({"op.kernel", "loopnest.nest", "loopnest.fused", "loopnest.dataflow",
                        "tile.kernel", "tile.choice"}),
            stringAttr("label", "shown in results"),
            intAttr("count", "how often").atLeast(1),
            symbolAttr("on", "the part of the chip that runs it").oneOf({"target.chip"}).optional(),
            stringAttr("using", "the provider that costs it, where several may").optional(),
            flagAttr("joined",
                     "runs as the end of what stands before it: the host does not start it"),
            intAttr("live_bytes", "resident while it runs").atLeast(0),
            intAttr("input_bytes", "of activations it reads").atLeast(0),
            intAttr("output_bytes", "it writes").atLeast(0),
            intAttr("weight_bytes", "of weights it reads").atLeast(0),
            listAttr("finish", AttrKind::Dict,
                     "operands that only fused elementwise statements read")
                .optional(),
            listAttr("sparsity", AttrKind::Dict, "tensors with zeros").optional(),
            listAttr("savings", AttrKind::Dict, "what is left out at zeros").optional(),
            after,
            load,
            dropped,
            flagAttr("for_weights", "only gradients of weights need it"),
            flagAttr("of_context", "of a batch that is served: runs for all requests that make a "
                                   "token together, and for each chunk of a prompt, each in its "
                                   "context; other kernels run once for all tokens"),
            flagAttr("discarded", "computed again, and nothing reads it"),
            listAttr("alike", AttrKind::String, "axes along which ranks run the same").optional(),
            intAttr("cast_elements", "of 16-bit operands, where products have another format")
                .atLeast(0)
                .optional()}},
      {.name = "phase.repeat",
       .doc = "Its region, so many times.",
       .attrs = {intAttr("count", "how often").atLeast(0)},
       .regions = {steps}},
      {.name = "phase.collective",
       .doc = "A collective that the chip takes part in.",
       .attrs = {stringAttr("kind", "all_reduce, all_gather, …"),
                 intAttr("bytes", "that one rank contributes").atLeast(0),
                 stringAttr("label", "shown in results"), load, dropped, after,
                 stringAttr("axis", "the axis of parallelism it runs along").optional(),
                 stringAttr("dtype", "of its elements").optional(),
                 intAttr("ranks", "how many take part; all when not given").atLeast(1).optional(),
                 intAttr("choices", "experts of a token, one row for each").atLeast(1).optional(),
                 intAttr("with", "bytes of others that go with it").atLeast(1).optional(),
                 listAttr("sizes", AttrKind::Quantity, "of an all_to_allv").optional(),
                 stringAttr("algorithm", "that its line names").optional()}},
      {.name = "phase.weight",
       .doc = "A weight that a rank holds.",
       .attrs = {stringAttr("label", "its name in the program"),
                 intAttr("elements", "on the rank").atLeast(0),
                 intAttr("bytes", "of them").atLeast(0),
                 flagAttr("expert", "the data choose its first rank"),
                 flagAttr("frozen", "it is not trained"),
                 intAttr("adapter", "elements on all ranks of what is trained in the place of a "
                                    "frozen weight")
                     .atLeast(0)
                     .optional(),
                 listAttr("read_by", AttrKind::Int,
                          "parts of the model that read it, where it is not one alone: 0 before "
                          "the layers, then by kind of layer, then what follows")
                     .atLeast(0)
                     .optional()}},
      {.name = "phase.keep",
       .doc = "What is kept.",
       .attrs = {intAttr("bytes", "on a mean rank").atLeast(0), load,
                 stringAttr("until", "the backward pass, or gradients of weights that are put off")
                     .oneOf({"backward", "weights"})}}};
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
