// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/VllmV1.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace perfc::serving;

bool VllmV1::extend(uint32_t number, int64_t tokens) {
  Request &request = requests[number];
  // The cache lacks the last token that was made, which the iteration at hand reads.
  int64_t in = request.isPrefilled ? request.processed - 1 : request.processed;
  int64_t more = limits.blocksFor(in + tokens) - request.blocks - request.shared;
  while (more > 0 && !fits(more)) {
    // While others are under way on other stages it waits for them.
    if (running.size() == taken && used > request.blocks + request.shared)
      return false;
    if (!giveWay(number))
      return false;
  }
  if (more > 0)
    allocate(request, more);
  return true;
}

/// Who arrives together keeps an order, so that the first one is never the one that gives way.
void VllmV1::sortByArrival() {
  sortRunning([&](uint32_t a, uint32_t b) {
    const Request &one = requests[a], &two = requests[b];
    return std::tie(one.arrival, one.id) < std::tie(two.arrival, two.id);
  });
}

/// One whose cache grows by whole blocks of its own, with room for all that take one until it takes
/// the next.
bool VllmV1::isSteady(const Request &request) const {
  bool isPlain = limits.countsSteady && limits.stages == 1 && limits.guesses == 0 &&
                 limits.fixedTokens == 0 && limits.perToken == 1 && limits.prefixBlocks < 0;
  return isPlain && untilJoin == 0 && request.isPrefilled &&
         request.blocks == limits.blocksFor(request.processed - 1) && fits(resident);
}

bool VllmV1::fitsSteady() const {
  int64_t budget = limits.chunk - steady.count(), blocks = steady.blocksNeeded();
  for (uint32_t number : running) {
    const Request &request = requests[number];
    if (budget <= 0 || (!request.isPrefilled && !steady.isBehind(request)))
      return false;
    int64_t tokens = request.isPrefilled ? 1 : std::min(request.prompt - request.processed, budget);
    int64_t in = request.isPrefilled ? request.processed - 1 : request.processed;
    blocks += std::max<int64_t>(0, limits.blocksFor(in + tokens) - request.blocks);
    budget -= tokens;
  }
  return budget >= 0 && fits(blocks) &&
         running.size() + static_cast<size_t>(steady.count()) <= microbatch();
}

Batch VllmV1::next() {
  Batch batch;
  size_t before = queue.size();
  bool isTight = false;
  taken = 0;
  untilJoin -= untilJoin > 0;
  sortByArrival();
  if (steady.count() > 0 && !fitsSteady()) {
    dissolveSteady();
    sortByArrival();
    untilJoin = batchesApart;
  }
  used += steady.blocksNeeded();
  peak = std::max(peak, used);
  int64_t budget = limits.chunk - steady.count();
  size_t most = microbatch() - static_cast<size_t>(steady.count());
  while (taken < running.size() && budget > 0 && batch.size() < most) {
    uint32_t number = running[taken++];
    const Request &request = requests[number];
    int64_t tokens =
        std::min(request.isPrefilled ? stepTokens() : request.prompt - request.processed, budget);
    if (!extend(number, tokens)) {
      taken -= request.isResident; // it waits
      isTight = true;
      break;
    }
    batch.push_back({number, tokens});
    budget -= tokens;
  }
  dropTaken();
  isTight |= queue.size() > before;
  while (!isTight && !queue.empty() && budget > 0 && resident < limits.maxBatch &&
         batch.size() < most) {
    Request &request = requests[queue.front()];
    PrefixCache::Match match = findPrefix(request);
    int64_t tokens = std::min(request.prompt - match.all(), budget);
    if (!takeIn(request, match, limits.blocksFor(match.all() + tokens)))
      break;
    batch.push_back({queue.front(), tokens});
    budget -= tokens;
    queue.pop_front();
  }
  return batch;
}
