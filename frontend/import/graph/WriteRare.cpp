// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that few networks have, as equations or as ops of the program.
#include "frontend/import/graph/EinsumTerms.h"
#include "frontend/import/graph/Spectra.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::graph;

/// Names of ranks: A0, A1, …
static std::string ranksOf(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += fmt::format("{}A{}", i ? ", " : "", i);
  return text;
}

/// An index for each, or `other` at `special`.
static std::string indicesOf(size_t count, size_t special = SIZE_MAX,
                             const std::string &other = "") {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + (i == special ? other : indexName(i));
  return text;
}

/// One sum of products, with the letters of the equation as indices.
static bool einsum(Writer &writer, const Op &op) {
  const Attribute *equation = op.node->find("equation");
  std::vector<size_t> sizes;
  for (int input : op.inputs)
    sizes.push_back(writer.shapeOf(input).size());
  auto terms = einsumTerms(equation ? equation->text : "", sizes);
  if (!terms)
    return false;
  auto letter = [](char c) {
    bool isUpper = c >= 'A' && c <= 'Z';
    return fmt::format("{}{}", isUpper ? static_cast<char>(c - 'A' + 'a') : c, isUpper ? "2" : "1");
  };
  // Of a letter that is one place here and several elsewhere, this place.
  std::set<char> isWide;
  for (size_t i = 0; i < sizes.size(); ++i)
    for (size_t d = 0; d < sizes[i]; ++d)
      if (!writer.shapeOf(op.inputs[i])[d].is(1))
        isWide.insert(terms->operands[i][d]);
  std::string product;
  std::vector<std::string> indices;
  bool hasSum = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0)
      return false;
    writer.plain(op.inputs[i]);
    std::string places;
    for (size_t d = 0; d < sizes[i]; ++d) {
      char c = terms->operands[i][d];
      bool isOne = isWide.count(c) && writer.shapeOf(op.inputs[i])[d].is(1);
      places += (d ? ", " : "") + (isOne ? "0" : letter(c));
      hasSum = hasSum || terms->result.find(c) == std::string::npos;
    }
    product += fmt::format("{}{}[{}]", i ? " * " : "", writer.named(op.inputs[i]), places);
  }
  for (char c : terms->result)
    indices.push_back(letter(c));
  const Shape ranks = writer.shapeOf(op.outputs[0]);
  writer.equation(op.outputs[0], "einsum", indices, hasSum ? "+=" : "=", product, ranks,
                  oneEach(ranks.size()));
  return true;
}

/// Each row by the table of its expert, which data decides.
static bool expertProduct(Writer &writer, const Op &op) {
  int from = op.input(0), tables = op.input(1), to = op.outputs[0];
  const Shape &table = writer.shapeOf(tables), &result = writer.shapeOf(to);
  std::string name = writer.privateOp(
      "expert_product", "op NAME(x[T, D], w[E, D, F]: weight, choice[T]) -> y[T, F] {\n"
                        "  draw choice[t] from uniform\n"
                        "  y[t, f] += x[t, d] * w[choice[t], d, f]\n}\n");
  std::string x = writer.plain(from), w = writer.weight(tables, table);
  std::string choice = writer.newWeight("token[" + writer.net.dims.text(result[0]) + "]");
  writer.assign(to, "experts", name + "(" + x + ", " + w + ", " + choice + ")");
  return true;
}

/// Copies one after the other along each dimension.
static bool tile(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  const Shape shape = writer.shapeOf(from), result = writer.shapeOf(to);
  if (shape == result)
    return writer.viewAs(from, to, result);
  std::string call = writer.plain(from), numbers, ranges, extents, place;
  for (size_t i = 0; i < shape.size(); ++i) {
    auto times = writer.net.dims.exactQuotient(result[i], shape[i]);
    if (!times)
      return false;
    numbers += fmt::format(", R{}", i);
    ranges += fmt::format("  where r{0} < R{0}\n", i);
    extents += fmt::format("{}Y{}", i ? ", " : "", i);
    place += fmt::format("{0}r{1}*A{1} + {2}", i ? ", " : "", i, indexName(i));
    call += fmt::format(", R{} = {}, Y{} = {}", i, writer.net.dims.text(*times), i,
                        writer.net.dims.text(result[i]));
  }
  std::string name =
      writer.privateOp("tile", fmt::format("op NAME(x[{}]{}) -> y[{}] {{\n{}  y[{}] = x[{}]\n}}\n",
                                           ranksOf(shape.size()), numbers, extents, ranges, place,
                                           indicesOf(shape.size())));
  writer.assign(to, "tile", name + "(" + call + ")");
  return true;
}

