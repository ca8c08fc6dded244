// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items and clauses. Their values are in WordValues.cpp and Choices.cpp, templates and `from` in
// Inheritance.cpp.
#include "frontend/sema/Elaborator.h"

#include "frontend/sema/OtherNames.h"
#include "ir/common/Metrics.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <functional>

using namespace perfc;

/// Of lines that leave nothing behind: ten seconds.
static constexpr unsigned mostTakenRounds = 1 << 24;

const Node *Node::find(llvm::StringRef childWord) const {
  for (const Node *child : children)
    if (child->word == childWord)
      return child;
  return nullptr;
}

const Quantity *Node::quantity(llvm::StringRef childWord) const {
  const Node *child = find(childWord);
  return child && !child->args.empty() ? child->args[0].value.getIf<Quantity>() : nullptr;
}

Node &Elaborator::newNode() { return nodes.emplace_back(); }
Scope &Elaborator::newScope(const Scope &parent) { return scopes.emplace_back(parent); }
Scope &Elaborator::newScope(const Module &module) { return scopes.emplace_back(module); }

//===-- Items
//----------------------------------------------------------------------------------===//

void Elaborator::body(const ast::Body &body, BlockKind kind, Scope &scope, Node &into) {
  for (const ast::Item *entry : body.items)
    item(*entry, kind, scope, into);
}

void Elaborator::body(const ast::Body &body, BlockKind kind, Scope &scope, Node &into,
                      TakeLine take) {
  llvm::SaveAndRestore<TakeLine> taking(this->take, take);
  llvm::SaveAndRestore<unsigned> ownRounds(rounds, 0), most(mostRounds, mostTakenRounds);
  this->body(body, kind, scope, into);
}

void Elaborator::item(const ast::Item &item, BlockKind kind, Scope &scope, Node &into) {
  switch (item.kind) {
  case ast::ItemKind::If:
    return choice(item, kind, scope, into);
  case ast::ItemKind::Equation:
    return equation(item, kind, scope, into);
  case ast::ItemKind::Import:
    diagnostics.report(item.wordRange, diag::ImportInBlock);
    return;
  case ast::ItemKind::Line:
    break;
  }
  if (let(item, scope))
    return;
  // In a mapping's place, `for p = 8` is a loop of the op.
  bool isMapped = kind == BlockKind::Place && !item.args.empty() && item.args[0].assigned;
  if (item.word == "for" && !isMapped) {
    size_t errors = diagnostics.errorCount();
    forEach(item, scope, [&](Scope &inner) {
      if (item.block && diagnostics.errorCount() == errors) // else each round finds it again
        body(*item.block, kind, inner, into);
    });
    return;
  }
  if (TakeLine own = take) { // of this body, not of what is elaborated while a line is taken
    llvm::SaveAndRestore<TakeLine> outside(take, nullptr);
    if (own(item, scope))
      return;
  }
  if (Node *node = line(item, kind, scope)) {
    node->home = &into;
    add(into, node);
  }
}

bool Elaborator::let(const ast::Item &item, Scope &scope) {
  if (item.word != "let")
    return false;
  if (item.args.size() != 1 || !item.args[0].assigned ||
      item.args[0].value->kind != ast::ExprKind::Name) {
    diagnostics.report(item.range, diag::BadLet);
    for (const ast::Arg &arg : item.args)
      if (arg.value->kind == ast::ExprKind::Name)
        scope.set(arg.value->text, Value());
    return true;
  }
  llvm::StringRef name = item.args[0].value->text;
  if (scope.hasLocal(name))
    diagnostics.report(item.args[0].value->range, diag::DuplicateDeclaration, name);
  scope.set(name, evaluator.evaluate(*item.args[0].assigned, scope));
  return true;
}

