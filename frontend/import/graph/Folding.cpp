// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations and reductions of what is known: how shapes are computed in graphs.
#include "frontend/import/graph/Inference.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;
using namespace perfc::graph;

/// A comparison or other condition of two extents; nothing where it depends on parameters.
static llvm::Optional<bool> condition(llvm::StringRef type, const Scalar &a, const Scalar &b,
                                      Dims &dims) {
  llvm::Optional<int> order;
  if (!a.isReal && !b.isReal)
    order = dims.compare(a.whole, b.whole);
  else if (a.isNumber() && b.isNumber())
    order = a.toReal() < b.toReal() ? -1 : a.toReal() > b.toReal();
  if (!order)
    return llvm::None;
  return llvm::StringSwitch<llvm::Optional<bool>>(type)
      .Case("Equal", *order == 0)
      .Case("Greater", *order > 0)
      .Case("GreaterOrEqual", *order >= 0)
      .Case("Less", *order < 0)
      .Case("LessOrEqual", *order <= 0)
      .Default(llvm::None);
}

static llvm::Optional<Scalar> ofWholes(llvm::StringRef type, const Dim &a, const Dim &b,
                                       Dims &dims) {
  if (type == "Add" || type == "Sum")
    return Scalar(dims.add(a, b));
  if (type == "Sub")
    return Scalar(dims.subtract(a, b));
  if (type == "Mul")
    return Scalar(dims.multiply(a, b));
  if (type == "Max")
    return Scalar(dims.larger(a, b));
  if (type == "Min")
    return Scalar(dims.smaller(a, b));
  if (type == "Div" && !b.is(0)) {
    // Whole numbers are divided towards 0; extents are not negative.
    bool isNegative = a.isNumber() && b.isNumber() && (a.constant < 0) != (b.constant < 0);
    return isNegative ? Scalar(dims.multiply(dims.divide(dims.multiply(a, -1), b), -1))
                      : Scalar(dims.divide(a, b));
  }
  if (type == "Mod" && !b.is(0))
    return Scalar(dims.subtract(a, dims.multiply(b, dims.divide(a, b))));
  if (a.isNumber() && b.isNumber()) {
    bool x = a.constant != 0, y = b.constant != 0;
    if (type == "And" || type == "Or" || type == "Xor")
      return Scalar(type == "And" ? x && y : type == "Or" ? x || y : x != y);
    double power = type == "Pow" ? std::pow(double(a.constant), double(b.constant)) : 1e300;
    if (std::fabs(power) < 9e15)
      return Scalar(static_cast<int64_t>(power));
  }
  return llvm::None;
}

static llvm::Optional<double> ofReals(llvm::StringRef type, double a, double b) {
  return llvm::StringSwitch<llvm::Optional<double>>(type)
      .Cases("Add", "Sum", a + b)
      .Case("Sub", a - b)
      .Case("Mul", a * b)
      .Case("Div", a / b)
      .Case("Pow", std::pow(a, b))
      .Case("Max", std::max(a, b))
      .Case("Min", std::min(a, b))
      .Case("Mod", std::fmod(a, b))
      .Default(llvm::None);
}

static llvm::Optional<Scalar> binary(llvm::StringRef type, const Scalar &a, const Scalar &b,
                                     Dims &dims) {
  if (llvm::Optional<bool> known = condition(type, a, b, dims))
    return Scalar(*known);
  if (!a.isReal && !b.isReal)
    return ofWholes(type, a.whole, b.whole, dims);
  if (!a.isNumber() || !b.isNumber())
    return llvm::None;
  llvm::Optional<double> result = ofReals(type, a.toReal(), b.toReal());
  return result ? llvm::Optional<Scalar>(Scalar::ofReal(*result)) : llvm::None;
}

static llvm::Optional<Scalar> cast(const Scalar &a, int32_t type) {
  if (isFloating(type) || type == NoType)
    return a.isReal || !a.isNumber() ? a : Scalar::ofReal(a.toReal());
  if (type == Bool)
    return a.isNumber() ? llvm::Optional<Scalar>(Scalar(a.toReal() != 0)) : llvm::None;
  if (!a.isReal)
    return a;
  auto whole = a.toWhole();
  return whole ? llvm::Optional<Scalar>(Scalar(*whole)) : llvm::None;
}

static llvm::Optional<Scalar> unary(llvm::StringRef type, const Scalar &a, int32_t result,
                                    Dims &dims) {
  if (type == "Identity")
    return a;
  if (type == "Cast" || type == "CastLike")
    return cast(a, result);
  bool isWhole = !a.isReal;
  if (isWhole && (type == "Ceil" || type == "Floor" || type == "Round"))
    return a;
  if (isWhole && type == "Neg")
    return Scalar(dims.multiply(a.whole, -1));
  if (!a.isNumber())
    return llvm::None;
  if (type == "Not")
    return Scalar(a.toReal() == 0);
  double x = a.toReal();
  llvm::Optional<double> real = llvm::StringSwitch<llvm::Optional<double>>(type)
                                    .Case("Abs", std::fabs(x))
                                    .Case("Ceil", std::ceil(x))
                                    .Case("Floor", std::floor(x))
                                    .Case("Neg", -x)
                                    .Case("Reciprocal", 1 / x)
                                    .Case("Round", std::nearbyint(x))
                                    .Case("Sqrt", std::sqrt(x))
                                    .Case("Exp", std::exp(x))
                                    .Case("Log", std::log(x))
                                    .Default(llvm::None);
  if (!real)
    return llvm::None;
  Scalar computed = Scalar::ofReal(*real);
  return isWhole && type == "Abs" ? cast(computed, Int64) : computed;
}

