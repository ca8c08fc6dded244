// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DataflowLayer.h"

#include "ir/common/diagnostics/Maestro.h"
#include "ir/core/Module.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Layer;
using dataflow::LayerType;

namespace {

/// Recognises the layer and translates the directives.
class LayerBuilder {
public:
  /// Of a nest or dataflow `op`; `tool` is what a mistake is one of.
  LayerBuilder(const Operation &op, llvm::StringRef tool, LayerTensors &tensors,
               DiagnosticEngine &diagnostics)
      : op(op), tool(tool), tensors(tensors), diagnostics(diagnostics) {}

  /// The layer without directives.
  llvm::Optional<Layer> shape();
  llvm::Optional<Layer> run();

private:
  bool fail(SourceRange where, const std::string &what) {
    diagnostics.report(where, diag::DataflowNotAccepted, tool, what);
    return false;
  }
  bool recognise();
  LayerType convolution() const;
  bool assignLetters();
  bool assignWindows();
  bool assign(unsigned index, char letter);
  bool addDirective(loopnest::DirectiveOp op);
  bool completeWindows(llvm::ArrayRef<Directive> level);
  char windowLetter(loopnest::DirectiveOp op) const;
  bool addLevel(std::vector<Directive> level);

  const Operation &op;
  llvm::StringRef tool;
  LayerTensors &tensors;
  DiagnosticEngine &diagnostics;
  Layer layer;
  llvm::Optional<Kernel> kernel;
  const Statement *statement = nullptr; ///< of `kernel`
  const Access *input = nullptr, *filter = nullptr;
  std::map<unsigned, char> letters; ///< by index; Y and X of an output row stand for windows
  dataflow::Sizes mapped;           ///< tile of each letter in the levels so far
};

} // namespace

bool LayerBuilder::assign(unsigned index, char letter) {
  bool isFree = letters.emplace(index, letter).second;
  int64_t extent = std::max<int64_t>(1, statement->extents[index]);
  if (!isFree || !layer.dims.emplace(letter, extent).second)
    return fail(op.range(), fmt::format("the index `{}`", statement->names[index]));
  return true;
}

/// Rows of the input below windows of `taps` rows: padding, as MAESTRO counts it, and what the last
/// window leaves over are among them.
static int64_t rowsOf(int64_t rows, const Subscript &rank, int64_t windows, int64_t stride,
                      int64_t taps) {
  int64_t padded = rows - 2 * rank.constant, least = (windows - 1) * stride + taps;
  return padded >= least && padded < least + stride ? padded : least;
}

/// A subscript a * p + b * r is a window of stride a over taps next to each other (b = 1).
bool LayerBuilder::assignWindows() {
  llvm::StringRef next = "YX";
  for (auto [rank, rows] : llvm::zip(input->ranks, input->shape)) {
    if (rank.dataDependent || rank.terms.empty() || rank.terms.size() > 2)
      return fail(op.range(), fmt::format("this subscript of `{}`", input->tensor));
    if (rank.terms.size() == 1)
      continue;
    auto output = rank.terms[0], tap = rank.terms[1];
    if (statement->isReduction(output.first))
      std::swap(output, tap);
    bool isWindow = !statement->isReduction(output.first) && statement->isReduction(tap.first) &&
                    tap.second == 1 && output.second >= 1 && !next.empty();
    if (!isWindow)
      return fail(op.range(), "a dilated or skewed window");
    char letter = next.front(), window = dataflow::windowOf(letter);
    next = next.drop_front();
    if (!assign(output.first, letter) || !assign(tap.first, window))
      return false;
    layer.strides[letter] = output.second;
    layer.dims[letter] = rowsOf(rows, rank, layer.dims[letter], output.second, layer.dims[window]);
  }
  if (next.size() == 1)
    return fail(op.range(), "a convolution along one axis");
  layer.type = next.empty() ? LayerType::Conv : LayerType::Gemm;
  return true;
}

