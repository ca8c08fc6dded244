// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Incumbents.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

/// The list is sorted by energy, and latencies fall along it: a point is above the hull when it is
/// on or above the segment between the neighbours around it.
bool Incumbents::excludedByHull(const Score &bound) const {
  auto right =
      std::lower_bound(list.begin(), list.end(), bound.energy,
                       [](const Candidate &c, double energy) { return c.score.energy <= energy; });
  if (right == list.begin())
    return false; // less energy than any
  const Score &a = std::prev(right)->score;
  if (bound.latency >= a.latency)
    return true;
  if (right == list.end())
    return false; // less latency than any
  const Score &b = right->score;
  return (bound.latency - a.latency) * (b.energy - a.energy) >=
         (b.latency - a.latency) * (bound.energy - a.energy);
}

bool Incumbents::excludes(const Score &bound) const {
  if (list.empty())
    return false;
  switch (goal->kind) {
  case SearchGoal::Scalar:
    return goal->value(bound) >= std::min(best, goal->enough);
  case SearchGoal::Hull:
    return excludedByHull(bound);
  case SearchGoal::Front:
    return llvm::any_of(list, [&](const Candidate &c) {
      return c.score.energy <= bound.energy && c.score.latency <= bound.latency;
    });
  }
  return false;
}

bool Incumbents::add(const Candidate &candidate) {
  const Score &score = candidate.score;
  if (goal->kind == SearchGoal::Scalar) {
    double value = goal->value(score);
    if (!list.empty() && value >= best)
      return false;
    best = value;
    list.assign(1, candidate);
    return true;
  }
  if (excludes(score))
    return false;
  llvm::erase_if(list, [&](const Candidate &c) {
    return c.score.energy >= score.energy && c.score.latency >= score.latency;
  });
  auto at =
      std::lower_bound(list.begin(), list.end(), score.energy,
                       [](const Candidate &c, double energy) { return c.score.energy < energy; });
  at = list.insert(at, candidate);
  if (goal->kind == SearchGoal::Front)
    return true;
  // Points that are no longer corners.
  for (size_t i = 1; i + 1 < list.size();) {
    const Score &a = list[i - 1].score, &b = list[i].score, &c = list[i + 1].score;
    bool above = (b.latency - a.latency) * (c.energy - a.energy) >=
                 (c.latency - a.latency) * (b.energy - a.energy);
    if (above) {
      list.erase(list.begin() + i);
      i = std::max<size_t>(i, 2) - 1;
    } else {
      ++i;
    }
  }
  return true;
}
