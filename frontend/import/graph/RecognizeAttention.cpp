// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Recognizer.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

/// Keys or values [B, G, S, E] that stand as [B, G, R, S, E] for the R heads of a group: what is
/// repeated, or -1.
int Recognizer::groupsOf(int value, std::vector<Op *> &parts) {
  Op *wide = maker(value, {"Expand"});
  Op *thin = wide ? maker(wide->input(0), {"Unsqueeze", "Reshape"}) : nullptr;
  if (!thin || net.values[thin->input(0)].shape.size() != 4)
    return -1;
  const Shape &from = net.values[thin->input(0)].shape,
              &middle = net.values[thin->outputs[0]].shape;
  if (middle.size() != 5 || !middle[2].is(1) || middle[1] != from[1])
    return -1;
  parts.insert(parts.end(), {wide, thin});
  return thin->input(0);
}

/// Keys or values that are repeated for each head of their group: what is repeated, else `value`.
int Recognizer::unrepeated(int value, std::vector<Op *> &parts) {
  Op *flat = maker(value, {"Reshape"});
  std::vector<Op *> own = {flat};
  int groups = flat ? groupsOf(flat->input(0), own) : -1;
  const Shape &to = net.values[value].shape;
  if (groups < 0 || to.size() != 4 || !net.dims.exactQuotient(to[1], net.values[groups].shape[1]))
    return value;
  parts.insert(parts.end(), own.begin(), own.end());
  return groups;
}

/// Keys [B, G, S, E] that were turned into [B, G, E, S], maybe with the heads as one dimension in
/// between: what is turned, or -1.
int Recognizer::unturned(int keys, std::vector<Op *> &parts) {
  auto turns = [](const Op *turn, llvm::ArrayRef<int64_t> order) {
    const Attribute *given = turn ? turn->node->find("perm") : nullptr;
    return given && llvm::ArrayRef<int64_t>(given->integers) == order;
  };
  Op *turn = maker(keys, {"Transpose"});
  if (turns(turn, {0, 1, 3, 2})) {
    parts.push_back(turn);
    return turn->input(0);
  }
  Op *back = maker(keys, {"Reshape"});
  turn = back ? maker(back->input(0), {"Transpose"}) : nullptr;
  Op *flat = turns(turn, {0, 2, 1}) ? maker(turn->input(0), {"Reshape"}) : nullptr;
  if (!flat)
    return -1;
  // The heads of a group may be repeated right before.
  std::vector<Op *> own = {back, turn, flat};
  int value = flat->input(0), groups = groupsOf(value, own);
  value = groups < 0 ? value : groups;
  const Shape &from = net.values[value].shape, &rows = net.values[flat->outputs[0]].shape,
              &to = net.values[keys].shape;
  if (from.size() != 4 || to.size() != 4 || rows.size() != 3 || to[0] != from[0] ||
      (groups < 0 && to[1] != from[1]) || to[2] != from[3] || to[3] != from[2] ||
      rows[1] != from[2] || rows[2] != from[3])
    return -1;
  parts.insert(parts.end(), own.begin(), own.end());
  return value;
}

/// Whether `value` is (-x2, x1), of the halves of the last dimension of `x`.
bool Recognizer::isRotatedHalf(int value, int x, std::vector<Op *> &parts) {
  Op *both = maker(value, {"Concat"});
  if (!both || both->inputs.size() != 2)
    return false;
  Op *negative = maker(both->input(0), {"Neg"});
  Op *second = negative ? maker(negative->input(0), {"Slice", "Split"}) : nullptr;
  Op *first = maker(both->input(1), {"Slice", "Split"});
  if (!second || !first || second->input(0) != x || first->input(0) != x)
    return false;
  const Shape &half = net.values[both->input(1)].shape, &all = net.values[x].shape;
  if (half.empty() || net.dims.multiply(half.back(), 2) != all.back())
    return false;
  parts.insert(parts.end(), {both, negative, first});
  if (second != first)
    parts.push_back(second);
  return true;
}

