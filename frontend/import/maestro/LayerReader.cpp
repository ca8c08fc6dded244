// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/maestro/LayerReader.h"

#include "ir/common/diagnostics/Maestro.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Layer;
using dataflow::LayerType;

llvm::Optional<int64_t> maestro::readSize(TokenReader &reader, const Constants &constants) {
  llvm::Optional<Token> token = reader.word("a number");
  if (!token)
    return llvm::None;
  auto constant = constants.find(token->text);
  if (constant != constants.end())
    return constant->second;
  int64_t value = 0;
  if (!token->text.getAsInteger(10, value) && value >= 1 && value <= dataflow::maxSize)
    return value;
  bool isNumber = token->text.find_first_not_of("+-.0123456789") == llvm::StringRef::npos;
  auto &error = reader.diagnostics.report(token->range, diag::BadDataflowNumber, token->text);
  if (!isNumber)
    error.help("a name needs a `Constant` before the networks");
  return llvm::None;
}

namespace {

/// A directive before `Sz(…)` and primes are resolved, which needs the dimensions.
struct RawDirective {
  Directive directive;
  char sizeOf = 0; ///< the dimension of `Sz`, 0 for a number
  char offsetOf = 0;
  bool ofOutput = false; ///< Y' or X'
};

class LayerReader {
public:
  LayerReader(TokenReader &reader, const Constants &constants, const Layer *previous)
      : reader(reader), constants(constants), previous(previous) {}

  llvm::Optional<Layer> run();

private:
  bool part();
  bool type();
  bool values(dataflow::Sizes &values, std::vector<char> &ofOutputs);
  bool strides();
  bool dataflow();
  bool directive();
  llvm::Optional<char> dimension(bool &ofOutput);
  bool size(int64_t &value, char &dim);
  bool resolve();
  bool resolveSizes(RawDirective &raw);
  bool checkDimensions();
  bool takeFilterWhole(Directive &directive);
  void toInputWindows();
  bool once(bool &given, const Token &word);

  TokenReader &reader;
  const Constants &constants;
  const Layer *previous;
  Layer layer;
  std::vector<RawDirective> directives;
  std::vector<char> outputDims; ///< given as Y' and X'
  bool hasType = false, hasStrides = false, hasDimensions = false, hasDataflow = false;
};

} // namespace

bool LayerReader::once(bool &given, const Token &word) {
  if (given)
    reader.diagnostics.report(word.range, diag::DataflowGivenTwice, word.text);
  return !std::exchange(given, true);
}

bool LayerReader::type() {
  llvm::Optional<Token> word = reader.word("a type of layer");
  if (!word)
    return false;
  for (LayerType type :
       {LayerType::Conv, LayerType::DepthwiseConv, LayerType::GroupedConv, LayerType::Gemm})
    if (word->is(layerTypeName(type))) {
      layer.type = type;
      return true;
    }
  if (word->is("TRCONV")) { // the tool reads a stride of 2 inside, and uses it nowhere
    reader.diagnostics.report(word->range, diag::TransposedAsConv);
    return true;
  }
  auto &error = reader.diagnostics.report(word->range, diag::UnknownLayerType, word->text);
  static constexpr llvm::StringLiteral others[] = {"FC", "POOL", "LSTM"};
  if (llvm::is_contained(others, word->text))
    error.note("MAESTRO reads this type, but its results for it are not defined");
  return false;
}

/// One letter, with a prime for rows and columns of the output.
llvm::Optional<char> LayerReader::dimension(bool &ofOutput) {
  llvm::Optional<Token> word = reader.word("a dimension");
  if (!word)
    return llvm::None;
  llvm::StringRef name = word->text;
  ofOutput = name.consume_back("'");
  bool known = name.size() == 1 && llvm::StringRef("NGKCRSYXM").contains(name[0]);
  if (known && (!ofOutput || dataflow::windowOf(name[0])))
    return name[0];
  reader.diagnostics.report(word->range, diag::DataflowUnknownDim, layerTypeName(layer.type),
                            word->text);
  return llvm::None;
}