/// What a convolution is by the indices that input and filter share: all of them are summed over,
/// all of them stay (one filter per channel), or the groups stay and the channels of each are
/// summed over.
LayerType LayerBuilder::convolution() const {
  bool isSummed = false, stays = false;
  for (unsigned index = 0; index < statement->extents.size(); ++index)
    if (!letters.count(index) && input->uses(index) && filter->uses(index))
      (statement->write.uses(index) ? stays : isSummed) = true;
  return !stays ? LayerType::Conv : isSummed ? LayerType::GroupedConv : LayerType::DepthwiseConv;
}

/// The other indices by the tensors that they occur in.
bool LayerBuilder::assignLetters() {
  bool isGemm = layer.type == LayerType::Gemm;
  if (!isGemm)
    layer.type = convolution();
  for (unsigned index = 0; index < statement->extents.size(); ++index) {
    if (letters.count(index))
      continue;
    bool inInput = input->uses(index), inFilter = filter->uses(index);
    bool inOutput = statement->write.uses(index);
    char letter = 0;
    if (isGemm)
      letter = inInput && inFilter && !inOutput ? 'K'
               : inInput && !inFilter           ? 'M'
               : !inInput && inFilter           ? 'N'
                                                : 0;
    else if (inInput && inFilter)
      letter = inOutput && layer.type == LayerType::GroupedConv ? 'G' : 'C';
    else
      letter = inFilter ? 'K' : inInput ? 'N' : 0;
    if (!letter || (!isGemm && letter != 'C' && !inOutput))
      return fail(op.range(), fmt::format("the index `{}`", statement->names[index]));
    // A batch of one is no dimension, as in the tool's own files.
    if (!isGemm && letter == 'N' && statement->extents[index] <= 1)
      continue;
    if (!assign(index, letter))
      return false;
  }
  for (char dim : layer.tensors().input + layer.tensors().filter)
    if (!layer.dims.count(dim))
      return fail(op.range(), fmt::format("a {} without {}", layerTypeName(layer.type), dim));
  return true;
}

bool LayerBuilder::recognise() {
  if (!statement->op.isMac() || statement->reads.size() != 2)
    return fail(op.range(), "an equation that is no sum of products of two tensors");
  input = &statement->reads[0];
  filter = &statement->reads[1];
  auto hasWindow = [](const Access &access) {
    return llvm::any_of(access.ranks, [](const Subscript &rank) { return rank.terms.size() > 1; });
  };
  if (hasWindow(*filter) && !hasWindow(*input))
    std::swap(input, filter);
  if (hasWindow(*filter))
    return fail(op.range(), "windows in two tensors");
  tensors = {input->tensor.str(), filter->tensor.str(), statement->write.tensor.str(),
             storedBytes(input->format)};
  return assignWindows() && assignLetters();
}

//===-- Directives
//-----------------------------------------------------------------------------===//

/// The letter of a window over the same two indices as Y or X; 0 for another.
char LayerBuilder::windowLetter(loopnest::DirectiveOp op) const {
  for (const std::string &name : op.indices())
    if (auto index = statement->find(name)) {
      auto letter = letters.find(*index);
      if (letter != letters.end() && dataflow::windowOf(letter->second))
        return letter->second;
    }
  return 0;
}

