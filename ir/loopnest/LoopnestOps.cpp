// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/loopnest/FusedOps.h"

#include "ir/core/Verifier.h"
#include "ir/loopnest/MapspaceOps.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::loopnest;

//===-- Rules
//----------------------------------------------------------------------------------===//

static bool verifyLoop(const Operation &op, DiagnosticEngine &diagnostics) {
  size_t indices = op.listAttr("indices").size();
  if (indices == 0 || (indices > 1 && !op.hasAttr("axis")))
    return invalidOp(op, diagnostics,
                     "a loop in time has one index, one along an axis at least one");
  return true;
}

static bool verifyMapping(const Operation &op, DiagnosticEngine &diagnostics) {
  return op.hasAttr("kernel") != op.hasAttr("graph") ||
         invalidOp(op, diagnostics, "a mapping is for a kernel or for a graph");
}

static bool verifyDirective(const Operation &op, DiagnosticEngine &diagnostics) {
  size_t indices = op.listAttr("indices").size();
  if (indices == 0 || indices != op.listAttr("coefficients").size())
    return invalidOp(op, diagnostics, "as many coefficients as indices are needed");
  return true;
}

static bool verifyParallel(const Operation &op, DiagnosticEngine &diagnostics) {
  if (op.listAttr("indices").size() != op.listAttr("steps").size())
    return invalidOp(op, diagnostics, "as many steps as indices are needed");
  return true;
}

/// A partial sum is never narrower than what it becomes.
static bool verifyTensor(const Operation &op, DiagnosticEngine &diagnostics) {
  TensorOp tensor(const_cast<Operation *>(&op));
  if (int64_t block = tensor.block(); block > 4096 || (block & (block - 1)) != 0)
    return invalidOp(op, diagnostics, "`block` is a power of two of at most 4096");
  if (!tensor.partial().empty() && !tensor.isOutput())
    return invalidOp(op, diagnostics, "only an output has partial sums");
  // An element has its share of the scale of its block.
  int64_t share = tensor.block() > 0 ? (tensor.scale() + tensor.block() - 1) / tensor.block() : 0;
  for (const AttrDict::Entry &entry : tensor.partial().entries())
    if (entry.second.asInt() < tensor.bits() + share)
      return invalidOp(op, diagnostics,
                       "a partial sum at `" + entry.first + "` is narrower than an element");
  return true;
}

static bool verifyFused(const Operation &op, DiagnosticEngine &diagnostics) {
  if (op.listAttr("tensors").size() != op.listAttr("places").size())
    return invalidOp(op, diagnostics, "as many places as tensors are needed");
  for (const Attribute &entry : op.listAttr("rescale")) {
    const Attribute *tensor = entry.asDict().find("tensor");
    const Attribute *count = entry.asDict().find("count");
    if (!tensor || !tensor->fits(AttrKind::String) || !count || !count->fits(AttrKind::Int))
      return invalidOp(op, diagnostics, "an entry of `rescale` has a `tensor` and a `count`");
  }
  return true;
}

/// A nest is one chain: in each region one operation leads further in, and the last one computes.
static bool verifyNest(const Operation &op, DiagnosticEngine &diagnostics) {
  const Region *region = &op.body();
  while (true) {
    const Operation *inner = nullptr;
    for (const Operation &step : *region) {
      if (step.is(TensorOp::opName))
        continue;
      if (inner)
        return invalidOp(step, diagnostics, "a second loop beside another; a nest is one chain");
      inner = &step;
    }
    if (!inner)
      return invalidOp(op, diagnostics, "no `loopnest.compute` innermost");
    if (inner->is(ComputeOp::opName))
      return true;
    region = &inner->body();
  }
}

std::vector<FusedTensor> loopnest::fusedTensors(FusedOp op) {
  std::vector<FusedTensor> all;
  std::vector<std::string> names = op.tensors(), places = op->stringsAttr("places");
  for (size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i], places[i]});
  return all;
}

std::vector<std::string> loopnest::finishedTensors(FusedOp op) {
  return op->stringsAttr("finished");
}

std::vector<KeptElements> loopnest::keptElements(FusedOp op) {
  std::vector<KeptElements> all;
  for (const AttrDict::Entry &entry : op->dictAttr("kept").entries())
    all.push_back({entry.first, entry.second.asInt()});
  return all;
}

std::vector<Rescale> loopnest::rescalesOf(FusedOp op) {
  std::vector<Rescale> all;
  for (const Attribute &entry : op->listAttr("rescale")) {
    const AttrDict &values = entry.asDict();
    all.push_back({values.find("tensor")->asString().str(), values.find("count")->asInt(),
                   values.find("statistics") != nullptr});
  }
  return all;
}

