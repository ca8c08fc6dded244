// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems to target.system: groups from the inside out, each with its members and its network.
#include "frontend/build/BuildContext.h"
#include "ir/common/diagnostics/Systems.h"

#include "frontend/build/GroupNetwork.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/Network.h"

using namespace perfc;

namespace {

class SystemBuilder {
public:
  explicit SystemBuilder(BuildContext &context)
      : context(context), evaluator(context.evaluator), diagnostics(context.diagnostics) {}

  llvm::Optional<BuiltTarget> named(const Instance &system);
  llvm::Optional<BuiltTarget> anonymous(const Multiple &members, const Node &statement);

private:
  bool group(const Node &equation, ir::Region &region);
  bool members(const Value &value, SourceRange range, ir::Region &group);
  bool member(int64_t count, const Value &of, SourceRange range, ir::Region &group);
  void checkShape(const ir::Operation &group);
  void systemWord(const Node &node, ir::Operation &system, ir::Operation *last);
  void fault(const Node &node, ir::Operation &group);
  void checkFaultyChip(const ast::Expr &end, const Scope &scope, const ir::Operation &group);
  llvm::Optional<BuiltTarget> finish(ir::Operation *system, std::string label, size_t errors);

  BuildContext &context;
  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  DType dtype = DType::FP16;
  bool hasDtype = false;
};

/// The name of a group inside the system, as a value.
Value groupReference(llvm::StringRef name) {
  return Multiple{{{1, std::make_shared<const Value>(WordValue{name.str(), {}})}}};
}

bool SystemBuilder::member(int64_t count, const Value &of, SourceRange range, ir::Region &group) {
  if (const Multiple *inner = of.getIf<Multiple>()) {
    for (const Multiple::Part &part : inner->parts) {
      auto total = checkedMultiply(count, part.count);
      if (!total) {
        diagnostics.report(range, diag::QuantityTooLarge);
        return false;
      }
      if (!member(*total, *part.of, range, group))
        return false;
    }
    return true;
  }
  std::string symbol;
  if (const WordValue *name = of.getIf<WordValue>()) {
    symbol = name->word;
  } else if (const Instance *chip = of.getIf<Instance>();
             chip && chip->decl->kind == DeclKind::Hardware) {
    auto built = buildChip(context, *chip);
    if (!built)
      return false;
    symbol = built->symbol;
    if (!hasDtype)
      dtype = built->dtype;
    hasDtype = true;
  } else {
    if (!of.isUnknown())
      diagnostics.report(range, diag::NotAMember, of.describe());
    return false;
  }
  ir::Operation *op = context.builder.create(group, "target.members", range);
  op->setAttr("count", count);
  op->setAttr("of", ir::Attribute::symbol(symbol));
  return true;
}

bool SystemBuilder::members(const Value &value, SourceRange range, ir::Region &group) {
  return member(1, value, range, group);
}

/// A word of the system itself: how its collectives are divided, or a fault of the group `last`.
void SystemBuilder::systemWord(const Node &node, ir::Operation &system, ir::Operation *last) {
  if (node.word == "chunks")
    setChunkCount(context, &node, system);
  else if (node.word == "scheduling")
    system.setAttr("scheduling", node.args[0].value.get<WordValue>().word);
  else if (!last)
    diagnostics.report(node.range, diag::FaultBeforeGroups);
  else
    fault(node, *last);
}

/// `chip[i]` counts the chips of the system from 0.
void SystemBuilder::checkFaultyChip(const ast::Expr &end, const Scope &scope,
                                    const ir::Operation &group) {
  if (end.kind != ast::ExprKind::Index || end.args.size() != 1 || end.operands[0]->text != "chip")
    return;
  auto index = evaluator.integer(*end.args[0].value, scope, "the number of a chip");
  auto chips = chipsOfGroup(group);
  if (index && chips && (*index < 0 || *index >= *chips))
    diagnostics.report(end.range, diag::FaultOutsideSystem,
                       evaluator.program.sourceManager().text(end.range), counted(*chips, "chip"));
}

void SystemBuilder::fault(const Node &node, ir::Operation &group) {
  const ast::Expr &head = *node.item->args[0].value;
  bool isLink = head.kind == ast::ExprKind::Call && head.operands[0]->text == "link";
  bool isChip = head.kind == ast::ExprKind::Index && head.operands[0]->text == "chip";
  if (!isLink && !isChip) {
    diagnostics.report(head.range, diag::BadFault);
    return;
  }
  std::vector<const ast::Expr *> places;
  if (isChip)
    places.push_back(&head);
  for (const ast::Arg &arg : isLink ? head.args : llvm::ArrayRef<ast::Arg>())
    places.push_back(arg.value);
  std::vector<std::string> ends;
  for (const ast::Expr *place : places) {
    checkFaultyChip(*place, *node.scope, group);
    ends.push_back(evaluator.program.sourceManager().text(place->range).str());
  }
  ir::Operation *op = context.builder.create(group.body(), "target.fault", node.range);
  op->setAttr("kind", isLink ? "link" : "chip");
  op->setAttr("ends", ir::Attribute::strings(ends));
  setQuantity(context, *op, "bandwidth_factor", node.find("bandwidth"), {});
  setQuantity(context, *op, "slowdown", node.find("slowdown"), {});
  if (auto kept = op->quantityAttr("bandwidth_factor"); kept && kept->toDouble() > 1)
    diagnostics.report(node.find("bandwidth")->range, diag::NoSuchLink, "link",
                       "it keeps at most 100 % of its bandwidth");
  if (auto factor = op->quantityAttr("slowdown"); factor && factor->toDouble() < 1)
    diagnostics.report(node.find("slowdown")->range, diag::NoSuchLink, "chip",
                       "a slowdown is at least 1x; without one the chip is lost");
}

/// The arguments of a torus, mesh or dragonfly multiply to the members, and chips can be counted.
void SystemBuilder::checkShape(const ir::Operation &group) {
  if (!chipsOfGroup(group))
    diagnostics.report(group.range(), diag::QuantityTooLarge);
  int64_t members = 0;
  for (const ir::Operation &part : group.body())
    members += part.is("target.members") ? part.intAttr("count") : 0;
  for (const ir::Operation &part : group.body()) {
    llvm::StringRef topology = part.is("target.network") ? part.stringAttr("topology") : "";
    if (topology == "fat_tree")
      for (const auto &[key, value] : part.dictAttr("topology_arguments").entries())
        if (value.asQuantity().toDouble() < (key == "radix" ? 2 : 1))
          diagnostics.report(part.range(), diag::BadTopology, topology,
                             fmt::format("`{}` is at least {}", key, key == "radix" ? 2 : 1));
    if (topology != "torus" && topology != "mesh" && topology != "dragonfly")
      continue;
    llvm::Optional<int64_t> product = 1;
    const ir::AttrDict &arguments = part.dictAttr("topology_arguments");
    for (const auto &[key, value] : arguments.entries())
      product = product ? checkedMultiply(*product, value.asQuantity().rational().numerator())
                        : llvm::None;
    if (topology == "dragonfly" && !arguments.empty() && arguments.size() < 3) {
      diagnostics.report(part.range(), diag::BadTopology, topology,
                         "it has `groups`, `routers` of a group and `hosts` of a router, or is "
                         "left open without any");
      continue;
    }
    if (!arguments.empty() && product != llvm::Optional<int64_t>(members))
      diagnostics.report(part.range(), diag::BadTopology, topology,
                         fmt::format("its arguments make {}, but the group has {}",
                                     product ? fmt::to_string(*product) : "more than 2^63",
                                     counted(static_cast<uint64_t>(members), "member")));
  }
}

/// A group sees what its equation sees (in a base, the base's parameters) and the groups before it.
bool SystemBuilder::group(const Node &equation, ir::Region &region) {
  Scope &scope = context.elaborator.newScope(*equation.scope);
  for (const ir::Operation &inner : region)
    scope.set(inner.symbol(), groupReference(inner.symbol()));
  ir::Operation *op = context.builder.create(region, "target.group", equation.range);
  op->setSymbol(equation.name);
  Value value = evaluator.evaluate(*equation.item->value, scope);
  bool good = members(value, equation.item->value->range, op->body());
  buildGroupNetwork(context, equation, *op, dtype);
  if (good)
    checkShape(*op);
  return good;
}

llvm::Optional<BuiltTarget> SystemBuilder::finish(ir::Operation *system, std::string label,
                                                  size_t errors) {
  if (diagnostics.errorCount() != errors)
    return llvm::None;
  return BuiltTarget{system->symbol().str(), std::move(label), nullptr, dtype};
}

llvm::Optional<BuiltTarget> SystemBuilder::named(const Instance &instance) {
  size_t errors = diagnostics.errorCount();
  Node *node = context.elaborator.declaration(instance, context.allowMissing);
  if (diagnostics.errorCount() != errors)
    return llvm::None;
  ir::Operation *system =
      context.createTop("target.system", instance.decl->name, instance.decl->nameRange);
  ir::Operation *last = nullptr;
  bool good = true;
  for (const Node *child : node->children) {
    if (child->spec) {
      systemWord(*child, *system, last);
      continue;
    }
    good &= group(*child, system->body());
    last = &system->body().back();
  }
  if (!last && diagnostics.errorCount() == errors)
    diagnostics.report(instance.decl->nameRange, diag::SystemWithoutGroups, instance.decl->name);
  return good ? finish(system, written(Value(instance)), errors) : llvm::None;
}

llvm::Optional<BuiltTarget> SystemBuilder::anonymous(const Multiple &parts, const Node &statement) {
  size_t errors = diagnostics.errorCount();
  std::string label = written(Value(parts));
  ir::Operation *system = context.createTop("target.system", "system", statement.range);
  ir::Operation *group = context.builder.create(system->body(), "target.group", statement.range);
  group->setSymbol("all");
  bool good = members(parts, statement.range, group->body());
  Node differs;
  differs.range = statement.range;
  for (llvm::StringRef word : {"over", "bandwidth", "latency"})
    if (const Node *child = statement.find(word))
      differs.children.push_back(const_cast<Node *>(child));
  buildGroupNetwork(context, differs, *group, dtype);
  if (good)
    checkShape(*group);
  if (const Node *over = statement.find("over"); over && !over->args.empty())
    label += " over " + written(over->args[0].value);
  return good ? finish(system, label, errors) : llvm::None;
}

} // namespace

int64_t perfc::chipsOfSystem(const ir::Operation &target) {
  if (!target.is("target.system") || target.body().empty())
    return 1;
  return chipsOfGroup(target.body().back()).getValueOr(1);
}

llvm::Optional<BuiltTarget> perfc::buildSystem(BuildContext &context, const Instance &system) {
  BlameScope blame(context.diagnostics, system.range);
  return SystemBuilder(context).named(system);
}

llvm::Optional<BuiltTarget>
perfc::buildAnonymousSystem(BuildContext &context, const Multiple &members, const Node &statement) {
  return SystemBuilder(context).anonymous(members, statement);
}
