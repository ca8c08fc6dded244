// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Router.h"

#include <unordered_map>

using namespace perfc;
using namespace perfc::serving;

Router serving::roundRobin() {
  return [next = size_t(0)](const RequestList &, uint32_t,
                            llvm::ArrayRef<const Scheduler *> copies) mutable {
    return next++ % copies.size();
  };
}

/// The first copy with the least of what `of` says.
template <typename Of> static Router leastOf(Of of) {
  return [of](const RequestList &requests, uint32_t request,
              llvm::ArrayRef<const Scheduler *> copies) {
    size_t best = 0;
    int64_t least = of(*copies[0], requests[request]);
    for (size_t i = 1; i < copies.size(); ++i)
      if (int64_t value = of(*copies[i], requests[request]); value < least) {
        least = value;
        best = i;
      }
    return best;
  };
}

Router serving::leastQueued() {
  return leastOf(
      [](const Scheduler &copy, const Request &) { return static_cast<int64_t>(copy.queued()); });
}

Router serving::leastOutstanding() {
  return leastOf([](const Scheduler &copy, const Request &) {
    return static_cast<int64_t>(copy.outstanding());
  });
}

Router serving::mostCached() {
  return leastOf([](const Scheduler &copy, const Request &request) {
    return static_cast<int64_t>(copy.outstanding()) - (copy.tokensOf(request) << 24);
  });
}

Router serving::bySession() {
  return [next = size_t(0), targets = std::unordered_map<uint64_t, size_t>()](
             const RequestList &requests, uint32_t request,
             llvm::ArrayRef<const Scheduler *> copies) mutable {
    const Request &now = requests[request];
    uint64_t key =
        now.text && !now.text->empty() ? now.text->front().id : 2 * uint64_t(request) + 1;
    auto [found, isNew] = targets.try_emplace(key, next);
    next += isNew;
    return found->second % copies.size();
  };
}

Router serving::atRandom(int64_t seed) {
  return [random = Random(static_cast<uint32_t>(seed))](
             const RequestList &, uint32_t, llvm::ArrayRef<const Scheduler *> copies) mutable {
    return static_cast<size_t>(random.next() * static_cast<double>(copies.size()));
  };
}

Router serving::routerOf(llvm::StringRef kind, int64_t seed) {
  if (kind == "random")
    return atRandom(seed);
  if (kind == "least_loaded")
    return leastOutstanding();
  if (kind == "cache_aware")
    return mostCached();
  return kind == "session" ? bySession() : roundRobin();
}
