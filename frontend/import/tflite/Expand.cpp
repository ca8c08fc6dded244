// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators, reductions and changes of format.
#include "frontend/import/tflite/Expand.h"

#include "frontend/import/tflite/Operators.h"

using namespace perfc;
using namespace perfc::graph;
using namespace perfc::tflite;

static int turned(Expander &expander, int value, bool isFirst) {
  auto rank = static_cast<int64_t>(expander.rank(value));
  if (rank < 3)
    return value;
  std::vector<int64_t> order = {0};
  if (isFirst)
    order.push_back(rank - 1);
  for (int64_t i = isFirst ? 1 : 2; i < rank - (isFirst ? 1 : 0); ++i)
    order.push_back(i);
  if (!isFirst)
    order.push_back(1);
  if (value >= 0 && expander.net.values[value].isStored)
    return expander.transpose(value, std::move(order));
  return expander.op("Transpose", {value}, {{"perm", order}, {"renames", {1}}});
}

int tflite::channelsFirst(Expander &expander, int value) { return turned(expander, value, true); }
int tflite::channelsLast(Expander &expander, int value) { return turned(expander, value, false); }

static int clip(Expander &expander, int value, double least, double most) {
  return expander.op("Clip", {value}, {{"min", {}, least}, {"max", {}, most}});
}

int tflite::activated(Expander &expander, int value) {
  switch (expander.integer("activation", 0)) {
  case 1:
    return expander.op("Relu", {value});
  case 2:
    return clip(expander, value, -1, 1);
  case 3:
    return clip(expander, value, 0, 6);
  case 4:
    return expander.op("Tanh", {value});
  case 5:
    return expander.op("Sign", {value});
  default:
    return value;
  }
}

llvm::Optional<Shape> tflite::need(Expander &expander, size_t index) {
  llvm::Optional<Shape> found = expander.known(index);
  if (!found)
    expander.leave();
  return found;
}

llvm::Optional<std::vector<int64_t>> tflite::needNumbers(Expander &expander, size_t index) {
  llvm::Optional<Shape> found = expander.known(index);
  if (!found || llvm::any_of(*found, [](const Dim &dim) { return !dim.isNumber(); })) {
    expander.leave();
    return llvm::None;
  }
  std::vector<int64_t> list;
  for (const Dim &dim : *found)
    list.push_back(dim.constant);
  return list;
}

/// Two operands and an activation, as ADD.
static void binary(Expander &expander, llvm::StringRef type) {
  int value = expander.op(type, {expander.input(0), expander.input(1)});
  expander.resultAs(activated(expander, value));
}
static void add(Expander &expander) { binary(expander, "Add"); }
static void subtract(Expander &expander) { binary(expander, "Sub"); }
static void multiply(Expander &expander) { binary(expander, "Mul"); }
static void divide(Expander &expander) { binary(expander, "Div"); }

static void reluTo1(Expander &expander) {
  expander.resultAs(clip(expander, expander.input(0), -1, 1));
}
static void relu0To1(Expander &expander) {
  expander.resultAs(clip(expander, expander.input(0), 0, 1));
}
static void relu6(Expander &expander) {
  expander.resultAs(clip(expander, expander.input(0), 0, 6));
}
static void fakeQuant(Expander &expander) {
  expander.resultAs(
      clip(expander, expander.input(0), expander.real("min", 0), expander.real("max", 0)));
}

static void notEqual(Expander &expander) {
  int same = expander.op("Equal", {expander.input(0), expander.input(1)});
  expander.resultAs(expander.op("Not", {same}));
}

static void floorDivide(Expander &expander) {
  int quotient = expander.op("Div", {expander.input(0), expander.input(1)});
  expander.resultAs(expander.op("Floor", {quotient}));
}

static void square(Expander &expander) {
  expander.resultAs(expander.op("Mul", {expander.input(0), expander.input(0)}));
}

static void squaredDifference(Expander &expander) {
  int difference = expander.op("Sub", {expander.input(0), expander.input(1)});
  expander.resultAs(expander.op("Mul", {difference, difference}));
}

static void rsqrt(Expander &expander) {
  expander.resultAs(expander.op("Reciprocal", {expander.op("Sqrt", {expander.input(0)})}));
}

static void gelu(Expander &expander) {
  bool isByTanh = expander.integer("approximate", 0) != 0;
  expander.resultAs(expander.op(isByTanh ? "FastGelu" : "Gelu", {expander.input(0)}));
}

