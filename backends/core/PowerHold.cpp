// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/PowerHold.h"

#include <algorithm>

using namespace perfc;

/// s at the highest clock until a board has lowered it (docs/accuracy.md, "Energy of kernels").
static constexpr double settles = 0.1;

void PowerDemand::add(const PowerDemand &other, double times) {
  operations += other.operations * times;
  memory += other.memory * times;
  rest += other.rest * times;
  limit += other.limit * times;
  clocked += other.clocked * times;
}

double perfc::heldStretch(const PowerDemand &demand, double seconds) {
  double left = demand.limit - demand.rest;
  if (seconds <= 0 || left <= 0 || demand.operations + demand.memory <= left)
    return 1;
  double share = std::min(1.0, demand.clocked / seconds);
  double low = 0, high = 1; // of the clock
  for (int i = 0; i < 40; ++i) {
    double clock = (low + high) / 2, stretch = 1 + share * (1 / clock - 1);
    bool isAbove = demand.operations * clock * clock + demand.memory > left * stretch;
    (isAbove ? high : low) = clock;
  }
  return 1 + share * (1 / high - 1);
}

double perfc::heldTime(const PowerDemand &demand, double seconds) {
  return seconds > settles ? (seconds - settles) * (heldStretch(demand, seconds) - 1) : 0;
}
