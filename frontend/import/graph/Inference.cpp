// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Inference.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

llvm::Optional<int64_t> Scalar::toWhole() const {
  if (!isReal)
    return whole.isNumber() ? llvm::Optional<int64_t>(whole.constant) : llvm::None;
  if (!(std::fabs(real) < 0x1p53))
    return llvm::None;
  return static_cast<int64_t>(real);
}

/// The only element of what is known of `value`.
static const Scalar *scalarOf(const Net &net, int value) {
  if (!net.isKnown(value) || net.values[value].content->size() != 1)
    return nullptr;
  const Scalar &scalar = net.values[value].content->front();
  return scalar.isNumber() ? &scalar : nullptr;
}

llvm::Optional<double> Net::number(int value) const {
  const Scalar *scalar = scalarOf(*this, value);
  return scalar ? llvm::Optional<double>(scalar->toReal()) : llvm::None;
}

llvm::Optional<int64_t> Net::wholeNumber(int value) const {
  const Scalar *scalar = scalarOf(*this, value);
  return scalar ? scalar->toWhole() : llvm::None;
}

bool Net::isShape(int value) const {
  return isKnown(value) && llvm::all_of(*values[value].content, [](const Scalar &one) {
           return !one.isReal && one.whole.isNumber() && one.whole.constant >= 0;
         });
}

bool graph::isElementwise(llvm::StringRef type) {
  static const llvm::StringSet<> names = {"Abs",
                                          "Acos",
                                          "Acosh",
                                          "Add",
                                          "And",
                                          "Asin",
                                          "Asinh",
                                          "Atan",
                                          "Atanh",
                                          "BitShift",
                                          "BitwiseAnd",
                                          "BitwiseNot",
                                          "BitwiseOr",
                                          "BitwiseXor",
                                          "Cast",
                                          "CastLike",
                                          "Ceil",
                                          "Celu",
                                          "Clip",
                                          "Cos",
                                          "Cosh",
                                          "DequantizeLinear",
                                          "Div",
                                          "Elu",
                                          "Equal",
                                          "Erf",
                                          "Exp",
                                          "Floor",
                                          "Gelu",
                                          "Greater",
                                          "GreaterOrEqual",
                                          "HardSigmoid",
                                          "HardSwish",
                                          "Hardmax",
                                          "Identity",
                                          "IsInf",
                                          "IsNaN",
                                          "LeakyRelu",
                                          "Less",
                                          "LessOrEqual",
                                          "Log",
                                          "LogSoftmax",
                                          "Max",
                                          "Mean",
                                          "Min",
                                          "Mish",
                                          "Mod",
                                          "Mul",
                                          "Neg",
                                          "Not",
                                          "Or",
                                          "PRelu",
                                          "Pow",
                                          "QuantizeLinear",
                                          "Reciprocal",
                                          "Relu",
                                          "Round",
                                          "Selu",
                                          "Shrink",
                                          "Sigmoid",
                                          "Sign",
                                          "Sin",
                                          "Sinh",
                                          "Softmax",
                                          "Softplus",
                                          "Softsign",
                                          "Sqrt",
                                          "Sub",
                                          "Sum",
                                          "Swish",
                                          "Tan",
                                          "Tanh",
                                          "ThresholdedRelu",
                                          "Where",
                                          "Xor",
                                          "BiasGelu",
                                          "FastGelu",
                                          "QuickGelu"};
  return names.contains(type);
}

ShapeRule graph::findShapeRule(llvm::StringRef type) {
  static const llvm::StringMap<ShapeRule> rules = [] {
    llvm::StringMap<ShapeRule> map;
    for (llvm::ArrayRef<ShapeEntry> table :
         {layoutRules(), partRules(), sizeRules(), windowRules(), otherRules(), rareRules()})
      for (const ShapeEntry &entry : table)
        map[entry.type] = entry.rule;
    return map;
  }();
  return rules.lookup(type);
}

bool Inference::setShape(Shape shape, size_t output) {
  if (!wants(output))
    return true;
  out(output).shape = std::move(shape);
  out(output).hasShape = true;
  return true;
}

int64_t Inference::integer(llvm::StringRef name, int64_t otherwise) const {
  const Attribute *found = attribute(name);
  return found ? found->integer : otherwise;
}

double Inference::real(llvm::StringRef name, double otherwise) const {
  const Attribute *found = attribute(name);
  return found ? found->real : otherwise;
}

llvm::StringRef Inference::text(llvm::StringRef name, llvm::StringRef otherwise) const {
  const Attribute *found = attribute(name);
  return found ? found->text : otherwise;
}

llvm::Optional<std::vector<int64_t>> Inference::list(llvm::StringRef name, size_t count,
                                                     int64_t otherwise) {
  const Attribute *found = attribute(name);
  if (!found || found->integers.empty())
    return std::vector<int64_t>(count, otherwise);
  if (found->integers.size() == count)
    return found->integers;
  fail(fmt::format("`{}` has {} numbers in place of {}", name, found->integers.size(), count));
  return llvm::None;
}