/// `{ D: value; … }` with one value per letter; letters with a prime are added to `ofOutputs`.
bool LayerReader::values(dataflow::Sizes &values, std::vector<char> &ofOutputs) {
  if (!reader.expect("{"))
    return false;
  while (!reader.skip("}")) {
    bool ofOutput = false;
    SourceRange where = reader.peek().range;
    llvm::Optional<char> dim = dimension(ofOutput);
    llvm::Optional<int64_t> value = dim ? readSize(reader, constants) : llvm::None;
    if (!value)
      return false;
    if (ofOutput)
      ofOutputs.push_back(*dim);
    auto [entry, isNew] = values.emplace(*dim, *value);
    if (isNew || entry->second == *value)
      continue;
    reader.diagnostics.report(where, diag::DataflowGivenTwice, std::string(1, *dim));
    return false;
  }
  return true;
}

/// A stride is that of the input whether its letter has a prime or not.
bool LayerReader::strides() {
  std::vector<char> ofOutputs;
  return values(layer.strides, ofOutputs);
}

bool LayerReader::size(int64_t &value, char &dim) {
  if (reader.skip("Sz")) {
    bool ofOutput = false;
    llvm::Optional<char> found = dimension(ofOutput);
    dim = found.getValueOr(0);
    return found.hasValue();
  }
  llvm::Optional<int64_t> number = readSize(reader, constants);
  value = number.getValueOr(0);
  return number.hasValue();
}

bool LayerReader::directive() {
  RawDirective raw;
  SourceRange begin = reader.peek().range;
  if (reader.skip("Cluster")) {
    raw.directive.kind = DirectiveKind::Cluster;
    if (!size(raw.directive.size, raw.sizeOf))
      return false;
    raw.directive.range = begin;
    if (!reader.skip("P"))
      reader.skip("L");
    directives.push_back(raw);
    return true;
  }
  if (reader.skip("TemporalMap")) {
    raw.directive.kind = DirectiveKind::Temporal;
  } else if (reader.skip("SpatialMap")) {
    raw.directive.kind = DirectiveKind::Spatial;
  } else {
    reader.reportExpected("`TemporalMap`, `SpatialMap`, `Cluster` or `}`");
    return false;
  }
  if (!size(raw.directive.size, raw.sizeOf) || !size(raw.directive.offset, raw.offsetOf))
    return false;
  raw.directive.range = begin.join(reader.peek().range);
  llvm::Optional<char> dim = dimension(raw.ofOutput);
  raw.directive.dim = dim.getValueOr(0);
  directives.push_back(raw);
  return dim.hasValue();
}

bool LayerReader::dataflow() {
  if (!reader.expect("{"))
    return false;
  while (!reader.skip("}"))
    if (!directive())
      return false;
  return true;
}

bool LayerReader::part() {
  Token word = reader.peek();
  if (reader.skip("Type"))
    return once(hasType, word) && type();
  if (reader.skip("Stride"))
    return once(hasStrides, word) && strides();
  if (reader.skip("Dimensions"))
    return once(hasDimensions, word) && values(layer.dims, outputDims);
  if (reader.skip("Dataflow"))
    return once(hasDataflow, word) && dataflow();
  reader.reportExpected("`Type`, `Stride`, `Dimensions`, `Dataflow` or `}`");
  return false;
}

//===-- After the block
//------------------------------------------------------------------------===//

bool LayerReader::checkDimensions() {
  auto [input, filter, output] = layer.tensors();
  std::string missing;
  for (char dim : input + filter)
    if (!layer.dims.count(dim) && !llvm::StringRef(missing).contains(dim))
      missing += dim;
  if (!missing.empty()) {
    reader.diagnostics.report(layer.range, diag::DataflowMissingDim, layerTypeName(layer.type),
                              fmt::format("{}", fmt::join(missing, ", ")));
    return false;
  }
  if (layer.type == LayerType::Gemm && !outputDims.empty()) {
    reader.diagnostics.report(layer.range, diag::DataflowUnknownDim, layerTypeName(layer.type),
                              fmt::format("{}'", outputDims.front()));
    return false;
  }
  for (char dim : outputDims) {
    int64_t &size = layer.dims[dim];
    size = (size - 1) * layer.stride(dim) + layer.dims.at(dataflow::windowOf(dim));
  }
  if (layer.type == LayerType::Gemm)
    return true;
  for (char dim : {'Y', 'X'}) {
    char window = dataflow::windowOf(dim);
    if (layer.dims[dim] > dataflow::maxSize) {
      reader.diagnostics.report(layer.range, diag::BadDataflowNumber,
                                std::to_string(layer.dims[dim]));
      return false;
    }
    if (layer.dims[dim] < layer.dims[window]) {
      reader.diagnostics.report(layer.range, diag::DataflowWindowTooLarge, std::string(1, window),
                                layer.dims[window], std::string(1, dim), layer.dims[dim]);
      return false;
    }
  }
  return true;
}

