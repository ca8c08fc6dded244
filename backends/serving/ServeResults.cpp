// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Serving.h"

#include "backends/core/Evaluate.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

std::string Serving::strategyText() const {
  std::string text = scheduler.label().str();
  if (scheduler.makesPieces())
    text += fmt::format(", chunk {}", limits.chunk);
  text += fmt::format(", max_batch {}", limits.maxBatch);
  if (kind() == "vllm" || kind() == "tensorrt_llm")
    text += fmt::format(", max_tokens {}", limits.maxTokens);
  if (model.tensor > 1)
    text += fmt::format(", tensor {}", model.tensor);
  if (model.stages > 1)
    text += fmt::format(", pipeline {}", model.stages);
  if (model.copies > 1)
    text += fmt::format(", data {}", model.copies);
  if (serve.admission() != "arrival")
    text += ", admission " + serve.admission().str();
  return text;
}

/// True where it is within all that `slo` asks.
bool Serving::meets(const ServedRequest &request) const {
  auto within = [&](llvm::StringRef metric, double seconds) {
    auto limit = serve.goal(metric);
    return !limit || seconds <= *limit;
  };
  double each = request.answer > 1
                    ? (request.done - request.first) / static_cast<double>(request.answer - 1)
                    : 0;
  return within("ttft", request.first - request.arrival) && within("tpot", each) &&
         within("latency", request.done - request.arrival);
}

/// `original` is what came: restarts have moved tokens from answers to prompts.
void Serving::summarizeRequests(llvm::ArrayRef<Request> served, llvm::ArrayRef<Request> original) {
  std::vector<double> ttft, tpot, latency, delay;
  bool isAsked = serve.goal("ttft") || serve.goal("tpot") || serve.goal("latency");
  summary->meeting = isAsked ? 0 : -1;
  for (size_t i = 0; i < served.size(); ++i) {
    const Request &request = served[i];
    int64_t answer = original[i].answer;
    summary->requests.push_back({request.arrival, request.scheduled, request.first, request.done,
                                 original[i].prompt, answer, request.restarts});
    summary->promptTokens += original[i].prompt;
    summary->outputTokens += answer;
    summary->preemptions += request.restarts;
    summary->meeting += isAsked && meets(summary->requests.back());
    if (request.arrival < serve.warmUp())
      continue;
    ttft.push_back(request.first - request.arrival);
    latency.push_back(request.done - request.arrival);
    delay.push_back(request.scheduled - request.arrival);
    if (serve.isVidur()) // of all tokens that are left after a restart, the first one included
      tpot.push_back((request.done - request.first) / static_cast<double>(request.answer));
    else if (answer > 1)
      tpot.push_back((request.done - request.first) / static_cast<double>(answer - 1));
  }
  summary->ttft = Distribution::of(std::move(ttft));
  summary->tpot = Distribution::of(std::move(tpot));
  summary->latency = Distribution::of(std::move(latency));
  summary->queueDelay = Distribution::of(std::move(delay));
}

/// The batches, and what each runs.
void Serving::summarizeBatches(SimulationResult &result) {
  std::vector<double> sizes, tokens;
  for (const ServedBatch &batch : result.batches) {
    sizes.push_back(static_cast<double>(batch.requests));
    tokens.push_back(static_cast<double>(batch.promptTokens + batch.decodes));
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
  summary->nodesOf = [cost = model.cost, shapes](size_t batch, size_t stage) {
    return cost->nodesOf((*shapes)[batch], stage);
  };
}

void Serving::summarize(SimulationResult result, llvm::ArrayRef<Request> original) {
  summarizeRequests(result.requests, original);
  summarizeBatches(result);
  summary->tbt = Distribution::of(std::move(result.gaps));
  summary->runTime = result.end;
  auto copies = static_cast<double>(model.copies);
  summary->busy = result.busy / (result.end * static_cast<double>(model.stages) * copies);
  if (serve.prefixShare() >= 0)
    summary->prefixHits = static_cast<double>(result.prefixTokens) /
                          static_cast<double>(std::max<int64_t>(1, result.promptTokens));
  if (summary->blocks > 0) {
    auto blocks = static_cast<double>(summary->blocks);
    summary->usage = result.blockSeconds / (result.end * blocks * copies);
    summary->peakUsage = static_cast<double>(result.peakBlocks) / blocks;
  }
  summary->peakBlocks = result.peakBlocks;
  summary->blockTokens = limits.blockTokens;
  summary->strategy = strategyText();
  summary->tensor = model.tensor;
  summary->stages = model.stages;
  summary->copies = model.copies;
  summary->peak = model.peak * static_cast<double>(model.chips);
  summary->boundaryBytes = model.boundaryBytes;
}

namespace {

/// What a line of the report adds up; times are means over the stages.
struct LineItem {
  std::string label;
  PartKind kind;
  double seconds = 0, count = 0, flops = 0;
  double joules = 0; ///< as all of the breakdown, without an interval
  llvm::StringRef bound;
};

} // namespace

/// Adds `item` to the line of its label, which a new one says of its energy like `energy`.
static void addLine(Cost &cost, const LineItem &item, const Figure &energy, SourceRange place) {
  auto line = llvm::find_if(cost.breakdown.children,
                            [&](const CostPart &known) { return known.label == item.label; });
  if (line == cost.breakdown.children.end()) {
    cost.breakdown.children.emplace_back();
    line = std::prev(cost.breakdown.children.end());
    line->label = item.label;
    line->kind = item.kind;
    line->location = place;
    line->count = 0;
    line->bound = item.bound.str();
    line->energy = Figure(Uncertain(0));
    line->energy.missing = energy.missing;
  }
  line->latency += item.seconds;
  line->count += static_cast<int64_t>(std::llround(item.count));
  line->flops += item.flops;
  line->energy.known += item.joules;
}

/// A line per kernel and per kind of communication; the seconds of all.
double Serving::addTotals(Cost &cost, Figure &energy) const {
  double stages = static_cast<double>(model.stages * model.copies),
         ranks = static_cast<double>(model.tensor), sum = 0;
  for (const ItemTotal &total : model.cost->totals()) {
    bool isKernel = total.kind.empty();
    double seconds = total.seconds / stages, flops = total.sum.parts[Point::Flops] * ranks;
    Uncertain joules = model.cost->energyOf(total.sum) * (isKernel ? ranks : 1);
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
            {isKernel ? total.name : total.kind + " tensor",
             isKernel ? PartKind::Kernel : PartKind::Collective, seconds, total.runs / stages,
             flops, joules.central(), bound},
            energy, serve->range());
    if (isKernel && total.isMeasured)
      cost.addBound("measured", seconds);
    cost.addBound("compute", isKernel ? total.computeSeconds / stages : 0);
    cost.addBound("memory", isKernel ? total.memorySeconds / stages : 0);
    cost.addBound("launch", isKernel ? total.launchSeconds / stages : 0);
    cost.addBound("network", isKernel ? 0 : seconds);
    cost.exposed += isKernel ? 0 : seconds;
    sum += seconds;
  }
  return sum;
}

