// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/Orca.h"

using namespace perfc::serving;

Batch Orca::next() {
  Batch batch;
  size_t count = std::min(running.size(), static_cast<size_t>(limits.maxBatch));
  for (size_t i = 0; i < count; ++i)
    batch.push_back(step(running[i]));
  running.erase(running.begin(), running.begin() + static_cast<ptrdiff_t>(count));
  admit(batch);
  return batch;
}
