// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/MetricExpr.h"

#include "frontend/sema/OtherNames.h"
#include "frontend/sema/Written.h"
#include "ir/common/Metrics.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Values.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

/// `memory` of `memory.peak` is no metric by itself, but begins one.
bool perfc::beginsMetric(llvm::StringRef name) { return findMetric(name) || name == "memory"; }

namespace {

/// A converted expression, and what is known of its values.
struct Typed {
  ir::Attribute attribute;
  llvm::Optional<Dimension> dimension;
  bool isTruth = false;             ///< a condition, no number
  bool isConstant = false;          ///< mentions no metric
  const MetricSpec *spec = nullptr; ///< of a metric or member by itself
};

class Converter {
public:
  Converter(BuildContext &context, const MetricScope &where)
      : context(context), diagnostics(context.diagnostics), where(where) {}

  llvm::Optional<Typed> convert(const ast::Expr &expr);
  bool mentionsMetric(const ast::Expr &expr) const;

  /// Defines the metrics of the file that `expr` asks of `result`.
  void defineAsked(const ast::Expr &expr, ResultName &result);
  /// `metric` and the constant `value`.
  llvm::Optional<ir::AttrList> measured(const ast::Expr &metric, const ast::Expr &value);
  llvm::Optional<std::string> textOf(const ast::Expr &expr);

private:
  const ast::Expr &chosen(const ast::Expr &expr);
  llvm::Optional<Typed> constant(const ast::Expr &expr);
  llvm::Optional<Typed> metric(const ast::Expr &expr);
  bool define(const Decl &decl);
  llvm::Optional<Typed> member(const ast::Expr &expr);
  llvm::Optional<Typed> binary(const ast::Expr &expr);
  llvm::Optional<Typed> joined(const ast::Expr &expr, const Typed &left, const Typed &right);
  bool checkStatement(const MetricSpec &spec, llvm::StringRef path, SourceRange range);
  bool checkShare(const ast::Expr &expr, const Typed &share, const Typed &other);
  bool checkKind(const ast::Expr &expr, const Typed &value, bool isTruth);
  bool checkDimensions(llvm::StringRef op, const ast::Expr &expr, const ast::Expr &left,
                       const ast::Expr &right, const Typed &a, const Typed &b);
  llvm::Optional<Typed> call(const ast::Expr &expr);
  const Decl *userMetric(llvm::StringRef name) const;
  bool isResult(const ast::Expr &expr) const;

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const MetricScope &where;
};

const Decl *Converter::userMetric(llvm::StringRef name) const {
  NameResult found = context.evaluator.program.lookup(where.scope->file(), name);
  return found.decl && found.decl->kind == DeclKind::Metric ? found.decl : nullptr;
}

bool Converter::isResult(const ast::Expr &expr) const {
  return expr.kind == ast::ExprKind::Name && context.findResult(expr.text);
}

bool Converter::mentionsMetric(const ast::Expr &expr) const {
  if (expr.kind == ast::ExprKind::Name)
    return (beginsMetric(expr.text) && where.inStatement) || userMetric(expr.text) ||
           isResult(expr);
  auto inner = expr.kind == ast::ExprKind::Call ? expr.operands.drop_front() : expr.operands;
  return llvm::any_of(inner, [&](const ast::Expr *operand) { return mentionsMetric(*operand); }) ||
         llvm::any_of(expr.args, [&](const ast::Arg &arg) { return mentionsMetric(*arg.value); });
}

/// The branch that `if` takes where its condition mentions no metric; `expr` itself for others.
const ast::Expr &Converter::chosen(const ast::Expr &expr) {
  if (expr.kind != ast::ExprKind::If || mentionsMetric(*expr.operands[0]))
    return expr;
  Value value = context.evaluator.evaluate(*expr.operands[0], *where.scope);
  const bool *truth = value.getIf<bool>();
  return truth ? chosen(*expr.operands[*truth ? 1 : 2]) : expr;
}

llvm::Optional<Typed> Converter::constant(const ast::Expr &expr) {
  Value value = context.evaluator.evaluate(expr, *where.scope);
  if (value.isUnknown())
    return llvm::None;
  if (const Quantity *quantity = value.getIf<Quantity>())
    return Typed{*quantity, quantity->dimension(), false, true, nullptr};
  if (const bool *truth = value.getIf<bool>())
    return Typed{*truth, llvm::None, true, true, nullptr};
  diagnostics.report(expr.range, diag::ExpectedQuantity, value.describe());
  return llvm::None;
}

llvm::Optional<Typed> Converter::metric(const ast::Expr &expr) {
  if (const MetricSpec *spec = findMetric(expr.text))
    return checkStatement(*spec, expr.text, expr.range)
               ? llvm::Optional<Typed>(Typed{expr.text, spec->dimension, false, false, spec})
               : llvm::None;
  const Decl *decl = userMetric(expr.text);
  if (decl)
    return define(*decl) ? llvm::Optional<Typed>(
                               Typed{decl->name, context.metricDimensions.lookup(decl->name)})
                         : llvm::None;
  if (isResult(expr))
    diagnostics.report(expr.range, diag::ResultIsNoMetric, expr.text);
  else
    diagnostics.report(expr.range, diag::UnknownMetricName, expr.text)
        .help(fmt::format("it has parts: `{0}.peak`, of `train` also `{0}.parameters`", expr.text));
  return llvm::None;
}

/// Results of the statement around it have the metric: that of its table, or one of evaluations,
/// which others do not count.
bool Converter::checkStatement(const MetricSpec &spec, llvm::StringRef path, SourceRange range) {
  if (!where.kind || findMetric(*where.kind, spec.name) ||
      findMetric(ResultKind::Evaluation, spec.name))
    return true;
  diagnostics.report(range, diag::UnknownMetric, path)
      .help(fmt::format("`{}` belongs to {}", spec.name, statementsWith(spec.name)));
  return false;
}

/// Adds the operation of a metric of the file, once; false after a report. It sees the names of the
/// file, and what a sweep around the statement sets.
bool Converter::define(const Decl &decl) {
  std::string key = "metric " + decl.name.str();
  if (auto known = context.symbols.find(key); known != context.symbols.end()) {
    if (known->second.empty())
      diagnostics.report(decl.nameRange, diag::CyclicDefinition, decl.name);
    return !known->second.empty();
  }
  context.symbols[key] = ""; // being converted
  Scope &file = context.elaborator.newScope(*decl.module);
  for (const auto &[name, value] : context.swept)
    if (!context.evaluator.program.lookup(*decl.module, name).decl)
      file.set(name, value);
  auto value = Converter(context, {&file, true, where.kind}).convert(*decl.value);
  if (!value)
    return false;
  context.symbols[key] = decl.name.str();
  context.metricDimensions[decl.name] = value->dimension;
  ir::Operation *op = context.createTop("study.metric", decl.name, decl.nameRange);
  ir::AttrList expr = value->attribute.is(ir::AttrKind::List)
                          ? value->attribute.asList()
                          : ir::AttrList{"+", value->attribute, 0};
  op->setAttr("expr", std::move(expr));
  return true;
}

/// The parts that metrics may have: of a distribution, of an interval, over time.
static bool isPart(llvm::StringRef name) {
  return llvm::is_contained(distributionMembers(), name) || name == "lower" || name == "upper";
}

/// "c.b.a" of the members `c.b.a`; the name that it begins with is in `root`.
static std::string pathOf(const ast::Expr &expr, const ast::Expr *&root) {
  std::string path = expr.text.str();
  for (root = expr.operands[0]; root->kind == ast::ExprKind::Member; root = root->operands[0])
    path = fmt::format("{}.{}", root->text.str(), path);
  return fmt::format("{}.{}", root->text.str(), path);
}

/// `ttft.p99`, `memory.parameters`, `traffic.DRAM` in a statement; `nlp.latency` by a result's
/// name.
llvm::Optional<Typed> Converter::member(const ast::Expr &expr) {
  const ast::Expr *root = nullptr;
  std::string path = pathOf(expr, root);
  llvm::StringRef name = path; // of the metric
  if (isResult(*root)) {
    name = name.split('.').second;
    llvm::StringRef first = name.split('.').first;
    const Decl *own = beginsMetric(first) ? nullptr : userMetric(first);
    if (!beginsMetric(first) && !own) {
      diagnostics.report(expr.opRange, diag::UnknownMetricName, first);
      return llvm::None;
    }
    const ResultName &result = *context.findResult(root->text);
    auto known = own ? result.metrics.find(own->name) : result.metrics.end();
    if (known != result.metrics.end())
      return Typed{path, known->second};
    size_t before = diagnostics.all().size();
    if (own && !define(*own)) {
      diagnostics.noteSince(before, expr.range, "for this use");
      return llvm::None;
    }
    if (own)
      return Typed{path, context.metricDimensions.lookup(own->name)};
  }
  const MetricSpec *spec = findMetricOf(name);
  bool isWhole = spec && (spec->name == name || spec->form == MetricForm::Family);
  if (!isWhole && !isPart(expr.text)) {
    auto &error = diagnostics.report(expr.opRange, diag::NoMember, "a metric", expr.text);
    error.help(fmt::format("a distribution has `{}`; an uncertain value `lower` and `upper`",
                           llvm::join(distributionMembers(), "`, `")));
    return llvm::None;
  }
  if (spec && !isResult(*root) && !checkStatement(*spec, path, expr.range))
    return llvm::None;
  return Typed{path, spec ? llvm::Optional<Dimension>(spec->dimension) : llvm::None, false, false,
               spec};
}

void Converter::defineAsked(const ast::Expr &expr, ResultName &result) {
  for (const ast::Expr *operand : expr.operands)
    defineAsked(*operand, result);
  for (const ast::Arg &arg : expr.args)
    defineAsked(*arg.value, result);
  if (expr.kind != ast::ExprKind::Member)
    return;
  const ast::Expr *root = nullptr;
  std::string path = pathOf(expr, root);
  llvm::StringRef name = llvm::StringRef(path).split('.').second.split('.').first;
  const Decl *own = root->kind == ast::ExprKind::Name && root->text == result.name &&
                            !beginsMetric(name) && !result.metrics.count(name)
                        ? userMetric(name)
                        : nullptr;
  if (!own)
    return;
  size_t before = diagnostics.all().size();
  if (define(*own)) {
    result.metrics[own->name] = context.metricDimensions.lookup(own->name);
    return;
  }
  diagnostics.truncate(before);
  llvm::SmallVector<std::string> failed; // with those that it names
  for (const auto &entry : context.symbols)
    if (entry.second.empty())
      failed.push_back(entry.first().str());
  for (const std::string &key : failed)
    context.symbols.erase(key);
}

/// A comparison of a share with what no share can be: `utilization < 60`.
bool Converter::checkShare(const ast::Expr &expr, const Typed &share, const Typed &other) {
  if (!share.spec || share.spec->form != MetricForm::Share || !other.isConstant || other.isTruth ||
      other.attribute.asQuantity().toDouble() <= 1)
    return true;
  double value = other.attribute.asQuantity().toDouble();
  diagnostics
      .report(expr.range, diag::ShareAboveOne, share.spec->name, fmt::format("{:.6g}", value),
              fmt::format("{:.6g}", value * 100))
      .help(fmt::format("in percent it is written `{:.6g}%`", value));
  return false;
}

/// Numbers are compared and computed with, conditions joined.
bool Converter::checkKind(const ast::Expr &expr, const Typed &value, bool isTruth) {
  if (value.isTruth == isTruth)
    return true;
  if (isTruth)
    diagnostics.report(expr.range, diag::ExpectedComparison);
  else
    diagnostics.report(expr.range, diag::ExpectedQuantity, "a condition");
  return false;
}

/// Counts go with what has none: a time per chip with a time.
bool Converter::checkDimensions(llvm::StringRef op, const ast::Expr &expr, const ast::Expr &left,
                                const ast::Expr &right, const Typed &a, const Typed &b) {
  if (!a.dimension || !b.dimension || compatible(*a.dimension, *b.dimension) ||
      a.dimension->withoutCounts() == b.dimension->withoutCounts())
    return true;
  Diagnostic &error = diagnostics
                          .report(expr.range, diag::DimensionMismatch, op, a.dimension->describe(),
                                  b.dimension->describe())
                          .note(left.range, "this is " + a.dimension->describe())
                          .note(right.range, "this is " + b.dimension->describe());
  for (const std::string &help :
       {unitNeeded(left.text, *b.dimension), unitNeeded(right.text, *a.dimension)})
    if (!help.empty())
      error.help(help);
  return false;
}

/// What `a op b` is, of sides that go together.
llvm::Optional<Typed> Converter::joined(const ast::Expr &expr, const Typed &left,
                                        const Typed &right) {
  static constexpr llvm::StringLiteral products[] = {"*", "/", "^"}, sums[] = {"+", "-", "%", "+-"};
  Typed result{ir::AttrList{expr.text, left.attribute, right.attribute}, llvm::None};
  if (llvm::is_contained(products, expr.text)) {
    if (left.dimension && right.dimension && expr.text != "^")
      result.dimension = expr.text == "*" ? *left.dimension * *right.dimension
                                          : *left.dimension / *right.dimension;
    bool isPower = expr.text == "^" && left.dimension && right.isConstant;
    if (isPower && right.attribute.asQuantity().isInteger())
      result.dimension = left.dimension->power(right.attribute.asQuantity().rational());
    return result;
  }
  if (!checkDimensions(expr.text, expr, *expr.operands[0], *expr.operands[1], left, right))
    return llvm::None;
  if (llvm::is_contained(sums, expr.text)) {
    result.dimension = left.dimension;
    return result;
  }
  result.isTruth = true;
  if (!checkShare(*expr.operands[1], left, right) || !checkShare(*expr.operands[0], right, left))
    return llvm::None;
  return result;
}

llvm::Optional<Typed> Converter::binary(const ast::Expr &expr) {
  auto left = convert(*expr.operands[0]);
  auto right = convert(*expr.operands[1]);
  if (!left || !right)
    return llvm::None;
  bool isLogic = expr.text == "and" || expr.text == "or";
  if (!checkKind(*expr.operands[0], *left, isLogic) ||
      !checkKind(*expr.operands[1], *right, isLogic))
    return llvm::None;
  if (isLogic)
    return Typed{ir::AttrList{expr.text, left->attribute, right->attribute}, llvm::None, true};
  return joined(expr, *left, *right);
}

llvm::Optional<Typed> Converter::call(const ast::Expr &expr) {
  llvm::StringRef name = expr.operands[0]->text;
  if (!llvm::is_contained(builtinFunctions(), name)) {
    Diagnostic &error = diagnostics.report(expr.operands[0]->range, diag::UnknownName, name);
    if (isPart(name) && expr.args.size() == 1)
      error.help(fmt::format("a part stands behind its metric: `{}.{}`",
                             context.evaluator.program.sourceManager().text(expr.args[0].range),
                             name));
    return llvm::None;
  }
  ir::AttrList list{name};
  llvm::Optional<Typed> first;
  for (const ast::Arg &arg : expr.args) {
    auto value = convert(*arg.value);
    if (!value || !checkKind(*arg.value, *value, false))
      return llvm::None;
    if (first && !checkDimensions(name, expr, *expr.args[0].value, *arg.value, *first, *value))
      return llvm::None;
    list.push_back(value->attribute);
    if (!first)
      first = value;
  }
  static constexpr llvm::StringLiteral keeping[] = {"min", "max", "sum", "abs", "floor", "ceil"};
  bool keeps = first && llvm::is_contained(keeping, name);
  return Typed{std::move(list), keeps ? first->dimension : llvm::None};
}

llvm::Optional<Typed> Converter::convert(const ast::Expr &expr) {
  if (!mentionsMetric(expr))
    return constant(expr);
  switch (expr.kind) {
  case ast::ExprKind::Name:
    return metric(expr);
  case ast::ExprKind::Member:
    return member(expr);
  case ast::ExprKind::Binary:
    return binary(expr);
  case ast::ExprKind::Call:
    return call(expr);
  case ast::ExprKind::Unary: {
    auto inner = convert(*expr.operands[0]);
    if (!inner)
      return llvm::None;
    if (!checkKind(*expr.operands[0], *inner, expr.text == "not"))
      return llvm::None;
    return Typed{ir::AttrList{expr.text == "-" ? "neg" : "not", inner->attribute}, inner->dimension,
                 inner->isTruth};
  }
  case ast::ExprKind::If:
    if (const ast::Expr &branch = chosen(expr); &branch != &expr)
      return convert(branch);
    diagnostics.report(expr.range, diag::BadMetricExpr);
    return llvm::None;
  case ast::ExprKind::Tuple:
    if (expr.args.size() == 1)
      return convert(*expr.args[0].value);
    [[fallthrough]];
  default:
    diagnostics.report(expr.range, diag::BadMetricExpr);
    return llvm::None;
  }
}

/// The string that `expr` is in place of a figure; nothing for others.
llvm::Optional<std::string> Converter::textOf(const ast::Expr &whole) {
  size_t first = diagnostics.all().size();
  const ast::Expr &expr = chosen(whole);
  if (mentionsMetric(expr)) {
    diagnostics.truncate(first);
    return llvm::None;
  }
  Value value = context.evaluator.evaluate(expr, *where.scope);
  diagnostics.truncate(first); // said where it is converted
  const std::string *text = value.getIf<std::string>();
  return text ? llvm::Optional<std::string>(*text) : llvm::None;
}

llvm::Optional<ir::AttrList> Converter::measured(const ast::Expr &metric, const ast::Expr &value) {
  bool isMissing = textOf(value) == std::string();
  if (textOf(metric)) { // whatever was measured
    auto right = isMissing ? llvm::None : constant(value);
    return right ? ir::AttrList{"", right->attribute} : ir::AttrList();
  }
  auto left = convert(metric);
  if (left && isMissing && checkKind(metric, *left, false))
    return ir::AttrList{left->attribute};
  auto right = constant(value);
  if (!left || !right || !checkKind(metric, *left, false) || !checkKind(value, *right, false) ||
      !checkDimensions("against", metric, metric, value, *left, *right))
    return llvm::None;
  return ir::AttrList{left->attribute, right->attribute};
}

} // namespace

