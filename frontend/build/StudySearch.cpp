// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that look for something: `search` for mappings, `train` for a strategy where it has
// holes.
#include "frontend/build/MapspaceBuilder.h"
#include "frontend/build/PriceBuilder.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/build/TrainAlgorithms.h"
#include "frontend/build/TrainBuilder.h"
#include "frontend/sema/Written.h"
#include "ir/target/TargetOps.h"

using namespace perfc;

//===-- search
//-----------------------------------------------------------------------------------===//

/// Sets the goal, the metrics of `pareto`, the conditions and the time limit of a search.
bool StudyBuilder::searchGoals(const Node &statement, ir::Operation &op) {
  Goals goals = readGoals(statement);
  bool hasGoal = statement.find("pareto");
  for (const Node *child : statement.children) {
    bool isGoal = child->word == "minimize" || child->word == "maximize";
    if (child->word == "pareto")
      goals.areGood &= addMetrics(*child, op);
    hasGoal |= isGoal;
    if (isGoal && child->syntaxArgs().size() == 1)
      op.setAttr("goal_text", diagnostics.sourceManager().text(child->syntaxArgs().front().range));
  }
  for (auto &[word, wanted] : goals.wanted)
    op.setAttr(word, ir::AttrList{wanted.front()});
  if (!goals.conditions.empty()) {
    op.setAttr("require", std::move(goals.conditions));
    op.setAttr("require_text", ir::Attribute::strings(goals.texts));
  }
  if (goals.within)
    op.setAttr("within", *goals.within);
  if (!hasGoal) {
    diagnostics.report(statement.wordRange, diag::SearchWithoutGoal);
    return false;
  }
  return goals.areGood;
}

/// A search holds the evaluation that it is about; mappings in `with` stay as they are.
/// True when `target`, a chip or system, has a chip whose arrays feed each other.
static bool hasFeeds(const ir::Operation &target) {
  if (auto chip = ir::as<target::ChipOp>(target))
    return target::feedsArrays(chip);
  bool found = false;
  target.walk([&](const ir::Operation &op) {
    auto members = ir::as<target::MembersOp>(op);
    const ir::Operation *of = members ? ir::resolve(op, members.of()) : nullptr;
    auto chip = ir::as<target::ChipOp>(of);
    found |= chip && target::feedsArrays(chip);
  });
  return found;
}

bool StudyBuilder::search(const Node &statement) {
  auto about = subject(statement);
  if (!about)
    return false;
  const Node *with = statement.find("with");
  std::vector<NodeArg> mappings, spaces;
  for (const NodeArg &choice : with ? llvm::ArrayRef<NodeArg>(with->args) : llvm::None) {
    const Instance *instance = choice.value.getIf<Instance>();
    bool isSpace = choice.name.empty() && instance && instance->decl->kind == DeclKind::Mapspace;
    (isSpace ? spaces : mappings).push_back(choice);
  }
  bool good = true;
  for (const NodeArg &chip : about->on) {
    ir::Operation *op = context.builder.create(region, "study.search", statement.range);
    ir::Operation *evaluation = nullptr;
    good &= searchGoals(statement, *op) &&
            row(statement, *about, chip, mappings, providers(statement).front(), op->body(),
                evaluation) &&
            searchSpaces(*about, chip, spaces, *op);
    if (!good)
      return false;
    if (hasFeeds(*context.module.lookup(evaluation->symbolAttr("on"))))
      markUnsupported(op->body(), statement.range,
                      "a search on a chip whose arrays feed each other");
    nameResult(statement, *op);
    if (with && !spaces.empty())
      evaluation->setAttr("label", evaluation->stringAttr("label").str() + " with " +
                                       written(spaces.front().value));
    good &= outcomes(statement, op->body());
  }
  return good;
}

bool StudyBuilder::searchSpaces(const Subject &subject, const NodeArg &on,
                                llvm::ArrayRef<NodeArg> spaces, ir::Operation &op) {
  if (spaces.empty())
    return true;
  const Instance *hardware = on.value.getIf<Instance>();
  if (!hardware || hardware->decl->kind != DeclKind::Hardware) {
    diagnostics.report(on.range, diag::MappingNeedsChip, written(spaces.front().value));
    return false;
  }
  auto chip = buildChip(context, *hardware);
  auto graph = chip ? buildGraph(context, *subject.instance, chip->dtype) : llvm::None;
  std::vector<std::string> symbols;
  for (const NodeArg &space : spaces)
    if (!graph || !buildMapspaces(context, *space.value.getIf<Instance>(), *graph, *chip, symbols))
      return false;
  ir::AttrList list;
  for (const std::string &symbol : symbols)
    list.push_back(ir::Attribute::symbol(symbol));
  op.setAttr("spaces", std::move(list));
  for (const BuildContext::Unsupported &entry : context.unsupported)
    markUnsupported(op.body(), entry.range, entry.what);
  context.unsupported.clear();
  return true;
}

//===-- train
//------------------------------------------------------------------------------------===//

/// The goal and the conditions of a `train` with holes.
bool StudyBuilder::trainGoals(const Node &statement, ir::AttrDict &settings) {
  Goals goals = readGoals(statement);
  for (auto &[word, wanted] : goals.wanted)
    settings.set(word, std::move(wanted));
  if (!goals.conditions.empty())
    settings.set("require", std::move(goals.conditions));
  if (goals.within)
    settings.set("within", *goals.within);
  return goals.areGood;
}

/// The statement and, behind it, what it says word by word, for messages about that.
static ir::Location placesOf(const Node &statement) {
  ir::Location places(statement.range);
  for (const Node *child : statement.children) {
    for (const NodeArg &arg : child->args)
      places.fuse(arg.range);
    if (const Node *over = child->find("over"))
      for (const NodeArg &arg : over->args)
        places.fuse(arg.range);
    places.fuse(child->range);
  }
  return places;
}

ir::Operation *StudyBuilder::train(const Node &statement, const Subject &about, const NodeArg &on,
                                   ir::Region &into) {
  auto chip = target(statement, on);
  auto format = chip ? formatOf(context, statement, "dtype", chip->dtype) : llvm::None;
  auto settings = format ? trainSettings(context, statement, *format) : llvm::None;
  if (!settings || !checkContext(context, statement, *about.instance))
    return nullptr;
  const ir::Attribute *batch = settings->find("batch");
  Instance model = trainSubject(statement, *about.instance, batch ? batch->asInt() : 1);
  auto graph = buildGraph(context, model, *format);
  if (!graph)
    return nullptr;
  bool good = trainGoals(statement, *settings);
  if (const Node *with = statement.find("with"))
    good &= trainAlgorithms(context, *with, *context.module.lookup(chip->symbol), *settings);
  const ir::Attribute *stated = settings->find("price");
  ir::AttrDict prices = stated ? stated->asDict() : ir::AttrDict();
  addChipPrices(*context.module.lookup(chip->symbol), prices);
  if (!prices.empty())
    settings->set("price", std::move(prices));
  settings->set("label", written(Value(*about.instance)) + " on " + chip->label);
  settings->set("subject_label", written(Value(*about.instance)));
  settings->set("on_label", chip->label);
  ir::Operation *op = context.builder.create(into, "study.train", placesOf(statement));
  op->setAttr("subject", ir::Attribute::symbol(graph->symbol));
  op->setAttr("on", ir::Attribute::symbol(chip->symbol));
  op->setAttr("settings", std::move(*settings));
  for (const BuildContext::Unsupported &entry : context.unsupported)
    markUnsupported(op->body(), entry.range, entry.what);
  context.unsupported.clear();
  return good ? op : nullptr;
}
