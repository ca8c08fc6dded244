// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Recognizer.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

Op *Recognizer::maker(int value, std::initializer_list<llvm::StringRef> types, unsigned uses) {
  if (value < 0 || net.values[value].maker < 0 || isResult[value] || net.values[value].uses > uses)
    return nullptr;
  Op &op = net.ops[net.values[value].maker];
  return !op.isGone && llvm::is_contained(types, op.type) ? &op : nullptr;
}

bool Recognizer::isNumber(int value, double wanted) const {
  llvm::Optional<double> number = net.number(value);
  return number && std::fabs(*number - wanted) <= 1e-3 * std::fabs(wanted);
}

int Recognizer::besideNumber(const Op &op, double wanted) const {
  if (isNumber(op.input(1), wanted))
    return op.input(0);
  return isNumber(op.input(0), wanted) && op.type != "Div" && op.type != "Pow" ? op.input(1) : -1;
}

int Recognizer::besideStored(const Op &op, int &stored) const {
  for (size_t i : {1, 0})
    if (op.input(i) >= 0 && net.values[op.input(i)].isStored &&
        net.values[op.input(i)].shape.size() == 1) {
      stored = op.input(i);
      return op.input(1 - i);
    }
  return -1;
}

/// A mean over the last dimension.
bool Recognizer::isLastMean(const Op &op) const {
  const Attribute *axes = op.node->find("axes");
  std::vector<int64_t> list;
  if (axes)
    list = axes->integers;
  else if (net.isKnown(op.input(1)))
    for (const Scalar &scalar : *net.values[op.input(1)].content)
      list.push_back(scalar.whole.constant);
  auto rank = static_cast<int64_t>(net.values[op.input(0)].shape.size());
  return list.size() == 1 && (list[0] == -1 || list[0] == rank - 1);
}

void Recognizer::replaceAll(Op &last, llvm::StringRef type, std::vector<int> inputs,
                            llvm::ArrayRef<Op *> parts) {
  auto count = [&](llvm::ArrayRef<int> operands, int by) {
    for (int operand : operands)
      if (operand >= 0)
        net.values[operand].uses += static_cast<unsigned>(by);
  };
  count(last.inputs, -1);
  for (Op *part : parts) {
    part->isGone = true;
    count(part->inputs, -1);
  }
  count(inputs, 1);
  last.type = type;
  last.domain = "";
  last.inputs = std::move(inputs);
  last.constant = 1;
}

void Recognizer::replace(Op &last, llvm::StringRef type, std::vector<int> inputs,
                         std::initializer_list<Op *> parts) {
  replaceAll(last, type, std::move(inputs), llvm::ArrayRef<Op *>(parts.begin(), parts.end()));
}

/// (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) * scale + shift
bool Recognizer::layerNorm(Op &last) {
  if (last.type != "Add")
    return false;
  int scale = -1, shift = -1;
  Op *scaled = maker(besideStored(last, shift), {"Mul"});
  Op *quotient = scaled ? maker(besideStored(*scaled, scale), {"Div"}) : nullptr;
  Op *root = quotient ? maker(quotient->input(1), {"Sqrt"}) : nullptr;
  Op *sum = root ? maker(root->input(0), {"Add"}) : nullptr;
  Op *variance = sum ? maker(sum->input(0), {"ReduceMean"}) : nullptr;
  Op *square = variance ? maker(variance->input(0), {"Pow", "Mul"}) : nullptr;
  Op *centred = quotient ? maker(quotient->input(0), {"Sub"}, 3) : nullptr;
  Op *mean = centred ? maker(centred->input(1), {"ReduceMean"}, 2) : nullptr;
  if (!square || !mean || !net.number(sum->input(1)) || mean->input(0) != centred->input(0) ||
      !isLastMean(*mean) || !isLastMean(*variance))
    return false;
  int x = centred->input(0);
  // Some exporters subtract twice.
  Op *again = nullptr;
  if (square->input(0) != centred->outputs[0]) {
    again = maker(square->input(0), {"Sub"}, 2);
    if (!again || again->input(0) != x || again->input(1) != centred->input(1))
      return false;
  }
  bool isSquare =
      square->type == "Mul" ? square->input(0) == square->input(1) : isNumber(square->input(1), 2);
  if (!isSquare || net.values[scale].shape != net.values[shift].shape)
    return false;
  if (again)
    replace(last, "LayerNormalization", {x, scale, shift},
            {scaled, quotient, root, sum, variance, square, centred, mean, again});
  else
    replace(last, "LayerNormalization", {x, scale, shift},
            {scaled, quotient, root, sum, variance, square, centred, mean});
  return true;
}