//===-- Declarations
//---------------------------------------------------------------------------===//

static std::vector<OpDecl> mappingDecls() {
  return {
      {.name = "loopnest.mapping",
       .doc = "What the user asked for: loops at places, outermost first.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {symbolAttr("kernel", "what is mapped").oneOf({"op.kernel"}).optional(),
                 symbolAttr("graph", "else the workload whose values are fused; its loops name an "
                                     "index `i` of the last operator, or `y.i` of what makes y")
                     .oneOf({"op.graph"})
                     .optional(),
                 symbolAttr("target", "onto what").oneOf({"target.chip"}),
                 stringAttr("source", "name of the declaration"),
                 intAttr("statement", "which statement of the kernel; all when not given")
                     .atLeast(0)
                     .optional(),
                 listAttr("timeloop", AttrKind::Dict, "lines that only Timeloop's model knows")
                     .optional()},
       .regions = {{{"loopnest.place", "loopnest.keep", "loopnest.fuse"}}},
       .verifier = verifyMapping},
      {.name = "loopnest.fuse",
       .doc = "Intermediates that never leave a memory; the loops outside it are shared.",
       .attrs = {stringAttr("at", "name of the memory"),
                 listAttr("tensors", AttrKind::String, "which intermediates"),
                 flagAttr("retain", "what neighbouring tiles share is kept, not made again")}},
      {.name = "loopnest.keep",
       .doc = "Tensors that a memory keeps, or passes by, whatever the chip says of their roles.",
       .attrs = {stringAttr("at", "name of the memory"),
                 listAttr("tensors", AttrKind::String, "which tensors"),
                 flagAttr("bypass", "they pass it by"),
                 flagAttr("any", "in a mapspace: what the memory may keep is kept or not")}},
      {.name = "loopnest.place",
       .doc = "The loops at one memory, array or unit.",
       .attrs = {stringAttr("at", "name of the place")},
       .regions = {{{"loopnest.loop"}}}},
      {.name = "loopnest.loop",
       .doc = "One loop of a mapping; without a factor it is a hole for the search to fill.",
       .attrs = {listAttr("indices", AttrKind::String, "one in time, one or more along an axis"),
                 intAttr("factor", "how many steps").atLeast(1).optional(),
                 stringAttr("axis", "the array axis of a parallel loop").optional()},
       .verifier = verifyLoop}};
}

static std::vector<OpDecl> dataflowDecls() {
  return {{.name = "loopnest.dataflow",
           .doc = "A mapping in MAESTRO's directives, outermost first.",
           .symbol = SymbolUse::Required,
           .topLevel = true,
           .attrs = {symbolAttr("kernel", "what is mapped").oneOf({"op.kernel"}),
                     symbolAttr("target", "onto what").oneOf({"target.chip"}),
                     stringAttr("source", "name of the declaration"),
                     intAttr("statement", "which statement of the kernel").atLeast(0)},
           .regions = {{{"loopnest.directive", "loopnest.cluster"}}}},
          {.name = "loopnest.directive",
           .doc = "Maps `size` values of an index, or of a window of a tensor's rank, per step.",
           .attrs = {stringAttr("of", "the index or rank as written"),
                     listAttr("indices", AttrKind::String, "one index, or those of the rank"),
                     listAttr("coefficients", AttrKind::Int, "per index").atLeast(1),
                     intAttr("size", "values per step").atLeast(1),
                     intAttr("offset", "values between steps").atLeast(1),
                     flagAttr("spatial", "steps are sub-clusters, folded where there are too few")},
           .verifier = verifyDirective},
          {.name = "loopnest.cluster",
           .doc = "What follows is about the sub-clusters of groups of this size.",
           .attrs = {intAttr("size", "sub-clusters of a group").atLeast(1)}}};
}

