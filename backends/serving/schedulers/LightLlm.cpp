// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/LightLlm.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc::serving;

/// Iterations of single tokens between two looks at the queue.
static constexpr int64_t patience = 10;

LightLlm::Load LightLlm::loadOf(const Request &request) const {
  if (request.blocks == 0) // not taken in yet
    return {limits.perToken * (request.prompt + 1) + limits.fixedTokens,
            limits.perToken * std::max<int64_t>(0, request.answer - 2)};
  int64_t made = request.processed - request.prompt;
  return {limits.perToken * request.processed + limits.fixedTokens,
          limits.perToken * std::max<int64_t>(0, request.answer - made - 1)};
}

int64_t LightLlm::peakOf(std::vector<Load> loads) {
  llvm::stable_sort(loads, [](const Load &a, const Load &b) { return a.left > b.left; });
  int64_t held = 0, peak = 0, alive = 0;
  for (const Load &load : loads) {
    held += load.held;
    peak = std::max(peak, load.left * ++alive + held);
  }
  return peak;
}

Batch LightLlm::prompts() {
  Batch batch;
  int64_t tokens = 0;
  std::vector<Load> loads;
  for (uint32_t number : running)
    loads.push_back(loadOf(requests[number]));
  while (!queue.empty() && batch.size() < microbatch() && resident < limits.maxBatch) {
    Request &request = requests[queue.front()];
    loads.push_back(loadOf(request));
    bool isAlone = batch.empty() && running.empty();
    if ((!isAlone && tokens + request.prompt > limits.maxTokens) || peakOf(loads) >= limits.blocks)
      break;
    allocate(request, limits.perToken * request.prompt + limits.fixedTokens);
    batch.push_back({queue.front(), request.prompt});
    tokens += request.prompt;
    queue.pop_front();
  }
  return batch;
}

/// The last one that runs gives way.
bool LightLlm::makeRoom() {
  while (running.size() > 1 && !fits(step())) {
    evict(running.back());
    running.pop_back();
  }
  return fits(step());
}

Batch LightLlm::next() {
  if (running.empty() || iterations >= patience) {
    Batch batch = prompts();
    if (!batch.empty() || !running.empty())
      iterations = 0;
    if (!batch.empty() || running.empty())
      return batch;
  }
  if (!fits(step()) && !makeRoom())
    return {};
  ++iterations;
  Batch batch;
  for (uint32_t number : running) {
    allocate(requests[number], limits.perToken);
    batch.push_back({number, 1});
  }
  running.clear();
  return batch;
}