llvm::Optional<ir::Attribute> perfc::metricExpr(BuildContext &context, const ast::Expr &expr,
                                                const MetricScope &where) {
  Converter converter(context, where);
  if (!converter.mentionsMetric(expr)) {
    size_t errors = context.diagnostics.errorCount();
    Value value = context.evaluator.evaluate(expr, *where.scope);
    if (context.diagnostics.errorCount() == errors && !value.isUnknown())
      context.diagnostics.report(expr.range, diag::NoMetric);
    return llvm::None;
  }
  auto result = converter.convert(expr);
  return result ? llvm::Optional<ir::Attribute>(result->attribute) : llvm::None;
}

llvm::Optional<ir::Attribute> perfc::metricCondition(BuildContext &context, const ast::Expr &expr,
                                                     const MetricScope &where) {
  bool compares =
      expr.kind == ast::ExprKind::Binary &&
      (expr.text == "<" || expr.text == "<=" || expr.text == ">" || expr.text == ">=" ||
       expr.text == "==" || expr.text == "!=" || expr.text == "and" || expr.text == "or");
  if (!compares) {
    context.diagnostics.report(expr.range, diag::ExpectedComparison);
    return llvm::None;
  }
  return metricExpr(context, expr, where);
}

llvm::Optional<ir::AttrList> perfc::measuredMetric(BuildContext &context, const ast::Expr &metric,
                                                   const ast::Expr &measured,
                                                   const MetricScope &where) {
  return Converter(context, where).measured(metric, measured);
}

