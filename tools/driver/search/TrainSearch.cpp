// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/search/TrainSearch.h"

#include "backends/core/UncertainInputs.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/op/OpOps.h"
#include "ir/study/SearchOps.h"
#include "tools/driver/search/StrategySpace.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <limits>

using namespace perfc;
using namespace perfc::driver;
using passes::Strategy;

namespace {

class TrainSearch {
public:
  TrainSearch(const ir::Module &module, const ir::Operation &train, ProviderSet &providers,
              const emit::MetricNames &names, DiagnosticEngine &diagnostics)
      : module(module), train(train), providers(providers), names(names), diagnostics(diagnostics),
        asked(passes::readStrategy(ir::as<study::TrainOp>(train))),
        network(*module.lookup(train.symbolAttr("on")), providers, diagnostics),
        space(module, train, asked, network, diagnostics) {}

  llvm::Optional<TrainSearchResult> run();

private:
  bool readGoal();
  void countModel(const ir::Region &region, double times);
  bool cannotFit(const Strategy &division) const;
  llvm::Optional<training::ModelCosts> costsOf(const Strategy &strategy,
                                               std::unique_ptr<ir::Module> &lowered);
  void tryDivision(const Strategy &division);
  void tryPipeline(const Strategy &strategy, const training::ModelCosts &costs,
                   training::StepModel &model);
  struct Tried {
    bool isRefused = false; ///< by the algorithms of `with`
    bool fits = false;
    double time = std::numeric_limits<double>::infinity(); ///< of the step, if it fits
    double working =
        0; ///< of a mean stage: what no division of the layers among equal chips changes
  };
  Tried tryStrategy(const Strategy &strategy, const training::ModelCosts &costs,
                    training::StepModel &model);
  bool isRefused();
  bool addEnds(const Strategy &strategy, Cost &cost);
  void addToFront(const Cost &cost, const std::string &text);
  bool isOutOfTime() const;
  /// Makes the goal's value one that is better the smaller it is.
  double sign() const { return maximizes ? -1 : 1; }
  void reportNothing();

  const ir::Module &module;
  const ir::Operation &train;
  ProviderSet &providers;
  emit::MetricNames names;
  DiagnosticEngine &diagnostics;
  Strategy asked;
  training::AxisNetwork network;
  StrategySpace space;
  ir::Attribute goal;
  bool maximizes = false, boundsTime = false;
  bool goalNeedsEnds = false, conditionsNeedEnds = false; ///< are about ends of intervals
  bool isWorstEnd = false; ///< of the goal's metric, which is no better than its centre
  double measured = 1;     ///< what the runtime makes of the time that the model gives
  double weights = 0;      ///< elements
  double capacity = 0;
  int64_t layers = 0;
  std::string memory;
  std::string withoutValue; ///< why the goal or a condition has none in a strategy that fits
  llvm::Optional<Strategy> refused;      ///< one that the model does not allow
  llvm::Optional<TrainingSummary> stuck; ///< of one that fits, but that failures leave no time
  bool runs = false;                     ///< one that fits gets somewhere
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  TrainSearchResult result;
  double bestValue = std::numeric_limits<double>::infinity();
  double bestTime = std::numeric_limits<double>::infinity();
  double leastMemory = std::numeric_limits<double>::infinity();
};

} // namespace

bool TrainSearch::isOutOfTime() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
         study::searchTime(ir::as<study::TrainOp>(train));
}

bool TrainSearch::readGoal() {
  const ir::AttrDict &settings = train.dictAttr("settings");
  const ir::Attribute *least = settings.find("minimize"), *most = settings.find("maximize");
  if (!least && !most) {
    diagnostics.report(train.range(), diag::HolesWithoutGoal);
    return false;
  }
  maximizes = !least;
  goal = (least ? least : most)->asList().front();
  bool isName = goal.is(ir::AttrKind::String);
  std::string word = maximizes ? "maximize" : "minimize",
              text = isName ? goal.asString().str() : "";
  SourceRange written = passes::rangeOf(train, word, diagnostics);
  result.goal = isName ? word + " " + text : diagnostics.sourceManager().text(written).str();
  boundsTime = (!maximizes && (text == "step_time" || text == "latency")) ||
               (maximizes && (text == "mfu" || text == "tokens_per_s"));
  const ir::Attribute *conditions = settings.find("require");
  goalNeedsEnds = emit::asksForEnds(goal, names);
  conditionsNeedEnds = conditions && emit::asksForEnds(*conditions, names);
  isWorstEnd = llvm::StringRef(text).endswith(maximizes ? ".lower" : ".upper");
  measured = training::Runtime::read(train).measured;
  return true;
}

