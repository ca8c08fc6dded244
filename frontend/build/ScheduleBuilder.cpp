// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ScheduleBuilder.h"

#include "frontend/sema/Written.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/common/diagnostics/Values.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;

static constexpr int64_t mostChunks = 1 << 24;

static bool isChunkCount(const Quantity &given) {
  return given.toDouble() >= 1 && given.toDouble() <= mostChunks;
}

namespace {

class ScheduleBuilder {
public:
  ScheduleBuilder(BuildContext &context, const Instance &algorithm, const ir::Operation &system,
                  llvm::StringRef collective, int64_t ranks)
      : context(context), diagnostics(context.diagnostics), algorithm(algorithm), system(system),
        collective(collective), ranks(ranks) {}

  bool build(AlgorithmForms &forms, unsigned depth);

private:
  bool isForCollective();
  bool isFulfilled(const Scope &scope);
  bool choose(const Node &choices, AlgorithmForms &forms, unsigned depth);
  bool takeLine(const ast::Item &item, const Scope &scope);
  bool schedule(AlgorithmForms &forms);
  bool send(const ast::Item &line, const Scope &scope);
  llvm::Optional<int64_t> numberIn(const ast::Expr &expr, const Scope &scope, llvm::StringRef what,
                                   int64_t count);
  llvm::Optional<int64_t> rankOf(const ast::Item &line, const Scope &scope, llvm::StringRef word);
  bool wrong(SourceRange where, const std::string &reason);

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const Instance &algorithm;
  const ir::Operation &system;
  llvm::StringRef collective;
  int64_t ranks;

  Node body; ///< but for lines that send
  /// A line that sends come from.
  struct Move {
    uint32_t number = 0;
    int64_t lastChunk = 0; ///< of those that it sends
  };
  llvm::MapVector<const ast::Item *, Move> moves;
  std::string sends;
  int64_t sendCount = 0;
  bool failed = false;
};

} // namespace

bool ScheduleBuilder::wrong(SourceRange where, const std::string &reason) {
  diagnostics.report(where, diag::WrongSchedule, algorithm.decl->name, counted(ranks, "rank"),
                     reason);
  return false;
}

/// "", or the first of the collectives that `algorithm` is for where `collective` is none of them.
static std::string otherCollective(BuildContext &context, const Instance &algorithm,
                                   llvm::StringRef collective) {
  Scope scope(*algorithm.decl->module);
  std::string other;
  for (const ast::Clause &clause : algorithm.decl->item->clauses)
    for (const ast::Arg &arg : clause.args) {
      Value value = context.evaluator.evaluate(*arg.value, scope);
      const Instance *instance = value.getIf<Instance>();
      if (instance && instance->decl->name == collective)
        return "";
      if (instance && other.empty())
        other = instance->decl->name.str();
    }
  return other;
}

static bool hasBody(const Instance &algorithm, llvm::StringRef word) {
  const ast::Body *body = algorithm.decl->item->block;
  return body && body->items.size() == 1 && body->items[0]->word == word;
}

bool perfc::isInNetwork(const Instance &algorithm) { return hasBody(algorithm, "in_network"); }

bool perfc::isOfLibrary(const Instance &algorithm) { return hasBody(algorithm, "library"); }

bool perfc::servesCollective(BuildContext &context, const Instance &algorithm,
                             llvm::StringRef collective) {
  return otherCollective(context, algorithm, collective).empty();
}

/// How names of algorithms end that are the form of another one for a collective.
static llvm::StringRef endingFor(llvm::StringRef collective) {
  return llvm::StringSwitch<llvm::StringRef>(collective)
      .Case("all_gather", "_gather")
      .Case("reduce_scatter", "_scatter")
      .Cases("all_reduce", "reduce", "_reduce")
      .Case("broadcast", "_broadcast")
      .Default("");
}

