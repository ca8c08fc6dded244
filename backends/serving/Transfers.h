// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches on their way from the copies of one pool to those of another. A cache leaves when the copy
// that it goes to has room for it; a copy sends one at a time and receives one at a time, in the
// order in which they could leave. Both copies hold its blocks until it is there.
#ifndef PERFC_BACKENDS_SERVING_TRANSFERS_H
#define PERFC_BACKENDS_SERVING_TRANSFERS_H

#include "backends/serving/Fleet.h"
#include <functional>
#include <queue>

namespace perfc::serving {

class Transfers {
public:
  /// `copies` are those of all pools; `seconds` is what the cache of so many tokens takes.
  Transfers(size_t copies, std::function<double(double)> seconds)
      : seconds(std::move(seconds)), sends(copies, 0), receives(copies, 0) {}

  /// The cache of `request` can leave `from` for `to` now. The number of the transfer.
  int64_t start(uint32_t request, size_t from, size_t to, int64_t tokens, double now);
  /// s when the next one is there; never for none.
  double next() const { return underWay.empty() ? never : underWay.top().first; }
  /// The transfer that has ended, as `next` says, and its request.
  std::pair<int64_t, uint32_t> take();

  int64_t count() const { return started; }
  int64_t tokens() const { return moved; }
  double busy() const { return spent; }     ///< s of all of them together
  double waiting() const { return waited; } ///< s that they waited for links

private:
  using Arrival = std::pair<double, std::pair<int64_t, uint32_t>>;
  std::function<double(double)> seconds;
  std::vector<double> sends, receives; ///< s until which each copy does
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> underWay;
  int64_t started = 0, moved = 0;
  double spent = 0, waited = 0;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_TRANSFERS_H