void TrainSearch::countModel(const ir::Region &region, double times) {
  for (const ir::Operation &op : region) {
    if (auto repeat = ir::as<op::RepeatOp>(op)) {
      layers += repeat.count();
      countModel(op.body(), times * static_cast<double>(repeat.count()));
    }
    if (auto call = ir::as<op::CallOp>(op))
      countModel(ir::resolve(op, call.graph())->body(), times);
    if (auto tensor = ir::as<op::TensorOp>(op); tensor && tensor.kind() == "weight")
      weights += times * static_cast<double>(op.result().type().elements().getValueOr(0));
  }
}

/// True when parameters, gradients and optimizer state alone are too much even with a stage per
/// layer.
bool TrainSearch::cannotFit(const Strategy &division) const {
  if (capacity <= 0)
    return false;
  double element = bitsOf(division.dtype) / 8.0;
  double ranks = static_cast<double>(network.chips());
  double parts = division.shard.parameters
                     ? ranks
                     : std::min(ranks, static_cast<double>(division.tensor * division.expert) *
                                           static_cast<double>(std::max<int64_t>(1, layers)));
  return weights * element / parts > capacity;
}

/// What `strategy` costs with its intervals; false when it does not run by itself.
bool TrainSearch::addEnds(const Strategy &strategy, Cost &cost) {
  auto filled = withStrategy(module, train.symbol(), strategy, diagnostics);
  ir::Operation *statement = filled ? filled->lookup(train.symbol()) : nullptr;
  if (!statement)
    return false;
  auto whole = withEnds(*filled, *statement, diagnostics, [&] {
    return training::evaluateTraining(*filled, *statement, providers, diagnostics);
  });
  if (whole)
    cost = std::move(*whole);
  return whole.hasValue();
}

void TrainSearch::addToFront(const Cost &cost, const std::string &text) {
  StrategyPoint entry{text, cost.training->stepTime, static_cast<double>(cost.peakMemory),
                      cost.energy.isGiven() ? cost.energy.known.central() : -1};
  for (const auto &known : result.front)
    if (known.stepTime <= entry.stepTime && known.memory <= entry.memory)
      return;
  llvm::erase_if(result.front, [&](const StrategyPoint &known) {
    return known.stepTime >= entry.stepTime && known.memory >= entry.memory;
  });
  result.front.push_back(std::move(entry));
}

/// `strategy` with even stages, and with those whose slowest is fastest unless a bound shows that
/// no division of the layers beats what is known.
void TrainSearch::tryPipeline(const Strategy &strategy, const training::ModelCosts &costs,
                              training::StepModel &model) {
  Tried even = tryStrategy(strategy, costs, model);
  result.fitting += even.fits;
  bool isUniform = costs.kinds.size() == 1 && !network.hasFaults();
  if (even.isRefused || strategy.pipeline == 1 || !strategy.stages.empty() ||
      (boundsTime && isUniform && even.working >= bestTime))
    return;
  double bound = 0;
  int64_t microbatches = strategy.batch / (strategy.data * strategy.microbatch);
  Strategy balanced = strategy;
  if (auto lines = model.stageLines(costs, strategy)) {
    bound = training::leastPipelineTime(*lines, layers, microbatches, strategy.schedule);
    balanced.stages = training::balancedStages(*lines, layers);
  } else if (auto stages = model.mixedStages(costs, strategy)) {
    std::vector<int64_t> kinds;
    for (const training::GraphCost::Layers &entry : costs.forward().layers)
      kinds.push_back(entry.count);
    bound = training::leastPipelineTime(*stages, kinds, microbatches, strategy.schedule);
    balanced.stages = training::balancedStages(*stages, kinds);
  } else {
    result.isBounded = false; // other divisions of such layers are not tried
    return;
  }
  bound *= measured;
  result.bound = std::min(result.bound, bound);
  if (bound >= even.time || (boundsTime && bound >= bestTime))
    return;
  if (!balanced.stages.empty())
    result.fitting += tryStrategy(balanced, costs, model).fits && !even.fits;
}

