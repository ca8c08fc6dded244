// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Workers.h"

using namespace perfc::loopnest;

Workers::Workers(unsigned count) {
  for (unsigned worker = 1; worker < count; ++worker)
    threads.emplace_back([this, worker] { loop(worker); });
}

Workers::~Workers() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    closing = true;
  }
  begun.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Workers::take(unsigned worker) {
  for (size_t item; (item = next.fetch_add(1)) < items;)
    (*job)(worker, item);
}

void Workers::loop(unsigned worker) {
  for (uint64_t seen = 0;;) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      begun.wait(lock, [&] { return closing || round != seen; });
      if (closing)
        return;
      seen = round;
    }
    take(worker);
    std::lock_guard<std::mutex> lock(mutex);
    if (--running == 0)
      ended.notify_one();
  }
}

void Workers::run(size_t count, Job work) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = &work;
    items = count;
    running = threads.size();
    next = 0;
    ++round;
  }
  begun.notify_all();
  take(0);
  std::unique_lock<std::mutex> lock(mutex);
  ended.wait(lock, [&] { return running == 0; });
}