/// What the run is made of.
void Serving::addItems(Cost &cost) const {
  auto batches = static_cast<double>(summary->batches.size());
  double left = cost.latency.central();
  Figure energy = model.energyOwners;
  energy.known = 0;
  if (serve.isVidur()) {
    energy = Figure::notGiven("mode", "vidur");
    double seconds = summary->busy * summary->runTime;
    addLine(cost, {"batches", PartKind::Phase, seconds, batches}, energy, serve->range());
    cost.addBound("measured", seconds);
    left -= seconds;
  }
  left -= addTotals(cost, energy);
  auto stages = static_cast<double>(model.stages),
       shared = stages * static_cast<double>(model.copies);
  if (double sends = model.cost->sendSeconds() / shared; sends > 0) {
    Figure joules = model.sendEnergy(model.cost->sentTokens()), owners = joules;
    owners.known = 0;
    energy += owners;
    energy.known += joules.known;
    addLine(cost,
            {"send pipeline", PartKind::Collective, sends, batches * (stages - 1) / shared, 0,
             joules.known.central(), "network"},
            energy, serve->range());
    cost.addBound("network", sends);
    cost.exposed += sends;
    left -= sends;
  }
  if (double stack = model.cost->stackSeconds() / shared; stack != 0) {
    addLine(cost, {"stack", PartKind::Phase, stack, batches / shared}, energy, serve->range());
    cost.addBound("stack", stack);
    left -= stack;
  }
  if (left > 1e-12 * cost.latency.central()) {
    cost.idle = left;
    addLine(cost, {"waiting", PartKind::Phase, left, 1}, energy, serve->range());
    cost.addBound("waiting", cost.idle);
  }
  cost.work = llvm::None; // of kernels, only what limits each is known
  cost.energy = energy;
  cost.energy.isPartial = model.sources.isEnergyPartial;
}

const char *Serving::timesNote() const {
  if (serve.isVidur())
    return "batches, times and the cache are those of VIDUR's model, defects included; it has no "
           "energy";
  if (model.table)
    return "layers take the times of the table; what stands before and behind them is ideal, and "
           "the host "
           "takes no time";
  if (study::findPart(*serve, study::RuntimeOp::opName))
    return "";
  if (!model.sources.libraries.empty())
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
  result.hasEnergyMoves = model.cost->hasAllSources();
  result.readsFamilies = llvm::is_contained(model.sources.providers, "tile");
  result.serving = summary;
  result.tokens = static_cast<double>(summary->outputTokens);
  result.price = priceOf(*serve);
  Cost &cost = result.cost;
  cost.latency = summary->runTime;
  cost.area = model.area;
  cost.chips = result.kernelChips = model.chips;
  cost.errors = model.sources.errors;
  if (model.table)
    cost.errors.addUnknown("kernels");
  cost.errors.add(model.errors);
  noteRuntime(cost);
  addItems(cost);
  cost.flops = static_cast<int64_t>(std::min(summary->flops, 9e18));
  cost.utilization = summary->flops / (summary->peak * summary->runTime);
  cost.peakMemory =
      static_cast<int64_t>(summary->weightBytes + summary->activationBytes + summary->logitBytes +
                           summary->reservedBytes +
                           summary->cacheBytes * static_cast<double>(summary->peakBlocks) *
                               static_cast<double>(summary->blockTokens));
  if (model.capacity > 0)
    cost.memoryCapacity = model.capacity;
  std::vector<std::string> used = model.sources.providers;
  if (model.chips > 1)
    used.push_back("network");
  if (model.table)
    used.push_back("table");
  cost.provenance = {llvm::join(used, ", "), summary->strategy,
                     "batch = kernels of all tokens + attention of each request + collectives",
                     llvm::join(model.sources.libraries, ", ")};
  for (const std::string &note : model.sources.notes)
    cost.addNote(note);
  if (const char *note = timesNote(); *note)
    cost.addNote(note);
  cost.describe(PartKind::Program, serve.symbol(), serve->range());
  return result;
}
