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
#include "ir/common/diagnostics/Clauses.h"
#include "ir/study/SearchOps.h"
#include "ir/study/TrainOps.h"
#include "ir/target/TargetOps.h"

using namespace perfc;

//===-- search
//-----------------------------------------------------------------------------------===//

/// The goal, the metrics of `pareto`, the conditions and the time limit of a search.
bool StudyBuilder::searchGoals(const Node &statement, ir::Operation &op) {
  if (!statement.find("minimize") && !statement.find("maximize") && !statement.find("pareto")) {
    diagnostics.report(statement.wordRange, diag::SearchWithoutGoal);
    return false;
  }
  return buildGoal(statement, op);
}

/// A search holds the evaluation that it is about; mappings in `with` stay as they are.
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
            row(statement, *about, chip, mappings, answerers(statement).front(), op->body(),
                evaluation) &&
            searchSpaces(*about, chip, spaces, *op);
    if (!good)
      return false;
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
  op.setAttr("spaces", ir::Attribute::symbols(symbols));
  for (const BuildContext::Unsupported &entry : context.unsupported)
    markUnsupported(op.body(), entry.range, entry.what);
  context.unsupported.clear();
  return true;
}

//===-- train
//------------------------------------------------------------------------------------===//

void StudyBuilder::noteFeeds(const Node &statement, llvm::StringRef target) {
  auto feeds = [](const ir::Operation *op) {
    auto chip = ir::as<target::ChipOp>(op);
    return chip && target::feedsArrays(chip);
  };
  const ir::Operation *on = context.module.lookup(target);
  bool found = feeds(on);
  on->walk([&](const ir::Operation &op) {
    auto members = ir::as<target::MembersOp>(op);
    found |= members && feeds(ir::resolve(op, members.of()));
  });
  if (found)
    context.unsupported.push_back(
        {statement.range,
         fmt::format("`{}` on a chip whose arrays feed each other: which of them runs a kernel, "
                     "`evaluate` decides",
                     statement.word)});
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
  if (!format)
    return nullptr;
  noteFeeds(statement, chip->symbol);
  // In its place once the model is there, after which its name is chosen.
  auto made = std::make_unique<ir::Operation>(*context.builder.ops().find(study::TrainOp::opName),
                                              placesOf(statement));
  if (!buildTrainParts(context, statement, *format, *context.module.lookup(chip->symbol), *made) ||
      !checkContext(context, statement, *about.instance))
    return nullptr;
  Instance model = trainSubject(statement, *about.instance, study::TrainOp(made.get()).batch());
  auto graph = buildGraph(context, model, *format);
  if (!graph)
    return nullptr;
  bool good = buildGoal(statement, *made);
  if (const Node *with = statement.find("with"))
    good &= trainAlgorithms(context, *with, *context.module.lookup(chip->symbol), *made);
  ir::Operation &op = into.insert(std::move(made));
  op.setAttr("subject", ir::Attribute::symbol(graph->symbol));
  op.setAttr("on", ir::Attribute::symbol(chip->symbol));
  if (graph->batch > 0)
    study::partToWrite(op, study::StrategyOp::opName).setAttr("samples", graph->batch);
  std::string subject = written(Value(*about.instance));
  op.setAttr("label", subject + " on " + chip->label);
  op.setAttr("subject_label", subject);
  op.setAttr("on_label", chip->label);
  for (const BuildContext::Unsupported &entry : context.unsupported)
    markUnsupported(op.body(), entry.range, entry.what);
  context.unsupported.clear();
  return good ? &op : nullptr;
}
