// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/Sglang.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc::serving;

/// Answers count up to so many tokens when room is kept for them.
static constexpr int64_t mostReserved = 4096;

double Sglang::reserveFor(const Request &request) const {
  int64_t left =
      std::min(request.total() - std::max(request.processed, request.prompt), mostReserved);
  return share * static_cast<double>(std::max<int64_t>(0, left));
}

std::deque<uint32_t>::iterator Sglang::nextSeen() {
  return llvm::find_if(queue,
                       [&](uint32_t number) { return requests[number].arrival <= lastPoll; });
}

/// The prompt that was cut, then new ones.
Batch Sglang::prompts() {
  Batch batch;
  int64_t budget = limits.chunk;
  double reserved = 0;
  std::vector<uint32_t> others;
  for (uint32_t number : running) {
    const Request &request = requests[number];
    reserved += reserveFor(request);
    if (request.isPrefilled || batch.size() == microbatch()) {
      others.push_back(number);
      continue;
    }
    int64_t tokens = std::min(request.prompt - request.processed, budget);
    batch.push_back({number, tokens});
    budget -= tokens;
  }
  running = std::move(others);
  while (budget > 0 && resident < limits.maxBatch && batch.size() < microbatch()) {
    auto place = nextSeen();
    if (place == queue.end())
      break;
    Request &request = requests[*place];
    PrefixCache::Match match = findPrefix(request);
    reserved += reserveFor(request);
    auto kept = static_cast<int64_t>(std::ceil(reserved / static_cast<double>(limits.blockTokens)));
    bool isAlone = resident == 0; // who is alone finds room for all that it makes
    if (!takeIn(request, match, limits.blocksFor(request.prompt), isAlone ? 0 : kept))
      break;
    int64_t tokens = std::min(request.prompt - request.processed, budget);
    batch.push_back({*place, tokens});
    budget -= tokens;
    queue.erase(place);
  }
  return batch;
}

/// Makes room for a token of each that runs.
void Sglang::retract() {
  auto blocks = [&] {
    int64_t more = 0;
    for (uint32_t number : running) {
      const Request &request = requests[number];
      more += std::max<int64_t>(0, limits.blocksFor(request.processed + limits.guesses) -
                                       request.blocks - request.shared);
    }
    return more;
  };
  if (fits(blocks()))
    return;
  auto made = [&](uint32_t number) { return requests[number].processed - requests[number].prompt; };
  llvm::stable_sort(running, [&](uint32_t a, uint32_t b) {
    return made(a) != made(b) ? made(a) > made(b) : requests[a].prompt < requests[b].prompt;
  });
  while (running.size() > 1 && !fits(blocks())) {
    evict(running.back());
    running.pop_back();
  }
  double done = 0, most = 0;
  for (uint32_t number : running) {
    done += static_cast<double>(made(number)) + 20;
    most += static_cast<double>(requests[number].answer);
  }
  share = std::min(1.0, done / std::max(1.0, most));
}

Batch Sglang::next() {
  if (running.empty() || untilPoll == 0) {
    lastPoll = now;
    untilPoll = limits.poll;
  }
  Batch batch = prompts();
  if (!batch.empty()) {
    untilPoll = 0;
    return batch;
  }
  --untilPoll;
  retract();
  share = std::max(lastShare, share - (firstShare - lastShare) / shareSteps);
  return decodes();
}
