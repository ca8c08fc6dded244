// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/strategy/TrainSearch.h"

#include "backends/mapper/strategy/StrategyQueue.h"
#include "ir/common/diagnostics/Training.h"
#include "ir/op/OpOps.h"
#include "ir/study/SearchOps.h"
#include "passes/training/TrainingGraph.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::mapper;
using passes::Strategy;
using training::ModelCosts;
using training::StepBound;

//===-- Divisions of the model
//----------------------------------------------------------------------===//

bool TrainSearch::isOutOfTime(double share) const {
  double within = settings.within.getValueOr(study::partOf<study::GoalOp>(train).within());
  return isStopped() ||
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
             share * within;
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
  if (capacity <= 0 || isExhaustive)
    return false;
  double element = bitsOf(division.dtype) / 8.0;
  double ranks = static_cast<double>(network.chips());
  double parts = division.shard.parameters
                     ? ranks
                     : std::min(ranks, static_cast<double>(division.tensor * division.expert) *
                                           static_cast<double>(std::max<int64_t>(1, layers)));
  return weights * element / parts > capacity;
}

/// What `strategy` costs; nothing after a report.
llvm::Optional<ModelCosts> TrainSearch::costsOf(const Strategy &strategy) {
  auto lowered =
      withStrategy(module, train.symbol(), strategy, diagnostics, /*withSchedules=*/false);
  if (!lowered)
    return llvm::None;
  return training::modelCosts(*lowered, *lowered->lookup(train.symbol()), providers, diagnostics);
}

/// Divisions that the model's extents do not allow are none: what they report is forgotten.
void TrainSearch::lower(Division &division) {
  if (division.isLowered)
    return;
  division.isLowered = true;
  size_t reported = diagnostics.all().size();
  const Strategy &first = division.families.front().strategy;
  division.costs = costsOf(first);
  diagnostics.truncate(reported);
  if (!division.costs) {
    if (!refused)
      refused = first;
    return;
  }
  training::dropKernels(*division.costs);
  division.least = training::leastCosts(*division.costs, 1);
}

/// Of the time for the search: what is left is for strategies.
static constexpr double shareOfGuesses = 0.25;

/// Bounds of the families of divisions that differ in the microbatch alone, from the largest one.
void TrainSearch::guess(llvm::ArrayRef<size_t> alike) {
  auto microbatch = [&](size_t number) { return divisions[number].strategy.microbatch; };
  size_t largest = *std::max_element(alike.begin(), alike.end(), [&](size_t a, size_t b) {
    return microbatch(a) < microbatch(b);
  });
  bool hasBounds =
      isMonotone && !isExhaustive && network.isUniform() && !isOutOfTime(shareOfGuesses);
  if (hasBounds)
    lower(divisions[largest]);
  for (size_t number : alike) {
    Division &division = divisions[number];
    llvm::Optional<ModelCosts> least;
    if (hasBounds && divisions[largest].costs)
      least = training::leastCosts(*divisions[largest].costs,
                                   static_cast<double>(microbatch(number)) /
                                       static_cast<double>(microbatch(largest)));
    size_t first = division.firstNumber;
    for (size_t family = 0; family < division.families.size(); ++family) {
      const StrategySpace::Family &one = division.families[family];
      Entry entry{Stage::Guess, {}, first, number, family};
      first += one.variants->size();
      if (auto bound = least ? trials.model.leastStep(*least, one.strategy, one.variants)
                             : llvm::Optional<StepBound>())
        entry.bound = *bound;
      push(entry);
    }
  }
}

void TrainSearch::addDivisions() {
  using Key = std::tuple<passes::Recompute, int64_t, int64_t, int64_t, bool>;
  std::map<Key, std::vector<size_t>> alike;
  for (Strategy &strategy : space.divisions()) {
    Division division{strategy, space.families(strategy, layers), result.counts.all};
    size_t size = 0;
    for (const StrategySpace::Family &family : division.families)
      size += family.variants->size();
    result.counts.all += size;
    if (size == 0)
      continue;
    if (cannotFit(strategy)) {
      result.counts.unfit += size;
      continue;
    }
    alike[{strategy.recompute, strategy.context, strategy.tensor, strategy.expert,
           strategy.sequence}]
        .push_back(divisions.size());
    divisions.push_back(std::move(division));
  }
  for (const auto &[key, numbers] : alike)
    guess(numbers);
}

//===-- The queue
//-----------------------------------------------------------------------------------===//

size_t TrainSearch::sizeOf(const Entry &entry) const {
  return entry.stage == Stage::Variant
             ? 1
             : divisions[entry.division].families[entry.family].variants->size();
}

