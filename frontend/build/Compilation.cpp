// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and sweeps. The check of declarations is in DeclarationCheck.cpp.
#include "frontend/build/Compilation.h"

#include "frontend/build/Histogram.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/sema/Written.h"
#include <functional>

using namespace perfc;

Compilation::Compilation(SourceManager &sources, DiagnosticEngine &diagnostics,
                         const ir::OpRegistry &registry)
    : diagnostics(diagnostics), registry(registry), files(sources, diagnostics), evaluator(files) {}

Compilation::~Compilation() = default;

bool Compilation::load(FileId file, Defines defines) {
  size_t errors = diagnostics.errorCount();
  root = files.loadRoot(file);
  for (const auto &[name, text] : defines)
    if (!files.setParameter(name, text)) {
      std::vector<llvm::StringRef> candidates;
      for (const Decl *decl : root->decls)
        if (decl->kind == DeclKind::Param)
          candidates.push_back(decl->name);
      diagnostics.report({}, diag::UnknownDefine, name).suggest(name, candidates);
    }
  loadHistograms(files.sourceManager(), *root->syntax->body);
  return diagnostics.errorCount() == errors;
}

bool Compilation::buildAll(ir::Module &module, size_t pointLimit) {
  Units units{&module, pointLimit, [](ir::Module &) { return true; }};
  return buildUnits(units);
}

bool Compilation::forEachUnit(UnitCallback each, size_t pointLimit) {
  Units units{nullptr, pointLimit, each};
  return buildUnits(units);
}

bool Compilation::buildUnits(Units &units) {
  results.clear();
  bool good = true;
  // A shared module has one chip and one graph for all its statements.
  Elaborator elaborator(evaluator);
  std::unique_ptr<BuildContext> context;
  if (units.shared) {
    context = std::make_unique<BuildContext>(elaborator, *units.shared, registry);
    context->results = &results;
  }
  sharedContext = context.get();
  Scope file(*root);
  for (const ast::Item *item : root->statements) {
    good &= statement(*item, file, units);
    if (units.stop)
      break;
  }
  sharedContext = nullptr;
  return good;
}

/// A word at file level that is neither a declaration nor a statement.
static bool isStatement(llvm::StringRef word) {
  static constexpr llvm::StringLiteral words[] = {"evaluate", "compare", "search", "serve", "train",
                                                  "replay",   "expect",  "report", "emit"};
  return llvm::is_contained(words, word);
}

bool Compilation::statement(const ast::Item &item, const Scope &scope, Units &units) {
  auto block = [&](const ast::Body *body, const Scope &inner) {
    bool good = true;
    for (const ast::Item *entry : body ? body->items : llvm::ArrayRef<ast::Item *>())
      if (!units.stop)
        good &= statement(*entry, inner, units);
    return good;
  };
  if (item.kind == ast::ItemKind::If) {
    Value chosen = evaluator.evaluate(*item.value, scope);
    const bool *truth = chosen.getIf<bool>();
    if (!truth && !chosen.isUnknown())
      diagnostics.report(item.value->range, diag::ExpectedCondition, chosen.describe());
    return truth && block(*truth ? item.block : item.otherwise, Scope(scope));
  }
  Elaborator elaborator(evaluator);
  if (item.kind == ast::ItemKind::Line && item.word == "for") {
    bool good = true;
    good &= elaborator.forEach(item, scope, [&](Scope &round) {
      if (!units.stop)
        good &= block(item.block, round);
    });
    return good;
  }
  if (item.kind == ast::ItemKind::Line && item.word == "sweep")
    return sweep(item, scope, units);
  if (item.kind != ast::ItemKind::Line || !isStatement(item.word)) {
    size_t errors = diagnostics.errorCount();
    if (item.kind == ast::ItemKind::Equation)
      diagnostics.report(item.range, diag::NoEquationsHere, describeBlock(BlockKind::File))
          .help("write `let " + item.word.str() + " = …` to name a constant");
    else
      elaborator.statement(item, BlockKind::File, scope);
    return diagnostics.errorCount() == errors;
  }
  if (units.shared)
    return StudyBuilder(*sharedContext, units.shared->body()).build(item, BlockKind::File, scope);
  ir::Module own;
  BuildContext context(elaborator, own, registry);
  context.results = &results;
  bool good = StudyBuilder(context, own.body()).build(item, BlockKind::File, scope);
  if (good)
    units.stop = !units.each(own);
  return good;
}

//===-- Sweeps
//---------------------------------------------------------------------------------===//

namespace {

/// A name that a sweep sets, and its values.
struct Axis {
  llvm::StringRef name;
  const Decl *param = nullptr;
  std::vector<Value> values;
};

} // namespace

