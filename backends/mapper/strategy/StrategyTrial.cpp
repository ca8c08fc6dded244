// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/strategy/StrategyTrial.h"

#include "backends/core/UncertainInputs.h"
#include "backends/mapper/strategy/StrategySpace.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/study/SearchOps.h"

using namespace perfc;
using namespace perfc::mapper;
using passes::Strategy;

/// What `name` grows with, or falls with where it is to be large.
static GoalKind goalKindOf(llvm::StringRef name, bool maximizes) {
  if (maximizes ? name == "mfu" || name == "tokens_per_s"
                : name == "step_time" || name == "latency")
    return GoalKind::Time;
  return !maximizes && name == "memory.peak" ? GoalKind::Memory : GoalKind::Other;
}

bool StrategyTrials::readGoal() {
  auto asked = study::partOf<study::GoalOp>(train);
  maximizes = asked.minimize().empty();
  const ir::AttrList &wanted = maximizes ? asked.maximize() : asked.minimize();
  if (wanted.empty()) {
    diagnostics.report(train.range(), diag::HolesWithoutGoal);
    return false;
  }
  goal = wanted.front();
  bool isName = goal.is(ir::AttrKind::String);
  std::string word = maximizes ? "maximize" : "minimize",
              text = isName ? goal.asString().str() : "";
  result.goal = asked.describe();
  GoalKind kind = goalKindOf(text, maximizes);
  ranking.setGoal(kind);
  result.isTimed = kind == GoalKind::Time;
  const ir::Attribute *conditions = asked->attr("require");
  goalNeedsEnds = emit::asksForEnds(goal, names);
  conditionsNeedEnds = conditions && emit::asksForEnds(*conditions, names);
  isWorstEnd = llvm::StringRef(text).endswith(maximizes ? ".lower" : ".upper");
  return true;
}

/// What `strategy` comes to with its intervals; false when it does not run by itself.
bool StrategyTrials::addEnds(const Strategy &strategy, Outcome &outcome) {
  auto filled = withStrategy(module, train.symbol(), strategy, diagnostics);
  ir::Operation *statement = filled ? filled->lookup(train.symbol()) : nullptr;
  if (!statement)
    return false;
  auto whole = withEnds(*filled, *statement, diagnostics, [&](const UncertainEnd *) {
    return training::evaluateTraining(*filled, *statement, providers, diagnostics);
  });
  if (whole)
    outcome = std::move(*whole);
  return whole.hasValue();
}

/// True, counted, where the step that was just evaluated cannot have the algorithms of `with`.
bool StrategyTrials::isRefused() {
  std::string why = network.refusedAlgorithm().str();
  if (llvm::StringRef unused = network.unusedAlgorithm(); why.empty() && !unused.empty())
    why = fmt::format("no collective runs `{}`", unused);
  if (!why.empty())
    ++result.counts.refused[why];
  return !why.empty();
}

/// True when the result at hand meets all conditions.
bool StrategyTrials::fulfils() {
  for (const ir::Attribute &condition : study::partOf<study::GoalOp>(train).require()) {
    emit::ExpressionValue value = emit::evaluateExpression(condition, names);
    if (!value.truth)
      withoutValue = value.notGiven;
    if (!value.truth.getValueOr(false))
      return false;
  }
  return true;
}

void StrategyTrials::keepTight(const Strategy &strategy, const training::ModelCosts &costs,
                               training::Step step) {
  double time = step.summary.stepTime;
  if (!step.fits || (result.tight && result.tight->stepTime <= time))
    return;
  Outcome outcome = training::stepOutcome(train, costs, std::move(step), model, strategy);
  result.tight =
      StrategyPoint{outcome.training->strategy, time, static_cast<double>(outcome.cost.peakMemory),
                    /*energy=*/-1};
}

bool StrategyTrials::run(const Strategy &strategy, size_t number,
                         const training::ModelCosts &costs) {
  network.forgetUses();
  auto step = model.evaluate(costs, strategy);
  if (!step)
    return true;
  if (isRefused())
    return false;
  ++result.costed;
  if (step->fill > training::plannedShare) {
    keepTight(strategy, costs, std::move(*step));
    return true;
  }
  ++result.fitting;
  if (!training::checkRun(train, step->summary, diagnostics)) {
    stuck = step->summary;
    return true;
  }
  runs = true;
  Outcome outcome = training::stepOutcome(train, costs, std::move(*step), model, strategy);
  if (!conditionsNeedEnds || addEnds(strategy, outcome))
    rank(strategy, number, outcome);
  return true;
}

void StrategyTrials::rank(const Strategy &strategy, size_t place, Outcome &outcome) {
  names.outcome = &outcome;
  if (!fulfils())
    return;
  ++result.fulfilling;
  emit::ExpressionValue value = emit::evaluateExpression(goal, names);
  auto memory = static_cast<double>(outcome.cost.peakMemory);
  double time = outcome.training->stepTime;
  ranking.addToFront({{outcome.training->strategy, time, memory,
                       outcome.cost.energy.isGiven() ? outcome.cost.energy.known.central() : -1},
                      place});
  if (goalNeedsEnds && !conditionsNeedEnds) {
    bool isBeaten =
        isWorstEnd && value.number && value.number->toDouble() * sign() > ranking.value();
    if (isBeaten || !addEnds(strategy, outcome))
      return;
    value = emit::evaluateExpression(goal, names);
  }
  if (!value.number) {
    withoutValue = !value.unknownName.empty()
                       ? fmt::format("a step has no metric `{}`", value.unknownName)
                   : value.truth ? "it is true or false"
                                 : value.notGiven;
    return;
  }
  double number = value.number->toDouble();
  result.isConstant &= result.fulfilling == 1 || number == firstValue;
  if (result.fulfilling == 1)
    firstValue = number;
  if (!ranking.isBest(number * sign(), place, time, memory))
    return;
  result.best = strategy;
  result.value = number;
}
