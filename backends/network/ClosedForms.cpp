// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/ClosedForms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::network;

/// messages * latency + sent / bandwidth.
static CollectiveStep step(llvm::StringRef what, const NetworkLevel &level, double messages,
                           double sent) {
  CollectiveStep result{(what + " over " + level.name).str(), &level, level.latency * messages,
                        sent};
  if (level.bandwidth)
    result.latency += Uncertain(sent) / *level.bandwidth;
  return result;
}

/// reduce_scatter or all_gather of one level: the same messages, the one with additions.
static CollectiveStep half(llvm::StringRef what, const NetworkLevel &level, double bytes) {
  double n = static_cast<double>(level.members);
  double messages = level.topology == Topology::FullyConnected ? 1 : n - 1;
  return step(what, level, messages, (n - 1) / n * bytes);
}

using Steps = std::vector<CollectiveStep>;

/// All levels, the outer ones with the share of each rank.
static void reduceScatter(llvm::ArrayRef<NetworkLevel> levels, double bytes, Steps &steps) {
  for (const NetworkLevel &level : levels) {
    steps.push_back(half("reduce_scatter", level, bytes));
    bytes /= static_cast<double>(level.members);
  }
}

static void allGather(llvm::ArrayRef<NetworkLevel> levels, double bytes, Steps &steps) {
  if (levels.empty())
    return;
  allGather(levels.drop_front(), bytes / static_cast<double>(levels.front().members), steps);
  steps.push_back(half("all_gather", levels.front(), bytes));
}

/// Each rank sends S/n to every other: to those of its own group over the innermost level, to the
/// others over the level where their groups meet.
static void allToAll(llvm::ArrayRef<NetworkLevel> levels, double bytes, Steps &steps) {
  double ranks = 1;
  for (const NetworkLevel &level : levels)
    ranks *= static_cast<double>(level.members);
  double reached = 1; // ranks in the group of the levels so far
  for (const NetworkLevel &level : levels) {
    double m = static_cast<double>(level.members);
    double peers = reached * (m - 1);
    double sent = peers / ranks * bytes, messages = peers;
    if (level.topology == Topology::FullyConnected)
      messages = reached;
    if (level.topology == Topology::Ring) {
      // n ranks send over floor(n^2/4)/n links on average, two ways around.
      sent = reached * std::floor(m * m / 4) / ranks * bytes;
      messages = reached * std::floor(m / 2);
    }
    steps.push_back(step("all_to_all", level, messages, sent));
    reached *= m;
  }
}

/// Outer levels first, then within the groups; the faster of two ways at each.
static void broadcast(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels, double bytes,
                      Steps &steps) {
  for (const NetworkLevel &level : llvm::reverse(levels)) {
    double n = static_cast<double>(level.members);
    double rounds = llvm::Log2_64_Ceil(static_cast<uint64_t>(level.members));
    CollectiveStep tree = step(what, level, rounds, rounds * bytes);
    CollectiveStep scatter = step(what, level, rounds + n - 1, 2 * (n - 1) / n * bytes);
    steps.push_back(tree.latency.central() <= scatter.latency.central() ? tree : scatter);
  }
}

Steps network::closedForm(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels, double bytes) {
  Steps steps;
  switch (kind) {
  case CollectiveKind::AllReduce:
    reduceScatter(levels, bytes, steps);
    allGather(levels, bytes, steps);
    break;
  case CollectiveKind::ReduceScatter:
    reduceScatter(levels, bytes, steps);
    break;
  case CollectiveKind::AllGather:
    allGather(levels, bytes, steps);
    break;
  case CollectiveKind::AllToAll:
    allToAll(levels, bytes, steps);
    break;
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    broadcast(nameOf(kind), levels, bytes, steps);
    break;
  case CollectiveKind::Barrier:
    for (const NetworkLevel &level : levels)
      steps.push_back(
          step("barrier", level, llvm::Log2_64_Ceil(static_cast<uint64_t>(level.members)), 0));
    break;
  case CollectiveKind::Send:
    for (const NetworkLevel &level : levels)
      if (level.members > 1) { // rank 1 is the neighbour of rank 0
        steps.push_back(step("send", level, 1, bytes));
        break;
      }
    break;
  }
  llvm::erase_if(steps, [](const CollectiveStep &entry) { return entry.level->members <= 1; });
  return steps;
}
