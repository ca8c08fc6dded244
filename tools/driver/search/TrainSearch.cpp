// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/search/TrainSearch.h"

#include "ir/common/diagnostics/Training.h"
#include "ir/op/OpOps.h"
#include "ir/study/AllOps.h"
#include "passes/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <iterator>
#include <limits>

using namespace perfc;
using namespace perfc::driver;
using passes::Recompute;
using passes::Strategy;

std::unique_ptr<ir::Module> driver::withStrategy(const ir::Module &module, llvm::StringRef train,
                                                 const Strategy &strategy,
                                                 DiagnosticEngine &diagnostics) {
  auto copy = std::make_unique<ir::Module>();
  ir::ValueMap map;
  for (const ir::Operation &op : module.body())
    if (!op.name().startswith("study.") || op.symbol() == train)
      op.clone(copy->body(), map);
  ir::Operation *filled = copy->lookup(train);
  passes::writeStrategy(strategy, *filled);
  passes::PassContext context{diagnostics, allOps()};
  const ir::Attribute *provider = filled->dictAttr("settings").find("using");
  bool usesTiles = provider && provider->asString() == "tile";
  passes::PassManager manager(*passes::pipelineTo(usesTiles ? "tile" : "op"));
  return manager.run(*copy, context) ? std::move(copy) : nullptr;
}

static std::vector<int64_t> divisors(int64_t number) {
  std::vector<int64_t> list;
  for (int64_t i = 1; i <= number && i <= 4096; ++i)
    if (number % i == 0)
      list.push_back(i);
  return list;
}

namespace {

class TrainSearch {
public:
  TrainSearch(const ir::Module &module, const ir::Operation &train, ProviderSet &providers,
              const emit::MetricNames &names, DiagnosticEngine &diagnostics)
      : module(module), train(train), providers(providers), names(names), diagnostics(diagnostics),
        asked(passes::readStrategy(ir::as<study::TrainOp>(train))),
        network(*module.lookup(train.symbolAttr("on")), providers, diagnostics) {}

  llvm::Optional<TrainSearchResult> run();

private:
  bool readGoal();
  void countModel(const ir::Region &region, double times);
  std::vector<Strategy> divisions() const;
  std::vector<int64_t> shardGroups(const Strategy &strategy) const;
  std::vector<Strategy> completions(const Strategy &division);
  bool cannotFit(const Strategy &division) const;
  void tryDivision(const Strategy &division);
  void tryPipeline(const Strategy &strategy, const training::ModelCosts &costs,
                   training::StepModel &model);
  struct Tried {
    bool fits = false;
    double time = std::numeric_limits<double>::infinity(); ///< of the step, if it fits
    double working =
        0; ///< of a mean stage: what no division of the layers among equal chips changes
  };
  Tried tryStrategy(const Strategy &strategy, const training::ModelCosts &costs,
                    training::StepModel &model);
  void addToFront(const Cost &cost, const std::string &text);
  bool isOutOfTime() const;

  const ir::Module &module;
  const ir::Operation &train;
  ProviderSet &providers;
  emit::MetricNames names;
  DiagnosticEngine &diagnostics;
  Strategy asked;
  training::AxisNetwork network;
  ir::Attribute goal;
  bool maximizes = false, boundsTime = false;
  double within = std::numeric_limits<double>::infinity();
  double weights = 0; ///< elements
  double capacity = 0;
  int64_t layers = 0;
  std::string memory;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  TrainSearchResult result;
  double bestValue = std::numeric_limits<double>::infinity();
  double bestTime = std::numeric_limits<double>::infinity();
  double leastMemory = std::numeric_limits<double>::infinity();
};

} // namespace

bool TrainSearch::isOutOfTime() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > within;
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
  std::string text = goal.is(ir::AttrKind::String) ? goal.asString().str() : goal.text();
  result.goal = (maximizes ? "maximize " : "minimize ") + text;
  boundsTime = (!maximizes && (text == "step_time" || text == "latency")) ||
               (maximizes && (text == "mfu" || text == "tokens_per_s"));
  if (const ir::Attribute *limit = settings.find("within"))
    within = limit->asQuantity().toDouble();
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

/// How the model may be divided: tensor, expert, context, microbatch and recomputation.
std::vector<Strategy> TrainSearch::divisions() const {
  std::vector<int64_t> all = divisors(network.chips());
  auto choices = [&](int64_t degree, int64_t limit) {
    std::vector<int64_t> list;
    if (degree > 0)
      list.push_back(degree);
    else
      llvm::copy_if(all, std::back_inserter(list), [&](int64_t value) { return value <= limit; });
    return list;
  };
  std::vector<Recompute> modes;
  for (Recompute mode : {Recompute::None, Recompute::Selective, Recompute::Full})
    if (asked.recompute == Recompute::Any || mode == asked.recompute)
      modes.push_back(mode);
  if (modes.empty())
    modes.push_back(asked.recompute);
  std::vector<int64_t> microbatches;
  if (asked.microbatch > 0) {
    microbatches.push_back(asked.microbatch);
  } else {
    for (int64_t size = 1; size <= 64 && asked.batch % size == 0; size *= 2)
      microbatches.push_back(size);
  }
  std::vector<Strategy> list;
  for (Recompute mode : modes)
    for (int64_t microbatch : microbatches)
      for (int64_t context : choices(asked.context, 64))
        for (int64_t tensor : choices(asked.tensor, 64))
          for (int64_t expert : choices(asked.expert, 512)) {
            Strategy strategy = asked;
            strategy.recompute = mode;
            strategy.microbatch = microbatch;
            strategy.context = context;
            strategy.tensor = tensor;
            strategy.sequence = asked.sequence && tensor > 1;
            strategy.expert = expert;
            list.push_back(std::move(strategy));
          }
  return list;
}

