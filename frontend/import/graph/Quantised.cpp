// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantised networks as exporters write them: DequantizeLinear, the operation in real numbers,
// QuantizeLinear. What stands between runs in whole numbers:
//
//   y = Q(Relu(Conv(DQ(x), w)))   becomes   y = Relu(Conv(x, w)), of 8 bits
#include "frontend/import/graph/Recognize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::graph;

namespace {

class Quantiser {
public:
  explicit Quantiser(Net &net) : net(net) {}
  void run();

private:
  bool endsQuantised(int value) const;
  void convert(Op &op);

  Net &net;
  std::vector<int> asWhole; ///< of a dequantised value the one that it was made of, else -1
  std::vector<llvm::SmallVector<Op *, 2>> users;
};

} // namespace

/// Operations that kernels have for whole numbers.
static bool hasWholeForm(llvm::StringRef type) {
  static const llvm::StringSet<> types = {"Add",         "AveragePool", "Clip",
                                          "Concat",      "Conv",        "ConvTranspose",
                                          "Flatten",     "Gemm",        "GlobalAveragePool",
                                          "HardSigmoid", "HardSwish",   "LeakyRelu",
                                          "MatMul",      "MaxPool",     "Mul",
                                          "Relu",        "Reshape",     "Sigmoid",
                                          "SiLU",        "Softmax",     "Squeeze",
                                          "Sub",         "Transpose",   "Unsqueeze"};
  return types.contains(type);
}

/// Operations that run where their operand is made.
static bool isBehind(llvm::StringRef type) {
  static const llvm::StringSet<> types = {"Clip",      "Flatten",  "HardSigmoid", "HardSwish",
                                          "LeakyRelu", "Relu",     "Reshape",     "SiLU",
                                          "Squeeze",   "Transpose"};
  return types.contains(type);
}

/// Whether all that reads `value` quantises it, behind an activation or not.
bool Quantiser::endsQuantised(int value) const {
  constexpr unsigned mostBehind = 4;
  for (unsigned steps = 0; steps < mostBehind; ++steps) {
    if (users[value].empty() || users[value].size() > net.values[value].uses)
      return false; // a result of the graph
    if (llvm::all_of(users[value], [](Op *op) { return op->type == "QuantizeLinear"; }))
      return true;
    Op *only = users[value].size() == 1 ? users[value].front() : nullptr;
    if (!only || !isBehind(only->type) || only->outputs.empty())
      return false;
    value = only->outputs[0];
  }
  return false;
}

void Quantiser::convert(Op &op) {
  for (int &input : op.inputs)
    if (input >= 0 && asWhole[input] >= 0 && asWhole[input] != input) {
      --net.values[input].uses;
      ++net.values[asWhole[input]].uses;
      input = asWhole[input];
    }
  int result = op.outputs[0];
  int32_t type = Int8;
  for (Op *user : users[result])
    if (user->type == "QuantizeLinear")
      type = net.values[user->outputs[0]].type;
  net.values[result].type = type;
  asWhole[result] = result;
}

void Quantiser::run() {
  asWhole.assign(net.values.size(), -1);
  users.resize(net.values.size());
  for (Op &op : net.ops)
    for (int input : op.inputs)
      if (input >= 0 && !op.isGone && (users[input].empty() || users[input].back() != &op))
        users[input].push_back(&op);
  for (Op &op : net.ops) {
    if (op.isGone || op.inputs.empty() || op.inputs[0] < 0 || op.outputs.empty() ||
        op.outputs[0] < 0)
      continue;
    if (op.type == "DequantizeLinear") {
      asWhole[op.outputs[0]] = op.inputs[0];
      continue;
    }
    if (op.type == "QuantizeLinear" && asWhole[op.inputs[0]] == op.inputs[0]) {
      op.type = "Identity";
      op.inputs.resize(1);
      continue;
    }
    bool isWhole = hasWholeForm(op.type), hasOne = false;
    for (int input : op.inputs) {
      bool isStored = input < 0 || net.values[input].isStored;
      hasOne |= input >= 0 && asWhole[input] >= 0;
      isWhole &= isStored || asWhole[input] >= 0;
    }
    if (isWhole && hasOne && endsQuantised(op.outputs[0]))
      convert(op);
  }
  // What has been taken in has no use left.
  for (Op &op : llvm::reverse(net.ops))
    if (op.type == "DequantizeLinear" && !op.isGone && net.values[op.outputs[0]].uses == 0) {
      op.isGone = true;
      for (int input : op.inputs)
        if (input >= 0)
          --net.values[input].uses;
    }
}

void graph::useWholeNumbers(Net &net) { Quantiser(net).run(); }
