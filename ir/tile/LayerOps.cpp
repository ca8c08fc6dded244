// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/tile/LayerOps.h"

#include "ir/core/CycleTime.h"
#include "ir/core/Verifier.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::tile;

template <typename Part> static Part partOf(const Operation &op) {
  for (const Operation &part : op.body())
    if (auto found = as<Part>(part))
      return found;
  return {};
}

ExpertsOp tile::expertsOf(const Operation &op) { return partOf<ExpertsOp>(op); }
ConvolutionOp tile::convolutionOf(const Operation &op) { return partOf<ConvolutionOp>(op); }

static bool areFormats(const Operation &op, std::initializer_list<llvm::StringRef> names,
                       DiagnosticEngine &diagnostics) {
  for (llvm::StringRef name : names)
    if (!parseDType(op.stringAttr(name)))
      return invalidOp(op, diagnostics, name.str() + " is no number format");
  return true;
}

static bool verifyExperts(const Operation &op, DiagnosticEngine &diagnostics) {
  auto experts = as<ExpertsOp>(op);
  if (!areFormats(op, {"format", "left", "weights"}, diagnostics))
    return false;
  return (!experts.widths().empty() && experts.widths().size() == experts.depths().size()) ||
         invalidOp(op, diagnostics, "each of its products has a width and a depth");
}

static bool verifyConvolution(const Operation &op, DiagnosticEngine &diagnostics) {
  auto convolution = as<ConvolutionOp>(op);
  size_t ranks = convolution.positions().size();
  if (!areFormats(op, {"format", "result"}, diagnostics))
    return false;
  return (ranks > 0 && convolution.window().size() == ranks &&
          op.intsAttr("strides").size() == ranks) ||
         invalidOp(op, diagnostics, "each rank has positions, a window and a stride");
}

std::vector<OpDecl> tile::layerDecls() {
  return {{.name = ExpertsOp::opName,
           .doc = "Products of rows with the weights of the experts that data choose for them.",
           .attrs = {intAttr("experts", "that are here").atLeast(1),
                     intAttr("rows", "of all experts").atLeast(1),
                     intAttr("all_rows", "of all ranks").atLeast(1),
                     intAttr("tokens", "whose rows it brings together; 0 where they stand so")
                         .atLeast(0),
                     intAttr("token_bytes", "that it moves for each of these").atLeast(0),
                     intAttr("row_bytes", "that it moves for each row").atLeast(0),
                     listAttr("widths", AttrKind::Int, "n of each product").atLeast(1),
                     listAttr("depths", AttrKind::Int, "k of each product").atLeast(1),
                     stringAttr("format", "in which they are computed"),
                     stringAttr("left", "number format of the rows"),
                     stringAttr("weights", "number format of the weights"),
                     stringAttr("spread", "how rows choose experts")
                         .oneOf({"uniform", "balanced", "zipf", "power_law"}),
                     intAttr("chosen", "rows that go to different experts").atLeast(1).optional(),
                     intAttr("copies", "sets of weights that take turns from run to run")
                         .atLeast(1)
                         .optional(),
                     quantityAttr("theta", {}, "of zipf and of a power law").optional(),
                     quantityAttr("most", {}, "rows of an expert, of a power law").optional()},
           .verifier = verifyExperts},
          {.name = ConvolutionOp::opName,
           .doc = "Sums of products over a window that moves along an image.",
           .attrs = {intAttr("groups", "of channels and filters").atLeast(1),
                     intAttr("images", "independent ones").atLeast(1),
                     intAttr("channels", "of a group").atLeast(1),
                     intAttr("filters", "of a group").atLeast(1),
                     listAttr("positions", AttrKind::Int, "of the window, by rank").atLeast(1),
                     listAttr("window", AttrKind::Int, "extents of it, by rank").atLeast(1),
                     listAttr("strides", AttrKind::Int, "between positions, by rank"),
                     flagAttr("dilated", "points of the window lie apart"),
                     stringAttr("format", "in which it is computed"),
                     stringAttr("result", "number format of the result"),
                     intAttr("input_bytes", "of all of it").atLeast(0),
                     intAttr("filter_bytes", "of all of them").atLeast(0),
                     intAttr("result_bytes", "of all of it").atLeast(0),
                     intAttr("other_bytes", "of what equations fused after it read and write")
                         .atLeast(0),
                     stringAttr("algorithm", "the kind of kernel that was chosen")
                         .oneOf({"convolution", "winograd", "winograd_split", "depthwise"})
                         .optional()},
           .verifier = verifyConvolution}};
}

std::vector<AttrDecl> tile::layerFigures() {
  return {
      quantityAttr("loss", {}, "time that products lose over that of the generation's core")
          .otherwise(0),
      cycleTimeAttr("block_time", "of a block beside its steps"),
      quantityAttr("resident", {}, "blocks that share a unit").positive().otherwise(1),
      cycleTimeAttr("other_time", "of a block for rows of another rank"),
      cycleTimeAttr("choice_time", "to sort one choice of an expert"),
      quantityAttr("reached", {}, "bandwidth over what the generation reaches")
          .positive()
          .otherwise(1),
      quantityAttr("moves", {}, "time of moving rows over that of their bytes").otherwise(0),
      quantityAttr("token_moves", {}, "the same of bringing tokens together").otherwise(0),
      flagAttr("all_rows", "rows of all ranks are moved"),
      quantityAttr("least_waves", {}, "that blocks take however few they are")
          .positive()
          .otherwise(1),
      quantityAttr("input_reads", {}, "of an image").positive().otherwise(1),
      quantityAttr("transforms", {}, "time of transforms over that of their bytes").otherwise(0)};
}