void Elaborator::choice(const ast::Item &item, BlockKind kind, Scope &scope, Node &into) {
  Value value = evaluator.evaluate(*item.value, scope);
  auto branch = [&](const ast::Body *chosen) {
    if (chosen)
      body(*chosen, kind, newScope(scope), into);
  };
  if (const bool *truth = value.getIf<bool>())
    return branch(*truth ? item.block : item.otherwise);
  if (!value.isUnknown()) {
    diagnostics.report(item.value->range, diag::ExpectedCondition, value.describe());
    return;
  }
  // The parameters are not known yet: both branches are checked, neither is chosen.
  for (const ast::Body *either : {item.block, item.otherwise})
    if (either)
      body(*either, kind, newScope(scope), newNode());
}

/// Members of `domain`, those of a plain range without writing them down.
static uint64_t memberCount(Evaluator &evaluator, const Value &domain, SourceRange range) {
  const RangeValue *values = domain.getIf<RangeValue>();
  if (values && !values->step && values->first.isInteger() && values->last.isInteger()) {
    int64_t first = values->first.rational().numerator(),
            last = values->last.rational().numerator();
    return last < first ? 0 : static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
  }
  return domain.isUnknown() ? 1 : evaluator.members(domain, range).size();
}

bool Elaborator::countRounds(const ast::Item &loop, size_t depth, const Scope &outer,
                             uint64_t &count) {
  const ast::Expr &head = *loop.args[depth].value;
  if (head.kind != ast::ExprKind::Binary || head.text != "in" ||
      head.operands[0]->kind != ast::ExprKind::Name)
    return true; // reported where it runs
  SourceRange range = head.operands[1]->range;
  Value domain = evaluator.evaluate(*head.operands[1], outer);
  count += memberCount(evaluator, domain, range);
  if (depth + 1 == loop.args.size() || count > mostRounds || domain.isUnknown())
    return count <= mostRounds;
  for (Value &member : evaluator.members(domain, range)) {
    Scope inner(outer);
    inner.set(head.operands[0]->text, std::move(member));
    if (!countRounds(loop, depth + 1, inner, count))
      return false;
  }
  return true;
}

bool Elaborator::forEach(const ast::Item &loop, const Scope &scope,
                         llvm::function_ref<void(Scope &)> each) {
  if (loop.args.empty() || !loop.block) {
    diagnostics.report(loop.range, diag::BadFor).help("write `for i in 0..3 { … }`");
    return false;
  }
  size_t errors = diagnostics.errorCount();
  uint64_t count = rounds;
  bool fits = countRounds(loop, 0, scope, count);
  if (diagnostics.errorCount() != errors)
    return false;
  if (!fits) {
    diagnostics.report(loop.range, diag::TooManyMembers, mostRounds);
    return false;
  }
  std::function<bool(size_t, const Scope &)> nest = [&](size_t depth, const Scope &outer) {
    if (depth == loop.args.size()) {
      each(newScope(outer));
      return true;
    }
    const ast::Expr &head = *loop.args[depth].value;
    if (head.kind != ast::ExprKind::Binary || head.text != "in" ||
        head.operands[0]->kind != ast::ExprKind::Name) {
      diagnostics.report(loop.args[depth].range, diag::BadFor).help("write `for i in 0..3 { … }`");
      return false;
    }
    if (loop.args[depth].assigned) {
      diagnostics.report(loop.args[depth].assignRange, diag::UnexpectedAssignment);
      return false;
    }
    Value domain = evaluator.evaluate(*head.operands[1], outer);
    std::vector<Value> members = evaluator.members(domain, head.operands[1]->range);
    if (domain.isUnknown())
      members.push_back(Value()); // checked once, with an unknown name
    for (Value &member : members) {
      if (++rounds > mostRounds) {
        diagnostics.report(loop.range, diag::TooManyMembers, mostRounds);
        return false;
      }
      size_t nodesBefore = nodes.size(), scopesBefore = scopes.size();
      Scope &inner = newScope(outer);
      inner.set(head.operands[0]->text, std::move(member));
      if (!nest(depth + 1, inner))
        return false;
      if (take && diagnostics.errorCount() != errors)
        return false; // millions of rounds would only find it again
      while (take && nodes.size() == nodesBefore && scopes.size() > scopesBefore)
        scopes.pop_back();
    }
    return true;
  };
  return nest(0, scope);
}

