// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Serving.h"

#include "backends/core/AlikeRanks.h"
#include "backends/core/Evaluate.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

std::string Serving::strategyText() const {
  std::string text;
  for (const auto &pool : pools) {
    if (pools.size() > 1)
      text += (text.empty() ? "" : "; ") + pool->pool.phase().str() + ": ";
    text += pool->strategyText();
  }
  if (serve.admission() != "arrival")
    text += ", admission " + serve.admission().str();
  return text;
}

int64_t Serving::chips() const {
  int64_t sum = 0;
  for (const auto &pool : pools)
    sum += pool->model.chips;
  return sum;
}

/// The batches, and what each runs.
void Serving::summarizeBatches(SimulationResult &result) {
  if (!summary->toldBy.empty())
    return;
  for (const PoolResult &pool : result.pools)
    summary->batchCount += pool.batches;
  if (result.batches.empty()) { // too many to keep
    summary->batchSize = result.sizeTally.distribution();
    summary->batchTokens = result.tokenTally.distribution();
    summary->tbt = result.gapTally.distribution();
    return;
  }
  summary->tbt = Distribution::of(std::move(result.gaps));
  std::vector<double> sizes, tokens;
  for (const ServedBatch &batch : result.batches) {
    sizes.push_back(static_cast<double>(batch.requests));
    tokens.push_back(static_cast<double>(batch.promptTokens + batch.decodes + batch.guesses));
  }
  summary->batchSize = Distribution::of(std::move(sizes));
  summary->batchTokens = Distribution::of(std::move(tokens));
  summary->batches = std::move(result.batches);
  if (serve.isVidur()) {
    summary->nodesOf = [batches = summary->batches](size_t batch, size_t stage) {
      return std::vector<ServedNode>{{"kernels", "", batches[batch].seconds[stage]}};
    };
    return;
  }
  auto shapes = std::make_shared<std::vector<BatchShape>>(std::move(result.shapes));
  // Of one pool: traces of several have no order among each other.
  summary->nodesOf = [cost = pools.front()->model.cost, shapes](size_t batch, size_t stage) {
    return cost->nodesOf((*shapes)[batch], stage);
  };
}

/// What each pool has done.
void Serving::summarizePools(const SimulationResult &result) {
  int64_t copies = 0;
  for (size_t i = 0; i < pools.size(); ++i) {
    const Deployment &pool = *pools[i];
    const PoolResult &did = result.pools[i];
    ServedPool served = pool.summary;
    auto on = did.secondsOn;
    served.phase = pool.pool.phase().str();
    served.strategy = pool.strategyText();
    served.tensor = pool.model.tensor;
    served.stages = pool.model.stages;
    served.copies = pool.model.copies;
    served.firstCopy = copies;
    served.chips = pool.model.chips;
    served.batches = did.batches;
    served.busy = did.busy / (result.end * static_cast<double>(served.stages * served.copies));
    served.copiesOn = on / result.end;
    if (pool.limits.prefixBlocks >= 0) {
      auto looked = static_cast<double>(std::max<int64_t>(1, did.promptTokens));
      served.prefixHits = static_cast<double>(did.prefixTokens) / looked;
      served.tierHits = static_cast<double>(did.tierTokens) / looked;
    }
    if (served.blocks > 0) {
      auto blocks = static_cast<double>(served.blocks);
      served.usage = did.blockSeconds / (result.end * blocks * static_cast<double>(served.copies));
      served.peakUsage = static_cast<double>(did.peakBlocks) / blocks;
    }
    served.peakBlocks = (did.peakBlocks + pool.model.groups - 1) / pool.model.groups;
    served.blockTokens = pool.limits.blockTokens;
    served.holdsStates = pool.limits.perToken == 0;
    served.guessed = did.guessed;
    served.held = did.held;
    served.steps = did.steps;
    served.faults = did.faults;
    served.peak = pool.model.peak * static_cast<double>(pool.model.chips);
    served.capacity = pool.model.capacity;
    served.boundaryBytes = pool.model.boundaryBytes;
    copies += served.copies;
    summary->pools.push_back(std::move(served));
  }
}