static void l2Norm(Expander &expander) {
  int x = expander.input(0);
  expander.resultAs(expander.op("Div", {x, expander.op("ReduceL2", {x}, {{"axes", {-1}}})}));
}

static void cast(Expander &expander) {
  const ValueInfo *declared = expander.declared(0);
  int64_t type = declared ? declared->type : int64_t(NoType);
  expander.resultAs(expander.op("Cast", {expander.input(0)}, {{"to", {type}}}));
}

/// The same whole numbers by another scale are only copied.
static void quantise(Expander &expander) {
  int x = expander.input(0);
  bool isReal = isFloating(expander.type(x));
  expander.resultAs(isReal ? expander.op("QuantizeLinear", {x, expander.number(1)})
                           : expander.op("Identity", {x}));
}

static void dequantise(Expander &expander) {
  expander.resultAs(expander.op("DequantizeLinear", {expander.input(0), expander.number(1)}));
}

static void select(Expander &expander) {
  expander.resultAs(
      expander.op("Where", {expander.input(0), expander.input(1), expander.input(2)}));
}

static void reduce(Expander &expander) {
  static const llvm::StringMap<llvm::StringRef> names = {
      {"MEAN", "ReduceMean"},      {"REDUCE_ALL", "ReduceMin"}, {"REDUCE_ANY", "ReduceMax"},
      {"REDUCE_MAX", "ReduceMax"}, {"REDUCE_MIN", "ReduceMin"}, {"REDUCE_PROD", "ReduceProd"},
      {"SUM", "ReduceSum"}};
  if (auto axes = needNumbers(expander, 1))
    expander.resultAs(expander.reduce(names.lookup(expander.node.op), expander.input(0), *axes,
                                      expander.integer("keep_dims", 0)));
}

/// The place of the largest, along the axis that the second operand is.
static void arg(Expander &expander) {
  if (auto axes = needNumbers(expander, 1))
    expander.resultAs(
        expander.op(expander.node.op == "ARG_MIN" ? "ArgMin" : "ArgMax", {expander.input(0)},
                    {{"axis", {axes->empty() ? 0 : axes->front()}}, {"keepdims", {0}}}));
}

static void cumulate(Expander &expander) {
  expander.resultAs(expander.op("CumSum", {expander.input(0), expander.input(1)}));
}

static void rank(Expander &expander) {
  expander.resultAs(expander.op("Size", {expander.op("Shape", {expander.input(0)})}));
}

static void nothing(Expander &) {}

