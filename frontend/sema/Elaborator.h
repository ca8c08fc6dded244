// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elaboration: from the items of a block to a tree of nodes with evaluated values. `if`, `for`,
// `let`, parameters, templates and `from` are gone afterwards; every word was found in its table
// and every quantity has a dimension that its word accepts.
#ifndef PERFC_FRONTEND_SEMA_ELABORATOR_H
#define PERFC_FRONTEND_SEMA_ELABORATOR_H

#include "frontend/sema/Evaluator.h"

namespace perfc {

/// One value of a node. `name` is set for pairs and axes (`x = 14`).
struct NodeArg {
  std::string name;
  Value value;
  const ast::Arg *syntax = nullptr;
  SourceRange range;
};

/// An attribute, declaration, clause or statement after elaboration.
struct Node {
  const WordSpec *spec = nullptr; ///< null for an equation
  llvm::StringRef word;
  SourceRange wordRange;
  SourceRange range;
  std::string name; ///< of a part: `GLB` of `memory GLB`
  llvm::SmallVector<NodeArg, 1> args;
  std::vector<Node *> children;        ///< attributes, clauses and parts, in order
  const ast::Item *item = nullptr;     ///< null for a clause
  const ast::Clause *clause = nullptr; ///< null for an item
  const Scope *scope = nullptr;        ///< in which its syntax may be evaluated
  /// Whose block or line this is written in, whatever `if` and `for` stand around it.
  const Node *home = nullptr;
  bool hasBlock = false;
  /// What this is laid over is not known yet: `after` and `without` in it wait for that.
  bool isOpen = false;
  bool isFull = false; ///< it has more parts than a block may have, and that was reported

  /// The first child with this word, or null.
  const Node *find(llvm::StringRef childWord) const;
  /// The quantity of attribute `childWord`, or null.
  const Quantity *quantity(llvm::StringRef childWord) const;
  /// The syntax of the values, whether this is an item or a clause.
  llvm::ArrayRef<ast::Arg> syntaxArgs() const { return item ? item->args : clause->args; }
};

class Elaborator {
public:
  explicit Elaborator(Evaluator &evaluator)
      : evaluator(evaluator), diagnostics(evaluator.diagnostics) {}

  /// Elaborates the body of `instance`'s declaration on top of what its `from` brings. With
  /// `allowMissing`, parameters without a value are unknown instead of an error.
  Node *declaration(const Instance &instance, bool allowMissing);
  /// A part of that name and word with what `overlay` says of it in place of what `base` says.
  Node *laidOver(Node &base, Node &overlay);
  /// Elaborates one line at file level or in a sweep (a statement).
  Node *statement(const ast::Item &item, BlockKind kind, const Scope &scope);
  /// Elaborates a body into `into`'s children.
  void body(const ast::Body &body, BlockKind kind, Scope &scope, Node &into);
  /// The same, but lines that `take` returns true for leave nothing behind: neither a node nor the
  /// scope of their round, which lasts until `take` is back. Of these there may be more; a `for`
  /// ends with the round in which an error is reported.
  using TakeLine = llvm::function_ref<bool(const ast::Item &, const Scope &)>;
  void body(const ast::Body &body, BlockKind kind, Scope &scope, Node &into, TakeLine take);
  /// Calls `each` with a scope for every round of `for i in …, j in …`.
  bool forEach(const ast::Item &loop, const Scope &scope, llvm::function_ref<void(Scope &)> each);
  /// A scope that lives as long as the nodes.
  Scope &newScope(const Scope &parent);
  Scope &newScope(const Module &module);
  /// Handles `let`; false when `item` is something else.
  bool let(const ast::Item &item, Scope &scope);

  Evaluator &evaluator;

private:
  void item(const ast::Item &item, BlockKind kind, Scope &scope, Node &into);
  void choice(const ast::Item &item, BlockKind kind, Scope &scope, Node &into);
  Node *line(const ast::Item &item, BlockKind kind, const Scope &scope);
  void clauses(const ast::Item &item, const WordSpec &spec, Node &node, const Scope &scope);
  void values(Node &node, llvm::ArrayRef<ast::Arg> args, const Scope &scope);
  llvm::Optional<NodeArg> value(const Node &node, const ast::Arg &arg, const Scope &scope);
  llvm::Optional<Value> measure(const Node &node, const ast::Arg &arg, const Scope &scope);
  bool isChoice(const WordSpec &spec, llvm::StringRef word, llvm::StringRef given,
                SourceRange range);
  bool choiceArguments(const WordSpec &spec, WordValue &word, SourceRange range);
  bool choiceMembers(const WordSpec &spec, WordValue &word, SourceRange range);
  std::vector<Argument> membersOf(const Node &node, llvm::ArrayRef<ast::Arg> args,
                                  const Scope &scope);
  bool checkArgument(const ChoiceArgument &spec, llvm::StringRef name, const Argument &argument);
  llvm::Optional<Value> chosen(const Node &node, const ast::Arg &arg, const Scope &scope);
  bool isVariable(const WordSpec &spec, const ast::Expr &expr, const Scope &scope) const;
  void chosenByValue(Node &node, const ast::Arg &arg, const Scope &scope);
  void part(Node &node, const ast::Arg &head, const Scope &scope);
  void instantiate(Node &node);
  void add(Node &into, Node *child);
  void merge(Node &into, Node *overlay);
  void remove(Node &into, const Node &without);
  void settle(Node &node);
  void layOverSiblings(Node &block);
  void layOverSibling(Node &block, size_t part, llvm::ArrayRef<const Node *> waiting);
  void warnOfAdded(const Node &base, const Node &made);
  void unknownWord(const ast::Item &item, BlockKind kind);
  void equation(const ast::Item &item, BlockKind kind, const Scope &scope, Node &into);
  Node &newNode();
  /// Adds the rounds of `loop` from its domain number `depth` on to `count`; false when all are
  /// more than perfc goes through, before any of them takes memory.
  bool countRounds(const ast::Item &loop, size_t depth, const Scope &outer, uint64_t &count);

  DiagnosticEngine &diagnostics;
  std::deque<Node> nodes;
  std::deque<Scope> scopes;
  llvm::SmallVector<const Decl *, 4> instantiating;
  size_t firstNode = 0;    ///< of the outermost of these
  bool isTooLarge = false; ///< and that was reported
  unsigned rounds = 0;     ///< of `for`, over the whole elaboration
  unsigned mostRounds = 1'000'000;
  TakeLine take = nullptr;
};

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_ELABORATOR_H
