// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a part of a result, a kernel, an exchange or a time in which neither runs, takes longer than
// the part of the same label in another result: how often it runs, and of one run its operations,
// bytes and how fast these go, what bounds it, its mapping and its provider.
#ifndef PERFC_API_PARTCAUSES_H
#define PERFC_API_PARTCAUSES_H

#include "backends/emit/Result.h"
#include <map>

namespace perfc::api {

/// All runs of the parts of one label.
struct PartSum {
  const CostPart *first = nullptr;
  int64_t count = 0;
  double latency = 0, flops = 0, macs = 0;
  double busy = 0;   ///< s that its operations take at the peak of the units
  double hidden = 0; ///< s of an exchange that other work covers
  double share = 0;  ///< of the latency of the result
  /// Of a time in which nothing runs, while no request is there: how many come in a second.
  double requestsPerSecond = 0;
  /// Of what overlaps in it, by kind and name: seconds, and bytes of a memory.
  struct Inside {
    double seconds = 0, bytes = 0, flops = 0;
  };
  std::map<std::pair<PartKind, std::string>, Inside> inside;

  double each(double ofAll) const { return count ? ofAll / static_cast<double>(count) : ofAll; }
  double utilization() const { return latency > 0 ? busy / latency : 0; }
};

/// The parts of a result by label; exchanges of a `train` have the bytes that each rank sends, its
/// optimizer those that it updates.
std::map<std::string, PartSum> sumParts(const emit::Result &result);

/// In words, what matters most first; none for what differs by less than a word says.
std::vector<std::string> causesOf(const PartSum &before, const PartSum &after);

} // namespace perfc::api

#endif // PERFC_API_PARTCAUSES_H
