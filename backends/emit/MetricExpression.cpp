// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/MetricExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::emit;

namespace {
/// Evaluates expressions about results that do not change meanwhile: a metric of the file is
/// computed once per result, however often others name it.
class MetricEvaluator {
public:
  ExpressionValue expression(const ir::Attribute &expr, const MetricNames &names);
  ExpressionValue name(llvm::StringRef name, const MetricNames &names);

private:
  llvm::Optional<ExpressionValue> overResults(llvm::StringRef reduction, const ir::Attribute &expr,
                                              const MetricNames &names);
  /// By name and result.
  std::map<std::pair<std::string, const Outcome *>, ExpressionValue> defined;
};
} // namespace

/// Half width of the central 90 % interval of a normal distribution, in standard deviations.
static constexpr double halfWidthInSigmas = 1.6448536269514722;

static ExpressionValue fromQuantity(Quantity quantity) {
  ExpressionValue value;
  value.number = std::move(quantity);
  return value;
}

static ExpressionValue notGiven(std::string why) {
  ExpressionValue value;
  value.notGiven = std::move(why);
  return value;
}

static ExpressionValue fromMetric(const MetricValue &metric) {
  ExpressionValue value;
  value.text = metric.text;
  value.notGiven = metric.notGiven;
  if (metric.hasNumber())
    value.number = Quantity(metric.value, metric.dimension);
  return value;
}

/// The bound of the 90 % interval that `member` names, or the centre.
static ExpressionValue member(ExpressionValue value, llvm::StringRef member) {
  if (!value.number)
    return value;
  Uncertain number = value.number->toUncertain();
  double sign = member == "lower" ? -1 : member == "upper" ? 1 : 0;
  value.number =
      Quantity(Uncertain(number.central() + sign * number.halfWidth()), value.number->dimension());
  return value;
}

ExpressionValue MetricEvaluator::name(llvm::StringRef name, const MetricNames &names) {
  for (const auto &[own, value] : names.own ? llvm::makeArrayRef(*names.own) : llvm::None)
    if (own == name)
      return fromMetric(value);
  if (auto metric = names.module ? names.module->lookup<study::MetricOp>(name) : nullptr) {
    auto key = std::make_pair(name.str(), names.outcome);
    auto known = defined.find(key);
    if (known == defined.end())
      known = defined.emplace(key, expression(ir::Attribute(metric.expr()), names)).first;
    return known->second;
  }
  llvm::Optional<MetricValue> own;
  if (names.part)
    own = names.part(name);
  else if (names.outcome)
    own = metric(*names.outcome, name);
  if (own)
    return fromMetric(*own);
  auto [head, rest] = name.split('.');
  std::vector<const Result *> results;
  if (names.results && !rest.empty())
    results = names.results(head);
  if (results.size() > 1)
    return notGiven(fmt::format("`{}` has {} results", head, results.size()));
  if (!results.empty()) {
    MetricNames inner = names;
    inner.outcome = results.front();
    inner.own = &results.front()->own;
    return this->name(rest, inner);
  }
  auto [base, last] = name.rsplit('.');
  if (last == "lower" || last == "upper" || last == "mean")
    return member(this->name(base, names), last);
  ExpressionValue value;
  value.unknownName = name.str();
  return value;
}

/// Share of outcomes in which `difference` is positive.
static double shareAboveZero(const Uncertain &difference) {
  double sigma = difference.halfWidth() / halfWidthInSigmas;
  if (sigma == 0)
    return difference.central() > 0 ? 1 : 0;
  return 0.5 * std::erfc(-difference.central() / sigma / std::sqrt(2.0));
}

/// compare(left, right), where what rounding sets apart is equal: 13824 cycles of 1 ns and 13.824
/// us.
static int order(const Quantity &left, const Quantity &right) {
  constexpr double rounding = 1e-12;
  double a = left.toDouble(), b = right.toDouble();
  return std::fabs(a - b) <= rounding * std::max(std::fabs(a), std::fabs(b)) ? 0
                                                                             : compare(left, right);
}

/// Whether no result decides about `expr`.
static bool isWritten(const ir::Attribute &expr) {
  if (expr.is(ir::AttrKind::List)) // the operator, and what it is of
    return expr.asList().size() == 1
               ? isWritten(expr.asList()[0])
               : llvm::all_of(llvm::makeArrayRef(expr.asList()).drop_front(), isWritten);
  return !expr.is(ir::AttrKind::String);
}

/// `x == v +- d` asks whether x lies inside; the interval of a result allows nothing, as the
/// central values of two results are compared.
static bool equals(const Quantity &left, const Quantity &right, double allowed) {
  double difference = std::fabs(left.toDouble() - right.toDouble());
  return allowed > 0 ? difference <= allowed : order(left, right) == 0;
}