static std::vector<OpDecl> nestDecls() {
  RegionDecl inner{{"loopnest.at", "loopnest.for", "loopnest.parallel", "loopnest.compute"}};
  RegionDecl outer = inner;
  outer.allowed.insert(outer.allowed.begin(), "loopnest.tensor");
  return {
      {.name = "loopnest.nest",
       .doc = "One statement of a kernel with all its loops on a chip.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {symbolAttr("kernel", "whose statement").oneOf({"op.kernel"}),
                 intAttr("statement", "which one, from 0").atLeast(0),
                 symbolAttr("target", "where it runs").oneOf({"target.chip"}),
                 stringAttr("mapping", "name shown in results"),
                 stringAttr("domain",
                            "iteration domain in isl's notation, which the reuse analysis reads"),
                 dictAttr("windows", AttrKind::Dict,
                          "by index whose tiles overlap or leave gaps: `step` from tile to tile, "
                          "`extent` and `count` of the tiles")
                     .optional(),
                 flagAttr("zeros", "an evaluation says of its tensors which elements are zero"),
                 flagAttr("unfit", "no simple mapping fits; only a search can use it"),
                 listAttr("timeloop", AttrKind::Dict, "lines of the mapping for Timeloop's model")
                     .optional()},
       .regions = {outer},
       .verifier = verifyNest},
      {.name = "loopnest.tensor",
       .doc = "A tensor of the statement and how it is accessed.",
       .symbol = SymbolUse::Required,
       .attrs = {stringAttr("role", "input, weight, output, …"),
                 intAttr("bits", "of an element, without a scale").atLeast(1),
                 intAttr("block", "elements that share a scale").atLeast(1).optional(),
                 intAttr("scale", "bits of the scale of a block").atLeast(1).otherwise(8),
                 flagAttr("output", "written, not only read"),
                 dictAttr("partial", AttrKind::Int,
                          "bits of a partial sum of the output by memory, where it is wider")
                     .atLeast(1)
                     .optional(),
                 listAttr("map", AttrKind::Any, "subscript per rank; \"any\" depends on data"),
                 listAttr("shape", AttrKind::Int, "extents").atLeast(0).optional(),
                 stringAttr("access",
                            "relation of points and elements in isl's notation, which the "
                            "reuse analysis reads")},
       .verifier = verifyTensor},
      {.name = "loopnest.at",
       .doc = "The loops in here step through the tile that a place holds.",
       .attrs = {stringAttr("place", "name of the memory, array or unit"),
                 listAttr("keep", AttrKind::String,
                          "tensors that the memory keeps; by their roles when not given")
                     .optional()},
       .regions = {inner}},
      {.name = "loopnest.for",
       .doc = "A loop in time.",
       .attrs = {stringAttr("index", "which index"), intAttr("factor", "how many steps").atLeast(1),
                 intAttr("step", "how far the index moves").atLeast(1),
                 flagAttr("window", "it numbers the tiles of the index's window")},
       .regions = {inner}},
      {.name = "loopnest.parallel",
       .doc = "A loop in space: lane l moves each index by l times its step.",
       .attrs = {stringAttr("axis", "array and axis, such as PE.x"),
                 listAttr("indices", AttrKind::String, "which indices"),
                 intAttr("factor", "how many lanes").atLeast(1),
                 listAttr("steps", AttrKind::Int, "per index"),
                 flagAttr("window", "it numbers the tiles of its index's window")},
       .regions = {inner},
       .verifier = verifyParallel},
      {.name = "loopnest.fused",
       .doc = "Statements that run together, tile by tile; one nest each, with the shared loops.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs =
           {symbolAttr("kernel", "whose statements").oneOf({"op.kernel"}),
            symbolAttr("target", "where they run").oneOf({"target.chip"}),
            stringAttr("mapping", "name shown in results"),
            stringAttr("at", "the innermost memory at which they meet"),
            listAttr("tensors", AttrKind::String, "intermediates that never leave a memory"),
            listAttr("places", AttrKind::String, "the memory of each of them"),
            listAttr("finished", AttrKind::String,
                     "fused tensors that are finished where they are made")
                .optional(),
            listAttr("rescale", AttrKind::Dict,
                     "running results that are put right: `tensor`, `count` of elements, and "
                     "`statistics` for the maximum itself")
                .optional(),
            dictAttr("kept", AttrKind::Int,
                     "elements that stay of tensors with retained halos, those of a step included")
                .atLeast(1)
                .optional(),
            intAttr("blocks", "tiles that are dispatched to the units of the chip").atLeast(1)},
       .regions = {{{"loopnest.nest"}}},
       .verifier = verifyFused},
      {.name = "loopnest.compute",
       .doc = "One point of the iteration space.",
       .attrs = {stringAttr("unit", "name of the compute unit")}}};
}

llvm::ArrayRef<OpDecl> loopnest::loopnestOps() {
  static const std::vector<OpDecl> table = [] {
    std::vector<OpDecl> all = mappingDecls();
    for (auto decls : {mapspaceDecls(), dataflowDecls(), nestDecls()})
      for (OpDecl &decl : decls)
        all.push_back(std::move(decl));
    return all;
  }();
  return table;
}