/// False, reported, where `choice` is for a collective that there is not.
static bool checkKind(BuildContext &context, const NodeArg &choice) {
  std::vector<llvm::StringRef> kinds;
  for (const ir::OpDecl *known : context.builder.ops().all())
    if (known->name.startswith("collective.") && known->findAttr("ranks") &&
        known->findAttr("bytes"))
      kinds.push_back(known->name.drop_front(strlen("collective.")));
  if (choice.name.empty() || llvm::is_contained(kinds, choice.name))
    return true;
  context.diagnostics.report(choice.range, diag::UnknownCollective, choice.name)
      .suggest(choice.name, kinds);
  return false;
}

/// The algorithms of the module of `algorithm` that run `collective` among any number of ranks.
static std::string othersFor(BuildContext &context, const Instance &algorithm,
                             llvm::StringRef collective) {
  std::vector<std::string> names;
  Instance other = algorithm;
  for (const Decl *decl : context.evaluator.program.declarations(*algorithm.decl->module)) {
    other.decl = decl;
    if (decl->kind != DeclKind::Algorithm || decl->item->clauses.empty() || !decl->item->block ||
        !servesCollective(context, other, collective))
      continue;
    if (llvm::none_of(decl->item->block->items, [](const ast::Item *item) {
          return item->word == "require" || item->word == "choose";
        }))
      names.push_back("`" + decl->name.str() + "`");
  }
  return llvm::join(names, ", ");
}

static void reportOther(BuildContext &context, const Instance &algorithm, SourceRange where,
                        llvm::StringRef collective) {
  Diagnostic &report =
      context.diagnostics.report(where, diag::AlgorithmForOther, algorithm.decl->name,
                                 otherCollective(context, algorithm, collective), collective);
  report.note(algorithm.decl->nameRange, "the algorithm");
  if (std::string others = othersFor(context, algorithm, collective); !others.empty())
    report.help(fmt::format("its module has {} for {}", others, collective));
}

llvm::Optional<Instance> perfc::chosenForm(BuildContext &context, const NodeArg &choice) {
  DiagnosticEngine &diagnostics = context.diagnostics;
  const Instance *instance = choice.value.getIf<Instance>();
  if (choice.value.isUnknown())
    return llvm::None;
  if (!instance || instance->decl->kind != DeclKind::Algorithm) {
    diagnostics.report(choice.range, diag::NoAlgorithmHere,
                       choice.value.describe() + " is no algorithm of a collective");
    return llvm::None;
  }
  if (!checkKind(context, choice))
    return llvm::None;
  if (choice.name.empty() || servesCollective(context, *instance, choice.name))
    return *instance;
  const Decl &decl = *instance->decl;
  std::string name = decl.name.str() + endingFor(choice.name).str();
  NameResult found = context.evaluator.program.lookup(*decl.module, name);
  Instance form = *instance;
  form.decl = found.decl;
  if (name != decl.name && found.decl && found.decl->kind == DeclKind::Algorithm &&
      servesCollective(context, form, choice.name))
    return form;
  reportOther(context, *instance, choice.range, choice.name);
  return llvm::None;
}

bool ScheduleBuilder::isForCollective() {
  if (servesCollective(context, algorithm, collective))
    return true;
  reportOther(context, algorithm, algorithm.range, collective);
  return false;
}

/// False, reported, where what the algorithm requires of its parameters does not hold.
bool ScheduleBuilder::isFulfilled(const Scope &scope) {
  for (const ast::Item *item : algorithm.decl->item->block->items) {
    if (item->word != "require" || item->args.size() != 2)
      continue;
    Value holds = context.evaluator.evaluate(*item->args[0].value, scope);
    Value wanted = context.evaluator.evaluate(*item->args[1].value, scope);
    if (!holds.is<bool>()) {
      if (!holds.isUnknown()) // else it is reported
        diagnostics.report(item->args[0].range, diag::ExpectedCondition, holds.describe());
      return false;
    }
    if (holds.get<bool>())
      continue;
    std::string needs = wanted.is<std::string>() ? wanted.get<std::string>() : wanted.text();
    for (const Parameter &parameter : llvm::drop_begin(algorithm.decl->parameters))
      if (const Value *value = scope.find(parameter.name))
        needs += fmt::format(", {} = {}", parameter.name, value->text());
    std::string others = othersFor(context, algorithm, collective);
    Diagnostic &report =
        diagnostics.report(algorithm.range, diag::WrongSchedule, algorithm.decl->name,
                           counted(ranks, "rank"), "it needs " + needs);
    report.note(item->range, "required here");
    if (!others.empty())
      report.help("any number of ranks is good for " + others);
    return false;
  }
  return true;
}

