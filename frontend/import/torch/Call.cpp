// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments, and operators that work element by element.
#include "frontend/import/torch/Call.h"

using namespace perfc;
using namespace perfc::graph;
using namespace perfc::torch;

int Call::tensor(llvm::StringRef name) const {
  const Attribute *found = expander.node.find(name);
  bool isTensor = found && found->text == tensorMark && !found->integers.empty();
  return isTensor ? expander.input(static_cast<size_t>(found->integer)) : -1;
}

std::vector<int> Call::tensors(llvm::StringRef name) const {
  std::vector<int> result;
  const Attribute *found = expander.node.find(name);
  for (size_t i = 0; found && found->text == tensorMark && i < found->integers.size(); ++i)
    result.push_back(expander.input(static_cast<size_t>(found->integers[i])));
  return result;
}

int Call::operand(llvm::StringRef name) {
  int value = tensor(name);
  return value < 0 && has(name) ? expander.number(real(name, 0)) : value;
}

std::vector<int64_t> Call::list(llvm::StringRef name) const {
  const Attribute *found = expander.node.find(name);
  return found && found->text.empty() ? found->integers : std::vector<int64_t>();
}

std::vector<int64_t> Call::list(llvm::StringRef name, size_t count, int64_t otherwise) const {
  std::vector<int64_t> result = list(name);
  if (result.size() == count)
    return result;
  return std::vector<int64_t>(count, result.size() == 1 ? result.front() : otherwise);
}

int64_t Call::whole(llvm::StringRef name, int64_t otherwise) const {
  const Attribute *found = expander.node.find(name);
  return found && found->text.empty() ? found->integer : otherwise;
}

llvm::Optional<size_t> Call::place(int64_t dim, size_t rank) {
  auto wide = static_cast<int64_t>(rank);
  if (dim >= -wide && dim < wide)
    return static_cast<size_t>(dim < 0 ? dim + wide : dim);
  expander.fail(fmt::format("there is no dimension {} of {}", dim, rank));
  return llvm::None;
}

llvm::Optional<Shape> Call::resultShape(size_t index) const {
  const ValueInfo *info = expander.declared(index);
  return info && info->hasShape ? llvm::Optional<Shape>(expander.shapeOf(*info)) : llvm::None;
}

static void binary(Expander &expander) {
  static const llvm::StringMap<llvm::StringRef> names = {
      {"add", "Add"},         {"bitwise_and", "And"}, {"bitwise_or", "Or"},
      {"div", "Div"},         {"__and__", "And"},     {"__or__", "Or"},
      {"eq", "Equal"},        {"fmod", "Mod"},        {"ge", "GreaterOrEqual"},
      {"gt", "Greater"},      {"le", "LessOrEqual"},  {"logical_and", "And"},
      {"logical_or", "Or"},   {"logical_xor", "Xor"}, {"lt", "Less"},
      {"maximum", "Max"},     {"minimum", "Min"},     {"mul", "Mul"},
      {"remainder", "Mod"},   {"sub", "Sub"},         {"prelu", "PRelu"},
      {"multiply", "Mul"},    {"subtract", "Sub"},    {"divide", "Div"},
      {"true_divide", "Div"}, {"bitwise_xor", "Xor"}};
  Call call(expander);
  int left = call.operand("self"), right = call.operand(call.has("weight") ? "weight" : "other");
  if (call.has("alpha") && call.real("alpha", 1) != 1)
    right = call.op("Mul", {right, expander.number(call.real("alpha", 1))});
  if (call.has("rounding_mode") || expander.node.op == "floor_divide")
    return call.result(call.op("Floor", {call.op("Div", {left, right})}));
  call.result(call.op(names.lookup(expander.node.op), {left, right}));
}

/// other - self
static void reverseSubtract(Expander &expander) {
  Call call(expander);
  call.result(call.op("Sub", {call.operand("other"), call.tensor("self")}));
}

static void notEqual(Expander &expander) {
  Call call(expander);
  call.result(call.op("Not", {call.op("Equal", {call.operand("self"), call.operand("other")})}));
}

static void power(Expander &expander) {
  Call call(expander);
  call.result(call.op("Pow", {call.operand("self"), call.operand("exponent")}));
}

static void rsqrt(Expander &expander) {
  Call call(expander);
  call.result(call.op("Reciprocal", {call.op("Sqrt", {call.tensor("self")})}));
}