/// The element of `value`, spread over `shape`, at `place` of its elements row by row.
static const Scalar &elementAt(const Value &value, const Shape &shape, size_t place) {
  size_t index = 0, stride = 1;
  for (size_t i = shape.size(), own = value.shape.size(); i-- > 0 && own > 0;) {
    auto extent = static_cast<size_t>(shape[i].constant);
    size_t coordinate = place % extent;
    place /= extent;
    auto ownExtent = static_cast<size_t>(value.shape[--own].constant);
    index += (ownExtent == 1 ? 0 : coordinate) * stride;
    stride *= ownExtent;
  }
  return (*value.content)[index];
}

/// Whether `value` can be spread over `shape`, all of which are numbers.
static bool spreads(const Value &value, const Shape &shape) {
  if (value.shape.size() > shape.size())
    return false;
  size_t skipped = shape.size() - value.shape.size();
  for (size_t i = 0; i < value.shape.size(); ++i)
    if (!value.shape[i].is(1) && value.shape[i] != shape[skipped + i])
      return false;
  return true;
}

void graph::foldElements(Inference &inference) {
  Value &out = inference.out();
  Dim count = inference.dims.product(out.shape);
  if (!count.isNumber() || count.constant < 0 || count.constant > mostKeptElements)
    return;
  size_t operands = inference.op.inputs.size();
  bool isClip = inference.isNamed("Clip");
  for (size_t i = 0; i < operands; ++i) {
    if (isClip && i > 0 && !inference.has(i))
      continue; // no bound
    if (!inference.has(i) || !inference.in(i).content)
      return;
    for (const Dim &dim : inference.shape(i))
      if (!dim.isNumber())
        return;
    if (!spreads(inference.in(i), out.shape))
      return;
  }
  llvm::StringRef type = inference.op.type;
  std::vector<Scalar> result;
  for (size_t place = 0; place < static_cast<size_t>(count.constant); ++place) {
    auto at = [&](size_t i) -> const Scalar & {
      return elementAt(inference.in(i), out.shape, place);
    };
    llvm::Optional<Scalar> element;
    if (type == "Where" && operands == 3) {
      if (at(0).isNumber())
        element = at(0).toReal() != 0 ? at(1) : at(2);
    } else if (isClip) {
      element = at(0);
      if (inference.has(1))
        element = binary("Max", *element, at(1), inference.dims);
      if (element && inference.has(2))
        element = binary("Min", *element, at(2), inference.dims);
    } else if (operands == 1 || type == "CastLike") {
      element = type == "Max" || type == "Min" || type == "Sum"
                    ? at(0)
                    : unary(type, at(0), out.type, inference.dims);
    } else {
      element = at(0);
      for (size_t i = 1; element && i < operands; ++i)
        element = binary(type, *element, at(i), inference.dims);
    }
    if (!element)
      return;
    result.push_back(std::move(*element));
  }
  out.content = std::move(result);
}

void graph::foldReduction(Inference &inference, llvm::ArrayRef<size_t> axes, bool isAll) {
  llvm::StringRef type = llvm::StringSwitch<llvm::StringRef>(inference.op.type)
                             .Case("ReduceMax", "Max")
                             .Case("ReduceMin", "Min")
                             .Case("ReduceProd", "Mul")
                             .Case("ReduceSum", "Add")
                             .Default("");
  const Shape &from = inference.shape(0);
  auto isOpen = [](const Dim &dim) { return !dim.isNumber(); };
  if (type.empty() || !inference.wants(0) || !inference.in(0).content || llvm::any_of(from, isOpen))
    return;
  // Places of the result that neighbours along each dimension are apart.
  std::vector<size_t> strides(from.size());
  size_t count = 1;
  for (size_t i = from.size(); i-- > 0;) {
    bool goes = isAll || llvm::is_contained(axes, i);
    strides[i] = goes ? 0 : count;
    count *= goes ? 1 : static_cast<size_t>(from[i].constant);
  }
  std::vector<llvm::Optional<Scalar>> result(count);
  const std::vector<Scalar> &content = *inference.in(0).content;
  for (size_t place = 0; place < content.size(); ++place) {
    size_t rest = place, to = 0;
    for (size_t i = from.size(); i-- > 0;) {
      auto extent = static_cast<size_t>(from[i].constant);
      to += rest % extent * strides[i];
      rest /= extent;
    }
    bool isFirst = !result[to];
    result[to] =
        isFirst ? content[place] : binary(type, *result[to], content[place], inference.dims);
    if (!result[to])
      return;
  }
  std::vector<Scalar> known;
  for (llvm::Optional<Scalar> &one : result) {
    if (!one) // of no element
      return;
    known.push_back(std::move(*one));
  }
  inference.out().content = std::move(known);
}
