// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Scheduler.h"

#include "backends/serving/schedulers/LightLlm.h"
#include "backends/serving/schedulers/Orca.h"
#include "backends/serving/schedulers/Sarathi.h"
#include "backends/serving/schedulers/Sglang.h"
#include "backends/serving/schedulers/Static.h"
#include "backends/serving/schedulers/TensorRt.h"
#include "backends/serving/schedulers/Vllm.h"
#include "backends/serving/schedulers/VllmV1.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cassert>
#include <fmt/format.h>
#include <tuple>

using namespace perfc;
using namespace perfc::serving;

std::string serving::textOf(const Batch &batch) {
  std::vector<std::string> parts;
  std::vector<uint32_t> ones;
  for (const BatchEntry &entry : batch)
    if (entry.tokens > 1)
      parts.push_back(fmt::format("{}:{}", entry.request, entry.tokens));
    else
      ones.push_back(entry.request);
  for (size_t i = 0, end; i < ones.size(); i = end) {
    for (end = i + 1; end < ones.size() && ones[end] == ones[end - 1] + 1;)
      ++end;
    parts.push_back(end - i == 1 ? std::to_string(ones[i])
                                 : fmt::format("{}-{}", ones[i], ones[end - 1]));
  }
  return llvm::join(parts, " ");
}

Scheduler::Scheduler(RequestList &requests, const Limits &limits)
    : requests(requests), limits(limits), steady(requests, limits.blockTokens) {
  if (limits.prefixBlocks >= 0)
    prefixes.emplace(limits.blockTokens);
  if (limits.tierBlocks > 0)
    tier.emplace(limits.blockTokens);
}

//===-- The queue
//------------------------------------------------------------------------------===//

bool Scheduler::isBefore(uint32_t a, uint32_t b) const {
  const Request &one = requests[a], &two = requests[b];
  switch (limits.admission.order) {
  case Admission::Order::Priority:
    return std::tie(one.priority, one.arrival) < std::tie(two.priority, two.arrival);
  case Admission::Order::Shortest:
    return one.prompt < two.prompt;
  default:
    return one.arrival < two.arrival;
  }
}

void Scheduler::arrive(uint32_t request) {
  ++open;
  auto place = queue.end();
  if (limits.admission.order == Admission::Order::Priority ||
      limits.admission.order == Admission::Order::Shortest)
    while (place != queue.begin() && isBefore(request, *(place - 1)))
      --place;
  queue.insert(place, request);
}

void Scheduler::expect(uint32_t request) {
  ++open;
  expected.push_back(request);
}

std::vector<uint32_t> Scheduler::claimRoom() {
  std::vector<uint32_t> claimed;
  while (!expected.empty() && resident < limits.maxBatch) {
    Request &request = requests[expected.front()];
    int64_t blocks = blocksToReceive(request);
    if (limits.blocks - used - blocks < (resident == 0 ? 0 : limits.watermark()))
      break;
    request.incoming = blocks;
    used += blocks;
    peak = std::max(peak, used);
    ++resident;
    claimed.push_back(expected.front());
    expected.pop_front();
  }
  return claimed;
}

void Scheduler::receive(uint32_t number) {
  Request &request = requests[number];
  request.blocks = std::exchange(request.incoming, 0);
  request.isResident = true;
  running.push_back(number);
}

void Scheduler::forget(uint32_t number) {
  --open;
  if (int64_t blocks = std::exchange(requests[number].incoming, 0); blocks > 0) {
    used -= blocks;
    --resident;
    return;
  }
  expected.erase(llvm::find(expected, number));
}

void Scheduler::release(uint32_t number) {
  free(requests[number]);
  --open;
}

/// Requests that have waited longer than the goal go behind all that have not.
void Scheduler::letPass() {
  auto isLate = [&](uint32_t number) {
    const Request &request = requests[number];
    return request.scheduled < 0 && now > request.arrival + limits.admission.goal;
  };
  while (!queue.empty() && isLate(queue.front())) {
    late.push_back(queue.front());
    queue.pop_front();
  }
  if (queue.empty())
    queue.swap(late);
}

Batch Scheduler::makeBatch(double time) {
  now = time;
  if (limits.admission.order == Admission::Order::Goal)
    letPass();
  return next();
}

//===-- The cache
//------------------------------------------------------------------------------===//

