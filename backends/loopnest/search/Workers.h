// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few threads that share out numbered items again and again. Which thread takes which item is
// open; results belong into places by item, so that they do not depend on it.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_WORKERS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_WORKERS_H

#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace perfc {
namespace loopnest {

class Workers {
public:
  /// `count` workers, the calling thread among them.
  explicit Workers(unsigned count);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  using Job = llvm::function_ref<void(unsigned worker, size_t item)>;
  /// Calls `job` once for each item below `items`; returns when all are done.
  void run(size_t items, Job job);

private:
  void loop(unsigned worker);
  void take(unsigned worker);

  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable begun, ended;
  const Job *job = nullptr;
  size_t items = 0, running = 0;
  std::atomic<size_t> next{0};
  uint64_t round = 0;
  bool closing = false;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_WORKERS_H
