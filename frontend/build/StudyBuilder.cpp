// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements to study operations. Lists in `on`, `using` and, for `compare`, `with` make one row
// each. What cannot be evaluated yet is marked in the operation, so that checking accepts it and
// running says so.
#include "frontend/build/StudyBuilder.h"

#include "frontend/build/KernelLibraryBuilder.h"
#include "frontend/build/MetricExpr.h"
#include "frontend/build/PlaceBuilder.h"
#include "frontend/build/PriceBuilder.h"
#include "frontend/build/ScheduleBuilder.h"
#include "frontend/build/SparsityBuilder.h"
#include "frontend/build/TrainBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Cluster.h"
#include "ir/common/diagnostics/Gpu.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/op/OpOps.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace perfc;

StudyBuilder::StudyBuilder(BuildContext &context, ir::Region &region)
    : context(context), evaluator(context.evaluator), diagnostics(context.diagnostics),
      region(region) {}

void StudyBuilder::markUnsupported(ir::Region &into, SourceRange range, llvm::Twine what) {
  context.builder.create(into, "study.unsupported", range)->setAttr("what", what.str());
}

//===-- Subjects and targets
//-------------------------------------------------------------------===//

/// `over` puts chips together; systems have networks of their own.
static void checkOver(const Node &statement, llvm::ArrayRef<NodeArg> on,
                      DiagnosticEngine &diagnostics) {
  const Node *over = statement.find("over");
  bool haveOwn = llvm::all_of(on, [](const NodeArg &target) {
    const Instance *instance = target.value.getIf<Instance>();
    return instance && instance->decl->kind == DeclKind::System;
  });
  if (over && haveOwn)
    diagnostics.report(over->range, diag::WordWithoutEffect, "over",
                       "a system has networks of its own");
}

llvm::Optional<StudyBuilder::Subject> StudyBuilder::subject(const Node &statement) {
  const Node *on = statement.find("on");
  if (!on || on->args.empty())
    diagnostics.report(statement.range, diag::StatementWithoutTarget, statement.word);
  if (statement.args.empty() || statement.args[0].value.isUnknown())
    return llvm::None;
  const Value *value = &statement.args[0].value;
  Subject result;
  for (const NodeArg &target : on ? llvm::ArrayRef<NodeArg>(on->args) : llvm::None) {
    const Value::List *list = target.value.getIf<Value::List>();
    if (!list)
      result.on.push_back(target);
    for (const Value &entry : list ? list->values : std::vector<Value>())
      result.on.push_back({target.name, entry, target.syntax, target.range});
  }
  if (const Multiple *multiple = value->getIf<Multiple>();
      multiple && multiple->parts.size() == 1) {
    result.count = multiple->parts[0].count;
    value = multiple->parts[0].of.get();
  }
  result.instance = value->getIf<Instance>();
  bool isReplay = statement.word == "replay";
  llvm::SmallVector<DeclKind, 3> kinds = {DeclKind::Workload, DeclKind::Op, DeclKind::Collective};
  if (isReplay)
    kinds = {DeclKind::Trace};
  bool runs = result.instance && llvm::is_contained(kinds, result.instance->decl->kind);
  if (runs && !result.on.empty())
    checkOver(statement, result.on, diagnostics);
  if (runs)
    return result.on.empty() ? llvm::None : llvm::Optional<Subject>(result);
  std::string found = statement.args[0].value.describe();
  if (isReplay)
    diagnostics.report(statement.args[0].range, diag::NotATrace, found);
  else
    diagnostics.report(statement.args[0].range, diag::NotASubject, statement.word, found);
  return llvm::None;
}

llvm::Optional<BuiltTarget> StudyBuilder::target(const Node &statement, const NodeArg &on) {
  const Value &value = on.value;
  if (value.isUnknown())
    return llvm::None;
  const Instance *instance = value.getIf<Instance>();
  if (instance && instance->decl->kind == DeclKind::Hardware && !statement.find("over"))
    return buildChip(context, *instance);
  if (instance && instance->decl->kind == DeclKind::System)
    return buildSystem(context, *instance);
  const Multiple *multiple = value.getIf<Multiple>();
  if (instance && instance->decl->kind == DeclKind::Hardware)
    return buildAnonymousSystem(context, Multiple{{{1, std::make_shared<const Value>(value)}}},
                                statement);
  if (multiple)
    return buildAnonymousSystem(context, *multiple, statement);
  diagnostics.report(on.range, diag::NotATarget, value.describe());
  return llvm::None;
}

//===-- evaluate and compare
//-------------------------------------------------------------------===//

