// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Arrivals.h"

#include <algorithm>

using namespace perfc::serving;

Arrivals::Arrivals(RequestList &requests) : requests(requests) {
  for (size_t i = 0; i < requests.size(); ++i) {
    int64_t before = requests.spec(i).after;
    if (before < 0) {
      order.push_back(static_cast<uint32_t>(i));
      continue;
    }
    followers.resize(requests.size(), -1);
    followers[static_cast<size_t>(before)] = static_cast<int64_t>(i);
  }
}

double Arrivals::next() const {
  double time = arrived < order.size() ? requests.spec(order[arrived]).arrival : never;
  return following.empty() ? time : std::min(time, following.top().first);
}

uint32_t Arrivals::take() {
  double time = arrived < order.size() ? requests.spec(order[arrived]).arrival : never;
  if (following.empty() || time <= following.top().first)
    return order[arrived++];
  uint32_t request = following.top().second;
  following.pop();
  return request;
}

void Arrivals::end(uint32_t request) {
  if (followers.empty() || followers[request] < 0)
    return;
  auto next = static_cast<uint32_t>(followers[request]);
  requests[next].arrival = requests[request].done + requests[next].think;
  following.emplace(requests[next].arrival, next);
}