/// The whole number that `expr` is, from 0 to `count` - 1.
llvm::Optional<int64_t> ScheduleBuilder::numberIn(const ast::Expr &expr, const Scope &scope,
                                                  llvm::StringRef what, int64_t count) {
  auto value = context.evaluator.integer(expr, scope, what);
  if (!value || (*value >= 0 && *value < count))
    return value;
  wrong(expr.range, fmt::format("{} is {}, but they are 0 to {}", what, *value, count - 1));
  return llvm::None;
}

llvm::Optional<int64_t> ScheduleBuilder::rankOf(const ast::Item &line, const Scope &scope,
                                                llvm::StringRef word) {
  for (const ast::Clause &clause : line.clauses)
    if (clause.word == word && clause.args.size() == 1)
      return numberIn(*clause.args[0].value, scope, "the rank", ranks);
  wrong(line.range, fmt::format("it does not say `{}` which rank", word));
  return llvm::None;
}

/// `copy chunk[c] from i to j`.
bool ScheduleBuilder::send(const ast::Item &line, const Scope &scope) {
  if (line.block) {
    diagnostics.report(line.block->range, diag::NoBlockHere, line.word);
    return false;
  }
  const ast::Expr *head = line.args.empty() ? nullptr : line.args[0].value;
  bool isChunk = head && head->kind == ast::ExprKind::Index && head->operands[0]->text == "chunk" &&
                 head->args.size() == 1;
  if (!isChunk)
    return wrong(head ? head->range : line.range,
                 "what is sent is a chunk: `copy chunk[c] from i to j`");
  const Quantity *given = body.quantity("chunks"); // may also stand behind
  auto chunk = numberIn(*head->args[0].value, scope, "the chunk",
                        given && isChunkCount(*given) ? given->rational().numerator() : mostChunks);
  auto from = chunk ? rankOf(line, scope, "from") : llvm::None,
       to = from ? rankOf(line, scope, "to") : llvm::None;
  if (!to)
    return false;
  if (*from == *to)
    return wrong(line.range, fmt::format("rank {} sends to itself", *from));
  if (++sendCount > mostWrittenSends) {
    diagnostics.report(line.range, diag::TooLargeToSimulate, algorithm.decl->name,
                       counted(mostWrittenSends, "send"));
    return false;
  }
  Move &move = moves.find(&line)->second;
  move.lastChunk = std::max(move.lastChunk, *chunk);
  collective::ScheduleOp::append(sends, {move.number, static_cast<uint32_t>(*chunk),
                                         static_cast<uint32_t>(*from), static_cast<uint32_t>(*to)});
  return true;
}

/// True for lines that send: of these there may be millions.
bool ScheduleBuilder::takeLine(const ast::Item &item, const Scope &scope) {
  if (item.word != "copy" && item.word != "reduce")
    return false;
  auto [entry, isNew] = moves.insert({&item, {static_cast<uint32_t>(moves.size())}});
  // Its words are those of any other line, in each round.
  failed |= isNew && !context.elaborator.statement(item, BlockKind::Algorithm, scope);
  failed = failed || !send(item, scope);
  return true;
}