static ExpressionValue comparison(llvm::StringRef op, const Quantity &left, const Quantity &right,
                                  double allowed) {
  ExpressionValue value;
  int found = order(left, right);
  value.truth = llvm::StringSwitch<bool>(op)
                    .Case("<", found < 0)
                    .Case("<=", found <= 0)
                    .Case(">", found > 0)
                    .Case(">=", found >= 0)
                    .Case("==", equals(left, right, allowed))
                    .Default(!equals(left, right, allowed));
  Uncertain difference = left.toUncertain() - right.toUncertain();
  if (op.startswith("<"))
    value.probability = shareAboveZero(Uncertain(0) - difference);
  else if (op.startswith(">"))
    value.probability = shareAboveZero(difference);
  return value;
}

static ExpressionValue logic(llvm::StringRef op, llvm::ArrayRef<ExpressionValue> arguments) {
  ExpressionValue value;
  bool first = arguments[0].truth.getValueOr(false);
  if (op == "not")
    value.truth = !first;
  else if (op == "and")
    value.truth = first && arguments[1].truth.getValueOr(false);
  else
    value.truth = first || arguments[1].truth.getValueOr(false);
  return value;
}

static ExpressionValue arithmetic(llvm::StringRef op, const Quantity &left, const Quantity &right) {
  QuantityError error = QuantityError::None;
  // Counts such as chips do not hinder a sum with what has none.
  Quantity other = right;
  if ((op == "+" || op == "-") && !compatible(left.dimension(), right.dimension()))
    other = right.withDimension(left.dimension());
  if (llvm::Optional<Quantity> result = apply(op, left, other, error))
    return fromQuantity(*result);
  if (op == "^" && error == QuantityError::Dimension)
    return notGiven("a power of what has a unit is a whole number");
  return notGiven(error == QuantityError::DivisionByZero ? "it divides by zero"
                                                         : "its parts do not go together");
}

/// The dimension of a square root; nothing when an exponent is odd.
static llvm::Optional<Dimension> halved(const Dimension &dimension) {
  llvm::Optional<Rational> half = Rational::make(1, 2);
  return half ? dimension.power(*half) : llvm::None;
}

/// Functions of one number, and max and min.
static ExpressionValue function(llvm::StringRef name, llvm::ArrayRef<ExpressionValue> arguments) {
  const Quantity &first = *arguments[0].number;
  double x = first.toDouble();
  Dimension dimension = first.dimension();
  if (name == "neg")
    return fromQuantity(Quantity(Uncertain(0) - first.toUncertain(), dimension));
  if (name == "floor" || name == "ceil")
    return fromQuantity(
        Quantity(Uncertain(name == "floor" ? std::floor(x) : std::ceil(x)), dimension));
  if (name == "abs")
    return fromQuantity(x < 0 ? Quantity(Uncertain(0) - first.toUncertain(), dimension) : first);
  if (name == "sqrt" || name == "log2" || name == "log" || name == "exp") {
    double result = name == "sqrt"   ? std::sqrt(x)
                    : name == "log2" ? std::log2(x)
                    : name == "log"  ? std::log(x)
                                     : std::exp(x);
    llvm::Optional<Dimension> root = halved(dimension);
    if (name == "sqrt" && root)
      return fromQuantity(Quantity(first.toUncertain().map(result, 0.5 / result), *root));
    if (dimension.isNumber())
      return fromQuantity(Quantity(Uncertain(result), {}));
    return notGiven("`" + name.str() + "` needs a plain number");
  }
  if ((name == "max" || name == "min") && arguments.size() == 2 && arguments[1].number) {
    bool firstIsLess = compare(first, *arguments[1].number) < 0;
    return firstIsLess == (name == "min") ? arguments[0] : arguments[1];
  }
  return notGiven("`" + name.str() + "` is no function of metrics");
}

/// `allowed` is how far apart what is equal may lie.
static ExpressionValue applyOperator(llvm::StringRef op, llvm::ArrayRef<ExpressionValue> arguments,
                                     double allowed) {
  if (op == "not" || op == "and" || op == "or")
    return logic(op, arguments);
  bool binary = arguments.size() == 2;
  if (binary && !arguments[0].text.empty() && !arguments[1].text.empty()) {
    ExpressionValue value;
    value.truth = (arguments[0].text == arguments[1].text) == (op == "==");
    return value;
  }
  for (const ExpressionValue &argument : arguments)
    if (!argument.number)
      return notGiven("it needs numbers");
  static constexpr llvm::StringLiteral comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
  if (binary && llvm::is_contained(comparisons, op))
    return comparison(op, *arguments[0].number, *arguments[1].number, allowed);
  if (binary && !std::isalpha(static_cast<unsigned char>(op[0])))
    return arithmetic(op, *arguments[0].number, *arguments[1].number);
  return function(op, arguments);
}

/// The least, the largest or the sum of `expr` over the results that a name in it stands for;
/// nothing where no name stands for several.
llvm::Optional<ExpressionValue> MetricEvaluator::overResults(llvm::StringRef reduction,
                                                             const ir::Attribute &expr,
                                                             const MetricNames &names) {
  std::vector<std::string> several = severalResults(expr, names);
  if (several.size() != 1)
    return llvm::None;
  llvm::Optional<ExpressionValue> reduced;
  for (const Result *result : names.results(several.front())) {
    ExpressionValue value = expression(expr, withOne(names, several.front(), result));
    if (!value.number)
      return value;
    if (!reduced)
      reduced = value;
    else if (reduction == "sum")
      reduced = arithmetic("+", *reduced->number, *value.number);
    else if ((compare(*value.number, *reduced->number) < 0) == (reduction == "min"))
      reduced = value;
  }
  return reduced;
}

