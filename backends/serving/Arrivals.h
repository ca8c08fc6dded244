// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order requests come: by their arrivals, those that follow others when these are done.
#ifndef PERFC_BACKENDS_SERVING_ARRIVALS_H
#define PERFC_BACKENDS_SERVING_ARRIVALS_H

#include "backends/serving/Fleet.h"
#include "backends/serving/RequestList.h"
#include <queue>

namespace perfc::serving {

class Arrivals {
public:
  /// Of `requests`, which outlive it.
  explicit Arrivals(RequestList &requests) : requests(requests), own(requests.ownFrom(0)) {}

  /// s of the next arrival; never where none is known.
  double next() const;
  /// The request that comes then.
  uint32_t take();
  /// Lets who follows `request` come after it.
  void end(uint32_t request);

private:
  RequestList &requests;
  /// s of the next one that follows no other; never where there is none.
  double nextOwn() const { return own < requests.size() ? requests.spec(own).arrival : never; }

  using Event = std::pair<double, uint32_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> following;
  size_t own; ///< the next request that follows no other
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_ARRIVALS_H
