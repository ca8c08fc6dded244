// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/op/OpOps.h"

#include "ir/op/OpRules.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::op;

double OperandOp::most() const {
  const Attribute *value = op->attr("most");
  return value ? value->asQuantity().toDouble() : 0;
}

double OperandOp::theta() const {
  const Attribute *value = op->attr("theta");
  return value ? value->asQuantity().toDouble() : 0;
}

llvm::Optional<int64_t> OperandOp::distinct() const {
  return op->hasAttr("distinct") ? llvm::Optional<int64_t>(op->intAttr("distinct")) : llvm::None;
}

std::vector<AffineExpr> StatementOp::constraints() const {
  const Attribute *list = op->attr("constraints");
  return list ? list->asAffines() : std::vector<AffineExpr>();
}

llvm::Optional<int64_t> StatementOp::boxPoints() const {
  llvm::Optional<int64_t> points = 1;
  for (const AttrDict::Entry &index : domain().entries()) {
    points = checkedMultiply(*points, index.second.asInt());
    if (!points)
      return llvm::None;
  }
  return points;
}

//===-- Declarations
//---------------------------------------------------------------------------===//

static std::vector<OpDecl> kernelDecls() {
  return {
      {.name = "op.kernel",
       .doc = "An operator with all extents known: its tensors and equations.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {stringAttr("op", "name of the declaration"),
                 dictAttr("parameters", AttrKind::Any, "their values"),
                 stringAttr("module", "that of the library which declares it").optional()},
       .regions = {{{"op.operand", "op.statement"}}}},
      {.name = "op.operand",
       .doc = "A tensor of the kernel; parameters come first, in order.",
       .symbol = SymbolUse::Required,
       .attrs =
           {stringAttr("role", "what it is to the kernel")
                .oneOf({"input", "weight", "output", "intermediate", "cache"}),
            listAttr("shape", AttrKind::Int, "extents, outermost first").atLeast(0),
            stringAttr("dtype", "number format"), flagAttr("in_place", "updated in place"),
            flagAttr("handed",
                     "comes from what stands before on the chip: the kernel does not read "
                     "it, and runs as the end of that, without a start of its own"),
            stringAttr("draw", "how its values are spread over what they index")
                .oneOf({"uniform", "balanced", "zipf", "power_law"})
                .optional(),
            quantityAttr("theta", {}, "of zipf and of a power law: how uneven, 0 is even")
                .optional(),
            quantityAttr("most", {}, "of a power law: the most keys of one row").optional(),
            intAttr("distinct", "rank along which its values differ").atLeast(0).optional(),
            intAttr("among", "expert-parallel ranks whose keys come here").atLeast(1).optional()},
       .verifier = verifyOperand},
      {.name = "op.statement",
       .doc = "An equation: one write and its reads, over all points of a domain.",
       .attrs = {dictAttr("write", AttrKind::Any, "{tensor, map}"),
                 listAttr("reads", AttrKind::Dict, "{tensor, map} each"),
                 dictAttr("domain", AttrKind::Int, "extent per index, from 0").atLeast(0),
                 listAttr("constraints", AttrKind::Affine, "each >= 0 in the domain").optional(),
                 dictAttr("written", AttrKind::String,
                          "per index that was renamed, how mappings write it: y.m")
                     .optional(),
                 stringAttr("reduce", "how values of one element are joined: +, max, …").optional(),
                 flagAttr("mac", "a sum of products"),
                 intAttr("flops", "operations per point").atLeast(0),
                 dictAttr("functions", AttrKind::Int, "calls per point").atLeast(0).optional(),
                 stringAttr("text", "the equation as written"),
                 listAttr("value", AttrKind::Any,
                          "the right side: [operator, operands…] or one operand; an operand is a "
                          "number, {read = i}, or a list as this one")
                     .atLeast(1)
                     .optional()},
       .verifier = verifyStatement}};
}

static AttrDecl loadAttr() {
  return quantityAttr("load", {}, "tokens of the busiest expert-parallel rank over the mean")
      .optional();
}

static AttrDecl droppedAttr() {
  return quantityAttr("dropped", {}, "share of the tokens that no expert takes").optional();
}

static AttrDecl copiesAttr() {
  return intAttr("copies", "of each token, one per expert that it has chosen")
      .atLeast(1)
      .optional();
}

