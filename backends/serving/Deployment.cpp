// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Deployment.h"

#include "ir/common/diagnostics/Serving.h"
#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

/// Blocks of a cache without a limit.
static constexpr int64_t endless = int64_t(1) << 50;

bool Deployment::build() {
  if (!model.build())
    return false;
  if (kind() != "lightllm" || model.stages == 1)
    return true;
  diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(),
                     "lightllm has no pipeline");
  return false;
}

//===-- Memory
//---------------------------------------------------------------------------------===//

/// Tokens of the largest batch that the scheduler may make, of a group of ranks: pieces of prompts
/// may all be in the same one.
int64_t Deployment::largestBatch() const {
  int64_t longest = serve.longest(), groups = model.groups;
  int64_t steps = (limits.maxBatch + groups - 1) / groups * (1 + guesses());
  if (pool.phase() == "decode") // but for prompts that are read again
    return std::max(longest, steps);
  if (scheduler.boundsPrompts())
    return std::max({limits.maxTokens, longest, steps});
  if (scheduler.makesPieces())
    return std::max(limits.chunk, steps);
  return std::min((limits.maxBatch + groups - 1) / groups, serve.requests()) * longest;
}

void Deployment::reportNoRoom(const StageRoom &room, double logits, double usable) {
  auto bytes = [base = writtenBase(model.capacity)](double value) {
    return formatSize(std::round(value), base);
  };
  diagnostics
      .report(pool->range(), diag::NoRoomForCache, bytes(room.weights), bytes(model.capacity),
              bytes(usable))
      .note(fmt::format("beside them are activations {} of {}, logits {}; the driver keeps {}",
                        bytes(summary.activationBytes), counted(largestBatch(), "token"),
                        bytes(logits), bytes(summary.reservedBytes)))
      .help("more tensor or pipeline parallelism leaves less of them on each chip, a smaller batch "
            "less activations");
}

/// What requests hold beside their tokens, on the stage where that is the most.
void Deployment::findHeld() {
  bool holdsStates =
      llvm::all_of(model.rooms, [](const StageRoom &room) { return room.cacheToken <= 0; }) &&
      llvm::any_of(model.rooms, [](const StageRoom &room) { return room.cacheRequest > 0; });
  if (holdsStates) {
    limits.perToken = 0;
    limits.fixedTokens = limits.blockTokens = 1;
    for (StageRoom &room : model.rooms)
      room.cacheToken = room.cacheRequest;
    return;
  }
  for (const StageRoom &room : model.rooms) {
    if (room.cacheToken <= 0)
      continue;
    auto fixed = static_cast<int64_t>(std::ceil(room.cacheRequest / room.cacheToken));
    limits.fixedTokens = std::max(limits.fixedTokens, fixed);
    limits.shortToken = std::max(limits.shortToken, room.shortToken / room.cacheToken);
  }
}

/// The cache of the stage with the least room: what weights, the activations of the largest batch,
/// the logits of the most requests leave of the share of what the driver leaves.
bool Deployment::findLimits() {
  limits.blockTokens = scheduler.block();
  limits.maxBatch = scheduler.maxBatch();
  limits.maxTokens = scheduler.maxTokens();
  limits.chunk = scheduler.chunk();
  limits.poll = scheduler.poll();
  limits.stages = model.stages;
  limits.blocks = endless;
  limits.admission = {serve.admission() == "priority"   ? Admission::Order::Priority
                      : serve.admission() == "shortest" ? Admission::Order::Shortest
                      : serve.admission() == "goal"     ? Admission::Order::Goal
                                                        : Admission::Order::Arrival,
                      serve.admissionGoal()};
  summary.activationBytes = model.activationToken * static_cast<double>(largestBatch());
  summary.reservedBytes = serve.reserve(model.capacity);
  double usable = std::max(0.0, model.capacity - summary.reservedBytes) * serve.memoryShare();
  // Of the requests of a group of ranks.
  auto outputs =
      static_cast<double>((limits.maxBatch + model.groups - 1) / model.groups * (1 + guesses()));
  findHeld();
  limits.reserved = isReserving() ? limits.blocksFor(reservedTokens()) : 0;
  for (const StageRoom &room : model.rooms) {
    // The least that a request holds.
    double block = room.cacheToken > 0 ? room.cacheToken * static_cast<double>(limits.blockTokens)
                                       : room.cacheRequest;
    double logits = room.logits * outputs;
    double left = usable - room.weights - summary.activationBytes - logits;
    summary.weightBytes = std::max(summary.weightBytes, room.weights);
    summary.cacheBytes = std::max(summary.cacheBytes, room.cacheToken);
    summary.logitBytes = std::max(summary.logitBytes, logits);
    if (model.capacity <= 0)
      continue;
    if (left <= 0 || (block > 0 && left < block)) {
      reportNoRoom(room, logits, usable);
      return false;
    }
    if (block <= 0)
      continue;
    auto count = static_cast<int64_t>(std::floor(left / block));
    if (room.cacheToken > 0)
      limits.blocks = std::min(limits.blocks, count);
    else
      limits.maxBatch = std::min(limits.maxBatch, count * model.groups);
  }
  if (limits.blocks != endless) {
    limits.blocks *= model.groups; // each holds requests of its own
    summary.blocks = limits.blocks;
  }
  if (double bandwidth = scheduler.swap(); bandwidth > 0)
    limits.swapSeconds = summary.cacheBytes / bandwidth;
  limits.guesses = guesses();
  return findPrefixes();
}

