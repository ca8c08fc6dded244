// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in functions: of numbers, and of the elements of tensors.
#include "frontend/sema/Evaluator.h"
#include "ir/common/diagnostics/Values.h"

#include "frontend/sema/Written.h"
#include <cmath>

using namespace perfc;

llvm::ArrayRef<llvm::StringRef> perfc::builtinFunctions() {
  static const llvm::StringRef names[] = {
      "ceil", "floor",   "round",  "min",    "max",     "abs",       "sqrt",  "log2",  "log", "exp",
      "pow",  "sum",     "length", "normal", "uniform", "lognormal", "rsqrt", "tanh",  "erf", "sin",
      "cos",  "sigmoid", "xor",    "named",  "matches", "lookup",    "parts", "shares"};
  return names;
}

bool perfc::isElementFunction(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {"exp",  "log", "sqrt", "rsqrt", "tanh",
                                                  "erf",  "sin", "cos",  "abs",   "floor",
                                                  "ceil", "max", "min",  "pow",   "sigmoid"};
  return llvm::is_contained(names, name);
}

size_t perfc::elementArity(llvm::StringRef name) {
  return name == "max" || name == "min" || name == "pow" ? 2 : 1;
}

/// Rounding keeps counts exact: whole numbers of a plain or counted quantity.
static llvm::Optional<Quantity> rounded(llvm::StringRef name, const Quantity &value) {
  if (!value.isExact()) {
    double real = value.toDouble();
    double whole = name == "ceil"    ? std::ceil(real)
                   : name == "floor" ? std::floor(real)
                                     : std::round(real);
    if (!(std::fabs(whole) < 9.2e18))
      return llvm::None;
    return Quantity(Rational(static_cast<int64_t>(whole)), value.dimension());
  }
  Rational number = value.rational();
  int64_t whole = name == "ceil" ? number.ceil() : number.floor();
  if (name == "round") {
    auto shifted = add(number, *Rational::make(1, 2));
    if (!shifted)
      return llvm::None;
    whole = shifted->floor();
  }
  return Quantity(Rational(whole), value.dimension());
}

/// A real function of one plain number and its derivative.
struct RealFunction {
  llvm::StringLiteral name;
  double (*value)(double);
  double (*derivative)(double);
};

static constexpr RealFunction realFunctions[] = {
    {"log2", [](double x) { return std::log2(x); },
     [](double x) { return 1 / (x * std::log(2.0)); }},
    {"log", [](double x) { return std::log(x); }, [](double x) { return 1 / x; }},
    {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }},
    {"tanh", [](double x) { return std::tanh(x); },
     [](double x) { return 1 - std::pow(std::tanh(x), 2); }},
    {"sin", [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); }},
    {"cos", [](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); }},
};

static llvm::Optional<Quantity> applyReal(llvm::StringRef name, const Quantity &value) {
  for (const RealFunction &function : realFunctions) {
    if (function.name != name || !value.dimension().isNumber())
      continue;
    double x = value.toDouble(), y = function.value(x);
    if (!std::isfinite(y))
      return llvm::None;
    // log2 of an exact power of two is a count as often as not.
    if (value.isExact() && y == std::floor(y) && std::fabs(y) < 64 && name == "log2")
      return Quantity(Rational(static_cast<int64_t>(y)));
    return Quantity(value.toUncertain().map(y, function.derivative(x)), {});
  }
  return llvm::None;
}

/// Half the central 90 % interval of the distributions that can be spelled out. For `normal` and
/// `lognormal` 1.6449 is the 95 % point of the standard normal distribution.
static double distributionHalfWidth(llvm::StringRef name, double first, double second) {
  if (name == "normal")
    return 1.6449 * second;
  if (name == "uniform")
    return 0.45 * (second - first);
  return first * std::sinh(1.6449 * second);
}

/// The least, the largest or the sum of `numbers`, of which there is one at least; unknown after a
/// report.
static Value reduced(llvm::StringRef name, llvm::ArrayRef<Quantity> numbers, SourceRange range,
                     DiagnosticEngine &diagnostics) {
  Quantity result = numbers.front();
  for (const Quantity &number : numbers.drop_front()) {
    if (!compatible(result.dimension(), number.dimension())) {
      diagnostics.report(range, diag::DimensionMismatch, name, result.dimension().describe(),
                         number.dimension().describe());
      return Value();
    }
    if (name != "sum") {
      if ((compare(number, result) < 0) == (name == "min"))
        result = number;
      continue;
    }
    QuantityError error = QuantityError::None;
    auto total = apply("+", result, number, error);
    if (!total) {
      diagnostics.report(range, diag::IntegerOverflow, written(result), "+", written(number));
      return Value();
    }
    result = *total;
  }
  return result;
}