/// What stands after a group's members: `over network { differs }`.
static constexpr WordSpec groupSpec{.word = "group", .block = BlockKind::Group};

void Elaborator::equation(const ast::Item &item, BlockKind kind, const Scope &scope, Node &into) {
  if (kind == BlockKind::System) {
    Node &node = newNode();
    node.word = item.word;
    node.name = item.word.str();
    node.wordRange = item.wordRange;
    node.range = item.range;
    node.item = &item;
    node.scope = &scope;
    node.home = &into;
    clauses(item, groupSpec, node, scope);
    if (item.block)
      body(*item.block, BlockKind::Group, newScope(scope), node);
    into.children.push_back(&node);
    return;
  }
  if (findWord(kind, item.word)) {
    diagnostics.report(item.assignRange, diag::AttributeHasNoAssign, item.word)
        .help("write `" + item.word.str() + " " +
              evaluator.program.sourceManager().text(item.value->range).str() + "`");
    return;
  }
  Diagnostic &error = diagnostics.report(item.range, diag::NoEquationsHere, describeBlock(kind));
  if (llvm::StringRef known = wordCalled(item.word); findWord(kind, known) && item.value)
    error.help(fmt::format("it is called `{0}` here: write `{0} {1}`", known,
                           evaluator.program.sourceManager().text(item.value->range)));
  else
    error.help("write `let " + item.word.str() + " = …` to name a constant");
}

/// A help lists the words of a block that has at most so many.
static constexpr size_t fewWords = 6;

/// The word that opens a block of this kind and has `name` among its choices, which stand behind
/// it: `parallel tensor = 8`.
static const WordSpec *wordChoosing(BlockKind kind, llvm::StringRef name) {
  for (unsigned other = 0; other < blockKindCount; ++other)
    for (const WordSpec &spec : wordsOf(static_cast<BlockKind>(other)))
      if (spec.block == kind &&
          llvm::is_contained(llvm::split(llvm::StringRef(spec.choices), ' '), name))
        return &spec;
  return nullptr;
}

void Elaborator::unknownWord(const ast::Item &item, BlockKind kind) {
  if (llvm::StringRef known = wordCalled(item.word); const WordSpec *spec = findWord(kind, known)) {
    llvm::StringRef choices = spec->choices;
    diagnostics.report(item.wordRange, diag::UnknownWord, describeBlock(kind), item.word)
        .help(choices.empty() ? fmt::format("it is called `{}` here", known)
                              : fmt::format("it is `{}` here, with one of {}", known,
                                            llvm::join(llvm::split(choices, ' '), ", ")));
    return;
  }
  std::vector<llvm::StringRef> candidates;
  for (const WordSpec &spec : wordsOf(kind))
    if (!spec.clauseOnly)
      candidates.push_back(spec.word);
  bool isInChip = kind == BlockKind::Memory || kind == BlockKind::Compute ||
                  kind == BlockKind::Array || kind == BlockKind::Network;
  std::string places;
  if (const WordSpec *opener = wordChoosing(kind, item.word)) {
    diagnostics.report(item.wordRange, diag::UnknownWord, describeBlock(kind), item.word)
        .help(fmt::format("it stands before the block: `{} {} = …`", opener->word, item.word));
    return;
  }
  for (BlockKind other : blocksWith(item.word))
    if (blockName(other) != blockName(kind))
      places += (places.empty() ? "it belongs to `" : ", `") + blockName(other).str() + "`";
  if (places.empty() && !candidates.empty() && candidates.size() <= fewWords)
    places = fmt::format("the words here are `{}`", fmt::join(candidates, "`, `"));
  diagnostics.report(item.wordRange, diag::UnknownWord, describeBlock(kind), item.word)
      .suggest(item.word, candidates,
               findMetric(item.word) && !isInChip
                   ? "a metric stands in `expect` or `report` in a statement's block"
                   : places);
}