/// True, counted, where the step that was just evaluated cannot have the algorithms of `with`.
bool TrainSearch::isRefused() {
  std::string why = network.refusedAlgorithm().str();
  if (llvm::StringRef unused = network.unusedAlgorithm(); why.empty() && !unused.empty())
    why = fmt::format("no collective runs `{}`", unused);
  if (!why.empty())
    ++result.refused[why];
  return !why.empty();
}

TrainSearch::Tried TrainSearch::tryStrategy(const Strategy &strategy,
                                            const training::ModelCosts &costs,
                                            training::StepModel &model) {
  std::string problem;
  Tried tried;
  network.forgetUses();
  auto step = model.evaluate(costs, strategy, problem);
  if (!step)
    return tried;
  if (isRefused()) {
    tried.isRefused = true;
    return tried;
  }
  const TrainingSummary &summary = step->summary;
  tried.working = summary.pipelineTime - summary.bubble * summary.stepTime;
  // How much of what stages send gradients of weights run beside depends on the layers.
  if (strategy.schedule == passes::ScheduleKind::ZeroBubble)
    for (const CommunicationTime &entry : summary.communication)
      tried.working -= entry.name == training::sendName ? entry.exposed : 0;
  tried.working *= measured;
  ++result.costed;
  for (const StageMemory &stage : step->summary.stages)
    leastMemory = std::min(leastMemory, stage.total());
  if (step->fill > training::plannedShare)
    return tried;
  tried.fits = true;
  if (!training::checkRun(train, summary, diagnostics)) {
    stuck = summary;
    return tried;
  }
  runs = true;
  Cost cost = training::stepCost(train, costs, std::move(*step), model, strategy);
  if (conditionsNeedEnds && !addEnds(strategy, cost))
    return tried;
  names.cost = &cost;
  if (const ir::Attribute *conditions = train.dictAttr("settings").find("require"))
    for (const ir::Attribute &condition : conditions->asList()) {
      emit::ExpressionValue value = emit::evaluateExpression(condition, names);
      if (!value.truth)
        withoutValue = value.notGiven;
      if (!value.truth.getValueOr(false))
        return tried;
    }
  ++result.fulfilling;
  emit::ExpressionValue value = emit::evaluateExpression(goal, names);
  addToFront(cost, cost.training->strategy);
  tried.time = cost.training->stepTime;
  if (goalNeedsEnds && !conditionsNeedEnds) {
    bool isBeaten = isWorstEnd && value.number && value.number->toDouble() * sign() >= bestValue;
    if (isBeaten || !addEnds(strategy, cost))
      return tried;
    value = emit::evaluateExpression(goal, names);
  }
  if (!value.number) {
    withoutValue = !value.unknownName.empty()
                       ? fmt::format("a step has no metric `{}`", value.unknownName)
                   : value.truth ? "it is true or false"
                                 : value.notGiven;
    return tried;
  }
  double number = value.number->toDouble() * sign();
  if (number >= bestValue)
    return tried;
  bestValue = number;
  bestTime = tried.time;
  result.best = strategy;
  result.value = value.number->toDouble();
  return tried;
}

/// What `strategy` costs, `lowered` for it; nothing after a report.
llvm::Optional<training::ModelCosts> TrainSearch::costsOf(const Strategy &strategy,
                                                          std::unique_ptr<ir::Module> &lowered) {
  lowered = withStrategy(module, train.symbol(), strategy, diagnostics, /*withSchedules=*/false);
  if (!lowered)
    return llvm::None;
  return training::modelCosts(*lowered, *lowered->lookup(train.symbol()), providers, diagnostics);
}

void TrainSearch::tryDivision(const Strategy &division) {
  std::vector<Strategy> list = space.completions(division, layers);
  result.strategies += list.size();
  if (list.empty())
    return;
  ++result.divisions;
  // A division that is slower at best may still be the best for its memory.
  if (cannotFit(division)) {
    ++result.prunedDivisions;
    return;
  }
  if (isOutOfTime()) {
    result.isProven = false;
    return;
  }
  // Divisions that the model's extents do not allow are none: what they report is forgotten.
  size_t reported = diagnostics.all().size();
  std::unique_ptr<ir::Module> lowered;
  if (auto costs = costsOf(list.front(), lowered)) {
    training::StepModel model(*lowered, *lowered->lookup(train.symbol()), network);
    for (const Strategy &strategy : list) {
      if (isOutOfTime()) {
        result.isProven = false;
        break;
      }
      tryPipeline(strategy, *costs, model);
    }
  } else if (!refused) {
    refused = list.front();
  }
  diagnostics.truncate(reported);
}