/// Running sums: each place is the one before and its own element.
static bool runningSum(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  size_t rank = writer.shapeOf(from).size();
  auto axis = writer.net.wholeNumber(op.input(1));
  if (!axis || rank == 0)
    return false;
  int64_t at = *axis;
  at = at < 0 ? at + static_cast<int64_t>(rank) : at;
  if (at < 0 || at >= static_cast<int64_t>(rank))
    return false;
  auto special = static_cast<size_t>(at);
  std::string x = writer.plain(from), all = indicesOf(rank),
              before = indicesOf(rank, special, indexName(special) + " - 1");
  std::string name = writer.privateOp(
      "running_sum", fmt::format("op NAME(x[{0}]) -> y[{0}] {{\n  y[{1}] = x[{1}] + y[{2}]\n}}\n",
                                 ranksOf(rank), all, before));
  writer.assign(to, "running_sum", name + "(" + x + ")");
  return true;
}

/// Elements that are moved, masked or turned around, each read and written once.
static bool copied(Writer &writer, const Op &op) {
  std::string x = writer.plain(op.input(0));
  writer.assign(op.outputs[0], "copy", writer.library("elementwise", "copy") + "(" + x + ")");
  return true;
}

/// One element of the operand for each of the indices.
static bool gatherElements(Writer &writer, const Op &op) {
  int from = op.input(0), chosen = op.input(1), to = op.outputs[0];
  size_t rank = writer.shapeOf(from).size();
  Inference attributes = writer.attributes(op);
  auto axis = attributes.axis(attributes.integer("axis", 0), rank);
  if (!axis)
    return false;
  for (int value : {from, chosen}) {
    writer.plain(value);
    writer.named(value);
  }
  std::string all = indicesOf(rank), place = fmt::format("{}[{}]", writer.named(chosen), all);
  std::vector<std::string> indices;
  for (size_t i = 0; i < rank; ++i)
    indices.push_back(indexName(i));
  // Of another dimension the operand may have more places than are read.
  const Shape &a = writer.shapeOf(from), &b = writer.shapeOf(chosen);
  for (size_t i = 0; i < rank; ++i)
    if (i != *axis && a[i] != b[i])
      return false;
  writer.equation(to, "gather", indices, "=",
                  fmt::format("{}[{}]", writer.named(from), indicesOf(rank, *axis, place)),
                  writer.shapeOf(to), oneEach(rank));
  return true;
}

/// Slices at places whose first coordinates stand in the last dimension of the indices.
static bool gatherPlaces(Writer &writer, const Op &op) {
  int from = op.input(0), chosen = op.input(1), to = op.outputs[0];
  const Shape table = writer.shapeOf(from), ids = writer.shapeOf(chosen);
  if (writer.attributes(op).integer("batch_dims", 0) != 0 || ids.empty() ||
      !ids.back().isNumber() || ids.back().constant < 1 ||
      ids.back().constant > static_cast<int64_t>(table.size()))
    return false;
  for (int value : {from, chosen}) {
    writer.plain(value);
    writer.named(value);
  }
  auto depth = static_cast<size_t>(ids.back().constant);
  std::vector<std::string> indices;
  std::string outer, place;
  for (size_t i = 0; i + 1 < ids.size(); ++i) {
    indices.push_back(indexName(i));
    outer += indexName(i) + ", ";
  }
  for (size_t i = 0; i < table.size(); ++i) {
    if (i < depth) {
      place += fmt::format("{}{}[{}{}]", i ? ", " : "", writer.named(chosen), outer, i);
      continue;
    }
    indices.push_back(indexName(ids.size() + i));
    place += (i ? ", " : "") + indices.back();
  }
  if (indices.empty())
    return false;
  writer.equation(to, "gather", indices, "=", fmt::format("{}[{}]", writer.named(from), place),
                  writer.shapeOf(to), oneEach(indices.size()));
  return true;
}