/// Builds the mappings among `with`; each serves the op that it is for.
bool StudyBuilder::chosenMappings(llvm::ArrayRef<NodeArg> with, const Instance &subject,
                                  const BuiltGraph &graph, const BuiltTarget &chip,
                                  std::vector<std::string> &symbols) {
  bool good = true;
  for (const NodeArg &choice : with) {
    const Instance *instance = choice.value.getIf<Instance>();
    if (!instance ||
        (instance->decl->kind != DeclKind::Mapping && instance->decl->kind != DeclKind::Dataflow))
      continue;
    if (chip.instance) {
      good &= buildMappings(context, *instance, subject, graph, chip, symbols);
      continue;
    }
    diagnostics.report(choice.range, diag::MappingNeedsChip, instance->decl->name);
    good = false;
  }
  return good;
}

/// One `with` that is not a mapping: noted as unsupported, or an error.
bool StudyBuilder::otherChoice(const NodeArg &choice, const Subject &subject,
                               ir::Operation &evaluate) {
  ir::Region &into = evaluate.body();
  const Instance *instance = choice.value.getIf<Instance>();
  if (!choice.name.empty())
    return chosenAlgorithm(choice, subject, evaluate);
  if (!instance) {
    if (!choice.value.isUnknown())
      diagnostics.report(choice.range, diag::NotAMapping, choice.value.describe());
    return false;
  }
  switch (instance->decl->kind) {
  case DeclKind::Mapping:
  case DeclKind::Dataflow:
    return true;
  case DeclKind::Algorithm:
    return chosenAlgorithm(choice, subject, evaluate);
  case DeclKind::Mapspace:
    markUnsupported(into, choice.range,
                    "the mapspace `" + instance->decl->name + "` in `evaluate`");
    return true;
  default:
    diagnostics.report(choice.range, diag::NotAMapping, choice.value.describe());
    return false;
  }
}

bool StudyBuilder::row(const Node &statement, const Subject &subject, const NodeArg &on,
                       llvm::ArrayRef<NodeArg> with, const WordValue *by, ir::Region &into,
                       ir::Operation *&created) {
  auto chip = target(statement, on);
  if (!chip)
    return false;
  auto graph = buildGraph(context, *subject.instance, chip->dtype);
  if (!graph)
    return false;
  const ir::Operation *system = context.module.lookup(chip->symbol);
  if (subject.instance->decl->kind == DeclKind::Collective && system && chipsOfSystem(*system) == 1)
    diagnostics.report(on.range, diag::WordWithoutEffect, subject.instance->decl->name,
                       "one chip has no other to exchange with");
  std::vector<std::string> mappings;
  if (!chosenMappings(with, *subject.instance, *graph, *chip, mappings))
    return false;
  ir::Operation *op = context.builder.create(into, "study.evaluate", statement.range);
  created = op;
  op->setAttr("subject", ir::Attribute::symbol(graph->symbol));
  op->setAttr("on", ir::Attribute::symbol(chip->symbol));
  op->setAttr("subject_label", graph->label);
  op->setAttr("on_label", chip->label);
  if (subject.count != 1)
    op->setAttr("count", subject.count);
  if (!mappings.empty())
    op->setAttr("with", ir::Attribute::symbols(mappings));
  std::string label = graph->label + " on " + chip->label;
  bool good = !by || chooseAnswerer(*by, statement.find("using")->range, *op);
  for (const NodeArg &choice : with) {
    label += (&choice == with.begin() ? " with " : ", ");
    label += (choice.name.empty() ? "" : choice.name + " = ") + written(choice.value);
  }
  good &= checkAlgorithms(with, subject);
  // What is chosen for a kind goes before what serves the others, wherever it stands.
  for (bool isNamed : {true, false})
    for (const NodeArg &choice : with)
      if (choice.name.empty() != isNamed)
        good &= otherChoice(choice, subject, *op);
  good = good && lineAlgorithms(*op);
  if (by)
    label += " using " + answererText(*by);
  op->setAttr("label", label);
  good &= libraryWords(statement, *op);
  if (const Quantity *copies = statement.quantity("copies"); copies && copies->sign() > 0) {
    op->setAttr("copies", copies->rational().numerator());
  } else if (copies) {
    context.diagnostics.report(statement.find("copies")->range, diag::BadCount, "copies",
                               copies->text());
    good = false;
  }
  good &= buildPlaces(context, statement, *graph, *op);
  good &= buildPrice(context, statement, *context.module.lookup(chip->symbol), *op);
  good &= buildSparsity(context, statement, *graph, *chip, *op);
  parallel(statement, *op, graph->batch);
  for (const BuildContext::Unsupported &entry : context.unsupported)
    markUnsupported(op->body(), entry.range, entry.what);
  context.unsupported.clear();
  return good;
}

