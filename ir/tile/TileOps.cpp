// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/tile/TileOps.h"

#include "ir/core/Verifier.h"
#include "ir/tile/AttentionOps.h"
#include "ir/tile/LayerOps.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::tile;

/// There are at most as many blocks as the grid has points, conditions may leave some out, and the
/// waves are just enough for them.
static bool verifyKernel(const Operation &op, DiagnosticEngine &diagnostics) {
  auto kernel = as<tile::KernelOp>(op);
  llvm::Optional<int64_t> points = 1;
  for (const AttrDict::Entry &extent : kernel.grid().entries())
    if (points)
      points = checkedMultiply(*points, extent.second.asInt());
  if (!points || kernel.blocks() > *points)
    return invalidOp(op, diagnostics, "blocks is more than the product of the grid");
  int64_t waves = (kernel.blocks() - 1) / kernel.units() + 1;
  return kernel.waves() == waves ||
         invalidOp(op, diagnostics, "waves is not blocks divided by units, rounded up");
}

static std::vector<OpDecl> kernelDecls() {
  return {
      {.name = "tile.kernel",
       .doc = "A kernel cut into blocks that run on the units of a chip in waves.",
       .symbol = SymbolUse::Required,
       .topLevel = true,
       .attrs = {symbolAttr("run", "what is cut").oneOf({"op.kernel", "loopnest.nest"}),
                 symbolAttr("target", "where it runs").oneOf({"target.chip"}),
                 dictAttr("grid", AttrKind::Int, "blocks per index").atLeast(1),
                 dictAttr("tile", AttrKind::Int, "extent of a block per index").atLeast(1),
                 intAttr("blocks", "of the grid that have work").atLeast(1),
                 intAttr("units", "at a time").atLeast(1),
                 intAttr("waves", "one after another").atLeast(1),
                 quantityAttr("occupancy", {},
                              "share of the units that have a block, over all "
                              "waves")
                     .positive()
                     .share()
                     .optional(),
                 flagAttr("eager", "the host starts it, and it runs alone"),
                 symbolAttr("library", "whose kernel it is").oneOf({LibraryOp::opName}).optional()},
       .regions = {{{ProductOp::opName, AttentionOp::opName, StreamOp::opName, ExpertsOp::opName,
                     ConvolutionOp::opName, "tile.load", "tile.compute", "tile.store"}}},
       .verifier = verifyKernel},
      {.name = "tile.load",
       .doc = "What one block reads of a tensor.",
       .attrs = {stringAttr("tensor", "which"), intAttr("bytes", "per block").atLeast(0),
                 stringAttr("from", "name of the memory")}},
      {.name = "tile.compute",
       .doc = "What one block computes.",
       .attrs = {intAttr("macs", "multiply-accumulates").atLeast(0),
                 intAttr("flops", "operations, two per multiply-accumulate").atLeast(0),
                 stringAttr("unit", "name of the compute unit").optional()}},
      {.name = "tile.store",
       .doc = "What one block writes of a tensor.",
       .attrs = {stringAttr("tensor", "which"), intAttr("bytes", "per block").atLeast(0),
                 stringAttr("to", "name of the memory")}}};
}

llvm::ArrayRef<OpDecl> tile::tileOps() {
  static const std::vector<OpDecl> table = [] {
    std::vector<OpDecl> all = kernelDecls();
    for (OpDecl decl : libraryDecls())
      all.push_back(std::move(decl));
    return all;
  }();
  return table;
}