/// Directives of a level in letters. Output rows become the windows that they need: with the taps
/// mapped beside them, else at a level above.
bool LayerBuilder::addLevel(std::vector<Directive> level) {
  for (const Directive &directive : level)
    if (directive.kind != DirectiveKind::Cluster && directive.dim != 'Y' && directive.dim != 'X')
      mapped[directive.dim] = std::min(mapped[directive.dim], directive.size);
  std::string inRows; // the letters of windows that are given by output rows
  for (Directive &directive : level)
    if (directive.offset < 0) { // in output rows
      inRows += directive.dim;
      int64_t stride = layer.stride(directive.dim);
      directive.size = (directive.size - 1) * stride + mapped[dataflow::windowOf(directive.dim)];
      directive.offset = -directive.offset * stride;
    }
  // Taps that move over the lanes while the window stays take the window along, since the tool
  // would pair them with all rows of it. It does so where the window itself moves in time, as rows
  // of the input: that is what the directives say to it, whatever it means.
  for (char dim : {'Y', 'X'}) {
    char window = dataflow::windowOf(dim);
    auto of = [&](char letter) {
      return llvm::find_if(level,
                           [&](const Directive &directive) { return directive.dim == letter; });
    };
    auto taps = of(window);
    auto along = of(dim);
    if (layer.type == LayerType::Gemm || taps == level.end() ||
        taps->kind != DirectiveKind::Spatial ||
        (along != level.end() && along->kind == DirectiveKind::Spatial))
      continue;
    if (along != level.end() && inRows.find(dim) == std::string::npos)
      continue;
    if (along != level.end())
      return fail(taps->range,
                  fmt::format("{} on the lanes while its window moves in time", window));
    Directive rows = *taps;
    rows.dim = dim;
    rows.size = std::max<int64_t>(mapped[dim] - layer.dims[window] + taps->size, 1);
    level.insert(taps, rows);
  }
  for (const Directive &directive : level) {
    if (directive.kind == DirectiveKind::Temporal &&
        (directive.dim == 'R' || directive.dim == 'S') && layer.type != LayerType::Gemm &&
        directive.size < layer.dims[directive.dim])
      return fail(directive.range, fmt::format("part of a filter's {} in time", directive.dim));
    if (directive.dim)
      mapped[directive.dim] = std::min(mapped[directive.dim], directive.size);
    layer.directives.push_back(directive);
  }
  return true;
}

llvm::Optional<Layer> LayerBuilder::shape() {
  auto kernelOp = as<op::KernelOp>(resolve(op, op.symbolAttr("kernel")));
  if (!kernelOp)
    return llvm::None;
  kernel.emplace(kernelOp);
  for (const Statement &candidate : kernel->statements)
    if (candidate.number == static_cast<unsigned>(op.intAttr("statement")))
      statement = &candidate;
  layer.name = kernelOp.symbol().str();
  layer.range = op.range();
  if (!statement || !recognise())
    return llvm::None;
  return layer;
}

llvm::Optional<Layer> LayerBuilder::run() {
  if (!shape())
    return llvm::None;
  mapped = layer.dims;
  std::vector<Directive> level;
  for (const Operation &part : op.body()) {
    if (auto cluster = as<loopnest::ClusterOp>(part)) {
      if (!addLevel(std::move(level)))
        return llvm::None;
      level = {{DirectiveKind::Cluster, cluster.size(), 1, 0, part.range()}};
      continue;
    }
    loopnest::DirectiveOp map(const_cast<Operation *>(&part));
    Directive directive{map.isSpatial() ? DirectiveKind::Spatial : DirectiveKind::Temporal,
                        map.size(), map.offset(), 0, part.range()};
    if (map.indices().size() > 1) {
      directive.dim = windowLetter(map);
    } else if (auto index = statement->find(map.indices().front())) {
      auto letter = letters.find(*index);
      if (letter == letters.end())
        continue; // a batch of one
      directive.dim = letter->second;
      if (layer.type != LayerType::Gemm && dataflow::windowOf(directive.dim))
        directive.offset = -directive.offset; // marks output rows
    }
    if (!directive.dim) {
      fail(part.range(), fmt::format("a map of `{}`", map.name()));
      return llvm::None;
    }
    level.push_back(directive);
  }
  if (!addLevel(std::move(level)))
    return llvm::None;
  return std::move(layer);
}

llvm::Optional<Layer> passes::layerOf(loopnest::DataflowOp dataflow, LayerTensors &tensors,
                                      DiagnosticEngine &diagnostics) {
  return LayerBuilder(*dataflow, "maestro", tensors, diagnostics).run();
}

llvm::Optional<Layer> passes::layerOf(loopnest::NestOp nest, llvm::StringRef tool,
                                      LayerTensors &tensors, DiagnosticEngine &diagnostics) {
  return LayerBuilder(*nest, tool, tensors, diagnostics).shape();
}
