// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks declarations that no statement may use: they are elaborated with their defaults, and with
// unknown values where a parameter has none; functions with unknown values alone.
#include "frontend/build/Compilation.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Names.h"

#include "frontend/build/KernelLibraryBuilder.h"
#include "frontend/build/MappingLoops.h"
#include "frontend/build/MetricExpr.h"
#include "frontend/build/Phases.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/build/TraceBuilder.h"
#include "frontend/build/Unused.h"
#include "frontend/build/WorkloadMapping.h"
#include "ir/common/Metrics.h"
#include "ir/common/diagnostics/Words.h"
#include <set>

using namespace perfc;

bool Compilation::check() {
  size_t before = diagnostics.errorCount();
  for (const Decl *decl : root->decls) {
    size_t errors = diagnostics.errorCount();
    if (!decl->item->isDamaged)
      declaration(*decl);
    if (diagnostics.errorCount() != errors)
      evaluator.setMistaken(*decl);
  }
  fits();
  return diagnostics.errorCount() == before;
}

/// Its calls may override the defaults, and may have to: none of its parameters is known.
static void checkFunction(Evaluator &evaluator, const Decl &decl) {
  Scope scope(*decl.module);
  evaluator.bind({&decl, "", {}, decl.nameRange}, scope, /*allowMissing=*/true);
  for (const Parameter &parameter : decl.parameters)
    scope.set(parameter.name, Value());
  if (decl.value)
    evaluator.evaluate(*decl.value, scope);
  else if (!evaluator.functionBody(decl, *decl.item->block, scope))
    evaluator.diagnostics.report(decl.nameRange, diag::NoReturn, decl.name);
}

/// What the sweeps and tables among `items` set, all unknown: metrics may use these names.
static void addSwept(llvm::ArrayRef<const ast::Item *> items, BuildContext &context) {
  for (const ast::Item *item : items) {
    bool sets = item->word == "sweep" || item->word == "validate";
    for (const ast::Body *block : {item->block, item->otherwise})
      if (block && !sets)
        addSwept(block->items, context);
    for (const ast::Arg &arg : sets ? item->args : llvm::None) {
      const ast::Expr *name = arg.value;
      if (name->kind == ast::ExprKind::Binary && name->text == "in")
        name = name->operands[0];
      if (name->kind == ast::ExprKind::Name && !context.isSwept(name->text))
        context.swept.emplace_back(name->text.str(), Value());
    }
  }
}

/// True where one of `found` is about the head of an op: its names may mean something else then.
static bool isMistaken(const Decl &op, llvm::ArrayRef<Diagnostic> found) {
  return llvm::any_of(found, [&](const Diagnostic &mistake) {
    return !op.item->block || mistake.range.file != op.item->range.file ||
           mistake.range.begin < op.item->block->range.begin;
  });
}

bool Compilation::declaration(const Decl &decl) {
  Instance instance{&decl, "", {}, decl.nameRange};
  size_t known = diagnostics.all().size();
  ir::Module scratch;
  Elaborator elaborator(evaluator);
  BuildContext context(elaborator, scratch, registry);
  context.allowMissing = true;
  switch (decl.kind) {
  case DeclKind::Op:
    buildOpModel(elaborator, {&instance, DType::FP16}, /*allowMissing=*/true);
    if (!isMistaken(decl, diagnostics.all().drop_front(known)))
      warnUnused(decl, diagnostics);
    return true;
  case DeclKind::Workload:
    return workload(context, decl);
  case DeclKind::Hardware:
    buildChip(context, instance);
    return true;
  case DeclKind::System:
    buildSystem(context, instance);
    return true;
  case DeclKind::Trace:
    buildTrace(context, instance);
    return true;
  case DeclKind::Generation:
    buildGeneration(context, instance);
    return true;
  case DeclKind::Library:
    buildKernelLibrary(context, instance);
    return true;
  case DeclKind::Mapping:
  case DeclKind::Mapspace:
  case DeclKind::Dataflow:
    return mapping(elaborator, decl);
  case DeclKind::Algorithm:
    return algorithm(elaborator, decl);
  case DeclKind::Function:
    checkFunction(evaluator, decl);
    return true;
  case DeclKind::Let:
  case DeclKind::Param:
    evaluator.valueOf(decl, decl.nameRange);
    return true;
  case DeclKind::Metric: {
    if (findMetric(decl.name))
      diagnostics.report(decl.nameRange, diag::BuiltInMetric, decl.name);
    Scope scope(*decl.module);
    addSwept(root->statements, context);
    for (const auto &[name, value] : context.swept)
      scope.set(name, value);
    results.clear();
    for (const ast::Item *item : root->statements)
      declareResults(*item);
    context.results = &results;
    metricExpr(context, *decl.value, {&scope, true});
    return true;
  }
  case DeclKind::Collective:
    return true;
  default:
    elaborator.declaration(instance, /*allowMissing=*/true);
    return true;
  }
}

bool Compilation::workload(BuildContext &context, const Decl &decl) {
  size_t errors = diagnostics.errorCount();
  buildGraph(context, {&decl, "", {}, decl.nameRange}, DType::FP16);
  if (!decl.item->block || diagnostics.errorCount() != errors)
    return true;
  warnUnused(decl, diagnostics);
  for (const Phase &phase : phasesOf(context, decl, {}))
    buildGraph(context, {&decl, phase.name.str(), {}, decl.nameRange}, DType::FP16);
  return true;
}