void Serving::summarize(SimulationResult result, RequestTally requests) {
  summary->runTime = result.end;
  summary->strategy = strategyText();
  summarizePools(result);
  std::move(requests).fill(*summary);
  summarizeBatches(result);
  summary->transfers = result.transfers;
  summary->transferSeconds = result.transferSeconds;
  summary->transferWaiting = result.transferWaiting;
  if (pools.size() > 1)
    summary->transferBytes = static_cast<double>(result.movedTokens) *
                             std::min(pools[0]->cacheOfToken(), pools[1]->cacheOfToken());
}

namespace {

/// What a line of the report adds up; times are means over the stages.
struct LineItem {
  std::string label;
  PartKind kind;
  double seconds = 0, count = 0, flops = 0;
  double joules = 0; ///< as all of the breakdown, without an interval
  llvm::StringRef bound;
  std::vector<std::string> alike = {}; ///< axes along which ranks run it alike
};

} // namespace

/// Adds `item` to the line of its label, which a new one says of its energy like `energy`.
static void addLine(Cost &cost, const LineItem &item, const Figure &energy, SourceRange place) {
  auto line = llvm::find_if(cost.breakdown.children, [&](const CostPart &known) {
    return known.label == item.label && known.alike == item.alike;
  });
  if (line == cost.breakdown.children.end()) {
    cost.breakdown.children.emplace_back();
    line = std::prev(cost.breakdown.children.end());
    line->label = item.label;
    line->kind = item.kind;
    line->location = place;
    line->count = 0;
    line->bound = item.bound.str();
    line->alike = item.alike;
    line->energy = Figure(Uncertain(0));
    line->energy.missing = energy.missing;
  }
  line->latency += item.seconds;
  line->count += static_cast<int64_t>(std::llround(item.count));
  line->flops += item.flops;
  line->energy.known += item.joules;
}

/// A line per kernel and per kind of communication of a pool, or of its draft; times are means over
/// all chips. The seconds of all.
double Serving::addTotals(Cost &cost, const Deployment &pool, const BatchCost &of,
                          llvm::StringRef prefix, Figure &energy) const {
  const ServedModel &model = pool.model;
  double stageChips = static_cast<double>(model.stageChips()),
         share = stageChips / static_cast<double>(chips()), sum = 0;
  for (const ItemTotal &total : of.totals()) {
    bool isKernel = total.kind.empty();
    const char *axis = total.kind == "all_to_all" ? " expert" : " tensor";
    double seconds = total.seconds * share, flops = total.sum.parts[Point::Flops] * stageChips;
    Uncertain joules =
        of.energyOf(total) * (isKernel ? stageChips : static_cast<double>(model.groups));
    energy.known += joules;
    summary->flops += flops;
    if (!total.isTimed) // other lines have the time
      continue;
    bool isCompute = total.computeSeconds > total.memorySeconds;
    bool isLaunch = total.launchSeconds > std::max(total.computeSeconds, total.memorySeconds);
    llvm::StringRef bound = !isKernel          ? "network"
                            : total.isMeasured ? ""
                            : isLaunch         ? "launch"
                            : isCompute        ? "compute"
                                               : "memory";
    addLine(cost,
            {prefix.str() + (isKernel ? total.name : total.kind + axis),
             isKernel ? PartKind::Kernel : PartKind::Collective, seconds, total.runs * share, flops,
             joules.central(), bound, total.alike},
            energy, serve->range());
    if (isKernel && total.isMeasured)
      cost.addBound("measured", seconds);
    cost.addBound("compute", isKernel ? total.computeSeconds * share : 0);
    cost.addBound("memory", isKernel ? total.memorySeconds * share : 0);
    cost.addBound("launch", isKernel ? total.launchSeconds * share : 0);
    cost.addBound("network", isKernel ? 0 : seconds);
    cost.exposed += isKernel ? 0 : seconds;
    sum += seconds;
  }
  return sum;
}

int64_t Serving::batchesOf(const Deployment &pool) const {
  return (pool.pool.phase() == "decode" ? summary->pools.back() : summary->pools.front()).batches;
}

/// What stages of a pool pass on to each other; its seconds.
double Serving::addSends(Cost &cost, const Deployment &pool, llvm::StringRef prefix,
                         Figure &energy) const {
  const ServedModel &model = pool.model;
  auto share = static_cast<double>(model.stageChips()) / static_cast<double>(chips());
  double sends = model.cost->sendSeconds() * share;
  if (!(sends > 0))
    return 0;
  Figure joules = model.sendEnergy(model.cost->sentTokens()), owners = joules;
  owners.known = 0;
  energy += owners;
  energy.known += joules.known;
  auto batches = static_cast<double>(batchesOf(pool));
  addLine(cost,
          {prefix.str() + "send pipeline", PartKind::Collective, sends,
           batches * static_cast<double>(model.stages - 1) * share, 0, joules.known.central(),
           "network"},
          energy, serve->range());
  cost.addBound("network", sends);
  cost.exposed += sends;
  return sends;
}

