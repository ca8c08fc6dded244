// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ensemble: one question to several providers and tools, each an evaluation of its own. The
// latency is the mean of theirs, each weighted with the inverse square of its relative error, which
// was measured on chips like this; all else is of the member whose error is least.
#include "api/statements/Statements.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/target/TargetOps.h"
#include "passes/Levels.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::api;

namespace {

struct Member {
  Outcome outcome;
  std::string name;
  Uncertain latency; ///< as measurements have it
  double error = 0;  ///< half the width of its interval, over the latency
  double weight = 0; ///< of 1
};

} // namespace

/// The times that were measured over those of `name`, as the chip of `evaluate` or its generation
/// says.
static llvm::Optional<Uncertain> measuredOver(study::EvaluateOp evaluate, llvm::StringRef name) {
  const ir::Module &module = *evaluate->module();
  target::ChipOp chip = passes::chipOf(module, evaluate.on());
  for (const ir::Operation *op : {chip.op, module.lookup(chip->symbolAttr("generation"))})
    if (const ir::Attribute *factor = op ? op->dictAttr("measured_over").find(name) : nullptr)
      return factor->asQuantity().toUncertain();
  return llvm::None;
}

/// Whether the provider itself says how far off its times are, of all that runs.
static bool knowsErrors(const MeasuredErrors &errors) {
  return !errors.known.empty() && errors.unknown.empty();
}

/// The member that `evaluate` is; nothing after a report.
static llvm::Optional<Member> memberOf(Evaluation &run, const StatementContext &statement) {
  auto evaluate = ir::as<study::EvaluateOp>(statement.op);
  llvm::Optional<Outcome> outcome = evaluated(run, statement);
  if (!outcome)
    return llvm::None;
  Member member{std::move(*outcome),
                (evaluate.tool().empty() ? evaluate.provider() : evaluate.tool()).str(),
                {}};
  const Cost &cost = member.outcome.cost;
  if (auto factor = measuredOver(evaluate, member.name))
    member.latency = cost.latency * *factor;
  else if (knowsErrors(cost.errors))
    member.latency = cost.latency;
  double centre = member.latency.central();
  member.error = centre > 0 ? member.latency.halfWidth() / centre : 0;
  if (member.error > 0)
    return member;
  run.context.diagnostics
      .report(evaluate->range(), diag::NoDeclaredError, member.name, evaluate.onLabel())
      .help(fmt::format("`measured_over {} = 1 +- 50%` in the hardware or its generation says what "
                        "was measured over its times",
                        member.name));
  return llvm::None;
}

/// The weights, which add up to 1, and the latency that they give.
static Uncertain joinLatencies(std::vector<Member> &members) {
  double sum = 0;
  for (Member &member : members)
    sum += member.weight = 1 / (member.error * member.error);
  Uncertain latency;
  for (Member &member : members) {
    member.weight /= sum;
    latency += member.latency * member.weight;
  }
  return latency;
}

/// What results say of the members.
static void describeMembers(llvm::ArrayRef<Member> members, const Member &least, Outcome &joined) {
  std::string text, names;
  MeasuredErrors &errors = joined.cost.errors = {};
  for (const Member &member : members) {
    joined.ensemble.push_back({member.name, member.latency, member.weight});
    text += fmt::format("{}{} {} weighs {:.1f} %", text.empty() ? "" : ", ", member.name,
                        formatEngineering(member.latency, BaseUnit::Second), member.weight * 100);
    names += (names.empty() ? "" : ", ") + member.name;
    errors.addKnown("times of " + member.name);
    for (const std::string &note : member.outcome.cost.notes)
      joined.cost.addNote(note);
  }
  joined.cost.addNote("ensemble: " + text);
  joined.cost.addNote("ensemble: all but the latency and the shares of it are those of " +
                      least.name + ", whose error is the least");
  joined.cost.provenance.provider = "ensemble of " + names;
  joined.cost.provenance.formula = "sum of weight * latency; weight = 1 / error^2 over their sum";
}

void api::joinEnsemble(Evaluation &run, const StatementContext &statement) {
  std::vector<Member> members;
  size_t asked = 0;
  ResultLabels labels;
  for (ir::Operation &part : statement.op.body()) {
    if (!part.is(study::EvaluateOp::opName))
      continue;
    if (asked++ == 0)
      labels = labelsIn(run, part);
    if (auto member = memberOf(run, {statement.module, part, statement.point, &statement.op}))
      members.push_back(std::move(*member));
  }
  if (members.empty() || members.size() != asked)
    return;
  labels.label = ir::as<study::EnsembleOp>(statement.op).label().str();
  Uncertain latency = joinLatencies(members);
  const Member &least =
      *std::min_element(members.begin(), members.end(),
                        [](const Member &a, const Member &b) { return a.error < b.error; });
  Outcome joined = least.outcome;
  Cost &cost = joined.cost;
  cost.stretchTimes(latency.central() / cost.latency.central());
  cost.latency = latency;
  describeMembers(members, least, joined);
  cost.describe(PartKind::Program, labels.label, statement.op.range());
  run.keep(std::move(joined), statement, std::move(labels));
}
