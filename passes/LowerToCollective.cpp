// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lower-to-collective: what each evaluation runs on its chip or system: stretches of kernels, and
// the collectives between them with their group and number of ranks.
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/phase/PhaseOps.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include "passes/Pass.h"
#include "passes/training/StrategyPlace.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static bool hasCollective(const Operation &op) {
  bool found = false;
  op.walk([&](const Operation &inner) { found |= inner.is(phase::CollectiveOp::opName); });
  return found;
}

namespace {

class CollectiveLowering {
public:
  CollectiveLowering(Module &module, PassContext &context)
      : module(module), diagnostics(context.diagnostics), builder(context.registry) {}

  bool run(study::EvaluateOp evaluate);

private:
  bool lowerRegion(Region &from, Region &into);
  bool lowerCollective(phase::CollectiveOp op, Region &into);
  llvm::Optional<AttrList> schedulesOf(llvm::StringRef kind, llvm::StringRef line) const;
  llvm::StringRef formulaOfLine(llvm::StringRef line) const;
  Operation &startSegment(Region &into, const Location &location);
  void runSequence(llvm::StringRef name, Region &into, const Location &location);
  bool lowerSequence(phase::SequenceOp from, Region &into);
  bool lowerStages(study::EvaluateOp evaluate, Region &into);
  void placeSend(Operation &send) const;

