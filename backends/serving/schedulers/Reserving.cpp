// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/Reserving.h"

using namespace perfc::serving;

void Reserving::admit(Batch &batch) {
  while (!queue.empty() && static_cast<int64_t>(batch.size()) < limits.maxBatch &&
         fits(limits.reserved)) {
    allocate(requests[queue.front()], limits.reserved);
    batch.push_back(step(queue.front()));
    queue.pop_front();
  }
}