llvm::Optional<TrainSearchResult> TrainSearch::run() {
  if (!readGoal() || !network.readFaults(train.range()))
    return llvm::None;
  network.readAlgorithms(train);
  const ir::Operation *subject = module.lookup(train.symbolAttr("subject"));
  countModel(subject->body(), 1);
  training::StepModel model(module, train, network);
  capacity = model.largestCapacity();
  memory = model.memoryName().str();
  for (const Strategy &division : space.divisions())
    tryDivision(division);
  llvm::sort(result.front, [](const auto &a, const auto &b) { return a.stepTime < b.stepTime; });
  if (bestValue == std::numeric_limits<double>::infinity()) {
    reportNothing();
    return llvm::None;
  }
  result.isBounded &= boundsTime && result.isProven;
  result.gap = std::max(0.0, bestTime / result.bound - 1);
  return std::move(result);
}

/// Why there is no best strategy: the first thing that all of them lack.
void TrainSearch::reportNothing() {
  if (result.costed == 0 && result.prunedDivisions == 0 && result.refused.empty() && refused) {
    std::unique_ptr<ir::Module> lowered;
    size_t errors = diagnostics.errorCount();
    costsOf(*refused, lowered);
    if (diagnostics.errorCount() != errors) // it says why
      return;
  }
  if (result.fitting == 0 && !result.isProven) {
    diagnostics
        .report(train.range(), diag::NoStrategyFound,
                fmt::format("the search ended after {} of {}, and none of these fits",
                            result.costed, counted(result.strategies, "strategy")))
        .help("a longer `within`");
  } else if (result.strategies == 0) {
    diagnostics
        .report(train.range(), diag::NoStrategyFound,
                fmt::format("no strategy uses all {} on a batch of {}",
                            counted(network.chips(), "chip"), asked.batch))
        .help("the product of the degrees is the number of chips, and `data` times `microbatch` "
              "divides the batch");
  } else if (result.costed == 0 && !result.refused.empty()) {
    const std::string &why = result.refused.begin()->first;
    diagnostics.report(train.range(), diag::NoStrategyFound,
                       fmt::format("`with` cannot be chosen in any strategy: {}", why));
  } else if (result.fitting == 0) {
    diagnostics
        .report(train.range(), diag::NoStrategyFits,
                result.strategies == 1
                    ? "the only strategy does not fit"
                    : fmt::format("none of {} fits", counted(result.strategies, "strategy")),
                memory, formatEngineering(capacity, Dimension(BaseUnit::Byte)))
        .note(fmt::format("a search fills {:.0f} % of a memory at the most",
                          100 * training::plannedShare))
        .help(asked.shard.parameters ? "more chips, or `recompute any` if it is not there yet"
                                     : "`shard optimizer` or `shard parameters` divides the state");
  } else if (stuck && !runs) {
    training::checkRun(train, *stuck, diagnostics);
  } else if (result.fulfilling == 0) {
    diagnostics.report(passes::rangeOf(train, "require", diagnostics), diag::NoStrategyFound,
                       fmt::format("{} `require`{}{}",
                                   result.fitting == 1
                                       ? "the only strategy that fits does not fulfil"
                                       : fmt::format("none of the {} that fit fulfils",
                                                     counted(result.fitting, "strategy")),
                                   withoutValue.empty() ? "" : ": ", withoutValue));
  } else {
    diagnostics.report(passes::rangeOf(train, maximizes ? "maximize" : "minimize", diagnostics),
                       diag::NoStrategyFound,
                       fmt::format("`{}` has no value to compare: {}", result.goal, withoutValue));
  }
}

llvm::Optional<TrainSearchResult> driver::searchStrategies(const ir::Module &module,
                                                           const ir::Operation &train,
                                                           ProviderSet &providers,
                                                           const emit::MetricNames &names,
                                                           DiagnosticEngine &diagnostics) {
  return TrainSearch(module, train, providers, names, diagnostics).run();
}