  Module &module;
  DiagnosticEngine &diagnostics;
  Builder builder;
  phase::SequenceOp sequence;
  std::string group, algorithm;
  const Attribute *schedules = nullptr, *algorithms = nullptr, *formulas = nullptr;
  bool hasSchedules = false; ///< for lines that name none
  int64_t ranks = 1;
  Strategy strategy; ///< that divides the subject
  int64_t stage = 0; ///< of the pipeline, which is lowered
};

void CollectiveLowering::runSequence(llvm::StringRef name, Region &into, const Location &location) {
  auto run = builder.create<collective::RunOp>(into, location);
  run->setAttr("phase", Attribute::symbol(name));
}

/// A new sequence for a stretch without collectives, and its run in `into`.
Operation &CollectiveLowering::startSegment(Region &into, const Location &location) {
  Operation *segment = builder.createBefore(*sequence, phase::SequenceOp::opName, location);
  segment->setSymbol(module.uniqueName(sequence.symbol()));
  segment->setAttr("of", Attribute::symbol(sequence.of()));
  segment->setAttr("target", Attribute::symbol(sequence.target()));
  runSequence(segment->symbol(), into, location);
  return *segment;
}

bool CollectiveLowering::lowerCollective(phase::CollectiveOp op, Region &into) {
  std::string name = "collective." + op.kind().str();
  const OpDecl *decl = builder.ops().find(name);
  if (!decl || !decl->findAttr("ranks")) {
    std::vector<llvm::StringRef> kinds;
    for (const OpDecl *known : builder.ops().all())
      if (known->name.startswith("collective.") && known->findAttr("ranks"))
        kinds.push_back(known->name.drop_front(strlen("collective.")));
    diagnostics.report(op->range(), diag::UnknownCollective, op.kind()).suggest(op.kind(), kinds);
    return false;
  }
  Operation *transfer = builder.create(into, name, op->location());
  transfer->setAttr("bytes", op.bytes());
  transfer->setAttr("group", op.axis().empty() ? llvm::StringRef(group) : op.axis());
  transfer->setAttr("ranks", ranks);
  if (op.kind() == "send" && op.axis() == "pipeline")
    placeSend(*transfer);
  else if (!op.axis().empty())
    placeCollective(*transfer, placeOf(strategy, op.axis()));
  if (op.kind() == "all_to_allv")
    for (llvm::StringRef attribute : {"load", "sizes"})
      if (const Attribute *value = op->attr(attribute))
        transfer->setAttr(attribute, *value);
  llvm::StringRef line = op->stringAttr("algorithm");
  llvm::Optional<AttrList> own = schedulesOf(op.kind(), line);
  const Attribute *named = algorithms ? algorithms->asDict().find(op.kind()) : nullptr;
  if (!line.empty())
    transfer->setAttr("algorithm", formulaOfLine(line));
  else if (named)
    transfer->setAttr("algorithm", *named);
  else if (!algorithm.empty() && (!hasSchedules || own))
    transfer->setAttr("algorithm", algorithm);
  if (own)
    transfer->setAttr("schedules", std::move(*own));
  return true;
}

/// The formula that stands for the algorithm `line`, or its name.
llvm::StringRef CollectiveLowering::formulaOfLine(llvm::StringRef line) const {
  if (formulas)
    for (const Attribute &entry : formulas->asList())
      if (entry.asDict().find("line")->asString() == line)
        return entry.asDict().find("formula")->asString();
  return line;
}

/// Of the schedules of the statement those for collectives of `kind`, on lines that name `line` or
/// nothing; nothing without any.
llvm::Optional<AttrList> CollectiveLowering::schedulesOf(llvm::StringRef kind,
                                                         llvm::StringRef line) const {
  AttrList own;
  if (schedules)
    for (const Attribute &symbol : schedules->asList())
      if (const Operation *schedule = module.lookup(symbol.asSymbol());
          schedule->stringAttr("collective") == kind && schedule->stringAttr("line") == line)
        own.push_back(symbol);
  return own.empty() ? llvm::Optional<AttrList>() : std::move(own);
}

bool CollectiveLowering::lowerRegion(Region &from, Region &into) {
  Operation *segment = nullptr;
  for (auto next = from.begin(); next != from.end();) {
    Operation &op = *next++;
    if (!hasCollective(op)) {
      if (!segment)
        segment = &startSegment(into, op.location());
      segment->body().insert(from.take(op));
      continue;
    }
    segment = nullptr;
    if (auto collective = as<phase::CollectiveOp>(op)) {
      if (!lowerCollective(collective, into))
        return false;
      continue;
    }
    auto repeat = builder.create<collective::RepeatOp>(into, op.location());
    repeat->setAttr("count", as<phase::RepeatOp>(op).count());
    if (!lowerRegion(op.body(), repeat->body()))
      return false;
  }
  return true;
}

/// A message from each rank of a stage to the one of the next.
void CollectiveLowering::placeSend(Operation &send) const {
  ChipSet chips = stageChips(strategy, stage);
  send.setAttr("ranks", 2);
  send.setAttr("senders", AttrList{chips.first, chips.count, chips.step,
                                   placeOf(strategy, "pipeline").stride()});
}

/// What `from` runs; one with collectives is cut at these, and gone then.
bool CollectiveLowering::lowerSequence(phase::SequenceOp from, Region &into) {
  sequence = from;
  if (!hasCollective(*sequence)) {
    runSequence(sequence.symbol(), into, sequence->location());
    return true;
  }
  bool valid = lowerRegion(sequence->body(), into);
  sequence->erase();
  return valid;
}

/// Each stage in one pass.
bool CollectiveLowering::lowerStages(study::EvaluateOp evaluate, Region &into) {
  for (stage = 0; stage < strategy.pipeline; ++stage) {
    ChipSet chips = stageChips(strategy, stage);
    auto made = builder.create<collective::StageOp>(into, evaluate->location());
    made->setAttr("number", stage);
    made->setAttr("chips", AttrList{chips.first, chips.count, chips.step});
    auto pass = builder.create<collective::PassOp>(made->body(), evaluate->location());
    pass->setAttr("direction", "forward");
    pass->setAttr("chunk", 0);
    if (!lowerSequence(module.lookup<phase::SequenceOp>(stageSequenceSymbol(evaluate, stage)),
                       pass->body()))
      return false;
  }
  return true;
}

bool CollectiveLowering::run(study::EvaluateOp evaluate) {
  int64_t stages = pipelineStages(evaluate);
  auto first = module.lookup<phase::SequenceOp>(stages > 1 ? stageSequenceSymbol(evaluate, 0)
                                                           : sequenceSymbol(evaluate));
  if (!first || module.lookup<collective::ProgramOp>(programSymbol(evaluate)))
    return true;
  Operation *target = module.lookup(evaluate.on());
  bool isSystem = target->is(target::SystemOp::opName);
  group = (isSystem ? target->body().back() : *target).symbol().str();
  ranks = std::max<int64_t>(1, chipCount(module, evaluate.on()));
  if (evaluate->hasAttr("whole")) { // divided, so that the axes have places
    strategy = readDegrees(study::partOf<study::StrategyOp>(*evaluate));
    SystemPaths system(*target);
    std::string ignored;
    placeAxes(strategy, system, ignored);
  }
  algorithm = evaluate->stringAttr("algorithm").str();
  algorithms = evaluate->attr("algorithms");
  formulas = evaluate->attr("line_formulas");
  schedules = evaluate->attr("schedules");
  hasSchedules = false;
  if (schedules)
    for (const Attribute &symbol : schedules->asList())
      hasSchedules |= module.lookup(symbol.asSymbol())->stringAttr("line").empty();

  Operation *top = evaluate.op;
  while (top->parentOp())
    top = top->parentOp();
  Operation *program =
      builder.createBefore(*top, collective::ProgramOp::opName, evaluate->location());
  program->setSymbol(programSymbol(evaluate));
  program->setAttr("system", Attribute::symbol(evaluate.on()));
  return stages > 1 ? lowerStages(evaluate, program->body())
                    : lowerSequence(first, program->body());
}

} // namespace

static bool runLowerToCollective(Module &module, PassContext &context) {
  CollectiveLowering lowering(module, context);
  bool valid = true;
  for (study::EvaluateOp evaluate : namedEvaluations(module))
    valid &= lowering.run(evaluate);
  return valid;
}

const PassInfo passes::lowerToCollectivePass = {
    "lower-to-collective", "list what the ranks of a system run, collectives between phases",
    "Precondition: lower-to-phase. A sequence with collectives is cut at them. Before:\n"
    "    phase.sequence @e__phase (of = @g, target = @chip) {\n"
    "      phase.kernel (…)  phase.collective (kind = \"all_reduce\", bytes = 64, …) }\n"
    "    study.evaluate @e (subject = @g, on = @system, …)\n"
    "After:\n"
    "    phase.sequence @e__phase_1 (of = @g, target = @chip) { phase.kernel (…) }\n"
    "    collective.program @e__program (system = @system) {\n"
    "      collective.run (phase = @e__phase_1)\n"
    "      collective.all_reduce (bytes = 64, group = \"group\", ranks = 8) }",
    runLowerToCollective};
