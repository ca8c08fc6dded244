// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scratchpads of SCALE-Sim v2, replayed: one per operand, words of one byte, half of it active
// and half for prefetching (read) or draining (write). Two disciplines:
//   estimated bandwidth (CALC)  the buffer takes what is asked for; after H = 50 floor(B/100) new
//                               words it drops all that it holds, so DRAM reads are the different
//                               words of each such epoch; nothing stalls
//   given bandwidth (USER)      lines of `bandwidth` words come in a fixed prefetch order; a miss
//                               moves the active window on by the prefetched half and waits until
//                               that has arrived
#ifndef PERFC_BACKENDS_LOOPNEST_SYSTOLIC_BUFFERS_H
#define PERFC_BACKENDS_LOOPNEST_SYSTOLIC_BUFFERS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfc {
namespace loopnest {

/// Words that an epoch of a buffer of `bytes` holds.
int64_t epochWords(int64_t bytes);

/// A read buffer with estimated bandwidth: counts the words that have to be fetched.
class EpochBuffer {
public:
  EpochBuffer(int64_t bytes, int64_t words);
  void read(int32_t word) {
    if (epochOf[static_cast<size_t>(word)] == epoch)
      return;
    epochOf[static_cast<size_t>(word)] = epoch;
    ++fetched;
    if (++held == capacity) {
      held = 0;
      ++epoch;
    }
  }
  int64_t fetches() const { return fetched; }

private:
  std::vector<int32_t> epochOf;
  int32_t epoch = 1;
  int64_t capacity, held = 0, fetched = 0;
};

/// A read buffer that prefetches lines over an interface of `bandwidth` words per cycle.
class PrefetchBuffer {
public:
  /// `order` is what is prefetched, -1 for empty places; `words` are below `wordCount`.
  PrefetchBuffer(int64_t bytes, int64_t bandwidth, llvm::ArrayRef<int32_t> order,
                 int64_t wordCount);

  /// Cycles that a request at `cycle` waits, given what others in it have waited already.
  int64_t read(int32_t word, int64_t cycle, int64_t waited);
  /// Words requested from DRAM, whole lines.
  int64_t fetches() const { return fetched; }

private:
  bool isActive(int32_t word) const { return windowOf[static_cast<size_t>(word)] == window; }
  void prefetch();
  void markWindow();

  int64_t bandwidth;
  int64_t setWords;              ///< words of a set, the unit in which the window moves
  std::vector<int32_t> held;     ///< words in prefetch order, without the empty places
  std::vector<int32_t> windowOf; ///< by word: the last window that had it
  int32_t window = 1;
  int64_t sets = 0; ///< sets of the held words
  int64_t activeSets = 0, prefetchedSets = 0;
  int64_t requestLines = 0; ///< lines of one prefetch
  int64_t start = 0;        ///< first set of the active window
  int64_t lastArrival = -1; ///< cycle in which the last prefetch is complete
  int64_t fetched = 0;
};

/// The write buffer: fills one half while the other drains.
class DrainBuffer {
public:
  DrainBuffer(int64_t bytes, int64_t bandwidth);

  /// Takes `words` at `cycle`; returns the cycles that they wait.
  int64_t write(int64_t words, int64_t cycle);
  /// Drains what is left; then `drained` is complete.
  void finish();
  int64_t drains() const { return drained; }

private:
  int64_t drain(int64_t cycle);
  void closeLine();

  int64_t bandwidth, total, half;
  std::vector<int32_t> closedLines; ///< words in each line that is not drained yet
  size_t nextLine = 0;
  int64_t lineWords = 0; ///< words in the open line
  int64_t free;
  int64_t drainEnd = 0;
  int64_t drained = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SYSTOLIC_BUFFERS_H