/// What may be kept of beginnings of texts; false after a report. What has been read elsewhere is
/// not looked for here.
bool Deployment::findPrefixes() {
  if (serve.prefixShare() < 0 || pool.phase() == "decode")
    return true;
  if (limits.perToken == 0) {
    diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(),
                       "prefixes are kept by tokens, and its cache has states or windows alone");
    return false;
  }
  limits.prefixBlocks =
      static_cast<int64_t>(serve.prefixShare() * static_cast<double>(limits.blocks));
  if (serve.tierBandwidth() > 0) {
    double block = summary.cacheBytes * static_cast<double>(limits.blockTokens);
    limits.tierBlocks = static_cast<int64_t>(serve.tierCapacity() / block) * model.groups;
    limits.tierSeconds = summary.cacheBytes / serve.tierBandwidth();
  }
  return true;
}

bool Deployment::check(const RequestSpec &request, size_t number) const {
  int64_t reserved = reservedTokens(), guessed = guesses();
  bool reserves = isReserving();
  auto fail = [&](const std::string &needs, const std::string &has) {
    diagnostics.report(pool->range(), diag::RequestNeverFits, number,
                       fmt::format("{} + {} tokens, {}", request.prompt, request.answer, needs),
                       has);
    return false;
  };
  if (reserves && request.total() + guessed > reserved)
    return fail("as long as it gets",
                fmt::format("{} reserved for each (`max_tokens`)",
                            counted(static_cast<uint64_t>(reserved), "token")));
  int64_t blocks =
      reserves ? limits.reserved : limits.blocksFor(request.total() + guessed) + limits.watermark();
  if (limits.blocks >= blocks)
    return true;
  std::string needs = counted(static_cast<uint64_t>(blocks), "block");
  return fail(needs + (reserves ? " reserved" : " with what is kept free"),
              fmt::format("{} of {}", counted(static_cast<uint64_t>(limits.blocks), "block"),
                          counted(static_cast<uint64_t>(limits.blockTokens), "token")));
}

double Deployment::cacheOfToken() const {
  double bytes = 0;
  for (const StageRoom &room : model.rooms)
    bytes += room.cacheToken;
  return bytes * static_cast<double>(model.tensor);
}

//===-- For the simulation
//---------------------------------------------------------------------===//

static Outages outagesOf(study::PoolOp pool) {
  Outages outages;
  for (study::OutageOp outage : pool.outages()) {
    if (outage.isRandom()) {
      outages.between = outage.between();
      outages.repair = outage.repair();
      outages.seed = static_cast<uint64_t>(outage.seed());
      continue;
    }
    double until = outage.repair() > 0 ? outage.at() + outage.repair() : never;
    outages.listed.push_back({static_cast<size_t>(outage.number()), outage.at(), until});
  }
  return outages;
}

PoolSetup Deployment::setup() {
  PoolSetup setup;
  setup.scheduler = schedulerOf(kind());
  setup.limits = limits;
  setup.copies = static_cast<size_t>(model.copies);
  setup.router = routerOf(serve.router(), serve.routerSeed());
  setup.times = [this](const BatchShape &shape, std::vector<double> &seconds) {
    model.timesOf(shape, seconds);
  };
  study::DraftOp draft = pool.draft();
  setup.speculation = {draft.tokens(), draft.acceptance(), draft.recorded(),
                       static_cast<uint64_t>(draft.seed())};
  setup.outages = outagesOf(pool);
  if (study::ScalingOp scaling = pool.scaling(); scaling.least() > 0)
    setup.scaling = {scaling.least(), scaling.up(), scaling.down(), scaling.start(),
                     scaling.every()};
  return setup;
}

void Deployment::forget() {
  model.cost->forget();
  if (model.draft)
    model.draft->forget();
}

std::string Deployment::strategyText() const {
  std::string text = scheduler.label().str();
  if (scheduler.makesPieces())
    text += fmt::format(", chunk {}", limits.chunk);
  if (limits.poll > 1)
    text += fmt::format(", poll {}", limits.poll);
  text += fmt::format(", max_batch {}", limits.maxBatch);
  if (kind() == "vllm" || kind() == "tensorrt_llm")
    text += fmt::format(", max_tokens {}", limits.maxTokens);
  if (model.tensor > 1)
    text += fmt::format(", tensor {}", model.tensor);
  if (model.stages > 1)
    text += fmt::format(", pipeline {}", model.stages);
  if (model.copies * model.groups > 1)
    text += fmt::format(", data {}", model.copies * model.groups);
  if (pool.degree("expert") > 1)
    text += fmt::format(", expert {}", pool.degree("expert"));
  if (guesses() > 0)
    text += fmt::format(", {} guessed by {}", counted(static_cast<uint64_t>(guesses()), "token"),
                        pool.draft().kind().str());
  return text;
}
