// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Serve.h"

#include "backends/core/Evaluate.h"
#include "backends/serving/Model.h"
#include "backends/training/StepModel.h"
#include "ir/common/diagnostics/Serving.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

/// Tokens of answers and pieces of prompts of a run at most: each takes an iteration of its
/// request.
static constexpr double mostSteps = 5e7;
/// The latest arrival, in s: times after it are told apart to some ten nanoseconds.
static constexpr double latestArrival = 1e8;
/// Blocks of a cache without a limit.
static constexpr int64_t endless = int64_t(1) << 50;

namespace {

class Serving {
public:
  Serving(const ir::Module &module, study::ServeOp serve, ProviderSet &providers,
          DiagnosticEngine &diagnostics)
      : serve(serve), diagnostics(diagnostics), scheduler(serve.scheduler()),
        model(module, serve, providers, diagnostics) {}

  llvm::Optional<Outcome> run();

private:
  bool isReserving() const { return scheduler.isReserving(); }
  llvm::StringRef kind() const { return scheduler.kind(); }
  /// Tokens that each request has room for from its start.
  int64_t reservedTokens() const { return scheduler.maxTokens(serve.lengths().longest()); }
  bool findLimits();
  int64_t largestBatch() const;
  void reportNoRoom(double weights, double logits, double usable);
  bool checkTheta();
  bool checkRequests(const std::vector<Request> &requests);
  void summarize(SimulationResult result);
  std::string strategyText() const;
  Outcome outcome();
  void addItems(Cost &cost) const;

  study::ServeOp serve;
  DiagnosticEngine &diagnostics;
  study::SchedulerOp scheduler;
  ServedModel model;
  Limits limits;
  std::shared_ptr<ServingSummary> summary = std::make_shared<ServingSummary>();
};

} // namespace

//===-- Limits
//---------------------------------------------------------------------------------===//

/// Tokens of the largest batch that the scheduler may make.
int64_t Serving::largestBatch() const {
  int64_t longest = serve.lengths().longest();
  if (kind() == "vllm")
    return std::max({limits.maxTokens, longest, limits.maxBatch});
  if (kind() == "sarathi")
    return std::max(limits.chunk, limits.maxBatch);
  return std::min(limits.maxBatch, serve.requests()) * longest;
}

void Serving::reportNoRoom(double weights, double logits, double usable) {
  auto bytes = [base = writtenBase(model.capacity)](double value) {
    return formatSize(std::round(value), base);
  };
  diagnostics
      .report(serve->range(), diag::NoRoomForCache, bytes(weights), bytes(model.capacity),
              bytes(usable))
      .note(fmt::format("beside them are activations {} of {}, logits {}; the driver keeps {}",
                        bytes(summary->activationBytes), counted(largestBatch(), "token"),
                        bytes(logits), bytes(summary->reservedBytes)))
      .help("more tensor or pipeline parallelism leaves less of them on each chip, a smaller batch "
            "less activations");
}

/// The cache of the stage with the least room: what weights, the activations of the largest batch,
/// the logits of the most requests leave of the share of what the driver leaves.
bool Serving::findLimits() {
  limits.blockTokens = scheduler.block();
  limits.maxBatch = scheduler.maxBatch();
  limits.maxTokens = scheduler.maxTokens();
  limits.chunk = scheduler.chunk();
  limits.stages = model.stages;
  limits.reserved = isReserving() ? limits.blocksFor(reservedTokens()) : 0;
  limits.blocks = endless;
  summary->activationBytes = model.activationToken * static_cast<double>(largestBatch());
  summary->reservedBytes = serve.reserve(model.capacity);
  double usable = (model.capacity - summary->reservedBytes) * serve.memoryShare();
  for (const StageRoom &room : model.rooms) {
    double block = room.cacheToken * static_cast<double>(limits.blockTokens);
    double logits = room.logits * static_cast<double>(limits.maxBatch);
    double left = usable - room.weights - summary->activationBytes - logits;
    summary->weightBytes = std::max(summary->weightBytes, room.weights);
    summary->cacheBytes = std::max(summary->cacheBytes, room.cacheToken);
    summary->logitBytes = std::max(summary->logitBytes, logits);
    if (model.capacity <= 0)
      continue;
    if (left <= 0 || (block > 0 && left < block)) {
      reportNoRoom(room.weights, logits, usable);
      return false;
    }
    if (block > 0)
      limits.blocks = std::min(limits.blocks, static_cast<int64_t>(std::floor(left / block)));
  }
  if (limits.blocks == endless)
    return true;
  summary->blocks = limits.blocks;
  return true;
}

