// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace per rank on a cluster, as ASTRA-sim's analytical backends time it: when each rank
// finishes, how much of that is not compute (exposed communication), how long it communicates.
// Ranks that run one file in step are folded into one where collectives have closed forms
// (ClosedForm.h); the rest is simulated event by event.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_SIMULATION_H
#define PERFC_BACKENDS_NETWORK_ASTRA_SIMULATION_H

#include "backends/network/astra/Cluster.h"
#include "backends/network/chakra/Trace.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"

namespace perfc::astra {

struct Cluster {
  Network network;
  System system;
  Groups groups;
  RemoteMemory memory;
  bool aware = false; ///< messages compete for links
};

/// A node of a trace by name, or the trace as a whole.
struct NodeName {
  uint32_t rank;
  llvm::Optional<uint64_t> id;
};

struct FindingNote {
  std::string text;
  llvm::Optional<NodeName> node; ///< that it is about
};

/// What is wrong with an input, or what a run lost.
struct Finding {
  const DiagnosticKind *kind;
  std::string subject; ///< what the message of `kind` names: "rank 3, node 7 (byte 120 of x.3.et)"
  std::string reason;
  std::vector<FindingNote> notes;
  /// ASTRA-sim ends here without results; else it goes on and may lose work silently.
  bool aborts = true;
  llvm::Optional<NodeName> node; ///< where it is about one, or about the trace of a rank
};

struct RankResult {
  int64_t finish = -1; ///< ns; -1 when the rank never finishes
  int64_t computeTime = 0;
  int64_t communicationBusy = 0; ///< the union of the intervals of communication nodes

  bool finished() const { return finish >= 0; }
  /// Bubbles and CPU operations count as exposed, too.
  int64_t exposed() const { return finish - computeTime; }
  bool operator==(const RankResult &other) const {
    return finish == other.finish && computeTime == other.computeTime &&
           communicationBusy == other.communicationBusy;
  }
};

struct SimulationResult {
  std::vector<RankResult> ranks;
  std::vector<Finding> findings;
  uint64_t events = 0;
  bool folded = false; ///< one rank was simulated for all

  bool aborted() const;
};

/// One trace per rank, or one that all ranks run.
using Traces = llvm::ArrayRef<const chakra::Trace *>;

/// What is wrong with the cluster itself; empty when it can be simulated.
std::vector<Finding> checkCluster(const Cluster &cluster);
/// What is wrong with the traces on this cluster.
std::vector<Finding> checkTraces(const Cluster &cluster, Traces traces);

enum class Fidelity { Fastest, Events };

/// Checks and runs; results are there unless a finding aborts.
SimulationResult simulate(const Cluster &cluster, Traces traces,
                          Fidelity fidelity = Fidelity::Fastest);

/// A trace with one collective of all ranks, for tables of collectives.
chakra::Trace collectiveTrace(Collective op, int64_t size);

/// `rank 3, node 7 (byte 120 of x.3.et)`; a node of no file has no byte.
std::string nodePlace(const chakra::Trace &trace, uint32_t rank, const chakra::Node &node);

/// The members of the communicator group of `node`; null for the world, and for a group that the
/// cluster does not have.
const std::vector<uint32_t> *groupOf(const Cluster &cluster, const chakra::Trace &trace,
                                     const chakra::Node &node);

/// What of its file a simulator does not run.
std::vector<std::string> lostWork(const chakra::Trace &trace);

/// The collective that a node's `comm_type` names; false for those that are not simulated.
bool collectiveOf(int64_t commType, Collective &op);
inline constexpr int64_t broadcastType = 5; ///< replayed for its duration

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_SIMULATION_H
