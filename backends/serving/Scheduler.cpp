// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Scheduler.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::serving;

//===-- The cache
//------------------------------------------------------------------------------===//

void Scheduler::allocate(Request &request, int64_t blocks) {
  resident += request.blocks == 0;
  request.blocks += blocks;
  used += blocks;
  peak = std::max(peak, used);
}

void Scheduler::free(Request &request) {
  used -= request.blocks;
  request.blocks = 0;
  --resident;
}

void Scheduler::end(const Batch &batch) {
  for (const BatchEntry &entry : batch)
    if (requests[entry.request].isDone())
      free(requests[entry.request]);
    else
      running.push_back(entry.request);
}

//===-- Paged
//----------------------------------------------------------------------------------===//

namespace {

/// Blocks are taken as tokens come; a request that has to give way starts again.
class Paged : public Scheduler {
public:
  using Scheduler::Scheduler;

protected:
  bool isAdmissible(const Request &request) const {
    return limits.blocks - used - limits.blocksFor(request.prompt) >= limits.watermark();
  }
  size_t microbatch() const {
    return static_cast<size_t>(std::max<int64_t>(1, limits.maxBatch / limits.stages));
  }
  bool decodeOrEvict(uint32_t number);
  void restart(uint32_t number);
  void dropTaken() {
    running.erase(running.begin(), running.begin() + static_cast<ptrdiff_t>(taken));
    taken = 0;
  }
  void sortRunning() {
    llvm::stable_sort(
        running, [&](uint32_t a, uint32_t b) { return requests[a].arrival < requests[b].arrival; });
  }

  size_t taken = 0; ///< requests at the front of `running` that the batch at hand has seen
};

class Vllm : public Paged {
public:
  using Paged::Paged;
  Batch next() override;

private:
  Batch decodes();
};

class Sarathi : public Paged {
public:
  using Paged::Paged;
  Batch next() override;
};

/// Whole lengths are reserved, and no request gives way.
class Reserving : public Scheduler {
public:
  using Scheduler::Scheduler;

protected:
  BatchEntry step(uint32_t number) const {
    return {number, requests[number].isPrefilled ? 1 : requests[number].prompt};
  }
  void admit(Batch &batch);
};

class Orca : public Reserving {
public:
  using Reserving::Reserving;
  Batch next() override;
};

class Static : public Reserving {
public:
  using Reserving::Reserving;
  Batch next() override;
  void end(const Batch &batch) override;

private:
  std::vector<Batch> groups;     ///< requests that started together, while one is not done
  std::deque<size_t> unfinished; ///< groups that wait for their next iteration
  std::deque<size_t> underWay;
};

} // namespace

/// What a request has processed is its prompt from now on; one that has not read its prompt reads
/// it again.
void Paged::restart(uint32_t number) {
  Request &request = requests[number];
  if (request.isPrefilled) {
    int64_t total = request.total();
    request.prompt = request.processed;
    request.answer = total - request.processed;
  }
  request.processed = 0;
  request.isPrefilled = false;
  ++request.restarts;
  free(request);
  queue.push_front(number);
}

/// Room for one more token: the last one that runs gives way until there is, else the request.
bool Paged::decodeOrEvict(uint32_t number) {
  while (!fits(1)) {
    uint32_t victim = number;
    if (running.size() > taken) {
      victim = running.back();
      running.pop_back();
    }
    restart(victim);
    if (victim == number)
      return false;
  }
  Request &request = requests[number];
  if (request.processed > request.blocks * limits.blockTokens)
    allocate(request, 1);
  return true;
}

