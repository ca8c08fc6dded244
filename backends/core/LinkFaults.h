// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links of a system that are slow or failed, as a step sees them. A ring, a tree and an exchange
// advance at the pace of their slowest link, so a slow link sets the bandwidth of its level of the
// network for every group of ranks that has one of its ends. A failed link sends its traffic over
// another one, which then carries twice as much: half the bandwidth. Where the link is a member's
// only one (switch, tree, bus, the edge of a fat tree or dragonfly) its chips are cut off.
#ifndef PERFC_BACKENDS_CORE_LINKFAULTS_H
#define PERFC_BACKENDS_CORE_LINKFAULTS_H

#include "passes/analysis/SystemPaths.h"
#include "llvm/ADT/Optional.h"
#include <vector>

namespace perfc {

class LinkFaults {
public:
  /// Reads the faults of links of `system`, a target.system or a target.chip of `chips` chips;
  /// false, reported, where one names no part of it or cuts chips off.
  bool read(const ir::Operation &system, int64_t chips, SourceRange where,
            DiagnosticEngine &diagnostics);
  bool empty() const { return faults.empty(); }
  /// What they leave of the bandwidth of `group`'s network for ranks among `chips`.
  double factor(const ir::Operation &group, const passes::ChipSet &chips) const;

private:
  struct Fault {
    const ir::Operation *group;
    double factor;
    int64_t first, count; ///< chips that the link serves
  };
  std::vector<Fault> faults;
};

/// What faults leave of a part of a system.
struct Fitness {
  double bandwidth = 1; ///< the share that is left
  double latency = 1;   ///< times as long
};

/// Slows `part`, a network or a library, down, with what it has: all of its bandwidths, and the
/// latencies of its links. What a library takes of its own does not pass the links.
void slowDown(ir::Operation &part, const Fitness &fitness);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_LINKFAULTS_H