static void clamp(Expander &expander) {
  Call call(expander);
  bool isTanh = expander.node.op == "hardtanh";
  std::vector<Expander::Given> bounds;
  if (isTanh || call.has("min"))
    bounds.push_back({"min", {}, isTanh ? call.real("min_val", -1) : call.real("min", 0)});
  if (isTanh || call.has("max"))
    bounds.push_back({"max", {}, isTanh ? call.real("max_val", 1) : call.real("max", 0)});
  if (expander.node.op == "relu6")
    bounds = {{"min", {}, 0}, {"max", {}, 6}};
  call.result(call.op("Clip", {call.tensor("self")}, bounds));
}

static void gelu(Expander &expander) {
  Call call(expander);
  bool isByTanh = expander.text("approximate") == "tanh";
  call.result(call.op(isByTanh ? "FastGelu" : "Gelu", {call.tensor("self")}));
}

static void leaky(Expander &expander) {
  Call call(expander);
  call.result(call.op("LeakyRelu", {call.tensor("self")},
                      {{"alpha", {}, call.real("negative_slope", 0.01)}}));
}

static void softmax(Expander &expander) {
  Call call(expander);
  bool isLog = expander.node.op.contains("log");
  call.result(call.op(isLog ? "LogSoftmax" : "Softmax", {call.tensor("self")},
                      {{"axis", {call.whole("dim", -1)}}}));
}

static void where(Expander &expander) {
  Call call(expander);
  bool fills = expander.node.op == "masked_fill";
  int mask = call.tensor(fills ? "mask" : "condition");
  int yes = call.operand(fills ? "value" : "self"), no = call.operand(fills ? "self" : "other");
  call.result(call.op("Where", {mask, yes, no}));
}

/// self + value * a * b, or a / b
static void fusedAdd(Expander &expander) {
  Call call(expander);
  llvm::StringRef type = expander.node.op == "addcdiv" ? "Div" : "Mul";
  int product = call.op(type, {call.tensor("tensor1"), call.tensor("tensor2")});
  if (call.real("value", 1) != 1)
    product = call.op("Mul", {product, expander.number(call.real("value", 1))});
  call.result(call.op("Add", {call.tensor("self"), product}));
}

static void reduce(Expander &expander) {
  static const llvm::StringMap<llvm::StringRef> names = {
      {"all", "ReduceMin"}, {"amax", "ReduceMax"},  {"amin", "ReduceMin"},
      {"any", "ReduceMax"}, {"max", "ReduceMax"},   {"mean", "ReduceMean"},
      {"min", "ReduceMin"}, {"prod", "ReduceProd"}, {"sum", "ReduceSum"}};
  Call call(expander);
  if (call.tensor("other") >= 0)
    return call.result(call.op(expander.node.op == "max" ? "Max" : "Min",
                               {call.tensor("self"), call.tensor("other")}));
  int x = call.tensor("self");
  std::vector<int64_t> axes = call.list("dim");
  bool isGiven = !axes.empty();
  for (size_t i = 0; !isGiven && i < expander.rank(x); ++i)
    axes.push_back(static_cast<int64_t>(i));
  call.result(expander.reduce(names.lookup(expander.node.op), x, axes, call.isSet("keepdim")));
  if (expander.wants(1)) // places of the largest, too
    expander.result(1, call.op(expander.node.op == "min" ? "ArgMin" : "ArgMax", {x},
                               {{"axis", axes}, {"keepdims", {call.isSet("keepdim")}}}));
}

/// (sum |x|^p)^(1/p), for p of 1, 2 and infinity
static void norm(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  double order = call.real(call.has("ord") ? "ord" : "p", 2);
  bool isLargest = order > 3e38;
  if (order != 1 && order != 2 && !isLargest)
    return expander.leave();
  std::vector<int64_t> axes = call.list("dim");
  bool isGiven = !axes.empty();
  if (axes.size() > 1 && expander.node.op == "linalg_norm")
    return expander.leave(); // of matrices
  for (size_t i = 0; !isGiven && i < expander.rank(x); ++i)
    axes.push_back(static_cast<int64_t>(i));
  llvm::StringRef type = isLargest ? "ReduceMax" : order == 1 ? "ReduceL1" : "ReduceL2";
  call.result(
      expander.reduce(type, isLargest ? call.op("Abs", {x}) : x, axes, call.isSet("keepdim")));
}

