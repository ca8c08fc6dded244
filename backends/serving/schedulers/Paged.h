// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What schedulers share that give a request blocks of the cache as it needs them. A request is
// taken in when the blocks of its prompt are there and 1 % of all stay free then; one that finds no
// block for its next token takes it from the request that came last, which gives way.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_PAGED_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_PAGED_H

#include "backends/serving/Scheduler.h"

namespace perfc::serving {

class Paged : public Scheduler {
public:
  using Scheduler::Scheduler;

protected:
  /// Takes in a request with the blocks of its whole prompt; false where they are not there.
  bool admit(Request &request) {
    return takeIn(request, findPrefix(request), limits.blocksFor(request.prompt),
                  limits.watermark());
  }
  /// A token of each request that runs.
  Batch decodes();
  /// Room for one more token of a request that runs; false when it had to give way itself.
  bool decodeOrEvict(uint32_t number);
  /// Lets the victim give way, or `number` itself where there is none, which is false then.
  bool giveWay(uint32_t number);
  /// The place in `running` of who gives way, of those that the batch at hand has not seen: the
  /// last one in the order of admission.
  size_t victim() const;
  /// Takes the blocks of a request, which goes to the front of the queue, or with its cache to the
  /// host.
  void evict(uint32_t number);
  /// Brings back those whose cache is at the host, first come first served; false while there are
  /// some, and nobody new is taken in.
  bool swapIn();
  /// What a request has to read again: all that it has read and made, as its prompt. One that has
  /// not read its prompt reads it again.
  virtual void restart(Request &request) const;
  void dropTaken() {
    running.erase(running.begin(), running.begin() + static_cast<ptrdiff_t>(taken));
    taken = 0;
  }
  /// Brings `running` in the order of `isBefore`; who is equal stays in place. Those of the last
  /// batch mostly stand in order, behind the few that have come since.
  template <typename Before> void sortRunning(Before isBefore) {
    auto isBehind = [&](uint32_t a, uint32_t b) { return isBefore(b, a); };
    auto sorted = std::is_sorted_until(running.rbegin(), running.rend(), isBehind).base();
    std::stable_sort(running.begin(), sorted, isBefore);
    std::inplace_merge(running.begin(), sorted, running.end(), isBefore);
  }
  void sortRunning();

  std::deque<uint32_t> swapped; ///< requests whose cache is at the host
  size_t taken = 0; ///< requests at the front of `running` that the batch at hand has seen
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_PAGED_H
