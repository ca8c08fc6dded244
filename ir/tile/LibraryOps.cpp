// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/tile/LibraryOps.h"

#include "ir/core/CycleTime.h"
#include "ir/core/Verifier.h"
#include "ir/tile/AttentionOps.h"
#include "ir/tile/LayerOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::tile;

std::vector<int64_t> ShapesOp::splits() const {
  return op->hasAttr("splits") ? op->intsAttr("splits") : std::vector<int64_t>{1};
}

llvm::Optional<int64_t> ShapesOp::upTo() const {
  return op->hasAttr("up_to") ? llvm::Optional<int64_t>(op->intAttr("up_to")) : llvm::None;
}

ProductOp tile::productOf(const Operation &op) {
  for (const Operation &part : op.body())
    if (auto product = as<ProductOp>(part))
      return product;
  return {};
}

StreamOp tile::streamOf(const Operation &op) {
  for (const Operation &part : op.body())
    if (auto stream = as<StreamOp>(part))
      return stream;
  return {};
}

FamilyOp tile::streamFor(LibraryOp library, llvm::StringRef kind) {
  for (Operation &part : library->body())
    if (as<FamilyOp>(part).kind() == kind)
      return as<FamilyOp>(part);
  return {};
}

/// True for a family whose list has `format`, or is empty.
static bool serves(llvm::ArrayRef<std::string> formats, DType format) {
  return formats.empty() || llvm::is_contained(formats, dtypeName(format).str());
}

FamilyOp tile::familyFor(LibraryOp library, llvm::StringRef kind, DType format, DType weights) {
  for (Operation &part : library->body()) {
    auto family = as<FamilyOp>(part);
    std::vector<std::string> narrower = family.weights();
    bool isRight = narrower.empty() ? weights == format : serves(narrower, weights);
    if (family.kind() == kind && isRight && serves(family.formats(), format))
      return family;
  }
  return {};
}

FamilyOp tile::gemmFor(LibraryOp library, ProductOp product) {
  return gemmFor(library, product.format(), product.right(), product.batch() > 1);
}

FamilyOp tile::gemmFor(LibraryOp library, DType format, DType weights, bool isBatched) {
  FamilyOp plain;
  for (Operation &part : library->body()) {
    auto family = as<FamilyOp>(part);
    std::vector<std::string> narrower = family.weights();
    bool isRight = narrower.empty() || llvm::is_contained(narrower, dtypeName(weights).str());
    if (!isRight || !llvm::is_contained(family.formats(), dtypeName(format).str()))
      continue;
    if (family.kind() == "batched" && isBatched)
      return family;
    if (family.kind() == "gemm" && !plain)
      plain = family;
  }
  return plain;
}

/// What a choice is among: the family of its library that serves what it runs.
static bool verifyChoice(const Operation &op, DiagnosticEngine &diagnostics) {
  return productOf(op) || attentionOf(op) || expertsOf(op) || convolutionOf(op)
             ? true
             : invalidOp(op, diagnostics, "it has nothing to run");
}

static bool verifyFamily(const Operation &op, DiagnosticEngine &diagnostics) {
  for (llvm::StringRef list : {"formats", "weights"})
    for (const std::string &format : op.stringsAttr(list))
      if (!parseDType(format))
        return invalidOp(op, diagnostics, "`" + format + "` is no number format");
  if (op.hasAttr("computes") && !parseDType(op.stringAttr("computes")))
    return invalidOp(op, diagnostics, "`computes` is no number format");
  if (!verifyCycleTimes(op,
                        {"launch", "step_time", "quantise_launch", "quantise_row",
                         "quantise_element", "one_row", "append_launch", "block", "fill",
                         "dequantise", "block_time", "other_time", "choice_time"},
                        diagnostics))
    return false;
  return !op.body().empty() || !as<FamilyOp>(op).comesInTiles() ||
         invalidOp(op, diagnostics, "a kernel of products or attention has one tile at least");
}

static bool verifyShapes(const Operation &op, DiagnosticEngine &diagnostics) {
  auto shapes = as<ShapesOp>(op);
  return (!shapes.rows().empty() && !shapes.columns().empty() && !shapes.splits().empty()) ||
         invalidOp(op, diagnostics, "it has rows, columns and splits, one of each at least");
}

