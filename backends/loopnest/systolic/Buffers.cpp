// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/systolic/Buffers.h"

#include "ir/common/Rational.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

int64_t loopnest::epochWords(int64_t bytes) { return 50 * (bytes / 100); }

EpochBuffer::EpochBuffer(int64_t bytes, int64_t words)
    : epochOf(static_cast<size_t>(words), 0), capacity(epochWords(bytes)) {}

PrefetchBuffer::PrefetchBuffer(int64_t bytes, int64_t bandwidth, llvm::ArrayRef<int32_t> order,
                               int64_t wordCount)
    : bandwidth(bandwidth), setWords(ceilDivide(bytes, 100)),
      windowOf(static_cast<size_t>(wordCount), 0) {
  int64_t fetchLines = ceilDivide(static_cast<int64_t>(order.size()), bandwidth);
  for (int32_t word : order)
    if (word >= 0)
      held.push_back(word);
  int64_t active = (bytes + 1) / 2, rest = bytes - active;
  // The set after the last full one exists even when it is empty.
  sets = static_cast<int64_t>(held.size()) / setWords + 1;
  activeSets = std::min(ceilDivide(active, setWords), sets);
  prefetchedSets = std::min(ceilDivide(rest, setWords), sets - activeSets);
  requestLines = ceilDivide(rest, bandwidth);
  fetched = std::min(ceilDivide(active, bandwidth), fetchLines) * bandwidth;
  markWindow();
}

/// Marks the words of the active window, which may wrap around.
void PrefetchBuffer::markWindow() {
  auto mark = [&](int64_t first, int64_t last) {
    size_t begin = static_cast<size_t>(first * setWords);
    size_t end = std::min(held.size(), static_cast<size_t>(last * setWords));
    for (size_t i = begin; i < end; ++i)
      windowOf[static_cast<size_t>(held[i])] = window;
  };
  int64_t end = start + activeSets;
  mark(start, std::min(end, sets));
  if (end > sets)
    mark(0, end - sets);
}

void PrefetchBuffer::prefetch() {
  start = (start + prefetchedSets) % sets;
  ++window;
  markWindow();
  lastArrival += requestLines + 1;
  fetched += requestLines * bandwidth;
}

int64_t PrefetchBuffer::read(int32_t word, int64_t cycle, int64_t waited) {
  while (!isActive(word)) {
    prefetch();
    waited += std::max<int64_t>(0, lastArrival - (cycle + waited + 1));
  }
  return waited;
}

DrainBuffer::DrainBuffer(int64_t bytes, int64_t bandwidth)
    : bandwidth(bandwidth), total(bytes), half(bytes - (bytes + 1) / 2), free(bytes) {}

void DrainBuffer::closeLine() {
  closedLines.push_back(static_cast<int32_t>(lineWords));
  lineWords = 0;
}

/// Drains half a buffer of lines from `cycle` on; only in the last of them are empty places seen.
int64_t DrainBuffer::drain(int64_t cycle) {
  size_t last =
      std::min(closedLines.size(), nextLine + static_cast<size_t>(ceilDivide(half, bandwidth)));
  if (last == nextLine)
    return cycle;
  int64_t count = static_cast<int64_t>(last - nextLine);
  int64_t words = (count - 1) * bandwidth + closedLines[last - 1];
  drained += words;
  free += words;
  nextLine = last;
  return cycle + count - 1;
}

int64_t DrainBuffer::write(int64_t words, int64_t cycle) {
  int64_t now = cycle;
  for (int64_t i = 0; i < words; ++i) {
    ++lineWords;
    --free;
    if (lineWords == bandwidth)
      closeLine();
    if (now < drainEnd) {
      if (free <= 0)
        now = drainEnd;
    } else if (free < total - half) {
      if (lineWords > 0)
        closeLine();
      drainEnd = drain(now);
    }
  }
  return now - cycle;
}

void DrainBuffer::finish() {
  if (lineWords > 0)
    closeLine();
  while (nextLine < closedLines.size())
    drain(0);
}