/// A function of one number; nothing outside its domain.
static llvm::Optional<Quantity> applyToOne(llvm::StringRef name, const Quantity &number) {
  QuantityError error = QuantityError::None;
  if (name == "ceil" || name == "floor" || name == "round")
    return rounded(name, number);
  if (name == "abs")
    return number.sign() >= 0
               ? llvm::Optional<Quantity>(number)
               : apply("-", Quantity(Rational(0), number.dimension()), number, error);
  if (name == "sqrt" || name == "rsqrt")
    return apply("^", number, Quantity(*Rational::make(name == "sqrt" ? 1 : -1, 2)), error);
  return applyReal(name, number);
}

/// `whole` in `count` parts that differ by one at most.
Value Evaluator::shares(int64_t whole, int64_t count, SourceRange range) {
  constexpr int64_t most = 1'000'000;
  if (count > most || whole > most * most) {
    diagnostics.report(range, diag::ValueTooLarge, most, "elements");
    return Value();
  }
  Value::List parts;
  for (int64_t i = 0; i < count; ++i)
    parts.values.push_back(Quantity(Rational(whole * (i + 1) / count - whole * i / count)));
  return parts;
}

Value Evaluator::builtin(llvm::StringRef name, llvm::ArrayRef<Argument> arguments,
                         SourceRange range, const Scope &scope) {
  llvm::SmallVector<Quantity, 4> numbers;
  llvm::SmallVector<Value, 2> operands;
  bool hasTensor = false;
  for (const Argument &argument : arguments) {
    if (argument.value->isUnknown())
      return Value();
    operands.push_back(*argument.value);
    hasTensor |= argument.value->is<Tensor>();
    if (const Quantity *number = argument.value->getIf<Quantity>())
      numbers.push_back(*number);
    else if (const Value::List *list = argument.value->getIf<Value::List>())
      for (const Value &value : list->values)
        if (value.is<Quantity>())
          numbers.push_back(value.get<Quantity>());
  }
  auto badArguments = [&](const std::string &wanted) {
    diagnostics.report(range, diag::BadFunctionArguments, name, wanted);
    return Value();
  };
  if (auto wanted = textFunctionArguments(name)) {
    auto result = textFunction(name, operands, range, scope);
    return result ? *result : badArguments(wanted->str());
  }
  if (hasTensor && tensors && isElementFunction(name) && operands.size() != elementArity(name))
    return badArguments(counted(elementArity(name), "plain argument"));
  if (hasTensor && tensors && isElementFunction(name))
    return tensors->elementwise(name, operands, range);
  if (name == "length" && operands.size() == 1 && operands[0].is<Value::List>())
    return Quantity(Rational(operands[0].get<Value::List>().values.size()));
  auto arity = [&](size_t wanted) {
    if (numbers.size() == wanted && arguments.size() == wanted)
      return true;
    badArguments(counted(wanted, "plain argument"));
    return false;
  };
  if (name == "min" || name == "max" || name == "sum") {
    if (numbers.empty())
      return badArguments("at least 1 number");
    return reduced(name, numbers, range, diagnostics);
  }
  if (name == "normal" || name == "uniform" || name == "lognormal") {
    if (!arity(2))
      return Value();
    double first = numbers[0].toDouble(), second = numbers[1].toDouble();
    auto source = uncertaintySource(program.sourceManager().path(range.file), range.begin);
    double central = name == "uniform" ? (first + second) / 2 : first;
    return Quantity(Uncertain(central, distributionHalfWidth(name, first, second), source),
                    numbers[0].dimension());
  }
  bool isOfCounts = name == "xor" || name == "shares";
  if (!arity(name == "pow" || isOfCounts ? 2 : 1))
    return Value();
  if (isOfCounts) {
    auto isCount = [](const Quantity &number) {
      return number.dimension().isNumber() && number.isInteger() && number.sign() >= 0;
    };
    if (!llvm::all_of(numbers, isCount))
      return badArguments("2 whole numbers from 0");
    int64_t first = numbers[0].rational().numerator(), second = numbers[1].rational().numerator();
    return name == "xor" ? Quantity(Rational(first ^ second)) : shares(first, second, range);
  }
  QuantityError error = QuantityError::None;
  llvm::Optional<Quantity> result =
      name == "pow" ? apply("^", numbers[0], numbers[1], error) : applyToOne(name, numbers[0]);
  if (result)
    return *result;
  diagnostics.report(range, diag::OutsideFunctionDomain, name, written(numbers[0]));
  return Value();
}
