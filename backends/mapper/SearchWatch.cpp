// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/SearchWatch.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::mapper;
using loopnest::Score;

SearchWatch::SearchWatch(llvm::ArrayRef<NestSpace> spaces, llvm::ArrayRef<unsigned> firstEqual,
                         Score fixed, std::function<double(const Score &)> value,
                         ProgressListener listener)
    : nests(spaces.size()), fixed(fixed), value(std::move(value)), listener(std::move(listener)) {
  for (size_t i = 0; i < spaces.size(); ++i) {
    nests[firstEqual[i]].count += static_cast<double>(spaces[i].count);
    nests[i].best = spaces[i].asLowered;
  }
}

/// Of the nests that have a mapping.
Score SearchWatch::total() const {
  Score sum = fixed;
  for (const Nest &nest : nests)
    if (nest.best && nest.count > 0) {
      sum.energy += nest.count * nest.best->energy;
      sum.latency += nest.count * nest.best->latency;
    }
  return sum;
}

void SearchWatch::begin(int64_t all) {
  std::lock_guard<std::mutex> lock(mutex);
  progress.done = 0;
  progress.all = all;
  listener(progress);
}

void SearchWatch::found(unsigned space, const Score &score) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::Optional<Score> before = nests[space].best;
  double valueBefore = value(total());
  nests[space].best = score;
  if (before && value(total()) >= valueBefore) {
    nests[space].best = before;
    return;
  }
  if (llvm::all_of(nests, [](const Nest &nest) { return nest.best || nest.count == 0; }))
    progress.best = total();
  listener(progress);
  progress.best = llvm::None;
}

void SearchWatch::finish() {
  std::lock_guard<std::mutex> lock(mutex);
  ++progress.done;
  listener(progress);
}
