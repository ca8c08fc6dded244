// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a system that a pool has: some members of the outermost group, behind those of the
// pools before it.
#include "frontend/build/ServeDeployment.h"
#include "ir/common/diagnostics/Serving.h"

using namespace perfc;

/// Chips of a member of a group of `system`: of a group, or 1.
static int64_t chipsOfMember(const ir::Operation &system, llvm::StringRef name) {
  for (const ir::Operation &group : system.body()) {
    if (group.symbol() != name)
      continue;
    int64_t sum = 0;
    for (const ir::Operation &part : group.body())
      if (part.is("target.members"))
        sum += part.intAttr("count") * chipsOfMember(system, part.symbolAttr("of"));
    return sum;
  }
  return 1;
}

/// `on 4 * node`, `on node`: the number and the name; nothing after a report.
static llvm::Optional<std::pair<int64_t, const ast::Expr *>> askedOf(BuildContext &context,
                                                                     const Node &pool) {
  const Node *on = pool.find("on");
  if (!on || on->syntaxArgs().empty()) {
    context.diagnostics.report(pool.range, diag::BadServeValue,
                               "a pool has a part of the system: pool prefill on 4 * node");
    return llvm::None;
  }
  const ast::Expr *expr = on->syntaxArgs()[0].value;
  int64_t count = 1;
  if (expr->kind == ast::ExprKind::Binary && expr->operands.size() == 2 && expr->text == "*") {
    auto number = context.evaluator.integer(*expr->operands[0], *on->scope, "members of a pool");
    if (!number)
      return llvm::None;
    count = *number;
    expr = expr->operands[1];
  }
  if (expr->kind != ast::ExprKind::Name || count < 1) {
    context.diagnostics.report(
        on->range, diag::BadServeValue,
        "a pool is on so many members of the system: pool prefill on 4 * node");
    return llvm::None;
  }
  return std::make_pair(count, expr);
}

/// What the members that `name` says are called in `system`, where it may stand for a chip; nothing
/// after a report.
static llvm::Optional<std::string> memberName(BuildContext &context, const ast::Expr &name,
                                              const Scope &scope, const ir::Operation &system) {
  auto isNamed = [&](const ir::Operation &group) { return group.symbol() == name.text; };
  if (llvm::any_of(system.body(), isNamed))
    return name.text.str();
  Value value = context.evaluator.evaluate(name, scope);
  if (value.isUnknown())
    return llvm::None;
  const Instance *chip = value.getIf<Instance>();
  if (!chip || chip->decl->kind != DeclKind::Hardware)
    return name.text.str();
  auto built = buildChip(context, *chip);
  return built ? llvm::Optional<std::string>(built->symbol) : llvm::None;
}

/// A copy of `whole` whose outermost group has only `count` of the members `name`.
static std::string copyOf(BuildContext &context, const ir::Operation &whole,
                          const std::string &pool, int64_t count, llvm::StringRef name) {
  ir::ValueMap map;
  ir::Operation &copy = whole.clone(context.module.body(), map);
  copy.setSymbol(context.module.uniqueName(whole.symbol().str() + "_" + pool));
  ir::Region &groups = copy.body();
  ir::Operation *outer = &*std::prev(groups.end());
  std::vector<ir::Operation *> gone;
  for (ir::Operation &part : outer->body()) {
    bool isIt = part.is("target.members") && part.symbolAttr("of") == name;
    if (isIt)
      part.setAttr("count", count);
    else if (part.is("target.members") || part.is("target.fault"))
      gone.push_back(&part);
  }
  for (ir::Operation *part : gone)
    part->erase();
  // One member is a system of its own, which ends with its group.
  while (count == 1 && std::prev(groups.end())->symbol() != name)
    std::prev(groups.end())->erase();
  return copy.symbol().str();
}

llvm::Optional<std::string> perfc::buildPoolSystem(BuildContext &context, const Node &node,
                                                   llvm::StringRef whole, const std::string &phase,
                                                   int64_t &taken) {
  auto asked = askedOf(context, node);
  if (!asked)
    return llvm::None;
  const ir::Operation &system = *context.module.lookup(whole);
  auto bad = [&](const std::string &text) {
    context.diagnostics.report(node.find("on")->range, diag::BadServeValue, text);
    return llvm::None;
  };
  if (!system.is("target.system"))
    return bad("pools are parts of a system, and this is one chip");
  auto member = memberName(context, *asked->second, *node.find("on")->scope, system);
  if (!member)
    return llvm::None;
  const int64_t count = asked->first;
  const std::string &name = *member;
  const ir::Operation &outer = *std::prev(system.body().end());
  int64_t before = 0; // chips of members that come first
  for (const ir::Operation &part : outer.body()) {
    static constexpr llvm::StringLiteral fixed[] = {"torus", "mesh", "dragonfly"};
    if (part.is("target.network") && llvm::is_contained(fixed, part.stringAttr("topology")))
      return bad("pools divide a switch or a tree, whose members all meet alike");
    if (!part.is("target.members"))
      continue;
    int64_t chips = chipsOfMember(system, part.symbolAttr("of"));
    int64_t all = chips * part.intAttr("count");
    if (part.symbolAttr("of") == name && taken < before + all) {
      taken = std::max(taken, before);
      int64_t left = (before + all - taken) / chips;
      if (count > left)
        return bad(fmt::format("of `{}` {} left for this pool, not {}", name,
                               left == 1 ? "1 is" : fmt::format("{} are", left), count));
      taken += count * chips;
      if (count == 1 && chips == 1)
        return part.symbolAttr("of").str();
      return copyOf(context, system, phase, count, name);
    }
    before += all;
  }
  return bad(fmt::format("no `{}` is left in the outermost group of the system", name));
}
