// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/CollectiveSteps.h"

#include "backends/network/InNetwork.h"
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
