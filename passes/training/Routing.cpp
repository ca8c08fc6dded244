// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Routing.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <random>

using namespace perfc;
using namespace perfc::passes;

/// The distribution function of the standard normal distribution.
static double normalShare(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// How many deviations above the mean the largest of `count` normal values lies.
static double largestOf(double count) {
  double wanted = (count - 0.375) / (count + 0.25), low = 0, high = 10;
  for (int i = 0; i < 60; ++i) {
    double middle = (low + high) / 2;
    (normalShare(middle) < wanted ? low : high) = middle;
  }
  return count > 1 ? low : 0;
}

/// What a normal value of the mean 1 and this deviation has above `limit` in the mean.
static double excess(double deviation, double limit) {
  if (deviation <= 0)
    return std::max(0.0, 1 - limit);
  double z = (limit - 1) / deviation;
  double density = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
  return deviation * density - (limit - 1) * (1 - normalShare(z));
}

/// The load of each expert over the mean, in the order in which they stand. One that all tokens
/// choose has as much as any can have; what is left goes to the others in proportion.
static std::vector<double> zipfLoads(const Routing &routing, int64_t experts, int64_t chosen) {
  std::vector<double> loads;
  for (int64_t i = 1; i <= experts; ++i)
    loads.push_back(std::pow(static_cast<double>(i), -routing.theta));
  double most = static_cast<double>(experts) / static_cast<double>(std::min(chosen, experts));
  double left = static_cast<double>(experts); // of all loads
  auto next = loads.begin();                  // the largest first
  double sum = std::accumulate(next, loads.end(), 0.0);
  while (next != loads.end() && *next * (left / sum) > most) {
    *next++ = most;
    left -= most;
    sum = std::accumulate(next, loads.end(), 0.0);
  }
  for (; next != loads.end(); ++next)
    *next *= left / sum;
  std::mt19937_64 random(static_cast<uint64_t>(routing.seed));
  for (size_t i = loads.size(); i-- > 1;)
    std::swap(loads[i], loads[random() % (i + 1)]);
  return loads;
}

std::vector<double> passes::expertShares(const Routing &routing, int64_t experts, int64_t chosen) {
  std::vector<double> shares = zipfLoads(routing, experts, chosen);
  for (double &share : shares)
    share *= static_cast<double>(chosen) / static_cast<double>(experts);
  return shares;
}

static ExpertLoad zipfLoad(const Routing &routing, int64_t experts, int64_t ranks, int64_t chosen) {
  std::vector<double> loads = zipfLoads(routing, experts, chosen);
  double most = 0, kept = 0;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    double sum = 0;
    int64_t first = experts * rank / ranks, last = experts * (rank + 1) / ranks;
    for (int64_t i = first; i < last; ++i)
      sum += routing.capacity > 0 ? std::min(loads[i], routing.capacity) : loads[i];
    kept += sum;
    most = std::max(most, sum * static_cast<double>(ranks) / static_cast<double>(experts));
  }
  return {most, 1 - kept / static_cast<double>(experts)};
}

double passes::redundantLoad(const Routing &routing, int64_t experts, int64_t ranks,
                             int64_t chosen) {
  std::vector<double> places = zipfLoads(routing, experts, chosen);
  llvm::sort(places, std::greater<>());
  int64_t redundant = std::min(routing.redundant, experts);
  for (int64_t i = 0; i < redundant; ++i) {
    places[i] /= 2;
    places.push_back(places[i]);
  }
  llvm::sort(places, std::greater<>());
  auto most = static_cast<size_t>((experts + redundant) / ranks);
  using Rank = std::pair<double, size_t>; // its load, and its number
  std::priority_queue<Rank, std::vector<Rank>, std::greater<>> least;
  std::vector<size_t> filled(static_cast<size_t>(ranks), 0);
  for (size_t rank = 0; rank < filled.size(); ++rank)
    least.emplace(0, rank);
  double busiest = 0;
  for (double place : places) {
    auto [load, rank] = least.top();
    least.pop();
    busiest = std::max(busiest, load + place);
    if (++filled[rank] < most)
      least.emplace(load + place, rank);
  }
  return busiest * static_cast<double>(ranks) / static_cast<double>(experts);
}

ExpertLoad passes::expertLoad(const Routing &routing, int64_t experts, int64_t ranks,
                              double choices, int64_t chosen) {
  ExpertLoad load;
  if (routing.kind == Routing::Zipf) {
    load = zipfLoad(routing, experts, ranks, chosen);
    if (routing.redundant > 0)
      load.slowest = redundantLoad(routing, experts, ranks, chosen);
  } else {
    bool isRandom = routing.kind == Routing::Uniform && choices > 0;
    auto deviation = [&](double parts) {
      return isRandom ? std::sqrt(parts / choices * (1 - 1 / parts)) : 0;
    };
    double parts = static_cast<double>(ranks);
    load.slowest = 1 + largestOf(parts) * deviation(parts);
    if (routing.capacity > 0)
      load.dropped = excess(deviation(static_cast<double>(experts)), routing.capacity);
  }
  double imbalance = std::min(routing.imbalance, static_cast<double>(ranks)); // all go to one
  if (imbalance > 0)
    load.slowest = imbalance;
  if (imbalance > 0 && routing.capacity > 0) // what the busiest rank alone drops
    load.dropped =
        std::max(load.dropped, (imbalance - routing.capacity) / static_cast<double>(ranks));
  if (routing.capacity > 0)
    load.slowest = std::min(load.slowest, routing.capacity);
  load.slowest = std::max(load.slowest, 1 - load.dropped);
  return load;
}