static constexpr ExpansionEntry otherTable[] = {
    {"ABS", "tflite", nullptr, "Abs"},
    {"ADD", "tflite", add},
    {"ADD_N", "tflite", nullptr, "Sum"},
    {"ARG_MAX", "tflite", arg},
    {"ARG_MIN", "tflite", arg},
    {"BITWISE_XOR", "tflite", nullptr, "BitwiseXor"},
    {"CALL_ONCE", "tflite", nothing}, // before the model runs
    {"CAST", "tflite", cast},
    {"CEIL", "tflite", nullptr, "Ceil"},
    {"COS", "tflite", nullptr, "Cos"},
    {"CUMSUM", "tflite", cumulate},
    {"DENSIFY", "tflite", nullptr, "Identity"},
    {"DEQUANTIZE", "tflite", dequantise},
    {"DIV", "tflite", divide},
    {"ELU", "tflite", nullptr, "Elu"},
    {"EQUAL", "tflite", nullptr, "Equal"},
    {"EXP", "tflite", nullptr, "Exp"},
    {"FAKE_QUANT", "tflite", fakeQuant},
    {"FLOOR", "tflite", nullptr, "Floor"},
    {"FLOOR_DIV", "tflite", floorDivide},
    {"FLOOR_MOD", "tflite", nullptr, "Mod"},
    {"GATHER_ND", "tflite", nullptr, "GatherND"},
    {"GELU", "tflite", gelu},
    {"GREATER", "tflite", nullptr, "Greater"},
    {"GREATER_EQUAL", "tflite", nullptr, "GreaterOrEqual"},
    {"HARD_SWISH", "tflite", nullptr, "HardSwish"},
    {"L2_NORMALIZATION", "tflite", l2Norm},
    {"LEAKY_RELU", "tflite", nullptr, "LeakyRelu"},
    {"LESS", "tflite", nullptr, "Less"},
    {"LESS_EQUAL", "tflite", nullptr, "LessOrEqual"},
    {"LOG", "tflite", nullptr, "Log"},
    {"LOGICAL_AND", "tflite", nullptr, "And"},
    {"LOGICAL_NOT", "tflite", nullptr, "Not"},
    {"LOGICAL_OR", "tflite", nullptr, "Or"},
    {"LOGISTIC", "tflite", nullptr, "Sigmoid"},
    {"LOG_SOFTMAX", "tflite", nullptr, "LogSoftmax"},
    {"MAXIMUM", "tflite", nullptr, "Max"},
    {"MEAN", "tflite", reduce},
    {"MINIMUM", "tflite", nullptr, "Min"},
    {"MUL", "tflite", multiply},
    {"NEG", "tflite", nullptr, "Neg"},
    {"NOT_EQUAL", "tflite", notEqual},
    {"POW", "tflite", nullptr, "Pow"},
    {"PRELU", "tflite", nullptr, "PRelu"},
    {"QUANTIZE", "tflite", quantise},
    {"RANGE", "tflite", nullptr, "Range"},
    {"RANK", "tflite", rank},
    {"REDUCE_ALL", "tflite", reduce},
    {"REDUCE_ANY", "tflite", reduce},
    {"REDUCE_MAX", "tflite", reduce},
    {"REDUCE_MIN", "tflite", reduce},
    {"REDUCE_PROD", "tflite", reduce},
    {"RELU", "tflite", nullptr, "Relu"},
    {"RELU6", "tflite", relu6},
    {"RELU_0_TO_1", "tflite", relu0To1},
    {"RELU_N1_TO_1", "tflite", reluTo1},
    {"ROUND", "tflite", nullptr, "Round"},
    {"RSQRT", "tflite", rsqrt},
    {"SELECT", "tflite", select},
    {"SELECT_V2", "tflite", select},
    {"SHAPE", "tflite", nullptr, "Shape"},
    {"SIGN", "tflite", nullptr, "Sign"},
    {"SIN", "tflite", nullptr, "Sin"},
    {"SOFTMAX", "tflite", nullptr, "Softmax"},
    {"SQRT", "tflite", nullptr, "Sqrt"},
    {"SQUARE", "tflite", square},
    {"SQUARED_DIFFERENCE", "tflite", squaredDifference},
    {"STABLEHLO_ABS", "tflite", nullptr, "Abs"},
    {"STABLEHLO_ADD", "tflite", nullptr, "Add"},
    {"STABLEHLO_AND", "tflite", nullptr, "And"},
    {"STABLEHLO_CONVERT", "tflite", cast},
    {"STABLEHLO_COSINE", "tflite", nullptr, "Cos"},
    {"STABLEHLO_DIVIDE", "tflite", nullptr, "Div"},
    {"STABLEHLO_EXPONENTIAL", "tflite", nullptr, "Exp"},
    {"STABLEHLO_FLOOR", "tflite", nullptr, "Floor"},
    {"STABLEHLO_LOG", "tflite", nullptr, "Log"},
    {"STABLEHLO_LOGISTIC", "tflite", nullptr, "Sigmoid"},
    {"STABLEHLO_MAXIMUM", "tflite", nullptr, "Max"},
    {"STABLEHLO_MINIMUM", "tflite", nullptr, "Min"},
    {"STABLEHLO_MULTIPLY", "tflite", nullptr, "Mul"},
    {"STABLEHLO_NEGATE", "tflite", nullptr, "Neg"},
    {"STABLEHLO_OR", "tflite", nullptr, "Or"},
    {"STABLEHLO_POWER", "tflite", nullptr, "Pow"},
    {"STABLEHLO_REMAINDER", "tflite", nullptr, "Mod"},
    {"STABLEHLO_RSQRT", "tflite", rsqrt},
    {"STABLEHLO_SELECT", "tflite", select},
    {"STABLEHLO_SUBTRACT", "tflite", nullptr, "Sub"},
    {"STABLEHLO_TANH", "tflite", nullptr, "Tanh"},
    {"SUB", "tflite", subtract},
    {"SUM", "tflite", reduce},
    {"TANH", "tflite", nullptr, "Tanh"},
};

llvm::ArrayRef<ExpansionEntry> tflite::otherExpansions() { return otherTable; }

std::vector<llvm::ArrayRef<ExpansionEntry>> tflite::expansions() {
  return {layerExpansions(), layoutExpansions(), otherExpansions()};
}
