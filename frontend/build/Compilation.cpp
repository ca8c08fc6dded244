// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and sweeps. The check of declarations is in DeclarationCheck.cpp, the rows of tables
// in TableRows.cpp.
#include "frontend/build/Compilation.h"

#include "frontend/build/Histogram.h"
#include "frontend/build/MeasuredTable.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/build/SweepSpace.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <cmath>
#include <functional>

using namespace perfc;

Compilation::Compilation(SourceManager &sources, DiagnosticEngine &diagnostics,
                         const ir::OpRegistry &registry)
    : diagnostics(diagnostics), registry(registry), files(sources, diagnostics), evaluator(files) {}

Compilation::~Compilation() = default;

bool Compilation::load(FileId file, Defines defines) {
  size_t errors = diagnostics.errorCount();
  root = files.loadRoot(file);
  size_t beforeDefines = diagnostics.errorCount();
  for (const auto &[name, text] : defines)
    if (!files.setParameter(name, text)) {
      std::vector<llvm::StringRef> candidates;
      for (const Decl *decl : root->decls)
        if (decl->kind == DeclKind::Param)
          candidates.push_back(decl->name);
      diagnostics.report({}, diag::UnknownDefine, name).suggest(name, candidates);
    }
  for (const Decl *decl : root->decls)
    if (const ast::Expr *given = files.overrideOf(decl))
      loadedOverrides[decl] = given;
  allSet = diagnostics.errorCount() == beforeDefines;
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
  rowCount = tableCount = 0;
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
  for (const Module *module : tableModules) {
    Scope scope(*module);
    for (const ast::Item *item : module->statements)
      if (!units.stop && item->word == "validate")
        good &= statement(*item, scope, units);
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

/// The results that a statement names, whether it is built or not.
void Compilation::declareResults(const ast::Item &item) {
  for (const ast::Clause &clause : item.clauses)
    if (clause.word == "as" && !clause.args.empty() &&
        clause.args[0].value->kind == ast::ExprKind::Name)
      results.push_back({clause.args[0].value->text.str(), clause.args[0].range});
  for (const ast::Body *body : {item.block, item.otherwise})
    for (const ast::Item *inner : body ? body->items : llvm::ArrayRef<ast::Item *>())
      declareResults(*inner);
}

bool Compilation::notAStatement(Elaborator &elaborator, const ast::Item &item, const Scope &scope) {
  size_t errors = diagnostics.errorCount();
  if (item.kind == ast::ItemKind::Equation)
    diagnostics.report(item.range, diag::NoEquationsHere, describeBlock(BlockKind::File))
        .help("write `let " + item.word.str() + " = …` to name a constant");
  else if (item.kind == ast::ItemKind::Import)
    diagnostics.report(item.wordRange, diag::ImportInBlock);
  else if (declKind(item.word))
    diagnostics.report(item.wordRange, diag::DeclarationInBlock, item.word);
  else
    elaborator.statement(item, BlockKind::File, scope);
  return diagnostics.errorCount() == errors;
}

/// The result that `emit FORMAT "…" from NAME` at file level is about, if the format is of the
/// program that led to it and not of the result alone; else "".
static llvm::StringRef programOf(const ast::Item &item) {
  static constexpr llvm::StringLiteral ofResults[] = {"json",  "csv",  "markdown",
                                                      "latex", "html", "svg"};
  if (item.isDamaged || item.isMistaken || item.kind != ast::ItemKind::Line ||
      item.word != "emit" || item.args.size() != 1 ||
      llvm::is_contained(ofResults, item.args[0].value->format))
    return "";
  for (const ast::Clause &clause : item.clauses)
    if (clause.word == "from" && clause.args.size() == 1 &&
        clause.args[0].value->kind == ast::ExprKind::Name)
      return clause.args[0].value->text;
  return "";
}

/// Puts the requests at file level for the program of one of the results from `firstResult` on into
/// the statement of `module` that leads to it, as if they stood in its block.
bool Compilation::addRequests(const ir::Module &module, size_t firstResult, BuildContext &context) {
  bool good = true;
  ir::Operation *statement = nullptr;
  for (ir::Operation &op : const_cast<ir::Module &>(module).body())
    if (op.name().startswith("study.") && op.regionCount() > 0)
      statement = &op;
  for (const ast::Item *item : root->statements) {
    auto isHere = [&](const ResultName &result) { return result.name == programOf(*item); };
    if (!statement || llvm::none_of(llvm::makeArrayRef(results).drop_front(firstResult), isHere))
      continue;
    Scope file(*root);
    Node *node = context.elaborator.statement(*item, BlockKind::File, file);
    good &= node && !node->args.empty() &&
            StudyBuilder(context, statement->body())
                .outcome(*node, statement->body(), /*inStatement=*/true);
  }
  return good;
}

bool Compilation::statement(const ast::Item &item, Scope &scope, Units &units) {
  auto block = [&](const ast::Body *body, Scope &inner) {
    bool good = true;
    for (const ast::Item *entry : body ? body->items : llvm::ArrayRef<ast::Item *>()) {
      bool isBuilt = !units.stop && statement(*entry, inner, units);
      good &= isBuilt;
      if (units.stop || (!isBuilt && entry->word == "let")) // its name is in what follows
        break;
    }
    return good;
  };
  if (item.isDamaged || item.isMistaken)
    return declareResults(item), false;
  if (item.kind == ast::ItemKind::If) {
    Value chosen = evaluator.evaluate(*item.value, scope);
    const bool *truth = chosen.getIf<bool>();
    if (!truth && !chosen.isUnknown())
      diagnostics.report(item.value->range, diag::ExpectedCondition, chosen.describe());
    Scope inner(scope);
    return truth && block(*truth ? item.block : item.otherwise, inner);
  }
  Elaborator elaborator(evaluator);
  size_t errors = diagnostics.errorCount();
  if (item.kind == ast::ItemKind::Line && elaborator.let(item, scope))
    return diagnostics.errorCount() == errors;
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
  if (item.kind == ast::ItemKind::Line && item.word == "validate")
    return table(item, scope, units);
  if (item.kind == ast::ItemKind::Line && item.word == "calibrate")
    return true; // of `fits`
  if (item.kind != ast::ItemKind::Line || !isStatement(item.word))
    return notAStatement(elaborator, item, scope);
  auto build = [&](BuildContext &context, ir::Module &module) {
    BlameScope blame(diagnostics, item.range);
    return StudyBuilder(context, module.body()).build(item, BlockKind::File, scope);
  };
  if (units.shared)
    return build(*sharedContext, *units.shared);
  ir::Module own;
  BuildContext context(elaborator, own, registry);
  context.results = &results;
  context.keptChips = &keptChips;
  if (llvm::StringRef result = programOf(item); !result.empty() && context.findResult(result))
    return true; // it is in that statement
  size_t known = results.size();
  bool good = build(context, own);
  if (good && results.size() > known)
    good = addRequests(own, known, context);
  if (good)
    units.stop = !units.each(own);
  return good;
}

//===-- Sweeps
//---------------------------------------------------------------------------------===//

static llvm::Optional<SweepAxis> readAxis(Evaluator &evaluator, const ast::Arg &arg,
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
  SweepAxis axis{head->text.str(), nullptr, {}};
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
  llvm::SaveAndRestore<bool> choices(evaluator.choicesAreValues, true);
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

SweepSpace::SweepSpace(Compilation &compilation, const ast::Item &item, const Scope &scope,
                       std::vector<SweepAxis> axes)
    : compilation(compilation), item(item), scope(scope), axes(std::move(axes)),
      named(compilation.results.size()) {}

SweepSpace::~SweepSpace() {
  for (const SweepAxis &axis : axes)
    if (axis.param)
      compilation.evaluator.overrideParam(*axis.param, Value());
}

size_t SweepSpace::pointCount() const {
  size_t count = 1;
  for (const SweepAxis &axis : axes)
    count *= axis.values.size();
  return count;
}

bool SweepSpace::advance(Choice &choice) const {
  for (size_t i = axes.size(); i-- > 0;) {
    if (++choice[i] < axes[i].values.size())
      return true;
    choice[i] = 0;
  }
  return false;
}

ir::AttrDict SweepSpace::bindings(const Choice &choice) const {
  ir::AttrDict bindings;
  for (auto [axis, value] : llvm::zip(axes, choice))
    bindings.set(axis.name, bindingAttribute(axis.values[value]));
  return bindings;
}

bool SweepSpace::build(const Choice &choice, ir::Module &module) {
  Scope inner(scope);
  for (size_t i = 0; i < axes.size(); ++i) {
    const SweepAxis &axis = axes[i];
    if (!axis.param)
      inner.set(axis.name, axis.values[choice[i]]);
    else if (last.empty() || last[i] != choice[i]) // what depends on it is evaluated again
      compilation.evaluator.overrideParam(*axis.param, axis.values[choice[i]]);
  }
  last = choice;
  compilation.results.resize(named); // each point names its results anew
  return compilation.point(item, inner, {{"bindings", bindings(choice)}}, module);
}

/// Whether a block has this word, also inside an `if` or a `for` of it.
static bool says(const ast::Body *block, llvm::StringRef word) {
  return block && llvm::any_of(block->items, [&](const ast::Item *entry) {
           return entry->word == word || says(entry->block, word) || says(entry->otherwise, word);
         });
}

bool Compilation::sweep(const ast::Item &item, const Scope &scope, Units &units) {
  std::vector<SweepAxis> axes;
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
  SweepSpace space(*this, item, scope, std::move(axes));
  pointsOfSweep = space.pointCount();
  if (onSpace && !units.shared && says(item.block, "separable") && onSpace(space))
    return true;
  SweepSpace::Choice choice = space.first();
  for (size_t points = 0; points < units.pointLimit && !units.stop; ++points) {
    ir::Module own;
    if (!space.build(choice, units.shared ? *units.shared : own))
      return false; // the same mistake would be reported for every point
    if (!units.shared)
      units.stop = !units.each(own);
    if (!space.advance(choice))
      break;
  }
  return true;
}

/// What a block of a sweep says about its only statement.
static bool isAboutStatement(llvm::StringRef word) {
  static constexpr llvm::StringLiteral words[] = {"expect", "report", "emit",     "require",
                                                  "pareto", "keep",   "separable"};
  return llvm::is_contained(words, word);
}

/// Builds the study.point that has the attributes `about`, "bindings" among them.
bool Compilation::point(const ast::Item &item, const Scope &scope, const ir::AttrDict &about,
                        ir::Module &module) {
  BlameScope blame(diagnostics, item.range);
  Elaborator elaborator(evaluator);
  BuildContext context(elaborator, module, registry);
  context.results = &results;
  context.keptChips = &keptChips;
  for (const auto &[name, value] : about.find("bindings")->asDict().entries())
    context.swept.emplace_back(name, scope.find(name) ? *scope.find(name) : Value()); // of a param
  ir::Operation *op = context.builder.create(module.body(), "study.point", item.range);
  for (const auto &[name, value] : about.entries())
    op->setAttr(name, value);
  StudyBuilder builder(context, op->body());
  // What a point asks about its only statement is read after that, wherever it stands.
  bool good = true;
  auto visit = [&](bool isAbout, llvm::function_ref<bool(const ast::Item &, const Scope &)> build) {
    size_t errors = diagnostics.errorCount();
    Node nothing;
    elaborator.body(*item.block, BlockKind::Sweep, elaborator.newScope(scope), nothing,
                    [&](const ast::Item &entry, const Scope &inner) {
                      if (isAboutStatement(entry.word) == isAbout)
                        good &= build(entry, inner);
                      return true;
                    });
    good &= diagnostics.errorCount() == errors;
    return good;
  };
  if (!visit(false, [&](const ast::Item &entry, const Scope &inner) {
        return builder.build(entry, BlockKind::Sweep, inner);
      }))
    return false;
  bool isOnly = op->body().size() == 1;
  if (isOnly)
    builder.setStatement(op->body().front().name().split('.').second);
  ir::Region &into = isOnly ? op->body().front().body() : op->body();
  return visit(true, [&](const ast::Item &entry, const Scope &inner) {
    Node *node = elaborator.statement(entry, BlockKind::Sweep, inner);
    if (entry.word == "separable") // which is about all points
      return node != nullptr;
    if (!node || node->args.empty())
      return false;
    bool isGoal = entry.word == "require" || entry.word == "pareto" || entry.word == "keep";
    return isGoal ? builder.pointGoal(*node, *op)
                  : builder.outcome(*node, into, /*inStatement=*/isOnly);
  });
}