ExpressionValue MetricEvaluator::expression(const ir::Attribute &expr, const MetricNames &names) {
  if (expr.is(ir::AttrKind::Bool)) {
    ExpressionValue value;
    value.truth = expr.asBool();
    return value;
  }
  if (expr.is(ir::AttrKind::String))
    return name(expr.asString(), names);
  if (!expr.is(ir::AttrKind::List))
    return fromQuantity(expr.asQuantity());
  const ir::AttrList &list = expr.asList();
  if (list.size() == 1)
    return expression(list[0], names);
  llvm::StringRef op = list[0].asString();
  bool reduces = list.size() == 2 && (op == "min" || op == "max" || op == "sum");
  if (reduces)
    if (llvm::Optional<ExpressionValue> reduced = overResults(op, list[1], names))
      return *reduced;
  std::vector<ExpressionValue> arguments;
  for (size_t i = 1; i < list.size(); ++i) {
    arguments.push_back(expression(list[i], names));
    if (!arguments.back().notGiven.empty() || !arguments.back().unknownName.empty())
      return arguments.back();
  }
  double allowed = 0;
  for (size_t i = 1; i < list.size(); ++i)
    if (isWritten(list[i]) && arguments[i - 1].number)
      allowed = std::max(allowed, arguments[i - 1].number->toUncertain().halfWidth());
  return reduces ? arguments[0] : applyOperator(op, arguments, allowed);
}

ExpressionValue emit::evaluateExpression(const ir::Attribute &expr, const MetricNames &names) {
  return MetricEvaluator().expression(expr, names);
}

ExpressionValue emit::evaluateName(llvm::StringRef name, const MetricNames &names) {
  return MetricEvaluator().name(name, names);
}

OwnMetrics emit::ownMetrics(const MetricNames &names) {
  MetricEvaluator evaluator;
  OwnMetrics metrics;
  for (const ir::Operation &op : names.module->body()) {
    auto defined = ir::as<study::MetricOp>(op);
    if (!defined)
      continue;
    ExpressionValue value = evaluator.name(op.symbol(), names);
    MetricValue own;
    own.text = value.text;
    own.notGiven =
        value.unknownName.empty() ? value.notGiven : "there is no `" + value.unknownName + "` here";
    if (value.number) {
      own.value = value.number->toUncertain();
      own.dimension = value.number->dimension();
    }
    metrics.emplace_back(op.symbol().str(), std::move(own));
  }
  return metrics;
}

/// Calls `visit` with each name in `expr` that is no metric of the file, and with those in the
/// metrics of the file that it names, each of them once.
static void forEachName(const ir::Attribute &expr, const MetricNames &names,
                        llvm::StringSet<> &seen, llvm::function_ref<void(llvm::StringRef)> visit) {
  if (expr.is(ir::AttrKind::List))
    for (const ir::Attribute &part : expr.asList())
      forEachName(part, names, seen, visit);
  if (!expr.is(ir::AttrKind::String))
    return;
  llvm::StringRef name = expr.asString();
  auto defined = names.module ? names.module->lookup<study::MetricOp>(name) : nullptr;
  if (!defined)
    visit(name);
  else if (seen.insert(name).second)
    forEachName(ir::Attribute(defined.expr()), names, seen, visit);
}

std::vector<std::string> emit::severalResults(const ir::Attribute &expr, const MetricNames &names) {
  std::vector<std::string> several;
  llvm::StringSet<> seen;
  forEachName(expr, names, seen, [&](llvm::StringRef name) {
    std::string head = name.split('.').first.str();
    if (names.results && names.results(head).size() > 1 && !llvm::is_contained(several, head))
      several.push_back(head);
  });
  return several;
}

MetricNames emit::withOne(MetricNames names, std::string name, const emit::Result *one) {
  names.results = [all = std::move(names.results), name = std::move(name),
                   one](llvm::StringRef other) {
    return other == name ? std::vector<const emit::Result *>{one} : all(other);
  };
  return names;
}

bool emit::asksForEnds(const ir::Attribute &expr, const MetricNames &names) {
  bool found = false;
  llvm::StringSet<> seen;
  forEachName(expr, names, seen, [&](llvm::StringRef name) {
    found |= name.endswith(".lower") || name.endswith(".upper");
  });
  return found;
}

std::string emit::whyNotGiven(const ExpressionValue &value) {
  return value.unknownName.empty() ? value.notGiven
                                   : "there is no `" + value.unknownName + "` here";
}

std::string emit::describe(const ExpressionValue &value) {
  if (value.number)
    return formatEngineering(*value.number);
  if (value.truth)
    return *value.truth ? "true" : "false";
  if (!value.text.empty())
    return value.text;
  return value.notGiven.empty() ? "unknown" : "not given: " + value.notGiven;
}
