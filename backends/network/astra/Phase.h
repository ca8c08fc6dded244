// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One chunk ("stream") of a collective at one NPU, and the phase it is in: a collective algorithm
// among the NPUs that differ in one network dimension. An algorithm reacts to three events: the
// phase starts, a packet of its own is released (its endpoint delay and reduction are over), a
// packet of a peer is received. Rules and closed forms: docs/astra_sim.md.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_PHASE_H
#define PERFC_BACKENDS_NETWORK_ASTRA_PHASE_H

#include "backends/network/astra/Cluster.h"

namespace perfc::astra {

/// The NPUs of a phase in ring order: `count` ranks from `first` in steps of `stride`, or a list.
struct Members {
  uint32_t count = 0;
  uint32_t index = 0; ///< of the NPU itself
  uint32_t first = 0;
  uint32_t stride = 1;
  const uint32_t *list = nullptr;
  bool subgroup = false; ///< a communicator group smaller than the world

  uint32_t rank(uint32_t place) const { return list ? list[place] : first + place * stride; }
  /// The rank `offset` (|offset| <= count) places further round the ring.
  uint32_t neighbour(int64_t offset) const {
    int64_t place = index + offset;
    int64_t wrapped = place < 0 ? place + count : place >= count ? place - count : place;
    return rank(static_cast<uint32_t>(wrapped));
  }
};

/// What a chunk does in one dimension, and in which queue; decided when the chunk is made.
struct PhasePlan {
  Collective op;
  uint8_t dim;
  bool backwards;     ///< anticlockwise
  bool rootIsHighest; ///< of the tree of a double binary tree
  uint32_t queue;
};

/// State of the algorithm that runs. Counters are packets.
struct Phase {
  Algorithm algorithm;
  Collective op = Collective::AllReduce;
  Members members;
  int64_t size = 0;    ///< bytes of the chunk when the phase starts
  int64_t message = 0; ///< bytes of the packet that is prepared next
  int64_t delay = 0;   ///< ns between preparing a packet and its release
  int32_t direction = 1;

  // Ring, direct and halving-doubling. One pass is `width` fresh packets and `perPass` forwarded.
  int64_t remaining = 0; ///< sends to do
  int64_t received = 0;
  int64_t packets = 0; ///< prepared and not sent
  int64_t idle = 0;    ///< released and not yet used for a send
  int64_t width = 1;   ///< outstanding at once
  int64_t fresh = 0, forwarded = 0, perPass = 0;
  bool reducingPass = false;
  uint32_t target = 0, source = 0; ///< of the next packet; of direct: offset of the next peer
  // Halving-doubling: the packet that waits, and the partner after it.
  int64_t waitingSize = 0;
  uint32_t waitingPeer = 0;
  uint32_t distance = 0;
  bool halving = false;
  // Double binary tree.
  enum class TreeState : uint8_t { Start, Reduce, Leaf, Parent, Down };
  TreeState tree = TreeState::Start;
  uint32_t parent = 0, children[2] = {0, 0};
  uint8_t childCount = 0, released = 0;
  bool hasParent = false;

  /// Bytes of the chunk behind the phase.
  int64_t outputSize() const;
};

/// Sets up `phase` for its first event: everything above but algorithm, op, members, size, delay
/// and direction, which are given.
void beginPhase(Phase &phase, bool rootIsHighest);

/// After a packet of halving-doubling: the partner and the size of the next one.
void nextPartner(Phase &phase);

/// One algorithm of a collective, and how many NPUs run it together.
struct Stage {
  Algorithm algorithm;
  uint32_t count = 0;
  bool isSubgroup = false; ///< a communicator group smaller than the world
};

/// What a collective of `group`, null for the world, runs: a stage per dimension, or one where the
/// algorithm or the group is flat. The system gives an algorithm for each.
llvm::SmallVector<Stage, 3> stagesOf(const Network &network, const System &system, Collective op,
                                     const std::vector<uint32_t> *group);

/// "" or why `algorithm` cannot run `op` among `count` NPUs.
std::string algorithmProblem(const Algorithm &algorithm, Collective op, uint32_t count);

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_PHASE_H
