// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Arrivals.h"

#include <algorithm>
#include <utility>

using namespace perfc::serving;

double Arrivals::next() const {
  return following.empty() ? nextOwn() : std::min(nextOwn(), following.top().first);
}

uint32_t Arrivals::take() {
  if (following.empty() || nextOwn() <= following.top().first)
    return static_cast<uint32_t>(std::exchange(own, requests.ownFrom(own + 1)));
  uint32_t request = following.top().second;
  following.pop();
  return request;
}

void Arrivals::end(uint32_t request) {
  auto follower = requests.followerOf(request);
  if (!follower)
    return;
  Request &next = requests[*follower];
  next.arrival = requests[request].done + next.think;
  following.emplace(next.arrival, static_cast<uint32_t>(*follower));
}