static llvm::Optional<Axis> readAxis(Evaluator &evaluator, const ast::Arg &arg,
                                     const Scope &scope) {
  DiagnosticEngine &diagnostics = evaluator.diagnostics;
  const ast::Expr *head = arg.value, *domain = nullptr;
  if (head->kind == ast::ExprKind::Binary && head->text == "in") {
    domain = head->operands[1];
    head = head->operands[0];
  }
  if (head->kind != ast::ExprKind::Name || !arg.assign.empty()) {
    diagnostics.report(arg.range, diag::NoSweepName);
    return llvm::None;
  }
  Axis axis{head->text, nullptr, {}};
  NameResult found = evaluator.program.lookup(scope.file(), head->text);
  if (found.decl && found.decl->kind == DeclKind::Param)
    axis.param = found.decl;
  if (!domain && axis.param)
    domain = axis.param->domain;
  if (!domain) {
    diagnostics.report(head->range, diag::SweepNeedsDomain, head->text);
    return llvm::None;
  }
  size_t errors = diagnostics.errorCount();
  Value values = evaluator.evaluate(*domain, scope);
  axis.values = evaluator.members(values, domain->range);
  // A value that is a mistake has no point: a parameter would stay as it is by default.
  if (diagnostics.errorCount() != errors || values.isUnknown() ||
      llvm::any_of(axis.values, [](const Value &value) { return value.isUnknown(); }))
    return llvm::None;
  if (!axis.values.empty())
    return axis;
  diagnostics.report(domain->range, diag::SweepNeedsDomain, head->text);
  return llvm::None;
}

static ir::Attribute bindingAttribute(const Value &value) {
  if (const Quantity *quantity = value.getIf<Quantity>())
    return *quantity;
  if (const std::string *text = value.getIf<std::string>())
    return *text;
  return written(value);
}

bool Compilation::sweep(const ast::Item &item, const Scope &scope, Units &units) {
  std::vector<Axis> axes;
  for (const ast::Arg &arg : item.args) {
    auto axis = readAxis(evaluator, arg, scope);
    if (!axis)
      return false;
    axes.push_back(std::move(*axis));
  }
  if (axes.empty() || !item.block) {
    diagnostics.report(item.range, diag::SweepWithoutBlock);
    return false;
  }
  bool good = true;
  size_t points = 0;
  pointsOfSweep = 1;
  for (const Axis &axis : axes)
    pointsOfSweep *= axis.values.size();
  std::function<void(size_t, Scope &, const ir::AttrDict &)> visit =
      [&](size_t depth, Scope &outer, const ir::AttrDict &bindings) {
        if (depth == axes.size()) {
          if (points++ == units.pointLimit)
            return;
          ir::Module own;
          bool built = point(item, outer, bindings, units.shared ? *units.shared : own);
          good &= built;
          if (built && !units.shared)
            units.stop = !units.each(own);
          return;
        }
        const Axis &axis = axes[depth];
        for (const Value &value : axis.values) {
          if (units.stop || points > units.pointLimit || (!good && points > 0))
            break; // the same mistake would be reported for every point
          Scope inner(outer);
          if (axis.param)
            evaluator.overrideParam(*axis.param, value);
          else
            inner.set(axis.name, value);
          ir::AttrDict extended = bindings;
          extended.set(axis.name, bindingAttribute(value));
          visit(depth + 1, inner, extended);
        }
        if (axis.param)
          evaluator.overrideParam(*axis.param, Value());
      };
  Scope base(scope);
  visit(0, base, {});
  return good;
}

bool Compilation::point(const ast::Item &item, const Scope &scope, const ir::AttrDict &bindings,
                        ir::Module &module) {
  Elaborator elaborator(evaluator);
  BuildContext context(elaborator, module, registry);
  context.results = &results;
  ir::Operation *op = context.builder.create(module.body(), "study.point", item.range);
  op->setAttr("bindings", bindings);
  StudyBuilder builder(context, op->body());
  Scope &inner = elaborator.newScope(scope);
  bool good = true;
  std::vector<const ast::Item *> about; // what is said about the only statement
  for (const ast::Item *entry : item.block->items) {
    if (entry->kind == ast::ItemKind::Line && elaborator.let(*entry, inner))
      continue;
    if (entry->word == "expect" || entry->word == "report" || entry->word == "emit" ||
        entry->word == "require" || entry->word == "pareto")
      about.push_back(entry);
    else
      good &= builder.build(*entry, BlockKind::Sweep, inner);
  }
  if (!good)
    return false;
  ir::Region &into = op->body().size() == 1 ? op->body().front().body() : op->body();
  for (const ast::Item *entry : about) {
    Node *node = elaborator.statement(*entry, BlockKind::Sweep, inner);
    if (!node || node->args.empty())
      return false;
    bool isGoal = entry->word == "require" || entry->word == "pareto";
    if (isGoal)
      good &= builder.pointGoal(*node, *op);
    else
      good &= builder.outcome(*node, into, /*inStatement=*/op->body().size() == 1);
  }
  return good;
}