/// `kernels` and `timing`.
bool StudyBuilder::libraryWords(const Node &statement, ir::Operation &op) {
  std::vector<std::string> libraries;
  bool good = buildKernelLibraries(context, statement.find("kernels"), libraries);
  if (!libraries.empty())
    op.setAttr("kernels", ir::Attribute::symbols(libraries));
  if (const Node *timing = statement.find("timing"); timing && !timing->args.empty())
    if (const auto *word = timing->args[0].value.getIf<WordValue>(); word && word->word != "graph")
      op.setAttr(word->word, ir::Attribute::unit());
  return good;
}

bool StudyBuilder::rows(const Node &statement, bool splitWith) {
  auto about = subject(statement);
  if (!about)
    return false;
  const Node *with = statement.find("with");
  llvm::ArrayRef<NodeArg> choices = with ? llvm::ArrayRef<NodeArg>(with->args) : llvm::None;
  size_t groups = splitWith && !choices.empty() ? choices.size() : 1;
  std::vector<const WordValue *> by = answerers(statement);
  bool many = about->on.size() * by.size() * groups > 1;
  ir::Region *into = &region;
  ir::Operation *compare = nullptr;
  if (statement.word == "compare" || many) {
    compare = context.builder.create(region, "study.compare", statement.range);
    into = &compare->body();
  }
  bool good = true;
  ir::Operation *last = nullptr;
  for (const NodeArg &chip : about->on)
    for (size_t group = 0; group < groups; ++group)
      for (const WordValue *one : by) {
        auto used = groups > 1 ? choices.slice(group, 1) : choices;
        last = answer(statement, *about, chip, used, one, *into, good);
      }
  ir::Operation *result = compare ? compare : last;
  if (!result)
    return false;
  nameResult(statement, *result);
  for (const Node *child : statement.children)
    noteUnsupported(*child, result->body());
  good &= goals(statement);
  good &= outcomes(statement, result->body());
  return good;
}

/// A graph is divided among ranks before anything else is known of it, so that nothing else says
/// how its kernels run.
void StudyBuilder::parallel(const Node &statement, ir::Operation &evaluate, int64_t batch) {
  buildStrategy(context, statement, evaluate);
  buildRuntime(context, statement, evaluate);
  const Node *first = statement.find("parallel");
  if (!first)
    return;
  auto refuse = [&](const Node &node, const std::string &what) {
    context.unsupported.push_back({node.range, what});
  };
  auto strategy = study::partOf<study::StrategyOp>(evaluate);
  if (batch > 0)
    study::partToWrite(evaluate, study::StrategyOp::opName).setAttr("samples", batch);
  if (!context.module.lookup(evaluate.symbolAttr("subject"))->is(op::GraphOp::opName))
    refuse(*first, "`parallel` of one op in `evaluate`");
  for (llvm::StringRef axis : {"tensor", "context", "data", "expert", "sequence", "pipeline"})
    if (strategy.degree(axis) == 0)
      refuse(*first, fmt::format("`{} = any` of `parallel` in `evaluate`", axis));
  if (strategy.degree("pipeline") > 1 && evaluate.intAttr("count", 1) > 1)
    refuse(*first, "`pipeline` of a subject that runs several times");
  for (llvm::StringRef word : {"with", "place", "tensor", "skip", "gate"})
    if (const Node *other = statement.find(word))
      refuse(*other, fmt::format("`{}` beside `parallel` in `evaluate`", word));
}

/// One result for each target of `on`; several stand side by side.
bool StudyBuilder::onEach(const Node &statement, OneTarget build) {
  auto about = subject(statement);
  if (!about)
    return false;
  ir::Operation *result = nullptr;
  if (about->on.size() > 1)
    result = context.builder.create(region, "study.compare", statement.range);
  ir::Region &into = result ? result->body() : region;
  for (const NodeArg &on : about->on) {
    ir::Operation *one = (this->*build)(statement, *about, on, into);
    if (!one)
      return false;
    if (result)
      one->setSymbol(context.statementSymbol(statement.word.str()));
    else
      result = one;
  }
  nameResult(statement, *result);
  return outcomes(statement, result->body());
}

void StudyBuilder::noteUnsupported(const Node &child, ir::Region &into) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> words[] = {
      {"minimize", "; it stands in a search"},
      {"maximize", "; it stands in a search"},
      {"within", "; it stands in a search"},
      {"require", "; `expect` checks a result"}};
  for (const auto &[word, instead] : words)
    if (child.word == word)
      markUnsupported(into, child.range, "`" + word + "` in `evaluate`" + instead);
}

void StudyBuilder::declareResult(const std::string &name, SourceRange range) {
  for (const ResultName &known : *context.results) {
    if (known.name != name)
      continue;
    Diagnostic &error = diagnostics.report(range, diag::DuplicateDeclaration, name);
    if (known.range == range)
      error.note("each round of the `for` around it declares it again");
    else
      error.note(known.range, "the first declaration is here");
    return;
  }
  context.results->push_back({name, range});
}