bool ScheduleBuilder::schedule(AlgorithmForms &forms) {
  int64_t chunks = 1;
  if (const Quantity *given = body.quantity("chunks")) {
    if (!isChunkCount(*given))
      return wrong(body.find("chunks")->range,
                   fmt::format("the data are cut into 1 to {} chunks, not {}", mostChunks,
                               written(Value(*given))));
    chunks = given->rational().numerator();
  }
  for (const auto &[line, move] : moves)
    if (move.lastChunk >= chunks)
      return wrong(
          line->args[0].value->args[0].value->range,
          fmt::format("the chunk is {}, but they are 0 to {}", move.lastChunk, chunks - 1));
  ir::Operation *op =
      context.createTop("collective.schedule", algorithm.decl->name, algorithm.decl->nameRange);
  op->setAttr("algorithm", algorithm.decl->name);
  op->setAttr("module", algorithm.decl->module->name);
  op->setAttr("collective", collective);
  op->setAttr("ranks", ranks);
  op->setAttr("chunks", chunks);
  for (const auto &[line, move] : moves)
    context.builder.create(op->body(), "collective.move", line->range)
        ->setAttr("action", line->word);
  op->setAttr("sends", std::move(sends));
  forms.schedules.push_back(op->symbol().str());
  return true;
}

bool ScheduleBuilder::choose(const Node &choices, AlgorithmForms &forms, unsigned depth) {
  constexpr unsigned deepest = 8;
  if (depth > deepest)
    return wrong(choices.range, "it chooses from itself");
  for (const NodeArg &choice : choices.args) {
    const Instance *instance = choice.value.getIf<Instance>();
    if (!instance || instance->decl->kind != DeclKind::Algorithm)
      return wrong(choice.range, choice.value.describe() + " is no algorithm");
    if (!ScheduleBuilder(context, *instance, system, collective, ranks).build(forms, depth + 1))
      return false;
  }
  return true;
}

bool ScheduleBuilder::build(AlgorithmForms &forms, unsigned depth) {
  const Decl &decl = *algorithm.decl;
  if (!decl.item->block)
    return wrong(decl.nameRange, "it has no block");
  if (!isForCollective())
    return false;
  Instance bound = algorithm;
  if (!decl.parameters.empty() && !findArgument(bound.arguments, decl.parameters[0].name))
    bound.arguments.push_back(
        makeArgument(decl.parameters[0].name.str(), Quantity(Rational(ranks)), algorithm.range));
  Scope &scope = context.elaborator.newScope(*decl.module);
  size_t errors = diagnostics.errorCount();
  if (!context.evaluator.bind(bound, scope, /*allowMissing=*/false) || !isFulfilled(scope))
    return false;
  // Formulas are for equal sizes.
  bool isEven = collective != "all_to_allv";
  if (std::string formula = formulaOf(algorithm, system, ranks); isEven && !formula.empty()) {
    forms.add(formula);
    return true;
  }
  context.elaborator.body(
      *decl.item->block, BlockKind::Algorithm, scope, body,
      [&](const ast::Item &item, const Scope &scope) { return takeLine(item, scope); });
  if (failed || diagnostics.errorCount() != errors)
    return false;
  if (const Node *choices = body.find("choose"))
    return choose(*choices, forms, depth);
  if (body.find("library")) {
    diagnostics.report(algorithm.range, diag::NoLibrary, decl.name)
        .help("`std.interconnects` has networks with parameters of libraries");
    return false;
  }
  return schedule(forms);
}

bool perfc::buildSchedules(BuildContext &context, const Instance &algorithm,
                           const ir::Operation &system, llvm::StringRef collective, int64_t ranks,
                           AlgorithmForms &forms, llvm::StringRef line) {
  std::string key = fmt::format("schedule {} {} {} {} {} {}", algorithm.decl->module->name,
                                Value(algorithm).text(), system.symbol(), collective.str(), ranks,
                                line.empty() ? "" : "line");
  auto known = context.algorithmForms.find(key);
  if (known == context.algorithmForms.end()) {
    AlgorithmForms own;
    if (!ScheduleBuilder(context, algorithm, system, collective, ranks).build(own, 0))
      return false;
    for (const std::string &name : own.schedules)
      if (!line.empty())
        context.module.lookup(name)->setAttr("line", line);
    known = context.algorithmForms.try_emplace(key, std::move(own)).first;
  }
  llvm::append_range(forms.schedules, known->second.schedules);
  forms.add(known->second.formulas);
  return true;
}