std::string perfc::reasonInstead(BuildContext &context, const ast::Expr &metric,
                                 const MetricScope &where) {
  return Converter(context, where).textOf(metric).getValueOr("");
}

/// Calls `visit` with the expressions of `item` and of what is in it.
static void forEachExpr(const ast::Item &item, llvm::function_ref<void(const ast::Expr &)> visit) {
  for (const ast::Arg &arg : item.args)
    visit(*arg.value);
  for (const ast::Body *body : {item.block, item.otherwise})
    for (const ast::Item *inner : body ? body->items : llvm::ArrayRef<ast::Item *>())
      forEachExpr(*inner, visit);
}

void perfc::defineAskedMetrics(BuildContext &context, ResultName &result,
                               const MetricScope &where) {
  Converter converter(context, where);
  auto visit = [&](const ast::Expr &expr) { converter.defineAsked(expr, result); };
  for (const ast::Item *item : where.scope->file().statements)
    forEachExpr(*item, visit);
  for (const Decl *decl : context.evaluator.program.declarations(where.scope->file()))
    if (decl->kind == DeclKind::Metric)
      visit(*decl->value);
}

bool perfc::mentionsMetric(BuildContext &context, const ast::Expr &expr, const MetricScope &where) {
  return Converter(context, where).mentionsMetric(expr);
}