/// Sets the names that a mapping may use, all unknown: the op's extents and numbers.
static void setOpNames(const Decl &op, Scope &scope) {
  for (const Parameter &parameter : op.parameters)
    scope.set(parameter.name, Value());
  auto ranks = [&](const ast::Arg &arg) {
    if (arg.value->kind == ast::ExprKind::Index)
      for (const ast::Arg &rank : arg.value->args)
        if (rank.value->kind == ast::ExprKind::Name)
          scope.set(rank.value->text, Value());
  };
  const ast::Expr &head = *op.item->args[0].value;
  if (head.kind == ast::ExprKind::Call)
    for (const ast::Arg &arg : head.args)
      ranks(arg);
  for (const ast::Arg &arg : op.item->results)
    ranks(arg);
}

/// `for conv2d`, `on chip(side = 16)`: only chips have parameters that a mapping may give.
static void checkNamed(Evaluator &evaluator, const Instance &instance) {
  if (instance.decl->kind == DeclKind::Hardware) {
    Scope scope(*instance.decl->module);
    evaluator.bind(instance, scope, /*allowMissing=*/true);
  } else if (!instance.arguments.empty()) {
    evaluator.diagnostics.report(instance.range, diag::ArgumentsNotHere, instance.decl->name);
  }
}

/// Evaluates the factors of `for m = 4, q = min(Q, 14)` and the sizes of `temporal c(64)`.
bool Compilation::mapping(Elaborator &elaborator, const Decl &decl) {
  BlockKind kind = decl.kind == DeclKind::Mapping    ? BlockKind::Mapping
                   : decl.kind == DeclKind::Mapspace ? BlockKind::Mapspace
                                                     : BlockKind::Dataflow;
  Scope &scope = elaborator.newScope(*decl.module);
  const Decl *op = nullptr;
  bool isForWorkload = false;
  bool saysOp = false;
  for (const ast::Clause &clause : decl.item->clauses) {
    saysOp |= clause.word != "on"; // another word was reported, and probably means `for`
    for (const ast::Arg &arg : clause.args) {
      Value value = evaluator.evaluate(*arg.value, scope);
      const Instance *instance = value.getIf<Instance>();
      if (instance)
        checkNamed(evaluator, *instance);
      if (clause.word == "for" && instance && instance->decl->kind == DeclKind::Op)
        setOpNames(*(op = instance->decl), scope);
      else if (clause.word == "for" && kind == BlockKind::Mapping && instance &&
               instance->decl->kind == DeclKind::Workload) {
        isForWorkload = true;
        evaluator.bind(*instance, scope, /*allowMissing=*/true);
      } else if (clause.word == "for" && !value.isUnknown())
        diagnostics.report(arg.range, diag::NotAnOp, value.describe());
      else if (clause.word == "on" && instance && instance->decl->kind == DeclKind::System)
        diagnostics.report(arg.range, diag::MappingNeedsChip, decl.name);
      else if (clause.word == "on" && !value.isUnknown() &&
               !(instance && instance->decl->kind == DeclKind::Hardware))
        diagnostics.report(arg.range, diag::NotATarget, value.describe());
    }
  }
  evaluator.bind({&decl, "", {}, decl.nameRange}, scope, /*allowMissing=*/true);
  Node rootNode;
  if (decl.item->block)
    elaborator.body(*decl.item->block, kind, scope, rootNode);
  if (!saysOp)
    diagnostics.report(decl.nameRange, diag::MappingWithoutOp, decl.name);
  if (isForWorkload)
    checkWorkloadLines(evaluator, decl, rootNode);
  else if (kind == BlockKind::Dataflow)
    checkDataflowLines(evaluator, rootNode, op);
  else
    checkMappingLines(evaluator, rootNode, op, /*allowHoles=*/kind == BlockKind::Mapspace);
  return true;
}

bool Compilation::algorithm(Elaborator &elaborator, const Decl &decl) {
  Scope &scope = elaborator.newScope(*decl.module);
  evaluator.bind({&decl, "", {}, decl.nameRange}, scope, /*allowMissing=*/true);
  std::set<const Decl *> collectives;
  for (const ast::Clause &clause : decl.item->clauses)
    for (const ast::Arg &arg : clause.args) {
      Value value = evaluator.evaluate(*arg.value, scope);
      const Instance *instance = value.getIf<Instance>();
      if (!value.isUnknown() && !(instance && instance->decl->kind == DeclKind::Collective))
        diagnostics.report(arg.range, diag::NotACollective, value.describe());
      else if (instance && !collectives.insert(instance->decl).second)
        diagnostics.report(arg.range, diag::GivenTwice, instance->decl->name);
      else if (instance)
        checkNamed(evaluator, *instance);
    }
  Node node;
  std::set<const ast::Item *> sends; // once each, however many rounds they have
  if (decl.item->block)
    elaborator.body(*decl.item->block, BlockKind::Algorithm, scope, node,
                    [&](const ast::Item &item, const Scope &round) {
                      if (item.word != "copy" && item.word != "reduce")
                        return false;
                      if (sends.insert(&item).second)
                        elaborator.statement(item, BlockKind::Algorithm, round);
                      return true;
                    });
  for (const Node *child : node.children)
    for (const NodeArg &choice : child->args) {
      const Instance *instance = choice.value.getIf<Instance>();
      bool isAlgorithm = instance && instance->decl->kind == DeclKind::Algorithm;
      if (child->word == "choose" && !choice.value.isUnknown() && !isAlgorithm)
        diagnostics.report(choice.range, diag::NotAnAlgorithm, choice.value.describe());
    }
  return true;
}