/// What the software stack takes beside the kernels of a pool; its seconds.
double Serving::addStack(Cost &cost, const Deployment &pool, llvm::StringRef prefix,
                         const Figure &energy) const {
  double share = static_cast<double>(pool.model.stageChips()) / static_cast<double>(chips());
  double stack = pool.model.cost->stackSeconds() * share;
  if (stack == 0)
    return 0;
  addLine(cost,
          {prefix.str() + "stack", PartKind::Phase, stack,
           static_cast<double>(batchesOf(pool)) * share},
          energy, serve->range());
  cost.addBound("stack", stack);
  return stack;
}

/// Caches that move between pools run beside the batches: they take energy and no time of stages.
void Serving::addTransfers(Cost &cost, Figure &energy) {
  if (summary->transfers == 0)
    return;
  auto links = static_cast<double>(std::min(pools[0]->holders(), pools[1]->holders()));
  double tokens =
      summary->transferBytes / std::min(pools[0]->cacheOfToken(), pools[1]->cacheOfToken());
  const Cost *all = transferCost(tokens);
  if (!all)
    return;
  Figure joules = all->energy.times(links), owners = joules;
  owners.known = 0;
  energy += owners;
  energy.known += joules.known;
  addLine(cost,
          {"transfer of caches", PartKind::Collective, 0, static_cast<double>(summary->transfers),
           0, joules.known.central(), "network"},
          energy, serve->range());
}

/// Of a run that a tool tells of, the time is all that is known.
void Serving::addTold(Cost &cost) const {
  Figure energy = Figure::notGiven("tool", llvm::StringRef(summary->toldBy).rsplit(' ').second);
  addLine(cost, {"requests", PartKind::Phase, cost.latency.central(), 1}, energy, serve->range());
  cost.addBound(summary->toldBy, cost.latency);
  cost.work = llvm::None;
  cost.energy = energy;
  cost.leavesOutTraffic = cost.leavesOutMemories = true;
  cost.provenance = {summary->toldBy, summary->strategy, "what the tool says of each request", ""};
  cost.describe(PartKind::Program, serve.symbol(), serve->range());
}

/// What the run is made of.
void Serving::addItems(Cost &cost) {
  double left = cost.latency.central();
  Figure energy = pools.front()->model.energyOwners;
  for (size_t i = 1; i < pools.size(); ++i)
    energy += pools[i]->model.energyOwners;
  energy.known = 0;
  if (serve.isVidur()) {
    energy = Figure::notGiven("mode", "vidur");
    double seconds = summary->pools[0].busy * summary->runTime;
    addLine(cost, {"batches", PartKind::Phase, seconds, static_cast<double>(summary->batchCount)},
            energy, serve->range());
    cost.addBound("measured", seconds);
    left -= seconds;
  }
  for (const auto &pool : pools) {
    std::string prefix = pools.size() > 1 ? pool->pool.phase().str() + " " : "";
    size_t firstLine = cost.breakdown.children.size();
    double busy = addTotals(cost, *pool, *pool->model.cost, prefix, energy);
    if (const auto &draft = pool->model.draft)
      busy += addTotals(cost, *pool, *draft, prefix + "draft ", energy);
    busy += addSends(cost, *pool, prefix, energy) + addStack(cost, *pool, prefix, energy);
    left -= busy;
    noteAlikeRanks(cost, llvm::makeArrayRef(cost.breakdown.children).drop_front(firstLine), busy,
                   [&](llvm::StringRef axis) { return axis == "tensor" ? pool->model.tensor : 1; });
    cost.energy.isPartial = cost.energy.isPartial || pool->model.sources.isEnergyPartial;
  }
  addTransfers(cost, energy);
  if (left > 1e-12 * cost.latency.central()) {
    cost.idle = left;
    addLine(cost, {"waiting", PartKind::Phase, left, 1}, energy, serve->range());
    cost.addBound("waiting", cost.idle);
  }
  cost.work = llvm::None; // of kernels, only what limits each is known
  bool isPartial = cost.energy.isPartial;
  cost.energy = energy;
  cost.energy.isPartial = isPartial;
}