/// x / sqrt(mean(x^2) + eps) * scale
bool Recognizer::rmsNorm(Op &last) {
  if (last.type != "Mul")
    return false;
  int scale = -1;
  int normalised = besideStored(last, scale);
  Op *cast = maker(normalised, {"Cast"});
  Op *quotient = maker(cast ? cast->input(0) : normalised, {"Mul", "Div"});
  if (!quotient)
    return false;
  for (size_t side : {1, 0}) {
    Op *inverse =
        quotient->type == "Mul" ? maker(quotient->input(side), {"Reciprocal", "Div"}) : nullptr;
    if (inverse && inverse->type == "Div" && !isNumber(inverse->input(0), 1))
      inverse = nullptr;
    if (quotient->type == "Mul" && !inverse)
      continue;
    if (quotient->type == "Div" && side == 0)
      break;
    int rooted = !inverse ? quotient->input(1) : inverse->input(inverse->type == "Div" ? 1 : 0);
    Op *root = maker(rooted, {"Sqrt"});
    Op *sum = root ? maker(root->input(0), {"Add"}) : nullptr;
    Op *mean = nullptr;
    for (size_t i : {0, 1})
      if (sum && net.number(sum->input(1 - i)))
        mean = mean ? mean : maker(sum->input(i), {"ReduceMean"});
    Op *square = mean ? maker(mean->input(0), {"Pow", "Mul"}) : nullptr;
    int x = quotient->input(inverse ? 1 - side : 0);
    if (!square || square->input(0) != x || !isLastMean(*mean) ||
        !(square->type == "Mul" ? square->input(1) == x : isNumber(square->input(1), 2)))
      continue;
    replace(last, "RMSNormalization", {x, scale}, {quotient, root, sum, mean, square});
    if (inverse)
      replace(last, "RMSNormalization", {x, scale}, {inverse});
    if (cast)
      replace(last, "RMSNormalization", {x, scale}, {cast});
    return true;
  }
  return false;
}

/// x * 0.5 * (1 + erf(x / sqrt 2)), in either order of the products
bool Recognizer::gelu(Op &last) {
  if (last.type != "Mul")
    return false;
  auto error = [&](int value, Op *&sum, Op *&erf, Op *&scaled) {
    sum = maker(value, {"Add"});
    erf = sum ? maker(besideNumber(*sum, 1), {"Erf"}) : nullptr;
    scaled = erf ? maker(erf->input(0), {"Div", "Mul"}) : nullptr;
    if (!scaled)
      return -1;
    return besideNumber(*scaled, scaled->type == "Div" ? std::sqrt(2.0) : std::sqrt(0.5));
  };
  Op *sum = nullptr, *erf = nullptr, *scaled = nullptr;
  if (int product = besideNumber(last, 0.5); product >= 0) {
    Op *inner = maker(product, {"Mul"});
    for (size_t side : {0, 1}) {
      int x = inner ? error(inner->input(side), sum, erf, scaled) : -1;
      if (x < 0 || inner->input(1 - side) != x)
        continue;
      replace(last, "Gelu", {x}, {inner, sum, erf, scaled});
      return true;
    }
  }
  for (size_t side : {0, 1}) {
    int x = error(last.input(side), sum, erf, scaled);
    Op *half = x >= 0 ? maker(last.input(1 - side), {"Mul"}) : nullptr;
    if (half && besideNumber(*half, 0.5) == x) {
      replace(last, "Gelu", {x}, {half, sum, erf, scaled});
      return true;
    }
    // x * (0.5 * (1 + erf …))
    Op *outer = maker(last.input(side), {"Mul"});
    int inside = outer ? besideNumber(*outer, 0.5) : -1;
    x = inside >= 0 ? error(inside, sum, erf, scaled) : -1;
    if (x >= 0 && last.input(1 - side) == x) {
      replace(last, "Gelu", {x}, {outer, sum, erf, scaled});
      return true;
    }
  }
  return false;
}

/// 0.5 x (1 + tanh(0.7979 (x + 0.044715 x^3)))
bool Recognizer::geluTanh(Op &last) {
  if (last.type != "Mul")
    return false;
  for (size_t side : {0, 1}) {
    Op *half = maker(last.input(1 - side), {"Mul"});
    int x = half ? besideNumber(*half, 0.5) : -1;
    Op *sum = x >= 0 ? maker(last.input(side), {"Add"}) : nullptr;
    Op *tangent = sum ? maker(besideNumber(*sum, 1), {"Tanh"}) : nullptr;
    Op *scaled = tangent ? maker(tangent->input(0), {"Mul"}) : nullptr;
    Op *inner = scaled ? maker(besideNumber(*scaled, std::sqrt(2 / M_PI)), {"Add"}) : nullptr;
    if (!inner)
      continue;
    for (size_t i : {0, 1}) {
      Op *cubed = maker(inner->input(i), {"Mul"});
      Op *power = cubed ? maker(besideNumber(*cubed, 0.044715), {"Pow"}) : nullptr;
      if (!power || inner->input(1 - i) != x || besideNumber(*power, 3) != x)
        continue;
      replace(last, "GeluTanh", {x}, {half, sum, tangent, scaled, inner, cubed, power});
      return true;
    }
  }
  return false;
}

