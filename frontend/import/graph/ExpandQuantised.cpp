// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantised operators: the operator itself on whole numbers. Scales and zero points go into what
// follows the product, and cost nothing of their own.
#include "frontend/import/graph/Expander.h"

using namespace perfc;
using namespace perfc::graph;

/// The result of the node, in the format of zero point `zero`, of 8 bits where there is none.
static void quantised(Expander &expander, int value, int zero) {
  expander.setType(value, zero < 0 ? static_cast<int32_t>(Uint8) : expander.type(zero));
  expander.result(0, value);
}

static void qLinearConv(Expander &expander) {
  std::vector<int> operands = {expander.input(0), expander.input(3)};
  if (expander.has(8))
    operands.push_back(expander.input(8));
  quantised(expander, expander.inherit("Conv", operands), expander.input(7));
}

static void qLinearMatMul(Expander &expander) {
  quantised(expander, expander.op("MatMul", {expander.input(0), expander.input(3)}),
            expander.input(7));
}

/// Products of whole numbers with sums of 32 bits.
static void convInteger(Expander &expander) {
  int value = expander.inherit("Conv", {expander.input(0), expander.input(1)});
  expander.setType(value, Int32);
  expander.result(0, value);
}

static void matMulInteger(Expander &expander) {
  int value = expander.op("MatMul", {expander.input(0), expander.input(1)});
  expander.setType(value, Int32);
  expander.result(0, value);
}

static void matMulIntegerToFloat(Expander &expander) {
  int value = expander.op("MatMul", {expander.input(0), expander.input(1)});
  expander.setType(value, expander.type(expander.input(2)));
  expander.result(0, expander.plus(value, expander.input(6)));
}

static void dynamicMatMul(Expander &expander) {
  int left = expander.op("QuantizeLinear", {expander.input(0), expander.number(1)});
  expander.setType(left, Uint8);
  int value = expander.op("MatMul", {left, expander.input(1)});
  expander.setType(value, expander.type(expander.input(0)));
  expander.result(0, expander.plus(value, expander.input(4)));
}

static void dynamicQuantise(Expander &expander) {
  int x = expander.input(0);
  int most = expander.op("ReduceMax", {x}, {{"keepdims", {0}}});
  int value = expander.op("QuantizeLinear", {x, most});
  quantised(expander, value, -1);
  expander.result(1, most);
  if (!expander.wants(2))
    return;
  int least = expander.op("ReduceMin", {x}, {{"keepdims", {0}}});
  expander.setType(least, Uint8);
  expander.result(2, least);
}

static void qGemm(Expander &expander) {
  int value = expander.inherit("Gemm", {expander.input(0), expander.input(3), expander.input(6)});
  expander.setType(value, expander.has(8) ? expander.type(expander.input(8))
                                          : static_cast<int32_t>(Float));
  expander.result(0, value);
}

/// `Add` for QLinearAdd: operands with a scale and a zero point behind each.
static void qLinearPair(Expander &expander) {
  quantised(expander,
            expander.op(expander.node.op.drop_front(7), {expander.input(0), expander.input(3)}),
            expander.input(2));
}

static void qLinearOne(Expander &expander) {
  if (expander.integer("channels_last", 0) != 0)
    return expander.leave();
  quantised(expander, expander.inherit(expander.node.op.drop_front(7), {expander.input(0)}),
            expander.input(2));
}

static void qLinearConcat(Expander &expander) {
  std::vector<int> operands;
  for (size_t i = 2; i < expander.inputCount(); i += 3)
    operands.push_back(expander.input(i));
  quantised(expander, expander.inherit("Concat", operands), expander.input(1));
}

static void qLinearWhere(Expander &expander) {
  quantised(expander,
            expander.op("Where", {expander.input(0), expander.input(1), expander.input(4)}),
            expander.input(3));
}

/// Quantisation and dequantisation at once, as training for coarser formats has it: the result is
/// real numbers.
static void onSteps(Expander &expander) {
  expander.result(0, expander.op("Identity", {expander.input(0)}));
}

static constexpr ExpansionEntry quantisedTable[] = {
    {"BipolarQuant", "onnx.brevitas", onSteps},
    {"BipolarQuant", "qonnx.custom_op.general", onSteps},
    {"ConvInteger", "", convInteger},
    {"DynamicQuantizeLinear", "", dynamicQuantise},
    {"DynamicQuantizeMatMul", "com.microsoft", dynamicMatMul},
    {"MatMulInteger", "", matMulInteger},
    {"MatMulIntegerToFloat", "com.microsoft", matMulIntegerToFloat},
    {"QGemm", "com.microsoft", qGemm},
    {"Quant", "onnx.brevitas", onSteps},
    {"Quant", "qonnx.custom_op.general", onSteps},
    {"QLinearAdd", "com.microsoft", qLinearPair},
    {"QLinearAveragePool", "com.microsoft", qLinearOne},
    {"QLinearConcat", "com.microsoft", qLinearConcat},
    {"QLinearConv", "", qLinearConv},
    {"QLinearConv", "com.microsoft", qLinearConv},
    {"QLinearGlobalAveragePool", "com.microsoft", qLinearOne},
    {"QLinearLeakyRelu", "com.microsoft", qLinearOne},
    {"QLinearMatMul", "", qLinearMatMul},
    {"QLinearMul", "com.microsoft", qLinearPair},
    {"QLinearReduceMean", "com.microsoft", qLinearOne},
    {"QLinearSigmoid", "com.microsoft", qLinearOne},
    {"QLinearSoftmax", "com.microsoft", qLinearOne},
    {"QLinearWhere", "com.microsoft", qLinearWhere},
    {"Trunc", "onnx.brevitas", onSteps},
    {"Trunc", "qonnx.custom_op.general", onSteps},
};

llvm::ArrayRef<ExpansionEntry> graph::quantisedExpansions() { return quantisedTable; }
