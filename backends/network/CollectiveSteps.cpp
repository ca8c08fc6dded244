// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/CollectiveSteps.h"

#include "backends/network/InNetwork.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace perfc;
using namespace perfc::network;

double network::ranksOf(llvm::ArrayRef<NetworkLevel> levels) {
  double ranks = 1;
  for (const NetworkLevel &level : levels)
    ranks *= static_cast<double>(level.members);
  return ranks;
}

CollectiveStep network::step(llvm::StringRef what, const NetworkLevel &level, double messages,
                             double sent) {
  CollectiveStep result{(what + " over " + level.name).str(), &level, level.latency * messages,
                        sent};
  if (level.bandwidth)
    result.latency += Uncertain(sent) / *level.bandwidth;
  return result;
}

// On a line the parts of each end pass all links, each half as wide as a rank's share.
CollectiveStep network::half(llvm::StringRef what, const NetworkLevel &level, double bytes) {
  double n = static_cast<double>(level.members), sent = (n - 1) / n * bytes;
  if (level.topology == Topology::InNetwork) {
    CollectiveStep result = step(what, level, 1, bytes); // the busier of its two ways, and a part
    result.sentBytes = what == "all_gather" ? bytes / n : sent;
    return result;
  }
  double messages = level.topology == Topology::FullyConnected ? 1 : n - 1;
  double width = level.topology == Topology::Line ? 2 : 1;
  CollectiveStep result = step(what, level, messages, width * sent);
  if (level.ringLoad > 1)
    result.shared = step(what, level, 0, level.ringLoad * width * sent).latency;
  result.sentBytes = sent;
  return result;
}

CollectiveStep network::hubStep(llvm::StringRef what, const NetworkLevel &level, double bytes) {
  CollectiveStep result = step(what, level, 1, (hubPieces + 1.0) / hubPieces * bytes);
  result.sentBytes = bytes;
  return result;
}

CollectiveSteps
network::gridPhases(llvm::ArrayRef<NetworkLevel> grid, double bytes,
                    llvm::function_ref<CollectiveStep(const NetworkLevel &, double, double)> one) {
  llvm::SmallVector<const NetworkLevel *, 3> dimensions;
  for (const NetworkLevel &level : grid)
    if (level.members > 1)
      dimensions.push_back(&level);
  size_t count = dimensions.size();
  std::vector<double> visited(count, 1);
  CollectiveSteps phases;
  for (size_t phase = 0; phase < count; ++phase) {
    CollectiveStep slowest;
    double sent = 0;
    for (size_t share = 0; share < count; ++share) {
      const NetworkLevel &level = *dimensions[(share + phase) % count];
      CollectiveStep own =
          one(level, bytes / partsOfGrid(dimensions, share) / visited[share], visited[share]);
      visited[share] *= static_cast<double>(level.members);
      sent += own.sentBytes;
      if (share == 0 || own.latency.central() > slowest.latency.central())
        slowest = own;
    }
    slowest.sentBytes = sent;
    phases.push_back(std::move(slowest));
  }
  return phases;
}

CollectiveSteps network::halves(llvm::StringRef what, llvm::ArrayRef<NetworkLevel> levels,
                                double bytes) {
  CollectiveSteps steps;
  for (size_t first = 0, end; first < levels.size(); first = end) {
    end = endOfGrid(levels, first);
    llvm::ArrayRef<NetworkLevel> grid = levels.slice(first, end - first);
    llvm::append_range(steps,
                       gridPhases(grid, bytes, [&](const NetworkLevel &level, double part, double) {
                         return half(what, level, part);
                       }));
    bytes /= ranksOf(grid);
  }
  if (what == "all_gather") // the other way around
    std::reverse(steps.begin(), steps.end());
  return steps;
}
