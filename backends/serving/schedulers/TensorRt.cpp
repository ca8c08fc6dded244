// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/TensorRt.h"

using namespace perfc::serving;

Batch TensorRt::next() {
  Batch batch;
  size_t count = std::min(running.size(), microbatch());
  for (size_t i = 0; i < count; ++i)
    batch.push_back({running[i], stepTokens()});
  running.erase(running.begin(), running.begin() + static_cast<ptrdiff_t>(count));
  int64_t tokens = static_cast<int64_t>(count) * stepTokens();
  while (!queue.empty() && batch.size() < microbatch() && resident < limits.maxBatch) {
    Request &request = requests[queue.front()];
    PrefixCache::Match match = findPrefix(request);
    int64_t unread = request.prompt - match.all();
    if ((!batch.empty() && tokens + unread > limits.maxTokens) ||
        !takeIn(request, match, wholeBlocks(request)))
      break;
    batch.push_back({queue.front(), unread});
    tokens += unread;
    queue.pop_front();
  }
  return batch;
}