/// The least bound first and those without one last; of equal ones the first in the order of the
/// space.
bool TrainSearch::isBefore(const Entry &a, const Entry &b) const {
  bool isLastA = a.bound.time == 0, isLastB = b.bound.time == 0;
  return std::tie(isLastA, a.bound.time, a.bound.memory, a.number) <
         std::tie(isLastB, b.bound.time, b.bound.memory, b.number);
}

void TrainSearch::push(Entry entry) {
  if (!entry.bound.fits && !isExhaustive) {
    result.counts.unfit += sizeOf(entry);
    unfit.push_back(entry);
    return;
  }
  entries.push_back(entry);
  std::push_heap(entries.begin(), entries.end(),
                 [&](const Entry &a, const Entry &b) { return isBefore(b, a); });
}

TrainSearch::Entry TrainSearch::pop() {
  std::pop_heap(entries.begin(), entries.end(),
                [&](const Entry &a, const Entry &b) { return isBefore(b, a); });
  Entry entry = entries.back();
  entries.pop_back();
  return entry;
}

/// Puts the strategies of a family into the queue, each with its own bound.
void TrainSearch::expand(const Entry &entry) {
  const Division &division = divisions[entry.division];
  const StrategySpace::Family &family = division.families[entry.family];
  for (size_t variant = 0; variant < family.variants->size(); ++variant) {
    Entry one = entry;
    one.stage = Stage::Variant;
    one.variant = variant;
    one.number += variant;
    Strategy strategy = family.variants->fill(family.strategy, variant);
    auto bound = trials.model.leastStep(*division.least, strategy);
    one.bound = bound.getValueOr(StepBound());
    bool isOpen = strategy.pipeline > 1 && strategy.stages.empty();
    result.isBounded &= !isOpen || bound.hasValue();
    if (isOpen && bound)
      result.bound = std::min(result.bound, bound->time);
    push(one);
  }
}

/// Runs, bounds or leaves out what is first in the queue.
void TrainSearch::look(Entry entry) {
  Division &division = divisions[entry.division];
  const StrategySpace::Family &family = division.families[entry.family];
  if (!isExhaustive && trials.ranking.isBeaten(entry.bound)) {
    result.counts.beaten += sizeOf(entry);
    return;
  }
  if (entry.stage == Stage::Variant)
    return tryVariant(entry);
  lower(division);
  if (!division.costs) {
    result.counts.impossible += sizeOf(entry);
    return;
  }
  if (entry.stage == Stage::Family || family.variants->size() == 1 || !network.isUniform())
    return expand(entry);
  entry.stage = Stage::Family;
  entry.bound = trials.model.leastStep(*division.least, family.strategy, family.variants)
                    .getValueOr(StepBound());
  push(entry);
}

//===-- Strategies
//----------------------------------------------------------------------------------===//

void TrainSearch::tryVariant(const Entry &entry) {
  const Division &division = divisions[entry.division];
  const StrategySpace::Family &family = division.families[entry.family];
  Strategy strategy = family.variants->fill(family.strategy, entry.variant);
  if (strategy.pipeline > 1 && strategy.stages.empty())
    if (auto stages = trials.model.mixedStages(*division.least, strategy))
      return tryStages(strategy, entry, *stages);
  result.counts.tried += trials.run(strategy, entry.number, *division.costs);
}

/// `strategy` with even stages, and with those whose slowest is fastest.
void TrainSearch::tryStages(const Strategy &strategy, const Entry &entry,
                            llvm::ArrayRef<training::MixedStage> stages) {
  const ModelCosts &costs = *divisions[entry.division].costs;
  std::vector<int64_t> kinds;
  for (const training::GraphCost::Layers &layer : costs.forward().layers)
    kinds.push_back(layer.count);
  int64_t microbatches = strategy.batch / (strategy.data * strategy.microbatch);
  std::vector<int64_t> even = passes::evenStages(strategy, costs.forward().layerCount());
  std::vector<int64_t> balanced =
      kinds.size() == 1
          ? training::balancedStages(training::linesOf(stages), costs.forward().layerCount())
          : training::balancedStages(stages, kinds);
  bool isTried = false, isBeaten = false;
  for (const std::vector<int64_t> *counts : {&even, &balanced}) {
    if (counts->empty() || (counts == &balanced && balanced == even))
      continue;
    StepBound bound = entry.bound;
    auto [time, most] =
        training::leastOfDivision(stages, kinds, *counts, microbatches, strategy.schedule);
    bound.time = std::max(bound.time, time * trials.model.measured());
    bound.memory = std::max(bound.memory, most);
    if (!isExhaustive && trials.ranking.isBeaten(bound)) {
      isBeaten = true;
      continue;
    }
    Strategy one = strategy;
    if (counts == &balanced)
      one.stages = balanced;
    if (!trials.run(one, entry.number, costs))
      return;
    isTried = true;
  }
  ++(isTried ? result.counts.tried : isBeaten ? result.counts.beaten : result.counts.unfit);
}

