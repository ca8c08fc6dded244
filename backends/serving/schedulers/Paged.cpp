// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/Paged.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc::serving;

void Paged::restart(Request &request) const {
  request.startAgain();
  ++request.restarts;
}

void Paged::evict(uint32_t number) {
  if (Request &request = requests[number]; limits.swapSeconds > 0) {
    moved += limits.held(request.processed);
    ++request.restarts;
    free(request);
    swapped.push_back(number);
    return;
  }
  restart(requests[number]);
  free(requests[number]);
  queue.push_front(number);
}

bool Paged::swapIn() {
  while (!swapped.empty()) {
    Request &request = requests[swapped.front()];
    int64_t blocks = limits.blocksFor(std::max(request.processed, request.prompt));
    if (limits.blocks - used - blocks < limits.watermark())
      return false;
    allocate(request, blocks);
    moved += limits.held(request.processed);
    running.push_back(swapped.front());
    swapped.pop_front();
  }
  return true;
}

size_t Paged::victim() const {
  size_t last = running.size() - 1;
  if (limits.admission.order == Admission::Order::Priority)
    for (size_t i = last; i-- > taken;)
      if (isBefore(running[last], running[i]))
        last = i;
  return last;
}

bool Paged::giveWay(uint32_t number) {
  if (running.size() == taken) {
    evict(number);
    return false;
  }
  size_t place = victim();
  uint32_t last = running[place];
  running.erase(running.begin() + static_cast<ptrdiff_t>(place));
  evict(last);
  return true;
}

bool Paged::decodeOrEvict(uint32_t number) {
  Request &request = requests[number];
  auto missing = [&] {
    return std::max<int64_t>(0, limits.blocksFor(request.processed + limits.guesses) -
                                    request.blocks - request.shared);
  };
  // A free block is asked for also where the token needs none. Who comes back from the host with
  // the last block would go there again, and so does without.
  while (!fits(std::max<int64_t>(1, missing())) && (limits.swapSeconds == 0 || missing() > 0))
    if (!giveWay(number))
      return false;
  if (int64_t more = missing(); more > 0)
    allocate(request, more);
  return true;
}

Batch Paged::decodes() {
  Batch batch;
  taken = 0;
  while (taken < running.size() && batch.size() < microbatch()) {
    uint32_t number = running[taken++];
    if (decodeOrEvict(number))
      batch.push_back({number, stepTokens()});
  }
  dropTaken();
  return batch;
}

void Paged::sortRunning() {
  sortRunning([&](uint32_t a, uint32_t b) { return requests[a].arrival < requests[b].arrival; });
}
