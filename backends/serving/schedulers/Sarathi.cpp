// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/Sarathi.h"

using namespace perfc::serving;

Batch Sarathi::next() {
  Batch batch;
  int64_t tokens = 0;
  auto add = [&](uint32_t number, int64_t count) {
    batch.push_back({number, count});
    tokens += count;
  };
  auto chunkOf = [&](const Request &request) {
    return std::max<int64_t>(0,
                             std::min(request.prompt - request.processed, limits.chunk - tokens));
  };
  std::vector<uint32_t> unread, skipped;
  bool isRoom = swapIn();
  taken = 0;
  while (taken < running.size() && batch.size() < microbatch()) {
    uint32_t number = running[taken++];
    if (!requests[number].isPrefilled)
      unread.push_back(number);
    else if (decodeOrEvict(number))
      add(number, stepTokens());
  }
  dropTaken();
  for (uint32_t number : unread)
    if (int64_t count = chunkOf(requests[number]))
      add(number, count);
    else
      skipped.push_back(number);
  running.insert(running.begin(), skipped.begin(), skipped.end());
  sortRunning();
  while (isRoom && swapped.empty() && !queue.empty() && resident < limits.maxBatch &&
         batch.size() < microbatch()) {
    Request &request = requests[queue.front()];
    if (chunkOf(request) == 0 || !admit(request))
      break;
    add(queue.front(), chunkOf(request));
    queue.pop_front();
  }
  return batch;
}