/// Of what bounds leave out for its memory, some that may fit where all of it is filled: a result
/// names the fastest of these.
void TrainSearch::tryTight() {
  constexpr size_t mostTried = 16;
  std::sort(unfit.begin(), unfit.end(),
            [&](const Entry &a, const Entry &b) { return isBefore(a, b); });
  if (unfit.size() > mostTried)
    unfit.resize(mostTried);
  for (const Entry &entry : unfit) {
    Division &division = divisions[entry.division];
    if (isOutOfTime())
      return;
    lower(division);
    const StrategySpace::Family &family = division.families[entry.family];
    Strategy strategy = family.variants->fill(family.strategy, family.variants->size() - 1);
    auto step = division.costs ? trials.model.evaluate(*division.costs, strategy)
                               : llvm::Optional<training::Step>();
    if (step && step->fill > training::plannedShare)
      trials.keepTight(strategy, *division.costs, std::move(*step));
  }
}

/// What the search has come to, with what it had no time for.
void TrainSearch::finish() {
  for (const Entry &entry : entries) {
    result.counts.left += sizeOf(entry);
    result.bound = std::min(result.bound, entry.bound.time);
  }
  result.isProven = entries.empty();
  result.front = trials.ranking.front();
  result.isBounded &= result.isTimed;
  if (!result.isTimed || (result.tight && result.tight->stepTime >= trials.ranking.time()))
    result.tight = llvm::None;
  result.gap = std::max(0.0, trials.ranking.time() / result.bound - 1);
}

/// Degrees divide the chips, microbatches the batch: these are tried one by one up to their roots.
bool TrainSearch::checkSize() {
  constexpr int64_t most = int64_t(1) << 40;
  for (auto [what, size] :
       {std::make_pair("chips", network.chips()), std::make_pair("samples", asked.batch)}) {
    if (size <= most)
      continue;
    diagnostics.report(train.range(), diag::BadTrainValue,
                       fmt::format("{} {} are more than a search divides: {}", size, what, most));
    return false;
  }
  return true;
}

void TrainSearch::showProgress() {
  const StrategyCounts &counts = result.counts;
  size_t settled = counts.tried + counts.unfit + counts.beaten + counts.impossible;
  for (const auto &[why, count] : counts.refused)
    settled += count;
  SearchProgress progress{static_cast<int64_t>(settled), static_cast<int64_t>(counts.all), {}};
  if (trials.ranking.hasBest() && trials.ranking.time() != shownTime) {
    shownTime = trials.ranking.time();
    progress.best = loopnest::Score{0, shownTime};
  }
  if (settings.onProgress)
    settings.onProgress(progress);
}

llvm::Optional<TrainSearchResult> TrainSearch::run() {
  if (!trials.readGoal() || !network.readFaults(train.range()))
    return llvm::None;
  network.readAlgorithms(train);
  const ir::Operation *subject = module.lookup(train.symbolAttr("subject"));
  countModel(subject->body(), 1);
  if (!passes::checkLayers(*subject, layers, diagnostics) || !checkSize())
    return llvm::None;
  capacity = trials.model.largestCapacity();
  result.isLimited = capacity > 0;
  memory = trials.model.memoryName().str();
  isMonotone = !training::Runtime::read(train).usesTiles;
  addDivisions();
  while (!entries.empty() && !isOutOfTime()) {
    size_t reported = diagnostics.all().size();
    look(pop());
    diagnostics.truncate(reported);
    showProgress();
  }
  size_t reported = diagnostics.all().size();
  tryTight();
  diagnostics.truncate(reported);
  result.isStopped = isStopped();
  finish();
  if (!trials.ranking.hasBest()) {
    reportNothing();
    return llvm::None;
  }
  return std::move(result);
}

llvm::Optional<TrainSearchResult>
mapper::searchStrategies(const ir::Module &module, const ir::Operation &train,
                         ProviderSet &providers, const emit::MetricNames &names,
                         const SearchSettings &settings, DiagnosticEngine &diagnostics) {
  return TrainSearch(module, train, providers, names, settings, diagnostics).run();
}
