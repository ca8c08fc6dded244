// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/MetricExpr.h"

using namespace perfc;

namespace {

/// A converted expression and its dimension, if that is known.
struct Typed {
  ir::Attribute attribute;
  llvm::Optional<Dimension> dimension;
};

class Converter {
public:
  Converter(BuildContext &context, const MetricScope &where)
      : context(context), diagnostics(context.diagnostics), where(where) {}

  llvm::Optional<Typed> convert(const ast::Expr &expr);
  bool mentionsMetric(const ast::Expr &expr) const;

private:
  llvm::Optional<Typed> constant(const ast::Expr &expr);
  llvm::Optional<Typed> metric(const ast::Expr &expr);
  bool define(const Decl &decl);
  llvm::Optional<Typed> member(const ast::Expr &expr);
  llvm::Optional<Typed> binary(const ast::Expr &expr);
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
    return (findMetric(expr.text) && where.inStatement) || userMetric(expr.text) || isResult(expr);
  auto inner = expr.kind == ast::ExprKind::Call ? expr.operands.drop_front() : expr.operands;
  return llvm::any_of(inner, [&](const ast::Expr *operand) { return mentionsMetric(*operand); }) ||
         llvm::any_of(expr.args, [&](const ast::Arg &arg) { return mentionsMetric(*arg.value); });
}

llvm::Optional<Typed> Converter::constant(const ast::Expr &expr) {
  Value value = context.evaluator.evaluate(expr, *where.scope);
  if (value.isUnknown())
    return llvm::None;
  if (const Quantity *quantity = value.getIf<Quantity>())
    return Typed{*quantity, quantity->dimension()};
  if (const bool *truth = value.getIf<bool>())
    return Typed{*truth, llvm::None};
  diagnostics.report(expr.range, diag::ExpectedQuantity, value.describe());
  return llvm::None;
}

llvm::Optional<Typed> Converter::metric(const ast::Expr &expr) {
  if (const MetricSpec *spec = findMetric(expr.text))
    return Typed{expr.text, spec->dimension};
  const Decl *decl = userMetric(expr.text);
  if (!decl) {
    diagnostics.report(expr.range, diag::ResultIsNoMetric, expr.text);
    return llvm::None;
  }
  return define(*decl) ? llvm::Optional<Typed>(Typed{decl->name, llvm::None}) : llvm::None;
}

/// Adds the operation of a metric of the file, once; false after a report.
bool Converter::define(const Decl &decl) {
  std::string key = "metric " + decl.name.str();
  if (auto known = context.symbols.find(key); known != context.symbols.end()) {
    if (known->second.empty())
      diagnostics.report(decl.nameRange, diag::CyclicDefinition, decl.name);
    return !known->second.empty();
  }
  context.symbols[key] = ""; // being converted
  Scope &file = context.elaborator.newScope(*decl.module);
  auto value = Converter(context, {&file, true}).convert(*decl.value);
  if (!value)
    return false;
  context.symbols[key] = decl.name.str();
  ir::Operation *op = context.createTop("study.metric", decl.name, decl.nameRange);
  ir::AttrList expr = value->attribute.is(ir::AttrKind::List)
                          ? value->attribute.asList()
                          : ir::AttrList{"+", value->attribute, 0};
  op->setAttr("expr", std::move(expr));
  return true;
}

/// `ttft.p99`, `memory.parameters`, `traffic.DRAM` in a statement; `nlp.latency` by a result's
/// name.
llvm::Optional<Typed> Converter::member(const ast::Expr &expr) {
  std::string path = expr.text.str();
  const ast::Expr *root = expr.operands[0];
  for (; root->kind == ast::ExprKind::Member; root = root->operands[0])
    path = fmt::format("{}.{}", root->text.str(), path);
  path = fmt::format("{}.{}", root->text.str(), path);
  static constexpr llvm::StringLiteral parts[] = {"mean", "max", "min",   "p50",   "p90",
                                                  "p95",  "p99", "lower", "upper", "peak"};
  static constexpr llvm::StringLiteral partsOfMemory[] = {"parameters", "gradients", "optimizer",
                                                          "activations"};
  const MetricSpec *spec = findMetric(
      isResult(*root) ? llvm::StringRef(path).split('.').second.split('.').first : root->text);
  if (isResult(*root)) {
    llvm::StringRef name = llvm::StringRef(path).split('.').second.split('.').first;
    const Decl *own = spec ? nullptr : userMetric(name);
    if (!spec && !own) {
      diagnostics.report(expr.opRange, diag::UnknownMetricName, name);
      return llvm::None;
    }
    if (own && !define(*own))
      return llvm::None;
    return Typed{path, spec ? llvm::Optional<Dimension>(spec->dimension) : llvm::None};
  }
  bool ofMemory = expr.operands[0] == root &&
                  (root->text == "traffic" || // traffic.DRAM
                   (root->text == "memory" && llvm::is_contained(partsOfMemory, expr.text)));
  if (!ofMemory && !llvm::is_contained(parts, expr.text)) {
    auto &error = diagnostics.report(expr.opRange, diag::NoMember, "a metric", expr.text);
    error.help("a distribution has `mean`, `max`, `p50`, `p90`, `p99`; an uncertain value `lower` "
               "and `upper`");
    return llvm::None;
  }
  return Typed{path, spec ? llvm::Optional<Dimension>(spec->dimension) : llvm::None};
}

llvm::Optional<Typed> Converter::binary(const ast::Expr &expr) {
  auto left = convert(*expr.operands[0]);
  auto right = convert(*expr.operands[1]);
  if (!left || !right)
    return llvm::None;
  Typed result{ir::AttrList{expr.text, left->attribute, right->attribute}, llvm::None};
  if (!left->dimension || !right->dimension)
    return result;
  const Dimension &a = *left->dimension, &b = *right->dimension;
  if (expr.text == "*")
    result.dimension = a * b;
  else if (expr.text == "/")
    result.dimension = a / b;
  else if (expr.text == "^")
    result.dimension = llvm::None;
  else if (!compatible(a, b) && a.withoutCounts() != b.withoutCounts()) {
    diagnostics.report(expr.range, diag::DimensionMismatch, expr.text, a.describe(), b.describe())
        .note(expr.operands[0]->range, "this is " + a.describe())
        .note(expr.operands[1]->range, "this is " + b.describe());
    return llvm::None;
  } else if (expr.text == "+" || expr.text == "-" || expr.text == "%")
    result.dimension = a;
  return result;
}

llvm::Optional<Typed> Converter::call(const ast::Expr &expr) {
  ir::AttrList list{context.evaluator.program.sourceManager().text(expr.operands[0]->range)};
  llvm::Optional<Dimension> dimension;
  for (const ast::Arg &arg : expr.args) {
    auto value = convert(*arg.value);
    if (!value)
      return llvm::None;
    dimension = value->dimension;
    list.push_back(value->attribute);
  }
  if (!llvm::is_contained(builtinFunctions(), expr.operands[0]->text)) {
    diagnostics.report(expr.operands[0]->range, diag::UnknownName, expr.operands[0]->text);
    return llvm::None;
  }
  return Typed{std::move(list), dimension};
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
    return Typed{ir::AttrList{expr.text == "-" ? "neg" : "not", inner->attribute},
                 inner->dimension};
  }
  case ast::ExprKind::Tuple:
    if (expr.args.size() == 1)
      return convert(*expr.args[0].value);
    [[fallthrough]];
  default:
    diagnostics.report(expr.range, diag::BadMetricExpr);
    return llvm::None;
  }
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

llvm::Optional<std::string> perfc::reportColumn(BuildContext &context, const ast::Expr &expr,
                                                const MetricScope &where) {
  bool isResult = expr.kind == ast::ExprKind::Name && context.findResult(expr.text);
  if (!isResult) {
    bool isName = expr.kind == ast::ExprKind::Name;
    Converter converter(context, where);
    if (isName && !converter.mentionsMetric(expr)) {
      auto &error = context.diagnostics.report(expr.range, diag::UnknownMetricName, expr.text);
      std::vector<llvm::StringRef> names;
      for (const MetricSpec &spec : metrics())
        names.push_back(spec.name);
      error.suggest(expr.text, names);
      return llvm::None;
    }
    if (!converter.mentionsMetric(expr)) {
      context.diagnostics.report(expr.range, diag::NoMetric);
      return llvm::None;
    }
    if (!converter.convert(expr))
      return llvm::None;
  }
  return context.evaluator.program.sourceManager().text(expr.range).str();
}