void Scheduler::allocate(Request &request, int64_t blocks) {
  resident += !request.isResident;
  request.isResident = true;
  request.blocks += blocks;
  used += blocks;
  peak = std::max(peak, used);
  if (prefixes)
    prefixes->shrink(prefixRoom());
}

void Scheduler::free(Request &request) {
  used -= request.blocks;
  if (request.prefixNode != 0)
    used -= prefixes->unlock(request.prefixNode);
  request.blocks = request.shared = request.prefixNode = 0;
  request.isResident = false;
  --resident;
}

PrefixCache::Match Scheduler::findPrefix(const Request &request) const {
  if (!prefixes || !request.text || request.processed > 0)
    return {};
  PrefixCache::Match match = prefixes->match(*request.text, request.prompt - 1);
  if (tier)
    match.fetched =
        std::max<int64_t>(0, tier->match(*request.text, request.prompt - 1).tokens - match.tokens);
  return match;
}

bool Scheduler::takeIn(Request &request, PrefixCache::Match match, int64_t blocks,
                       int64_t keepFree) {
  int64_t shared = match.tokens / limits.blockTokens;
  used += match.node != 0 ? prefixes->lock(match.node) : 0;
  if (limits.blocks - used - (blocks - shared) < keepFree) {
    used -= match.node != 0 ? prefixes->unlock(match.node) : 0;
    return false;
  }
  request.processed = match.all();
  fetched += match.fetched;
  tierHits += match.fetched;
  request.prefixNode = match.node;
  request.shared = shared;
  looked += request.prompt;
  hits += match.tokens;
  allocate(request, blocks - shared);
  return true;
}

/// What a request has read is there for others from now on; what they had there already it holds no
/// longer itself.
void Scheduler::share(Request &request) {
  llvm::ArrayRef<PrefixPiece> text = llvm::makeArrayRef(*request.text).drop_back();
  int64_t whole = 0;
  for (const PrefixPiece &piece : text)
    whole += piece.tokens;
  if (whole > request.prompt) // it has started again, with a part of its answer
    return;
  int64_t moved = whole / limits.blockTokens - request.shared;
  used -= moved;
  if (tier)
    tier->insert(text, limits.tierBlocks);
  uint32_t node = prefixes->insert(text, limits.blocks - used);
  int64_t kept = prefixes->blocksTo(node) - request.shared;
  used += moved - kept;
  if (kept <= 0)
    return;
  used += prefixes->lock(node);
  if (request.prefixNode != 0)
    used -= prefixes->unlock(request.prefixNode);
  request.blocks -= kept;
  request.shared += kept;
  request.prefixNode = node;
}

/// The text of a request that is done stays, answer included, but for its last token, which came
/// out and was not read.
void Scheduler::keep(const Request &request) {
  if (tier && request.text)
    tier->insert(*request.text, limits.tierBlocks, 1);
  if (prefixes && request.text)
    prefixes->insert(*request.text, prefixRoom(), 1);
}

void Scheduler::finish(Request &request) {
  free(request);
  keep(request);
  --open;
}

std::vector<uint32_t> Scheduler::advanceSteady(double now) {
  std::vector<uint32_t> done = steady.advance(now);
  for (uint32_t number : done)
    finish(requests[number]);
  return done;
}

void Scheduler::end(const Batch &batch) {
  for (const BatchEntry &entry : batch) {
    Request &request = requests[entry.request];
    if (request.isDone()) {
      finish(request);
      continue;
    }
    if (prefixes && request.text && request.processed == request.prompt + 1)
      share(request);
    if (limits.isHandOver && request.isPrefilled)
      continue;
    if (isSteady(request))
      steady.join(entry.request);
    else
      running.push_back(entry.request);
  }
}

SchedulerFactory serving::schedulerOf(llvm::StringRef kind) {
  static constexpr std::pair<llvm::StringLiteral, decltype(&makeScheduler<Vllm>)> kinds[] = {
      {"static", makeScheduler<Static>},     {"orca", makeScheduler<Orca>},
      {"vllm", makeScheduler<Vllm>},         {"sarathi", makeScheduler<Sarathi>},
      {"lightllm", makeScheduler<LightLlm>}, {"vllm_v1", makeScheduler<VllmV1>},
      {"sglang", makeScheduler<Sglang>},     {"tensorrt_llm", makeScheduler<TensorRt>},
  };
  const auto *found = llvm::find_if(kinds, [&](const auto &entry) { return entry.first == kind; });
  assert(found != std::end(kinds) && "verified");
  return found->second;
}