llvm::Optional<std::vector<Dim>> Inference::wholes(llvm::StringRef name, size_t input,
                                                   bool *isGiven) {
  const Attribute *found = attribute(name);
  if (isGiven)
    *isGiven = found || has(input);
  if (found)
    return std::vector<Dim>(found->integers.begin(), found->integers.end());
  if (!has(input) || !in(input).content)
    return llvm::None;
  std::vector<Dim> result;
  for (const Scalar &scalar : *in(input).content) {
    if (scalar.isReal)
      return llvm::None;
    result.push_back(scalar.whole);
  }
  return result;
}

llvm::Optional<std::vector<int64_t>> Inference::numbers(llvm::StringRef name, size_t input,
                                                        bool *isGiven) {
  llvm::Optional<std::vector<Dim>> list = wholes(name, input, isGiven);
  if (!list || llvm::any_of(*list, [](const Dim &dim) { return !dim.isNumber(); }))
    return llvm::None;
  std::vector<int64_t> result;
  for (const Dim &dim : *list)
    result.push_back(dim.constant);
  return result;
}

llvm::Optional<size_t> Inference::axis(int64_t axis, size_t rank) {
  auto wide = static_cast<int64_t>(rank);
  if (axis >= -wide && axis < wide)
    return static_cast<size_t>(axis < 0 ? axis + wide : axis);
  fail(fmt::format("there is no axis {} of {}", axis, counted(rank, "dimension")));
  return llvm::None;
}

llvm::Optional<std::vector<size_t>> Inference::axes(llvm::ArrayRef<int64_t> list, size_t rank) {
  std::vector<size_t> result;
  for (int64_t one : list) {
    llvm::Optional<size_t> found = axis(one, rank);
    if (!found)
      return llvm::None;
    result.push_back(*found);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    fail("an axis is given twice");
    return llvm::None;
  }
  return result;
}

bool Inference::needRank(size_t input, size_t least, size_t most) {
  if (!has(input))
    return fail(fmt::format("operand {} is missing", input + 1));
  size_t rank = shape(input).size();
  return (rank >= least && rank <= most) ||
         fail(fmt::format("operand {} has {}", input + 1, counted(rank, "dimension")));
}

llvm::Optional<Shape> Inference::broadcast(const Shape &a, const Shape &b) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  size_t offset = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    Dim &here = result[offset + i];
    const Dim &other = shorter[i];
    if (here == other || other.is(1))
      continue;
    if (here.is(1)) {
      here = other;
      continue;
    }
    if (here.isNumber() && other.isNumber()) {
      fail(
          fmt::format("dimensions of {} and {} do not go together", here.constant, other.constant));
      return llvm::None;
    }
    // An extent that is open has to be the other's, or 1.
    if (!here.isNumber())
      here = other;
  }
  return result;
}

static int32_t resultType(llvm::StringRef type, int32_t first, const Inference &inference) {
  static const llvm::StringSet<> logic = {"And",   "Equal", "Greater", "GreaterOrEqual",
                                          "IsInf", "IsNaN", "Less",    "LessOrEqual",
                                          "Not",   "Or",    "Xor"};
  if (logic.contains(type))
    return Bool;
  if (type == "Cast")
    return static_cast<int32_t>(inference.integer("to", first));
  if (type == "Where" && inference.has(1))
    return inference.in(1).type;
  if (type == "QuantizeLinear")
    return inference.has(2) ? inference.in(2).type : static_cast<int32_t>(Uint8);
  if ((type == "DequantizeLinear" || type == "CastLike") && inference.has(1))
    return inference.in(1).type;
  return first;
}

/// Shapes of the operands spread over each other; of some operators only the first one counts.
static bool elementwise(Inference &inference) {
  static const llvm::StringSet<> ofFirst = {"CastLike", "Clip", "DequantizeLinear",
                                            "QuantizeLinear", "PRelu"};
  if (!inference.has(0))
    return inference.fail("operand 1 is missing");
  Shape shape = inference.shape(0);
  bool all = !ofFirst.contains(inference.op.type);
  for (size_t i = 1; all && i < inference.op.inputs.size(); ++i) {
    if (!inference.has(i))
      continue;
    llvm::Optional<Shape> both = inference.broadcast(shape, inference.shape(i));
    if (!both)
      return false;
    shape = *both;
  }
  return inference.setShape(std::move(shape));
}

bool Inference::run() {
  for (int input : op.inputs)
    if (input >= 0 && !net.values[input].hasShape)
      return true;
  // Of operators that others have made nothing is known but their names.
  if (!op.domain.empty() && op.domain != "com.microsoft")
    return true;
  int32_t first = has(0) ? in(0).type : static_cast<int32_t>(NoType);
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (wants(i) && out(i).type == NoType)
      out(i).type = resultType(op.type, first, *this);
  bool isFine = true;
  bool makesAll = op.type == "RandomNormal" || op.type == "RandomUniform";
  if (!has(0) && !makesAll && (findShapeRule(op.type) || isElementwise(op.type)))
    return fail("operand 1 is missing");
  if (ShapeRule rule = findShapeRule(op.type))
    isFine = rule(*this);
  else if (isElementwise(op.type))
    isFine = elementwise(*this);
  if (dims.takeFailure())
    return fail("a size does not fit in 64 bits");
  if (isFine && !op.outputs.empty() && wants(0) && out().hasShape && isElementwise(op.type))
    foldElements(*this);
  if (dims.takeFailure()) // of values, which are no sizes yet
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (wants(i))
        out(i).content.reset();
  return isFine;
}