bool Serving::checkRequests(const std::vector<Request> &requests) {
  double steps = 0;
  int64_t reserved = reservedTokens();
  for (size_t i = 0; i < requests.size(); ++i) {
    const Request &request = requests[i];
    steps += static_cast<double>(request.answer);
    if (kind() == "sarathi")
      steps += static_cast<double>((request.prompt - 1) / limits.chunk);
    auto fail = [&](const std::string &needs, const std::string &has) {
      diagnostics.report(serve->range(), diag::RequestNeverFits, i,
                         fmt::format("{} + {} tokens, {}", request.prompt, request.answer, needs),
                         has);
      return false;
    };
    if (isReserving() && request.total() > reserved)
      return fail("as long as it gets",
                  fmt::format("{} reserved for each (`max_tokens`)", counted(reserved, "token")));
    int64_t blocks =
        isReserving() ? limits.reserved : limits.blocksFor(request.total()) + limits.watermark();
    if (limits.blocks < blocks)
      return fail(isReserving()
                      ? fmt::format("{} reserved", counted(blocks, "block"))
                      : fmt::format("{} with what is kept free", counted(blocks, "block")),
                  fmt::format("{} of {}", counted(limits.blocks, "block"),
                              counted(limits.blockTokens, "token")));
  }
  if (!(requests.back().arrival <= latestArrival)) {
    diagnostics.report(
        serve->range(), diag::BadServeValue,
        fmt::format("the last request arrives after {:.3g} s, later than the {:.0e} s "
                    "that can be simulated",
                    requests.back().arrival, latestArrival));
    return false;
  }
  if (steps <= mostSteps)
    return true;
  diagnostics.report(serve->range(), diag::BadServeValue,
                     fmt::format("the answers and pieces of prompts are {:.0f} steps in all, more "
                                 "than the {:.0f} that can be simulated",
                                 steps, mostSteps));
  return false;
}

//===-- Results
//--------------------------------------------------------------------------------===//

std::string Serving::strategyText() const {
  std::string text = scheduler.label().str();
  if (kind() == "sarathi")
    text += fmt::format(", chunk {}", limits.chunk);
  text += fmt::format(", max_batch {}", limits.maxBatch);
  if (kind() == "vllm")
    text += fmt::format(", max_tokens {}", limits.maxTokens);
  if (model.tensor > 1)
    text += fmt::format(", tensor {}", model.tensor);
  if (model.stages > 1)
    text += fmt::format(", pipeline {}", model.stages);
  return text;
}

void Serving::summarize(SimulationResult result) {
  std::vector<double> ttft, tpot, latency, delay, sizes, tokens;
  auto original = makeRequests(serve); // restarts have moved tokens from answers to prompts
  for (size_t i = 0; i < result.requests.size(); ++i) {
    const Request &request = result.requests[i];
    int64_t answer = original[i].answer;
    summary->requests.push_back({request.arrival, request.scheduled, request.first, request.done,
                                 original[i].prompt, answer, request.restarts});
    summary->promptTokens += original[i].prompt;
    summary->outputTokens += answer;
    summary->preemptions += request.restarts;
    ttft.push_back(request.first - request.arrival);
    latency.push_back(request.done - request.arrival);
    delay.push_back(request.scheduled - request.arrival);
    if (answer > 1)
      tpot.push_back((request.done - request.first) / static_cast<double>(answer - 1));
  }
  for (const ServedBatch &batch : result.batches) {
    sizes.push_back(static_cast<double>(batch.requests));
    tokens.push_back(static_cast<double>(batch.promptTokens + batch.decodes));
  }
  summary->ttft = Distribution::of(std::move(ttft));
  summary->tpot = Distribution::of(std::move(tpot));
  summary->tbt = Distribution::of(std::move(result.gaps));
  summary->latency = Distribution::of(std::move(latency));
  summary->queueDelay = Distribution::of(std::move(delay));
  summary->batchSize = Distribution::of(std::move(sizes));
  summary->batchTokens = Distribution::of(std::move(tokens));
  summary->runTime = result.end;
  summary->busy = result.busy / (result.end * static_cast<double>(model.stages));
  if (summary->blocks > 0) {
    auto blocks = static_cast<double>(summary->blocks);
    summary->usage = result.blockSeconds / (result.end * blocks);
    summary->peakUsage = static_cast<double>(result.peakBlocks) / blocks;
  }
  summary->peakBlocks = result.peakBlocks;
  summary->blockTokens = limits.blockTokens;
  summary->strategy = strategyText();
  summary->tensor = model.tensor;
  summary->stages = model.stages;
  summary->peak = model.peak * static_cast<double>(model.chips);
  summary->boundaryBytes = model.boundaryBytes;
  summary->batches = std::move(result.batches);
  auto shapes = std::make_shared<std::vector<BatchShape>>(std::move(result.shapes));
  summary->nodesOf = [cost = model.cost, shapes](size_t batch, size_t stage) {
    return cost->nodesOf((*shapes)[batch], stage);
  };
}

