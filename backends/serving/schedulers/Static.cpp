// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/schedulers/Static.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc::serving;

Batch Static::next() {
  Batch batch;
  if (!unfinished.empty()) {
    underWay.push_back(unfinished.front());
    for (const BatchEntry &entry : groups[unfinished.front()])
      if (!requests[entry.request].isDone())
        batch.push_back(step(entry.request));
    unfinished.pop_front();
    return batch;
  }
  admit(batch);
  if (batch.empty())
    return batch;
  underWay.push_back(groups.size());
  groups.push_back(batch);
  return batch;
}

void Static::end(const Batch &batch) {
  size_t group = underWay.front(); // batches end in the order of their starts
  underWay.pop_front();
  bool isDone = llvm::all_of(
      groups[group], [&](const BatchEntry &entry) { return requests[entry.request].isDone(); });
  if (!isDone)
    return unfinished.push_back(group);
  release(groups[group], batch);
  Batch().swap(groups[group]);
}

void Static::release(const Batch &group, const Batch &) {
  for (const BatchEntry &entry : group)
    finish(requests[entry.request]);
}
