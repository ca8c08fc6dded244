// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Recognizer.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

/// Keys or values [B, G, S, E] that are repeated for each head of their group: what is repeated.
int Recognizer::unrepeated(int value, std::vector<Op *> &parts) {
  Op *flat = maker(value, {"Reshape"});
  Op *wide = flat ? maker(flat->input(0), {"Expand"}) : nullptr;
  Op *thin = wide ? maker(wide->input(0), {"Unsqueeze", "Reshape"}) : nullptr;
  if (!thin || net.values[thin->input(0)].shape.size() != 4)
    return value;
  const Shape &from = net.values[thin->input(0)].shape,
              &middle = net.values[thin->outputs[0]].shape, &to = net.values[value].shape;
  if (middle.size() != 5 || !middle[2].is(1) || middle[1] != from[1] || to.size() != 4 ||
      !net.dims.exactQuotient(to[1], from[1]))
    return value;
  parts.insert(parts.end(), {flat, wide, thin});
  return thin->input(0);
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
  if (Op *turn = maker(keys, {"Transpose"})) {
    // Repeated keys stand before the transpose.
    std::vector<Op *> repeats;
    Op *scale = maker(turn->input(0), {"Mul", "Div"});
    bool isScaled = scale && net.number(scale->input(1));
    int unturned = isScaled ? scale->input(0) : turn->input(0);
    int before = unrepeated(unturned, repeats);
    const Attribute *order = turn->node->find("perm");
    bool turnsLast = order && order->integers.size() == 4 && order->integers[0] == 0 &&
                     order->integers[1] == 1 && order->integers[2] == 3;
    if (turnsLast && (isScaled || before != unturned)) {
      parts.push_back(turn);
      if (isScaled)
        parts.push_back(scale);
      parts.insert(parts.end(), repeats.begin(), repeats.end());
      keys = before;
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