static std::vector<OpDecl> leafDecls() {
  Arity some{0, Arity::any};
  return {
      {.name = "op.tensor",
       .doc = "A tensor that comes from outside the graph.",
       .symbol = SymbolUse::Optional,
       .results = {1, 1},
       .attrs = {stringAttr("kind", "where it comes from")
                     .oneOf({"input", "weight", "cache", "token", "saved", "gradient"}),
                 stringAttr("label", "its name in the program"),
                 flagAttr("expert", "a weight whose first rank the data choose"),
                 flagAttr("frozen", "a weight that is not trained"),
                 flagAttr("adapter", "a weight that is trained in the place of a frozen one"),
                 intAttr("whole", "elements of an adapter that is divided among ranks")
                     .atLeast(1)
                     .optional()}},
      {.name = "op.save",
       .doc = "Keeps a value for the backward pass, where a tensor of the same symbol is it.",
       .symbol = SymbolUse::Required,
       .operands = {1, 1},
       .attrs = {copiesAttr(), loadAttr()}},
      {.name = "op.gradient",
       .doc = "The gradient of a weight.",
       .operands = {1, 1},
       .attrs = {stringAttr("of", "the symbol of the weight in the forward graph")}},
      {.name = "op.apply",
       .doc = "A kernel applied to its tensor parameters.",
       .symbol = SymbolUse::Optional,
       .operands = some,
       .results = {0, Arity::any},
       .attrs =
           {symbolAttr("kernel", "which").oneOf({"op.kernel"}), loadAttr(), droppedAttr(),
            flagAttr("discarded", "computed again, and nothing reads it"),
            listAttr("alike", AttrKind::String, "axes along which ranks run the same").optional()},
       .verifier = verifyApply},
      {.name = "op.call",
       .doc = "Another graph applied to its inputs.",
       .symbol = SymbolUse::Optional,
       .operands = some,
       .results = some,
       .attrs = {symbolAttr("graph", "which").oneOf({"op.graph"})},
       .verifier = verifyCall},
      {.name = "op.collective",
       .doc = "A collective on a tensor that is spread over ranks.",
       .operands = {1, 1},
       .results = {1, 1},
       .attrs = {stringAttr("kind", "all_reduce, all_gather, …"),
                 stringAttr("axis", "the axis of parallelism it runs along").optional(),
                 intAttr("ranks", "how many take part; all when not given").atLeast(1).optional(),
                 copiesAttr(), loadAttr(), droppedAttr(),
                 intAttr("choices", "experts of a token, one row for each").atLeast(1).optional(),
                 listAttr("sizes", AttrKind::Quantity, "from each rank to each").optional(),
                 stringAttr("algorithm", "that its line names").optional(),
                 flagAttr("bucketed", "goes together with a later one of its kind"),
                 intAttr("with", "bytes of those that go with it").atLeast(1).optional()}},
      {.name = "op.yield",
       .doc = "The results of the region around it; stands last.",
       .operands = some,
       .verifier = verifyLast},
      {.name = "op.return",
       .doc = "The results of a graph; stands last.",
       .operands = some,
       .verifier = verifyLast}};
}

static std::vector<OpDecl> graphDecls() {
  Arity some{0, Arity::any};
  std::vector<llvm::StringRef> steps = {"op.tensor",     "op.apply", "op.call", "op.repeat",
                                        "op.collective", "op.fused", "op.save", "op.gradient"};
  RegionDecl graph{steps, /*hasArguments=*/true};
  graph.allowed.push_back("op.return");
  RegionDecl body{steps, /*hasArguments=*/true};
  body.allowed.push_back("op.yield");
  return {
      {.name = "op.graph",
       .doc = "A workload: tensors, and the kernels and graphs applied to them.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {flagAttr("sharded", "in a training step: what one rank runs")},
       .regions = {graph},
       .verifier = verifyGraph},
      {.name = "op.repeat",
       .doc = "Its region so many times, each fed with what the last one yielded.",
       .operands = some,
       .results = some,
       .attrs = {intAttr("count", "how often").atLeast(0),
                 flagAttr("kept",
                          "in a training step: layers whose activations are all kept, while "
                          "those before recompute theirs")},
       .regions = {body},
       .verifier = verifyRepeat},
      {.name = "op.fused",
       .doc = "Applications that run as one kernel: what is only used inside stays on the chip.",
       .symbol = SymbolUse::Optional,
       .operands = some,
       .results = some,
       .attrs = {symbolAttr("kernel", "the group as one kernel").oneOf({"op.kernel"}).optional(),
                 loadAttr(), droppedAttr(),
                 flagAttr("discarded", "computed again, and nothing reads it")},
       .regions = {body},
       .verifier = verifyFused}};
}

llvm::ArrayRef<OpDecl> op::opOps() {
  static const std::vector<OpDecl> table = [] {
    std::vector<OpDecl> all = kernelDecls();
    for (OpDecl decl : graphDecls())
      all.push_back(std::move(decl));
    for (OpDecl decl : leafDecls())
      all.push_back(std::move(decl));
    return all;
  }();
  return table;
}
