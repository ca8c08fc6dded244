// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels take that depend on the tokens of a batch alone: found once for each number of
// tokens, with how often batches have run so many.
#ifndef PERFC_BACKENDS_SERVING_TOKENRUNS_H
#define PERFC_BACKENDS_SERVING_TOKENRUNS_H

#include "backends/core/StackTime.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace perfc::serving {

class TokenRuns {
public:
  /// What `tokens` take, by `find` the first time; they run `times` more.
  template <typename Find> const StackWork &note(int64_t tokens, double times, Find find) {
    auto [entry, isNew] = known.try_emplace(tokens);
    if (isNew)
      entry->second.work = find();
    entry->second.runs += times;
    return entry->second.work;
  }
  /// Numbers of tokens with how often they have run, in rising order, so that sums over them do
  /// not depend on the hash of a number.
  std::vector<std::pair<int64_t, double>> runs() const {
    std::vector<std::pair<int64_t, double>> sizes;
    for (const auto &entry : known)
      if (entry.second.runs > 0)
        sizes.emplace_back(entry.first, entry.second.runs);
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  }
  /// Starts counting anew.
  void forget() {
    for (auto &entry : known)
      entry.second.runs = 0;
  }

private:
  struct Entry {
    StackWork work;
    double runs = 0;
  };
  llvm::DenseMap<int64_t, Entry> known;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_TOKENRUNS_H
