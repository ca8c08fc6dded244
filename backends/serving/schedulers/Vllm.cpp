// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/Vllm.h"

using namespace perfc::serving;

Batch Vllm::next() {
  Batch batch;
  int64_t longest = 0;
  bool isRoom = swapIn();
  while (isRoom && !queue.empty() && resident < limits.maxBatch && batch.size() < microbatch()) {
    Request &request = requests[queue.front()];
    longest = std::max(longest, request.prompt);
    auto count = static_cast<int64_t>(batch.size()) + 1;
    if ((!batch.empty() && count * longest > limits.maxTokens) || !admit(request))
      break;
    batch.push_back({queue.front(), request.prompt - request.processed});
    queue.pop_front();
  }
  if (!batch.empty())
    return batch;
  sortRunning();
  return decodes();
}