/// Normalisation over `size` channels around each (Krizhevsky et al. 2012).
static bool localNorm(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  if (writer.shapeOf(from).size() != 4)
    return false;
  Inference attributes = writer.attributes(op);
  int64_t size = attributes.integer("size", 1);
  std::string name = writer.privateOp(
      "local_norm", "op NAME(x[N, C, Y, X], size, alpha, beta, bias) -> y[N, C, Y, X] {\n"
                    "  where r < size\n"
                    "  q[n, c, i, j] = x[n, c, i, j] * x[n, c, i, j]\n"
                    "  s[n, c, i, j] += q[n, c + r - floor((size - 1) / 2), i, j]\n"
                    "  y[n, c, i, j] = x[n, c, i, j] / pow(bias + alpha * s[n, c, i, j], beta)\n"
                    "}\n");
  std::string x = writer.plain(from);
  writer.assign(to, "norm",
                fmt::format("{}({}, size = {}, alpha = {}, beta = {}, bias = {})", name, x, size,
                            realText(attributes.real("alpha", 0.0001) /
                                     static_cast<double>(std::max<int64_t>(size, 1))),
                            realText(attributes.real("beta", 0.75)),
                            realText(attributes.real("bias", 1))));
  return true;
}

/// What lies at places between those of an image: the sum of the four around each, weighted, or the
/// nearest. Where the places are depends on data.
static bool sampled(Writer &writer, const Op &op) {
  const Attribute *mode = op.node->find("mode");
  llvm::StringRef kind = mode ? llvm::StringRef(mode->text) : "linear";
  bool isNearest = kind == "nearest";
  if (writer.shapeOf(op.input(0)).size() != 4 ||
      (!isNearest && kind != "linear" && kind != "bilinear"))
    return false;
  std::string at = "x[n, c, at[n, p, q, 1], at[n, p, q, 0]]";
  std::string name = writer.privateOp(
      "sample", "op NAME(x[N, C, Y, X], at[N, P, Q, R]) -> y[N, C, P, Q] {\n" +
                    (isNearest ? "  y[n, c, p, q] = " + at
                               : "  where k < 4\n"
                                 "  w[n, p, q, k] = (1 - at[n, p, q, 0]) * (1 - at[n, p, q, 1])\n"
                                 "  y[n, c, p, q] += w[n, p, q, k] * " +
                                     at) +
                    "\n}\n");
  std::string image = writer.plain(op.input(0)), places = writer.plain(op.input(1));
  writer.assign(op.outputs[0], "sample", name + "(" + image + ", " + places + ")");
  return true;
}

static constexpr EmitterEntry rareEmitterTable[] = {
    {"ArgMax", streams},
    {"ArgMin", streams},
    {"Bernoulli", streams},
    {"BitShift", streams},
    {"BitwiseAnd", streams},
    {"BitwiseNot", streams},
    {"BitwiseOr", streams},
    {"BitwiseXor", streams},
    {"Col2Im", streams},
    {"Compress", streams},
    {"ConstantOfShape", streams},
    {"CumSum", runningSum},
    {"DFT", fourier},
    {"DeformConv", deformed},
    {"Einsum", einsum},
    {"ExpertProduct", expertProduct},
    {"EyeLike", streams},
    {"GatherElements", gatherElements},
    {"GatherND", gatherPlaces},
    {"GridSample", sampled},
    {"Hardmax", streams},
    {"LRN", localNorm},
    {"LinearAttention", linearAttention},
    {"MaxRoiPool", streams},
    {"MaxUnpool", streams},
    {"Multinomial", streams},
    {"NonMaxSuppression", streams},
    {"NonZero", streams},
    {"OneHot", streams},
    {"RandomNormal", streams},
    {"RandomNormalLike", streams},
    {"RandomUniform", streams},
    {"RandomUniformLike", streams},
    {"Range", streams},
    {"ReduceProd", streams},
    {"ReverseSequence", copied},
    {"RoiAlign", streams},
    {"STFT", shortFourier},
    {"Scatter", streams},
    {"ScatterElements", streams},
    {"ScatterND", streams},
    {"TensorScatter", scattered},
    {"Tile", tile},
    {"TopK", streams},
    {"Trilu", copied},
    {"Unique", streams},
};

llvm::ArrayRef<EmitterEntry> graph::rareEmitters() { return rareEmitterTable; }