/// x * sigmoid(x); x * hard_sigmoid(x); x * clip(x + 3, 0, 6) / 6
bool Recognizer::gate(Op &last) {
  auto clipped = [&](Op &product) {
    for (size_t side : {0, 1}) {
      Op *clip = maker(product.input(side), {"Clip"});
      Op *sum = clip ? maker(clip->input(0), {"Add"}) : nullptr;
      int x = sum ? besideNumber(*sum, 3) : -1;
      if (x >= 0 && product.input(1 - side) == x)
        return std::tuple(x, clip, sum);
    }
    return std::tuple(-1, static_cast<Op *>(nullptr), static_cast<Op *>(nullptr));
  };
  if (last.type == "Div") {
    Op *product = isNumber(last.input(1), 6) ? maker(last.input(0), {"Mul"}) : nullptr;
    if (!product)
      return false;
    auto [x, clip, sum] = clipped(*product);
    if (x < 0)
      return false;
    replace(last, "HardSwish", {x}, {product, clip, sum});
    return true;
  }
  if (last.type != "Mul")
    return false;
  for (size_t side : {0, 1}) {
    Op *gate = maker(last.input(side), {"Sigmoid", "HardSigmoid"});
    int x = last.input(1 - side);
    // A swish whose beta is 1 is written as such.
    Op *beta = gate && gate->input(0) != x ? maker(gate->input(0), {"Mul"}) : nullptr;
    if (gate && (gate->input(0) == x || (beta && besideNumber(*beta, 1) == x))) {
      llvm::StringRef type = gate->type == "Sigmoid" ? "SiLU" : "HardSwish";
      replace(last, type, {x}, {gate});
      if (beta)
        replace(last, type, {x}, {beta});
      return true;
    }
    Op *quotient = maker(last.input(side), {"Div"});
    Op *clip =
        quotient && isNumber(quotient->input(1), 6) ? maker(quotient->input(0), {"Clip"}) : nullptr;
    Op *sum = clip ? maker(clip->input(0), {"Add"}) : nullptr;
    if (sum && besideNumber(*sum, 3) == x) {
      replace(last, "HardSwish", {x}, {quotient, clip, sum});
      return true;
    }
  }
  return false;
}

/// Exporters write it as a normalisation of each group as one channel, with a scale and a shift per
/// channel behind.
bool Recognizer::groupNorm(Op &last) {
  if (last.type != "Add")
    return false;
  for (size_t side : {0, 1}) {
    int shift = last.input(1 - side);
    Op *scaled = maker(last.input(side), {"Mul"});
    for (size_t k : {0, 1}) {
      int scale = scaled ? scaled->input(1 - k) : -1;
      Op *back = scaled ? maker(scaled->input(k), {"Reshape"}) : nullptr;
      Op *norm = back ? maker(back->input(0), {"InstanceNormalization"}) : nullptr;
      Op *cut = norm ? maker(norm->input(0), {"Reshape"}) : nullptr;
      if (!cut || !net.values[scale].isStored || !net.values[shift].isStored)
        continue;
      const Shape &all = net.values[cut->input(0)].shape,
                  &parted = net.values[norm->input(0)].shape;
      Dim channels = all.size() > 1 ? all[1] : Dim(0);
      if (all.size() != 4 || parted.size() < 3 || !parted[1].isNumber() ||
          net.values[back->outputs[0]].shape != all ||
          net.dims.product(net.values[scale].shape) != channels ||
          net.dims.product(net.values[shift].shape) != channels)
        continue;
      int64_t groups = parted[1].constant;
      replaceAll(last, "GroupNormalization", {cut->input(0), scale, shift},
                 {scaled, back, norm, cut});
      last.numbers = {groups};
      return true;
    }
  }
  return false;
}

void Recognizer::run() {
  // A normalisation without its mean is part of one with it.
  for (Op &op : net.ops)
    if (!op.isGone)
      layerNorm(op);
  for (Op &op : net.ops)
    if (!op.isGone)
      rmsNorm(op) || groupNorm(op) || rotary(op) || gelu(op) || geluTanh(op) || gate(op) ||
          attention(op);
}

void graph::recognize(Net &net) {
  Recognizer(net).run();
  useWholeNumbers(net);
}