/// The ranks that may divide what is sharded: as asked, or all that leave whole groups.
std::vector<int64_t> TrainSearch::shardGroups(const Strategy &strategy) const {
  int64_t all = strategy.data * strategy.context;
  std::vector<int64_t> list = {asked.shard.ranks};
  if (asked.shard.ranks == 0) {
    list = divisors(all);
    if (list.back() != all)
      list.push_back(all);
  }
  llvm::erase_if(list, [&](int64_t ranks) {
    return ranks > 0 && (all % ranks || strategy.expertDomain() / strategy.expert % (all / ranks));
  });
  return list;
}

/// The pipelines and data-parallel degrees that use all chips with `division`.
std::vector<Strategy> TrainSearch::completions(const Strategy &division) {
  std::vector<Strategy> list;
  int64_t inner = division.tensor * division.context;
  if (network.chips() % inner)
    return list;
  for (int64_t pipeline : divisors(network.chips() / inner)) {
    if (pipeline > layers || (asked.pipeline > 0 && pipeline != asked.pipeline))
      continue;
    Strategy strategy = division;
    strategy.pipeline = pipeline;
    strategy.data = network.chips() / inner / pipeline;
    bool matches = asked.data == 0 || strategy.data == asked.data;
    bool divides = strategy.expertDomain() % strategy.expert == 0 &&
                   strategy.batch % strategy.data == 0 &&
                   (strategy.batch / strategy.data) % strategy.microbatch == 0 &&
                   training::hasWholeRounds(strategy.schedule, pipeline,
                                            strategy.batch / (strategy.data * strategy.microbatch),
                                            strategy.chunks);
    if (!matches || !divides)
      continue;
    for (int64_t ranks : shardGroups(strategy)) {
      strategy.shard.ranks = ranks;
      llvm::append_range(list, training::nestingsOf(strategy, network));
    }
  }
  return list;
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
                                           static_cast<double>(layers));
  return weights * element / parts > capacity;
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
  if (strategy.pipeline == 1 || !strategy.stages.empty() ||
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
  result.bound = std::min(result.bound, bound);
  if (bound >= even.time || (boundsTime && bound >= bestTime))
    return;
  if (!balanced.stages.empty())
    result.fitting += tryStrategy(balanced, costs, model).fits && !even.fits;
}

TrainSearch::Tried TrainSearch::tryStrategy(const Strategy &strategy,
                                            const training::ModelCosts &costs,
                                            training::StepModel &model) {
  std::string problem;
  Tried tried;
  auto step = model.evaluate(costs, strategy, problem);
  if (!step)
    return tried;
  const TrainingSummary &summary = step->summary;
  tried.working = summary.pipelineTime - summary.bubble * summary.stepTime;
  ++result.costed;
  for (const StageMemory &stage : step->summary.stages)
    leastMemory = std::min(leastMemory, stage.total());
  if (step->fill > training::plannedShare)
    return tried;
  tried.fits = true;
  Cost cost = training::stepCost(train, costs, std::move(*step), model, strategy);
  names.cost = &cost;
  if (const ir::Attribute *conditions = train.dictAttr("settings").find("require"))
    for (const ir::Attribute &condition : conditions->asList())
      if (!emit::evaluateExpression(condition, names).truth.getValueOr(false))
        return tried;
  emit::ExpressionValue value = emit::evaluateExpression(goal, names);
  addToFront(cost, cost.training->strategy);
  tried.time = cost.training->stepTime;
  if (!value.number)
    return tried;
  double number = value.number->toDouble() * (maximizes ? -1 : 1);
  if (number >= bestValue)
    return tried;
  bestValue = number;
  bestTime = tried.time;
  result.best = strategy;
  result.value = value.number->toDouble();
  return tried;
}

void TrainSearch::tryDivision(const Strategy &division) {
  std::vector<Strategy> list = completions(division);
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
  Strategy whole = list.front();
  auto lowered = withStrategy(module, train.symbol(), whole, diagnostics);
  const ir::Operation *filled = lowered ? lowered->lookup(train.symbol()) : nullptr;
  auto costs =
      filled ? training::modelCosts(*lowered, *filled, providers, diagnostics) : llvm::None;
  if (costs) {
    training::StepModel model(*lowered, *filled, network);
    for (const Strategy &strategy : list)
      tryPipeline(strategy, *costs, model);
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
  for (const Strategy &division : divisions())
    tryDivision(division);
  llvm::sort(result.front, [](const auto &a, const auto &b) { return a.stepTime < b.stepTime; });
  if (result.fitting > 0) {
    result.isBounded &= boundsTime && result.isProven;
    result.gap = std::max(0.0, bestTime / result.bound - 1);
    return std::move(result);
  }
  diagnostics
      .report(train.range(), diag::NoStrategyFits, result.strategies, memory,
              formatEngineering(capacity, Dimension(BaseUnit::Byte)))
      .note(fmt::format("a search fills {:.0f} % of a memory at the most",
                        100 * training::plannedShare))
      .help(asked.shard.parameters ? "more chips, or `recompute any` if it is not there yet"
                                   : "`shard optimizer` or `shard parameters` divides the state");
  return llvm::None;
}

llvm::Optional<TrainSearchResult> driver::searchStrategies(const ir::Module &module,
                                                           const ir::Operation &train,
                                                           ProviderSet &providers,
                                                           const emit::MetricNames &names,
                                                           DiagnosticEngine &diagnostics) {
  return TrainSearch(module, train, providers, names, diagnostics).run();
}