/// Prompts go first, alone: as many as fit, by their number times the longest.
Batch Vllm::next() {
  Batch batch;
  int64_t longest = 0;
  while (!queue.empty() && isAdmissible(requests[queue.front()])) {
    Request &request = requests[queue.front()];
    longest = std::max(longest, request.prompt);
    auto count = static_cast<int64_t>(batch.size()) + 1;
    if (!batch.empty() && count * longest > limits.maxTokens)
      break;
    if (resident == limits.maxBatch || batch.size() == microbatch())
      break;
    allocate(request, limits.blocksFor(request.prompt));
    batch.push_back({queue.front(), request.prompt});
    queue.pop_front();
  }
  return batch.empty() ? decodes() : batch;
}

Batch Vllm::decodes() {
  Batch batch;
  sortRunning();
  taken = 0;
  while (taken < running.size() && batch.size() < microbatch()) {
    uint32_t number = running[taken++];
    if (decodeOrEvict(number))
      batch.push_back({number, 1});
  }
  dropTaken();
  return batch;
}

/// Requests that make tokens, then prompts that are half read, then new ones; the prompts get what
/// the chunk has left.
Batch Sarathi::next() {
  Batch batch;
  int64_t tokens = 0;
  auto add = [&](uint32_t number, int64_t count) {
    batch.push_back({number, count});
    tokens += count;
  };
  auto chunkOf = [&](const Request &request) {
    return std::max<int64_t>(0,
                             std::min(request.prompt - request.processed, limits.chunk - tokens));
  };
  std::vector<uint32_t> unread, skipped;
  taken = 0;
  while (taken < running.size() && batch.size() < microbatch()) {
    uint32_t number = running[taken++];
    if (!requests[number].isPrefilled)
      unread.push_back(number);
    else if (decodeOrEvict(number))
      add(number, 1);
  }
  dropTaken();
  for (uint32_t number : unread)
    if (int64_t count = chunkOf(requests[number]))
      add(number, count);
    else
      skipped.push_back(number);
  running.insert(running.begin(), skipped.begin(), skipped.end());
  sortRunning();
  while (!queue.empty() && resident < limits.maxBatch && batch.size() < microbatch()) {
    Request &request = requests[queue.front()];
    int64_t count = chunkOf(request);
    if (!isAdmissible(request) || count == 0)
      break;
    allocate(request, limits.blocksFor(request.prompt));
    add(queue.front(), count);
    queue.pop_front();
  }
  return batch;
}

//===-- Reserving
//------------------------------------------------------------------------------===//

void Reserving::admit(Batch &batch) {
  while (!queue.empty() && static_cast<int64_t>(batch.size()) < limits.maxBatch &&
         fits(limits.reserved)) {
    allocate(requests[queue.front()], limits.reserved);
    batch.push_back(step(queue.front()));
    queue.pop_front();
  }
}

/// All that run, and new ones beside them.
Batch Orca::next() {
  Batch batch;
  size_t count = std::min(running.size(), static_cast<size_t>(limits.maxBatch));
  for (size_t i = 0; i < count; ++i)
    batch.push_back(step(running[i]));
  running.erase(running.begin(), running.begin() + static_cast<ptrdiff_t>(count));
  admit(batch);
  return batch;
}

/// Nobody joins a batch before all of it are done.
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

void Static::end(const Batch &) {
  size_t group = underWay.front(); // batches end in the order of their starts
  underWay.pop_front();
  bool isDone = llvm::all_of(
      groups[group], [&](const BatchEntry &entry) { return requests[entry.request].isDone(); });
  if (!isDone)
    return unfinished.push_back(group);
  for (const BatchEntry &entry : groups[group])
    free(requests[entry.request]);
  Batch().swap(groups[group]);
}

std::unique_ptr<Scheduler>
serving::makeScheduler(llvm::StringRef kind, std::vector<Request> &requests, const Limits &limits) {
  if (kind == "vllm")
    return std::make_unique<Vllm>(requests, limits);
  if (kind == "sarathi")
    return std::make_unique<Sarathi>(requests, limits);
  if (kind == "orca")
    return std::make_unique<Orca>(requests, limits);
  return std::make_unique<Static>(requests, limits);
}
