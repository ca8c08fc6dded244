// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with weights of a few bits in blocks, lookups in such tables, and layers of experts, as
// ONNX Runtime writes language models. Weights are packed: a tensor of bytes that attributes and
// other operands give its extents. Scales and zero points go into the product and are left out.
#include "frontend/import/graph/Expander.h"

using namespace perfc;
using namespace perfc::graph;

/// The format of weights of `bits` bits; none where it is not read.
static int32_t formatOfBits(int64_t bits) { return bits == 4 ? Int4 : bits == 8 ? Int8 : NoType; }

static void blockProduct(Expander &expander) {
  int64_t rows = expander.integer("K", 0), columns = expander.integer("N", 0);
  int32_t format = formatOfBits(expander.integer("bits", 4));
  if (rows < 1 || columns < 1 || format == NoType || !expander.has(1))
    return expander.leave();
  int weights = expander.unpacked(expander.input(1), {rows, columns}, format);
  int value = expander.op("MatMul", {expander.input(0), weights});
  bool isBnb = expander.node.op == "MatMulBnb4";
  expander.result(0, expander.plus(value, isBnb ? -1 : expander.input(5)));
}

/// Rows of a table whose features are quantised in blocks.
static void blockGather(Expander &expander) {
  int packed = expander.input(0), scales = expander.input(2);
  int32_t format = formatOfBits(expander.integer("bits", 4));
  Shape of = expander.shape(packed);
  int64_t axis = expander.integer("quantize_axis", 1);
  if (of.size() != 2 || expander.integer("gather_axis", 0) != 0 || (axis != 1 && axis != -1) ||
      format == NoType || scales < 0)
    return expander.leave();
  int32_t bits = static_cast<int32_t>(bitsOf(expander.type(packed)));
  if (bits > 0) // numbers of an element of the file
    of[1] = expander.dims.multiply(of[1], bits / static_cast<int64_t>(bitsOf(format)));
  int rows = expander.op("Gather", {expander.unpacked(packed, of, format), expander.input(1)});
  expander.setType(rows, expander.type(scales));
  expander.result(0, rows);
}

namespace {
/// Tables of a layer of experts, one of `features` by some columns for each of `experts`.
struct Experts {
  Expander &expander;
  Dim features, experts;
  int32_t format;     ///< of the weights; NoType for what the file says
  int chosenIds = -1; ///< of each row the expert that it is sent to

  /// As many as `table` has numbers for each expert and feature.
  llvm::Optional<Dim> columns(int table) const;
  int product(int x, int table, int bias, const Dim &from, const Dim &to);
};
} // namespace

llvm::Optional<Dim> Experts::columns(int table) const {
  Shape of = expander.shape(table);
  if (of.size() != 3)
    return llvm::None;
  Dim all = expander.dims.product(of);
  if (format != NoType)
    all = expander.dims.multiply(all, bitsOf(expander.type(table)) / bitsOf(format));
  return expander.dims.exactQuotient(all, expander.dims.multiply(experts, features));
}

int Experts::product(int x, int table, int bias, const Dim &from, const Dim &to) {
  int weights = expander.unpacked(table, {experts, from, to},
                                  format == NoType ? expander.type(table) : format);
  int value = expander.op("ExpertProduct", {x, weights});
  return bias < 0 ? value : expander.plus(value, expander.op("Gather", {bias, chosenIds}));
}

/// What stands between the products: an activation, or one of the first half times the second.
static int activated(Expander &expander, int value, const Dim &width, bool isHalved) {
  llvm::StringRef type = expander.text("activation_type");
  llvm::StringRef named = type == "gelu"                       ? "Gelu"
                          : type == "silu" || type == "swiglu" ? "Swish"
                          : type == "identity"                 ? "Identity"
                                                               : "Relu";
  int gate = isHalved ? expander.part(value, 1, 0, width) : value;
  gate = expander.op(named, {gate});
  return isHalved ? expander.op("Mul", {gate, expander.part(value, 1, width, width)}) : gate;
}

static void experts(Expander &expander) {
  bool isPacked = expander.node.op == "QMoE";
  int32_t format = isPacked ? formatOfBits(expander.integer("expert_weight_bits", 4)) : NoType;
  auto table = [&](size_t number) { return expander.input(2 + number * (isPacked ? 3 : 2)); };
  auto bias = [&](size_t number) {
    return expander.input(isPacked ? 4 + number * 3 : 3 + number * 2);
  };
  int x = expander.input(0), router = expander.input(1);
  const Shape of = expander.shape(x), scores = expander.shape(router);
  int64_t chosen = expander.integer("k", 1);
  if (of.size() < 2 || scores.size() != 2 || chosen < 1 || table(0) < 0 || table(1) < 0 ||
      (isPacked && format == NoType))
    return expander.leave();
  Dims &dims = expander.dims;
  Dim rows = dims.product(llvm::ArrayRef<Dim>(of).drop_back()), all = dims.multiply(rows, chosen);
  Experts layer{expander, of.back(), scores[1], format};
  auto first = layer.columns(table(0)), second = layer.columns(table(1));
  if (!first || !second)
    return expander.leave();
  Dim inner = *second;
  bool isHalved = *first == dims.multiply(inner, 2);
  int best = expander.op("TopK", {router, expander.wholes({chosen})}, {{"axis", {-1}}});
  layer.chosenIds =
      expander.op("Cast", {expander.reshape(best, {all})}, {{"to", {static_cast<int64_t>(Int64)}}});
  int copies = expander.op("Expand", {expander.reshape(x, {rows, 1, of.back()}),
                                      expander.wholes({rows, chosen, of.back()})});
  int sent = expander.reshape(copies, {all, of.back()});
  int value = layer.product(sent, table(0), bias(0), of.back(), *first);
  value = activated(expander, value, inner, isHalved);
  if (table(2) >= 0)
    value = expander.op("Mul", {value, layer.product(sent, table(2), bias(2), of.back(), inner)});
  value = layer.product(value, table(1), bias(1), inner, of.back());
  int shares = expander.op("Softmax", {best}, {{"axis", {-1}}});
  value = expander.op("Mul", {expander.reshape(value, {rows, chosen, of.back()}),
                              expander.reshape(shares, {rows, chosen, 1})});
  expander.result(0, expander.reshape(expander.reduce("ReduceSum", value, {1}, 0), of));
}

static constexpr ExpansionEntry packedTable[] = {
    {"GatherBlockQuantized", "com.microsoft", blockGather},
    {"MatMulBnb4", "com.microsoft", blockProduct},
    {"MatMulNBits", "com.microsoft", blockProduct},
    {"MoE", "com.microsoft", experts},
    {"QMoE", "com.microsoft", experts},
};

llvm::ArrayRef<ExpansionEntry> graph::packedExpansions() { return packedTable; }