/// A line per kernel and per kind of communication, as a mean over the stages.
void Serving::addItems(Cost &cost) const {
  double stages = static_cast<double>(model.stages), ranks = static_cast<double>(model.tensor);
  double left = cost.latency.central(), exposed = 0;
  Figure energy = model.energyOwners;
  energy.known = 0;
  auto add = [&](std::string label, PartKind part, double seconds, double count, double flops,
                 const Uncertain &joules, llvm::StringRef bound) {
    left -= seconds;
    auto same = llvm::find_if(cost.breakdown.children,
                              [&](const CostPart &line) { return line.label == label; });
    if (same == cost.breakdown.children.end()) {
      cost.breakdown.children.emplace_back();
      same = std::prev(cost.breakdown.children.end());
      same->label = std::move(label);
      same->kind = part;
      same->location = serve->range();
      same->count = 0;
      same->bound = bound.str();
      same->energy = Figure(Uncertain(0));
      same->energy.missing = energy.missing;
    }
    same->latency += seconds;
    same->count += static_cast<int64_t>(std::llround(count));
    same->flops += flops;
    same->energy.known += joules.central(); // as all of the breakdown
    energy.known += joules;
  };
  for (const ItemTotal &total : model.cost->totals()) {
    bool isKernel = total.item->kind.empty();
    bool isCompute = total.computeSeconds > total.memorySeconds;
    double seconds = total.seconds / stages, flops = total.sum.parts[Point::Flops] * ranks;
    Uncertain joules = model.cost->energyOf(total.sum) * (isKernel ? ranks : 1);
    add(isKernel ? total.item->name : total.item->kind + " tensor",
        isKernel ? PartKind::Kernel : PartKind::Collective, seconds, total.runs / stages, flops,
        joules, isKernel ? isCompute ? "compute" : "memory" : "network");
    cost.addBound("compute", isKernel ? total.computeSeconds / stages : 0);
    cost.addBound("memory", isKernel ? total.memorySeconds / stages : 0);
    cost.addBound("network", isKernel ? 0 : seconds);
    exposed += isKernel ? 0 : seconds;
    summary->flops += flops;
  }
  if (double sends = model.cost->sendSeconds() / stages; sends > 0) {
    Figure joules = model.sendEnergy(model.cost->sentTokens()), owners = joules;
    owners.known = 0;
    energy += owners;
    add("send pipeline", PartKind::Collective, sends,
        static_cast<double>(summary->batches.size()) * (stages - 1) / stages, 0, joules.known,
        "network");
    cost.addBound("network", sends);
    exposed += sends;
  }
  if (left > 1e-12 * cost.latency.central()) {
    cost.idle = left;
    add("waiting", PartKind::Phase, left, 1, 0, 0, "");
    cost.addBound("waiting", cost.idle);
  }
  cost.exposed = exposed;
  cost.work = llvm::None; // of kernels, only what limits each is known
  cost.energy = energy;
  cost.energy.isPartial = model.sources.isEnergyPartial;
}

Outcome Serving::outcome() {
  Outcome result;
  result.kind = ResultKind::Serving;
  result.hasEnergyMoves = model.cost->hasAllSources();
  result.serving = summary;
  result.tokens = static_cast<double>(summary->outputTokens);
  result.price = priceOf(*serve);
  Cost &cost = result.cost;
  cost.latency = summary->runTime;
  cost.area = model.area;
  cost.chips = result.kernelChips = model.chips;
  cost.errors.addUnknown("kernels");
  cost.errors.add(model.errors);
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
  cost.provenance = {llvm::join(used, ", "), summary->strategy,
                     "batch = kernels of all tokens + attention of each request + collectives"};
  for (const std::string &note : model.sources.notes)
    cost.addNote(note);
  cost.addNote("the times are ideal: kernels reach the peaks of the chip and the host takes no "
               "time, since no runtime is given");
  cost.describe(PartKind::Program, serve.symbol(), serve->range());
  return result;
}

/// An end of an interval may be what the program cannot say.
bool Serving::checkTheta() {
  double value = serve.lengths().theta();
  if (value >= 0 && value < 1)
    return true;
  diagnostics.report(serve->range(), diag::BadServeValue,
                     fmt::format("`theta` is a number from 0 to below 1, not {:.4g}", value));
  return false;
}

llvm::Optional<Outcome> Serving::run() {
  if (!checkTheta() || !model.build() || !findLimits())
    return llvm::None;
  std::vector<Request> requests = makeRequests(serve);
  if (!checkRequests(requests))
    return llvm::None;
  summarize(simulate(std::move(requests), kind(), limits,
                     [&](const BatchShape &shape, std::vector<double> &seconds) {
                       model.cost->run(shape, seconds);
                     }));
  return outcome();
}

llvm::Optional<Outcome> serving::evaluateServing(const ir::Module &module,
                                                 const ir::Operation &serve, ProviderSet &providers,
                                                 DiagnosticEngine &diagnostics) {
  return Serving(module, ir::as<study::ServeOp>(serve), providers, diagnostics).run();
}