void StudyBuilder::nameResult(const Node &statement, ir::Operation &op) {
  const Node *as = statement.find("as");
  std::string name = as && !as->args.empty() ? as->args[0].value.get<WordValue>().word : "";
  if (!name.empty() && context.results)
    declareResult(name, as->args[0].range);
  const ir::Operation *known = name.empty() ? nullptr : context.module.lookup(name);
  op.setSymbol(context.statementSymbol(name.empty() ? statement.word.str() : name));
  bool isTaken = known && !known->name().startswith("study."); // a chip, say, has this symbol
  if (!name.empty() && (isTaken || op.symbol() != name))
    op.setAttr("name", name);
  if (ResultName *result = name.empty() ? nullptr : context.findResult(name))
    defineAskedMetrics(context, *result, {statement.scope, /*inStatement=*/true, kind});
}

//===-- Statements
//--------------------------------------------------------------------------------===//

/// The name that a failed statement gives its result: what later statements say of it is no mistake
/// of theirs.
void StudyBuilder::declareFailed(const ast::Item &item) {
  for (const ast::Clause &clause : item.clauses)
    if (clause.word == "as" && !clause.args.empty() && context.results &&
        clause.args[0].value->kind == ast::ExprKind::Name &&
        !context.findResult(clause.args[0].value->text))
      context.results->push_back({clause.args[0].value->text.str(), clause.args[0].range});
}

bool StudyBuilder::build(const ast::Item &item, BlockKind kind, const Scope &scope) {
  size_t errors = diagnostics.errorCount();
  bool good = buildStatement(item, kind, scope) && diagnostics.errorCount() == errors;
  if (!good)
    declareFailed(item);
  return good;
}

/// `compare base, better`: names of results instead of what is to be evaluated.
bool StudyBuilder::namesResults(const ast::Item &item) const {
  return item.word == "compare" && !item.args.empty() &&
         llvm::all_of(item.args, [&](const ast::Arg &arg) {
           return arg.assign.empty() && arg.value->kind == ast::ExprKind::Name &&
                  context.findResult(arg.value->text);
         });
}

/// Results of any statements, such as `train` and `serve`, side by side.
bool StudyBuilder::compareResults(const ast::Item &item, const Scope &scope) {
  for (const ast::Clause &clause : item.clauses) {
    diagnostics.report(clause.wordRange, diag::UnknownWord, "a comparison of results", clause.word)
        .help("results have been evaluated: `compare a, b`");
    return false;
  }
  ir::Operation *op = context.builder.create(region, "study.compare", item.range);
  op->setSymbol(context.module.uniqueName("compare"));
  std::vector<std::string> names;
  for (const ast::Arg &arg : item.args)
    names.push_back(arg.value->text.str());
  op->setAttr("of", ir::Attribute::strings(names));
  bool good = true;
  kind = llvm::None; // of several statements
  for (const ast::Item *entry : item.block ? item.block->items : llvm::ArrayRef<ast::Item *>()) {
    Node *node = context.elaborator.statement(*entry, BlockKind::Compare, scope);
    bool isOutcome = node &&
                     (node->word == "expect" || node->word == "report" || node->word == "emit") &&
                     !node->args.empty();
    if (node && !isOutcome)
      diagnostics.report(node->range, diag::UnknownWord, "a comparison of results", node->word)
          .help("`expect`, `report` and `emit` stand there");
    good &= isOutcome && outcome(*node, op->body(), /*inStatement=*/true);
  }
  return good;
}

void StudyBuilder::setStatement(llvm::StringRef word) {
  kind = llvm::StringSwitch<llvm::Optional<ResultKind>>(word)
             .Cases("evaluate", "compare", "search", ResultKind::Evaluation)
             .Case("train", ResultKind::Training)
             .Case("serve", ResultKind::Serving)
             .Case("replay", ResultKind::Replay)
             .Default(llvm::None);
}

bool StudyBuilder::buildStatement(const ast::Item &item, BlockKind kind, const Scope &scope) {
  if (namesResults(item))
    return compareResults(item, scope);
  size_t errors = diagnostics.errorCount();
  Node *node = context.elaborator.statement(item, kind, scope);
  if (!node || diagnostics.errorCount() != errors)
    return false;
  setStatement(node->word);
  if (node->word == "evaluate")
    return rows(*node, /*splitWith=*/false);
  if (node->word == "compare")
    return rows(*node, /*splitWith=*/true);
  if (node->word == "search")
    return search(*node);
  if (node->word == "serve")
    return onEach(*node, &StudyBuilder::serve);
  if (node->word == "train")
    return onEach(*node, &StudyBuilder::train);
  if (node->word == "replay")
    return onEach(*node, &StudyBuilder::replay);
  return !node->args.empty() && outcome(*node, region, /*inStatement=*/false);
}