bool LayerReader::resolveSizes(RawDirective &raw) {
  for (auto [dim, value] : {std::pair(raw.sizeOf, &raw.directive.size),
                            std::pair(raw.offsetOf, &raw.directive.offset)}) {
    if (!dim)
      continue;
    auto found = layer.dims.find(dim);
    if (found == layer.dims.end()) {
      reader.diagnostics.report(raw.directive.range, diag::DataflowUnknownDim,
                                layerTypeName(layer.type), std::string(1, dim));
      return false;
    }
    *value = found->second;
  }
  return true;
}

/// The tool takes filters whole, or spreads them over lanes. A map that holds all of it makes one
/// step, which no offset moves.
bool LayerReader::takeFilterWhole(Directive &directive) {
  bool ofFilter = directive.dim == 'R' || directive.dim == 'S';
  if (!ofFilter || directive.kind != DirectiveKind::Temporal)
    return true;
  int64_t whole = layer.dims.at(directive.dim);
  if (directive.size >= whole) {
    directive.size = directive.offset = whole;
    return true;
  }
  reader.diagnostics.report(directive.range, diag::DataflowPartOfFilter,
                            std::string(1, directive.dim), whole);
  return false;
}

/// A map of output rows is one of the window of input rows that they need: as many more as the
/// filter rows mapped beside it, or at the nearest level above, less one.
void LayerReader::toInputWindows() {
  dataflow::Sizes mapped = layer.dims;
  auto begin = directives.begin();
  while (begin != directives.end()) {
    auto end = std::find_if(begin, directives.end(), [](const RawDirective &raw) {
      return raw.directive.kind == DirectiveKind::Cluster;
    });
    for (auto at = begin; at != end; ++at)
      mapped[at->directive.dim] = at->directive.size;
    for (auto at = begin; at != end; ++at)
      if (at->ofOutput)
        at->directive.size += mapped.at(dataflow::windowOf(at->directive.dim)) - 1;
    begin = end == directives.end() ? end : end + 1;
  }
}

bool LayerReader::resolve() {
  if (!checkDimensions())
    return false;
  for (RawDirective &raw : directives) {
    if (!resolveSizes(raw))
      return false;
    char dim = raw.directive.dim;
    if (dim && !layer.dims.count(dim)) {
      reader.diagnostics.report(raw.directive.range, diag::DataflowUnknownDim,
                                layerTypeName(layer.type), std::string(1, dim));
      return false;
    }
    if (!takeFilterWhole(raw.directive))
      return false;
  }
  toInputWindows();
  for (const RawDirective &raw : directives)
    layer.directives.push_back(raw.directive);
  if (!hasDataflow && previous)
    layer.directives = previous->directives;
  if (!layer.directives.empty())
    return true;
  reader.diagnostics.report(layer.range, diag::LayerWithoutDataflow, layer.name);
  return false;
}

llvm::Optional<Layer> LayerReader::run() {
  unsigned depth = reader.depth();
  llvm::Optional<Token> name = reader.word("the name of the layer");
  if (!name || !reader.expect("{"))
    return llvm::None;
  layer.name = name->text.str();
  layer.range = name->range;
  while (!reader.skip("}"))
    if (!part()) {
      reader.leaveBlocks(depth);
      return llvm::None;
    }
  if (!hasType) {
    reader.diagnostics.report(layer.range, diag::ExpectedInDataflow, "`Type` in the layer", "none");
    return llvm::None;
  }
  if (!resolve())
    return llvm::None;
  return std::move(layer);
}

llvm::Optional<Layer> maestro::readLayer(TokenReader &reader, const Constants &constants,
                                         const Layer *previous) {
  return LayerReader(reader, constants, previous).run();
}