//===-- Lines
//----------------------------------------------------------------------------------===//

Node *Elaborator::statement(const ast::Item &item, BlockKind kind, const Scope &scope) {
  return line(item, kind, scope);
}

Node *Elaborator::line(const ast::Item &item, BlockKind kind, const Scope &scope) {
  const WordSpec *spec = findWord(kind, item.word);
  if (!spec || spec->clauseOnly) {
    unknownWord(item, kind);
    return nullptr;
  }
  Node &node = newNode();
  node.spec = spec;
  node.word = item.word;
  node.wordRange = item.wordRange;
  node.range = item.range;
  node.item = &item;
  node.scope = &scope;
  node.hasBlock = item.block != nullptr;
  values(node, item.args, scope);
  if (!item.results.empty())
    diagnostics.report(item.results.front().range, diag::ResultsNotHere, item.word);
  if (spec->isPart && !item.args.empty())
    part(node, item.args[0], scope);
  clauses(item, *spec, node, scope);
  if (spec->isPart)
    instantiate(node);
  if (!item.block)
    return &node;
  // Sweeps and tables are elaborated point by point, by their owner.
  if (spec->block == BlockKind::Sweep || spec->block == BlockKind::Validate)
    return &node;
  if (spec->block == BlockKind::None) {
    diagnostics.report(item.block->range, diag::NoBlockHere, item.word);
    return &node;
  }
  Node &overlay = newNode();
  overlay.word = item.word;
  overlay.isOpen = true;
  body(*item.block, spec->block, newScope(scope), overlay);
  for (Node *child : overlay.children)
    add(node, child);
  return &node;
}

static bool isAssigned(const ast::Arg &arg) {
  return arg.assigned && arg.value->kind == ast::ExprKind::Name;
}

/// True where the values of `clause` go on with the pairs of its line: `tensor = 2 over x, data =
/// 4`.
static bool continuesPairs(const WordSpec &spec, const WordSpec &word, const ast::Clause &clause) {
  return spec.kind == ArgKind::Pairs && word.kind == ArgKind::Name &&
         llvm::any_of(clause.args, isAssigned);
}

void Elaborator::clauses(const ast::Item &item, const WordSpec &spec, Node &node,
                         const Scope &scope) {
  for (const ast::Clause &clause : item.clauses) {
    const WordSpec *word = findWord(spec.block, clause.word);
    if (!word) {
      std::vector<llvm::StringRef> candidates;
      for (const WordSpec &candidate : wordsOf(spec.block))
        candidates.push_back(candidate.word);
      Diagnostic &error =
          diagnostics.report(clause.wordRange, diag::UnknownClause, item.word, clause.word);
      const ast::Expr *last = item.args.empty() ? nullptr : item.args.back().value;
      bool few = !candidates.empty() && candidates.size() <= 8;
      if (last && last->kind == ast::ExprKind::Name && findWord(spec.block, last->text))
        error.help(fmt::format("a name stands before `{0}`: `{1} NAME {0} {2}`", last->text,
                               item.word, clause.word));
      else
        error.suggest(clause.word, candidates,
                      few ? "its clauses are `" + llvm::join(candidates, "`, `") + "`" : "");
      continue;
    }
    if (continuesPairs(spec, *word, clause)) {
      const ast::Arg &next = *llvm::find_if(clause.args, isAssigned);
      diagnostics.report(next.assignRange, diag::UnexpectedAssignment)
          .help(fmt::format("`{}` is for all of its line: `{}` needs a `{}` line of its own",
                            clause.word, next.value->text, item.word));
      return;
    }
    Node &child = newNode();
    child.spec = word;
    child.word = clause.word;
    child.wordRange = clause.wordRange;
    child.range =
        clause.args.empty() ? clause.wordRange : clause.wordRange.join(clause.args.back().range);
    child.clause = &clause;
    child.scope = &scope;
    child.home = &node;
    values(child, clause.args, scope);
    add(node, &child);
  }
}
