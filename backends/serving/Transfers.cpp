// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Transfers.h"

#include <algorithm>

using namespace perfc::serving;

int64_t Transfers::start(uint32_t request, size_t from, size_t to, int64_t tokens, double now) {
  double begin = std::max({now, sends[from], receives[to]});
  double time = seconds(static_cast<double>(tokens));
  sends[from] = receives[to] = begin + time;
  underWay.push({begin + time, {started, request}});
  moved += tokens;
  spent += time;
  waited += begin - now;
  return started++;
}

std::pair<int64_t, uint32_t> Transfers::take() {
  auto ended = underWay.top().second;
  underWay.pop();
  return ended;
}