const char *Serving::timesNote() const {
  if (serve.isVidur())
    return "batches, times and the cache are those of VIDUR's model, defects included; it has no "
           "energy";
  if (pools.front()->model.table)
    return "layers take the times of the table; what stands before and behind them is ideal, and "
           "the host "
           "takes no time";
  if (study::findPart(*serve, study::RuntimeOp::opName))
    return "";
  if (!pools.front()->model.sources.libraries.empty())
    return "the host takes no time, since no runtime is given";
  return "the times are ideal: kernels reach the peaks of the chip and the host takes no time, "
         "since no runtime is given";
}

/// Says whose intervals those of times have.
void Serving::noteRuntime(Cost &cost) const {
  auto runtime = study::partOf<study::RuntimeOp>(*serve);
  if (study::findPart(*serve, study::RuntimeOp::opName) &&
      !StackFigures::of(*serve).measured.isCertain())
    cost.errors.addKnown("runs of `" + runtime.label().str() + "`");
}

Outcome Serving::outcome() {
  Outcome result;
  result.kind = ResultKind::Serving;
  result.readsFamilies = false;
  result.serving = summary;
  result.tokens = static_cast<double>(summary->outputTokens);
  result.price = priceOf(*serve);
  Cost &cost = result.cost;
  cost.latency = summary->runTime;
  cost.area = pools.front()->model.area;
  cost.chips = result.kernelChips = chips();
  if (!summary->toldBy.empty()) {
    addTold(cost);
    return result;
  }
  result.timeSources.emplace();
  std::vector<std::string> used, libraries;
  auto join = [](std::vector<std::string> &into, const std::vector<std::string> &more) {
    for (const std::string &one : more)
      if (!llvm::is_contained(into, one))
        into.push_back(one);
  };
  double peak = 0;
  for (const auto &pool : pools) {
    const ServedModel &model = pool->model;
    llvm::append_range(*result.timeSources, model.cost->timeSources());
    result.readsFamilies |= llvm::is_contained(model.sources.providers, "tile");
    cost.errors.add(model.sources.errors);
    if (model.table)
      cost.errors.addUnknown("kernels");
    cost.errors.add(model.errors);
    peak += model.peak * static_cast<double>(model.chips);
    join(used, model.sources.providers);
    join(libraries, model.sources.libraries);
    for (const std::string &note : model.sources.notes)
      cost.addNote(note);
    if (pool->limits.prefixBlocks >= 0 && pool->limits.fixedTokens > 0)
      cost.addNote("prefixes that are kept count without the windows and states of their layers");
    if (std::string note = model.networkNote(); !note.empty())
      cost.addNote(std::move(note));
  }
  noteRuntime(cost);
  addItems(cost);
  cost.flops = static_cast<int64_t>(std::min(summary->flops, 9e18));
  cost.utilization = summary->flops / (peak * summary->runTime);
  const ServedPool &fullest = summary->fullest();
  cost.peakMemory = static_cast<int64_t>(fullest.memoryBytes());
  if (fullest.capacity > 0)
    cost.memoryCapacity = fullest.capacity;
  if (pools.size() > 1 && chips() < network.chips())
    cost.addNote(fmt::format("the pools leave {} of `{}` out: it takes no energy and no money",
                             counted(static_cast<uint64_t>(network.chips() - chips()), "chip"),
                             serve->stringAttr("on_label")));
  if (chips() > 1)
    used.push_back("network");
  if (pools.front()->model.table)
    used.push_back("table");
  cost.provenance = {llvm::join(used, ", "), summary->strategy,
                     "batch = kernels of all tokens + attention of each request + collectives",
                     llvm::join(libraries, ", ")};
  if (const char *note = timesNote(); *note)
    cost.addNote(note);
  if (summary->batches.empty())
    cost.addNote("the batches of so many steps are not kept: timelines and traces have none, and "
                 "tbt, batch_size and batch_tokens are counted to 0.1 %");
  if (summary->requests.empty())
    cost.addNote(
        "the times of so many requests are not kept: timelines and JSON have none of them");
  cost.describe(PartKind::Program, serve.symbol(), serve->range());
  return result;
}