static bool verifyProduct(const Operation &op, DiagnosticEngine &diagnostics) {
  for (llvm::StringRef name : {"format", "left", "right", "result"})
    if (!parseDType(op.stringAttr(name)))
      return invalidOp(op, diagnostics, name.str() + " is no number format");
  return true;
}

/// With what only attention has, and only layers.
static std::vector<OpDecl> withParts(std::vector<OpDecl> decls) {
  for (OpDecl &decl : decls)
    if (decl.name == FamilyOp::opName) {
      llvm::append_range(decl.attrs, attentionFigures());
      llvm::append_range(decl.attrs, layerFigures());
    }
  decls.push_back(attentionDecl());
  llvm::append_range(decls, layerDecls());
  return decls;
}

std::vector<OpDecl> tile::libraryDecls() {
  return withParts(
      {{.name = LibraryOp::opName,
        .doc = "Kernels of a library: the tiles that each kind of them comes in.",
        .symbol = SymbolUse::Required,
        .topLevel = true,
        .regions = {{{FamilyOp::opName}}}},
       {.name = FamilyOp::opName,
        .doc = "Kernels of one kind, and what they take beside their work.",
        .attrs =
            {stringAttr("kind", "what they compute")
                 .oneOf({"gemm", "batched", "elementwise", "softmax", "norm", "experts",
                         "convolution", "winograd", "winograd_split", "depthwise", "append",
                         "latent_append", "attention", "decode", "latent_attention",
                         "latent_decode"}),
             listAttr("formats", AttrKind::String,
                      "number formats that they compute in; any when not "
                      "given")
                 .optional(),
             listAttr("weights", AttrKind::String, "formats of weights; those when not given")
                 .optional(),
             cycleTimeAttr("launch", "beside the generation's"),
             quantityAttr("step", BaseUnit::Byte, "of a row that one step of the loop takes in")
                 .positive()
                 .otherwise(128),
             cycleTimeAttr("step_time", "of a step beside its products"),
             flagAttr("overlap_steps", "these run beside the products"),
             quantityAttr("products", {}, "time of products over that at the peak rate")
                 .positive()
                 .otherwise(1),
             quantityAttr("edge", {},
                          "of a square tile whose operands arrive as fast as the "
                          "generation's core multiplies")
                 .positive()
                 .optional(),
             quantityAttr("epilogue", {}, "time of writing a tile over that of its bytes")
                 .otherwise(0),
             quantityAttr("last_wave", {}, "of a full wave that idle units cost")
                 .share()
                 .otherwise(1),
             cycleTimeAttr("quantise_launch", "of the kernel that quantises activations"),
             cycleTimeAttr("quantise_row", "of its block for a row; no such kernel when not "
                                           "given"),
             cycleTimeAttr("quantise_element", "of its block for each element besides"),
             cycleTimeAttr("one_row", "of a product of one row besides"),
             flagAttr("own_core", "operands arrive by the rate of the products"),
             quantityAttr("overlap", {}, "instead of the generation's").optional(),
             quantityAttr("power_overlap", {},
                          "exponent by which the power adds up with all "
                          "other limits; it is one of them when not given")
                 .optional(),
             quantityAttr("bandwidth", {},
                          "share that is reached; the generation's when not "
                          "given")
                 .positive()
                 .share()
                 .optional(),
             quantityAttr("raster", {},
                          "share of the last cache for tiles that run at a time; "
                          "factors are read once when not given")
                 .positive()
                 .optional(),
             quantityAttr("pitch", {},
                          "what products take longer for each doubling of a row "
                          "beyond 32 KiB")
                 .optional(),
             quantityAttr("narrow_copies", {},
                          "time for factors to arrive of which 4 bytes are copied at a time, over "
                          "four times that of 16 bytes")
                 .positive()
                 .optional(),
             cycleTimeAttr("split", "instead of the generation's"),
             flagAttr("split_writes", "parts of sums pass the outermost memory"),
             quantityAttr("power", {}, "share of the power limit that is for the units")
                 .positive()
                 .share()
                 .otherwise(1),
             quantityAttr("board", Dimension(BaseUnit::Joule) / BaseUnit::Second,
                          "of that limit, what the units have not")
                 .otherwise(0),
             quantityAttr("unit_bytes", {}, "that a unit streams in a cycle; any when not given")
                 .positive()
                 .optional(),
             quantityAttr("held", {}, "share of a unit's memory in which a row can stay")
                 .positive()
                 .optional(),
             quantityAttr("unaligned", {}, "time of rows that end within 16 bytes over others'")
                 .positive()
                 .otherwise(1),
             cycleTimeAttr("row_time", "of a row that is summed up"),
             cycleTimeAttr("element_time", "of each of its elements"),
             cycleTimeAttr("host", "of a call where the host starts each kernel"),
             cycleTimeAttr("host_unary", "the same with one operand; `host` when not given"),
             quantityAttr("ahead", {}, "share of that which runs before the kernel")
                 .share()
                 .otherwise(0),
             quantityAttr("activity", {}, "share of the power limit that issue takes")
                 .share()
                 .otherwise(0),
             quantityAttr("measured", {},
                          "times over those of the other figures, where that is less certain than "
                          "the generation's")
                 .positive()
                 .otherwise(1)},
        .regions = {{{ShapesOp::opName}}},
        .verifier = verifyFamily},
       {.name = ShapesOp::opName,
        .doc = "Tiles: all of the rows with all of the columns and splits.",
        .attrs = {listAttr("rows", AttrKind::Int, "of a block's result").atLeast(1),
                  listAttr("columns", AttrKind::Int, "of a block's result").atLeast(1),
                  listAttr("splits", AttrKind::Int, "parts of the sum; 1 when not given")
                      .atLeast(1)
                      .optional(),
                  intAttr("up_to", "the most rows of a product that they are for; the first such "
                                   "tiles are taken")
                      .atLeast(1)
                      .optional(),
                  intAttr("aligned", "they are for operands whose rows are whole words of so many "
                                     "bytes")
                      .atLeast(1)
                      .optional()},
        .verifier = verifyShapes},
       {.name = ChoiceOp::opName,
        .doc = "A kernel of a library that waits for its tile: the fastest is taken.",
        .symbol = SymbolUse::Required,
        .topLevel = true,
        .attrs = {symbolAttr("run", "what it computes").oneOf({"op.kernel"}),
                  symbolAttr("target", "where it runs").oneOf({"target.chip"}),
                  flagAttr("eager", "the host starts it, and it runs alone"),
                  symbolAttr("library", "whose tiles are proposed").oneOf({LibraryOp::opName})},
        .regions = {{{ProductOp::opName, AttentionOp::opName, ExpertsOp::opName,
                      ConvolutionOp::opName}}},
        .verifier = verifyChoice},
       {.name = StreamOp::opName,
        .doc = "Tensors that are read, computed and written element by element.",
        .attrs = {stringAttr("kind", "what is summed up, over rows")
                      .oneOf({"elementwise", "softmax", "norm", "append", "latent_append"}),
                  intAttr("rows", "that are summed up").atLeast(0),
                  intAttr("row_length", "elements of one").atLeast(0),
                  intAttr("row_bytes", "of one").atLeast(0),
                  intAttr("pass_bytes", "read again where no row stays on the chip").atLeast(0),
                  intAttr("inputs", "tensors that are no weights").atLeast(0)}},
       {.name = ProductOp::opName,
        .doc = "Results of m by n elements, each a sum of k products.",
        .attrs =
            {intAttr("batch", "independent ones").atLeast(1), intAttr("m", "rows").atLeast(1),
             intAttr("n", "columns").atLeast(1), intAttr("k", "terms of a sum").atLeast(1),
             stringAttr("format", "in which it is computed"),
             stringAttr("left", "number format of the rows' factor"),
             stringAttr("right", "number format of the columns' factor"),
             stringAttr("result", "number format of the result"),
             intAttr("left_bytes", "of all of it").atLeast(0),
             intAttr("right_bytes", "of all of it").atLeast(0),
             intAttr("result_bytes", "of all of it").atLeast(0),
             intAttr("other_bytes", "of what equations fused after it read and write").atLeast(0),
             listAttr("tensors", AttrKind::String, "the factors and the result"),
             intAttr("alignment", "what the bytes of sums and of columns are a multiple of")
                 .atLeast(1)
                 .otherwise(16),
             flagAttr("weights", "the columns' factor is not on the chip before"),
             intAttr("copies", "columns' factors that take turns from run to run")
                 .atLeast(1)
                 .optional(),
             flagAttr("cold", "nothing is in a cache before")},
        .verifier = verifyProduct}});
}