/// g * v / |v|, where the norm is over all dimensions but one.
static void weightNorm(Expander &expander) {
  Call call(expander);
  int v = call.tensor("v");
  auto axis = call.place(call.whole("dim", 0), expander.rank(v));
  if (!axis)
    return;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < expander.rank(v); ++i)
    if (i != *axis)
      axes.push_back(static_cast<int64_t>(i));
  int scale = call.op("Div", {call.tensor("g"), expander.reduce("ReduceL2", v, axes, 1)});
  call.result(call.op("Mul", {v, scale}));
}

static void square(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  call.result(call.op("Mul", {x, x}));
}

/// exp(x) - 1, and log(1 + x)
static void besideOne(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  bool isLog = expander.node.op == "log1p";
  call.result(isLog ? call.op("Log", {call.op("Add", {x, expander.number(1)})})
                    : call.op("Sub", {call.op("Exp", {x}), expander.number(1)}));
}

/// The mean square of what differs from the mean; with the mean, or its root.
static void variance(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  std::vector<int64_t> axes = call.list("dim");
  bool isGiven = !axes.empty();
  for (size_t i = 0; !isGiven && i < expander.rank(x); ++i)
    axes.push_back(static_cast<int64_t>(i));
  int off = call.op("Sub", {x, expander.reduce("ReduceMean", x, axes, 1)});
  int value =
      expander.reduce("ReduceMean", call.op("Mul", {off, off}), axes, call.isSet("keepdim"));
  call.result(expander.node.op.startswith("std") ? call.op("Sqrt", {value}) : value);
  if (expander.wants(1))
    expander.result(1, expander.reduce("ReduceMean", x, axes, call.isSet("keepdim")));
}

static void logSigmoid(Expander &expander) {
  Call call(expander);
  call.result(call.op("Log", {call.op("Sigmoid", {call.tensor("self")})}));
}

/// The first half of a dimension, times the sigmoid of the second.
static void gatedLinear(Expander &expander) {
  Call call(expander);
  int x = call.tensor("self");
  auto axis = call.place(call.whole("dim", -1), expander.rank(x));
  auto half = axis ? call.dims.exactQuotient(expander.shape(x)[*axis], 2) : llvm::None;
  if (!half)
    return axis ? expander.fail("its features do not divide into halves") : void();
  int gate = call.op("Sigmoid", {expander.part(x, *axis, *half, *half)});
  call.result(call.op("Mul", {expander.part(x, *axis, 0, *half), gate}));
}

static void arg(Expander &expander) {
  Call call(expander);
  if (!call.has("dim"))
    return expander.stream();
  call.result(call.op(expander.node.op == "argmin" ? "ArgMin" : "ArgMax", {call.tensor("self")},
                      {{"axis", {call.whole("dim", 0)}}, {"keepdims", {call.isSet("keepdim")}}}));
}

static void cumulate(Expander &expander) {
  Call call(expander);
  call.result(call.op("CumSum", {call.tensor("self"), expander.wholes({call.whole("dim", 0)})}));
}