/// x cos + (-x2, x1) sin
bool Recognizer::rotary(Op &last) {
  if (last.type != "Add")
    return false;
  for (size_t side : {0, 1}) {
    Op *plain = maker(last.input(side), {"Mul"}), *turned = maker(last.input(1 - side), {"Mul"});
    if (!plain || !turned)
      continue;
    for (size_t i : {0, 1})
      for (size_t k : {0, 1}) {
        int x = plain->input(i), cosine = plain->input(1 - i), sine = turned->input(1 - k);
        std::vector<Op *> parts = {plain, turned};
        if (!isRotatedHalf(turned->input(k), x, parts) ||
            net.values[cosine].shape != net.values[sine].shape ||
            net.values[cosine].shape.size() > net.values[x].shape.size() ||
            net.values[x].shape.size() != 4)
          continue;
        replaceAll(last, "RotaryHalves", {x, cosine, sine}, parts);
        return true;
      }
  }
  return false;
}

/// softmax(q k / c + mask) v, of four dimensions; a softmax may be cast or its holes filled
bool Recognizer::attention(Op &last) {
  if (last.type != "MatMul")
    return false;
  std::vector<Op *> parts;
  int weights = last.input(0);
  if (Op *kept = maker(weights, {"Dropout", "Cast"})) {
    parts.push_back(kept);
    weights = kept->input(0);
  }
  // Rows that see nothing are 0 in place of what no number is.
  if (Op *filled = maker(weights, {"Where"})) {
    Op *isHole = maker(filled->input(0), {"IsNaN"});
    if (!isHole || isHole->input(0) != filled->input(2) || !net.number(filled->input(1)))
      return false;
    parts.insert(parts.end(), {filled, isHole});
    weights = filled->input(2);
  }
  Op *softmax = maker(weights, {"Softmax"}, parts.empty() ? 1 : 2);
  if (!softmax || net.values[softmax->input(0)].shape.size() != 4)
    return false;
  const Attribute *axis = softmax->node->find("axis");
  if (axis ? axis->integer != -1 && axis->integer != 3 : net.operatorSet < 13)
    return false;
  parts.push_back(softmax);
  int scores = softmax->input(0), mask = -1;
  if (Op *cast = maker(scores, {"Cast"})) {
    parts.push_back(cast);
    scores = cast->input(0);
  }
  if (Op *sum = maker(scores, {"Add"})) {
    for (size_t side : {0, 1})
      if (mask < 0 && maker(sum->input(side), {"MatMul", "Mul", "Div"})) {
        scores = sum->input(side);
        mask = sum->input(1 - side);
      }
    if (mask < 0 || net.values[mask].shape.size() > 4)
      return false;
    parts.push_back(sum);
  }
  if (Op *scale = maker(scores, {"Mul", "Div"})) {
    bool isFirst = net.number(scale->input(1)).hasValue();
    if (!isFirst && (scale->type == "Div" || !net.number(scale->input(0))))
      return false;
    scores = scale->input(isFirst ? 0 : 1);
    parts.push_back(scale);
  }
  Op *product = maker(scores, {"MatMul"});
  if (!product)
    return false;
  // The scale may stand on both sides of the product.
  auto unscaled = [&](int value) {
    Op *scale = maker(value, {"Mul", "Div"});
    if (!scale || !net.number(scale->input(1)))
      return value;
    parts.push_back(scale);
    return scale->input(0);
  };
  int queries = unscaled(product->input(0)), keys = unscaled(product->input(1)),
      values_ = unrepeated(last.input(1), parts);
  llvm::SmallVector<int64_t, 4> plainKeys;
  std::vector<Op *> before;
  if (int turned = unturned(keys, before); turned >= 0) {
    // A scale and repeated keys stand before the transpose, which by itself moves nothing.
    Op *scale = maker(turned, {"Mul", "Div"});
    if (scale && net.number(scale->input(1))) {
      before.push_back(scale);
      turned = scale->input(0);
    }
    turned = unrepeated(turned, before);
    if (before.size() > 1) {
      parts.insert(parts.end(), before.begin(), before.end());
      keys = turned;
      plainKeys = {0};
    }
  }
  std::vector<int> inputs = {queries, keys, values_};
  auto isStored = [&](int value) { return net.values[value].isStored; };
  if (llvm::any_of(inputs, isStored) ||
      llvm::any_of(inputs, [&](int value) { return net.values[value].shape.size() != 4; }))
    return false;
  const Shape &q = net.values[inputs[0]].shape, &k = net.values[inputs[1]].shape,
              &v = net.values[inputs[2]].shape;
  if (q[0] != k[0] || v[0] != k[0] || v[1] != k[1] || !net.dims.exactQuotient(q[1], k[1]))
    return false;
  if (mask >= 0)
    inputs.push_back(mask);
  parts.push_back(product);
  replaceAll(last, "ScaledAttention", inputs, parts);
  last.numbers = plainKeys;
  return true;
}