static constexpr ExpansionEntry otherTable[] = {
    {"__and__", "aten", binary},
    {"__or__", "aten", binary},
    {"_log_softmax", "aten", softmax},
    {"_softmax", "aten", softmax},
    {"_weight_norm", "aten", weightNorm},
    {"_weight_norm_interface", "aten", weightNorm},
    {"abs", "aten", nullptr, "Abs"},
    {"acos", "aten", nullptr, "Acos"},
    {"acosh", "aten", nullptr, "Acosh"},
    {"add", "aten", binary},
    {"addcdiv", "aten", fusedAdd},
    {"addcmul", "aten", fusedAdd},
    {"all", "aten", reduce},
    {"amax", "aten", reduce},
    {"amin", "aten", reduce},
    {"any", "aten", reduce},
    {"argmax", "aten", arg},
    {"argmin", "aten", arg},
    {"asin", "aten", nullptr, "Asin"},
    {"asinh", "aten", nullptr, "Asinh"},
    {"atan", "aten", nullptr, "Atan"},
    {"atanh", "aten", nullptr, "Atanh"},
    {"bitwise_and", "aten", binary},
    {"bitwise_not", "aten", nullptr, "Not"},
    {"bitwise_or", "aten", binary},
    {"bitwise_xor", "aten", binary},
    {"ceil", "aten", nullptr, "Ceil"},
    {"celu", "aten", nullptr, "Celu"},
    {"clamp", "aten", clamp},
    {"clamp_max", "aten", clamp},
    {"clamp_min", "aten", clamp},
    {"cos", "aten", nullptr, "Cos"},
    {"cosh", "aten", nullptr, "Cosh"},
    {"cumsum", "aten", cumulate},
    {"div", "aten", binary},
    {"divide", "aten", binary},
    {"elu", "aten", nullptr, "Elu"},
    {"eq", "aten", binary},
    {"erf", "aten", nullptr, "Erf"},
    {"erfc", "aten", nullptr, "Erf"},
    {"exp", "aten", nullptr, "Exp"},
    {"exp2", "aten", nullptr, "Exp"},
    {"expm1", "aten", besideOne},
    {"floor", "aten", nullptr, "Floor"},
    {"floor_divide", "aten", binary},
    {"fmod", "aten", binary},
    {"ge", "aten", binary},
    {"gelu", "aten", gelu},
    {"glu", "aten", gatedLinear},
    {"gt", "aten", binary},
    {"hardsigmoid", "aten", nullptr, "HardSigmoid"},
    {"hardswish", "aten", nullptr, "HardSwish"},
    {"hardtanh", "aten", clamp},
    {"isinf", "aten", nullptr, "IsInf"},
    {"isnan", "aten", nullptr, "IsNaN"},
    {"le", "aten", binary},
    {"leaky_relu", "aten", leaky},
    {"linalg_norm", "aten", norm},
    {"linalg_vector_norm", "aten", norm},
    {"log", "aten", nullptr, "Log"},
    {"log10", "aten", nullptr, "Log"},
    {"log1p", "aten", besideOne},
    {"log2", "aten", nullptr, "Log"},
    {"log_sigmoid", "aten", logSigmoid},
    {"log_softmax", "aten", softmax},
    {"logical_and", "aten", binary},
    {"logical_not", "aten", nullptr, "Not"},
    {"logical_or", "aten", binary},
    {"logical_xor", "aten", binary},
    {"lt", "aten", binary},
    {"masked_fill", "aten", where},
    {"max", "aten", reduce},
    {"maximum", "aten", binary},
    {"mean", "aten", reduce},
    {"min", "aten", reduce},
    {"minimum", "aten", binary},
    {"mish", "aten", nullptr, "Mish"},
    {"mul", "aten", binary},
    {"multiply", "aten", binary},
    {"ne", "aten", notEqual},
    {"neg", "aten", nullptr, "Neg"},
    {"norm", "aten", norm},
    {"pow", "aten", power},
    {"prelu", "aten", binary},
    {"prod", "aten", reduce},
    {"reciprocal", "aten", nullptr, "Reciprocal"},
    {"relu", "aten", nullptr, "Relu"},
    {"relu6", "aten", clamp},
    {"remainder", "aten", binary},
    {"round", "aten", nullptr, "Round"},
    {"rsqrt", "aten", rsqrt},
    {"rsub", "aten", reverseSubtract},
    {"selu", "aten", nullptr, "Selu"},
    {"sgn", "aten", nullptr, "Sign"},
    {"sigmoid", "aten", nullptr, "Sigmoid"},
    {"sign", "aten", nullptr, "Sign"},
    {"silu", "aten", nullptr, "Swish"},
    {"sin", "aten", nullptr, "Sin"},
    {"sinh", "aten", nullptr, "Sinh"},
    {"softmax", "aten", softmax},
    {"softplus", "aten", nullptr, "Softplus"},
    {"sqrt", "aten", nullptr, "Sqrt"},
    {"square", "aten", square},
    {"std", "aten", variance},
    {"std_mean", "aten", variance},
    {"sub", "aten", binary},
    {"subtract", "aten", binary},
    {"sum", "aten", reduce},
    {"tan", "aten", nullptr, "Tan"},
    {"tanh", "aten", nullptr, "Tanh"},
    {"true_divide", "aten", binary},
    {"trunc", "aten", nullptr, "Floor"},
    {"var", "aten", variance},
    {"var_mean", "aten", variance},
    {"where", "aten", where},
};

llvm::ArrayRef<ExpansionEntry> torch::otherExpansions() { return otherTable; }

std::vector<llvm::ArrayRef<ExpansionEntry>> torch::expansions() {
  return {layerExpansions(), layoutExpansions(), otherExpansions()};
}
