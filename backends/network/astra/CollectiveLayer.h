// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collective layer of every NPU: a collective is cut into equal chunks; each chunk walks
// through phases, one per network dimension, and waits in the queue of its dimension until it may
// run. At most ceil(active chunks / queues) chunks run per queue, higher priority first, first in
// first out.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_COLLECTIVELAYER_H
#define PERFC_BACKENDS_NETWORK_ASTRA_COLLECTIVELAYER_H

#include "backends/network/astra/Channels.h"
#include "backends/network/astra/Links.h"
#include "backends/network/astra/Phase.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>
#include <functional>

namespace perfc::astra {

/// A communicator group as the layer uses it.
struct GroupInfo {
  int64_t id = 0; ///< 0 is the world
  std::vector<uint32_t> ranks;
};

/// A chunk at one NPU.
struct Stream {
  int64_t number = 0; ///< chunks of a collective are matched by it
  int64_t priority = 0;
  uint32_t npu = 0;
  uint32_t instance = 0; ///< the collective it belongs to
  uint32_t group = 0;
  Collective op = Collective::AllReduce; ///< the whole collective; a phase may do a part of it
  uint32_t nextPhase = 0;
  uint32_t queue = ~0u; ///< none before the first phase
  bool running = false;
  std::vector<PhasePlan> plan;
  Phase phase;
};

class CollectiveLayer {
public:
  /// `finished` is called with a token: of a collective of which the NPU has done its last chunk,
  /// or of an operation whose delay is over.
  CollectiveLayer(EventQueue &events, Links &links, const Network &network, const System &system,
                  llvm::ArrayRef<GroupInfo> groups, std::function<void(uint32_t)> finished);

  /// Starts a collective of `npu`; `token` comes back when it is done.
  void start(uint32_t npu, Collective op, int64_t size, uint32_t group, uint32_t token);
  /// Calls `finished` with `token` after `delay`, in order with the other delays of the NPU.
  void after(uint32_t npu, int64_t delay, uint32_t token);

  // Handlers of the events with these names.
  void arrival(uint32_t channel);
  void due(uint32_t npu);
  void received(uint32_t stream);

  /// "" or the rule of ASTRA-sim that the run broke on the way.
  const std::string &abortion() const { return abortReason; }
  const Channels &channelsLeft() const { return channels; }
  const Stream &stream(uint32_t index) const { return streams[index]; }
  llvm::ArrayRef<GroupInfo> groupTable() const { return groups; }
  /// The token of the collective that a chunk belongs to.
  uint32_t tokenOf(uint32_t stream) const { return instances[streams[stream].instance].token; }

private:
  /// What falls due at an NPU: a packet's delay (then its reduction), or an operation.
  struct Action {
    uint32_t subject; ///< stream, or token of an operation
    uint32_t next;
    int64_t reduction; ///< ns; released when there is none; isOperation
  };
  static constexpr int64_t noReduction = -1, isOperation = -2;
  struct DueList {
    int64_t time;
    uint32_t first, last;
  };
  /// The streams from `first` on: running ones, then by priority. Those that leave run, so that the
  /// few before them move up, not the many that wait.
  struct Queue {
    std::vector<uint32_t> streams;
    uint32_t first = 0, running = 0;

    void erase(uint32_t stream);
  };
  struct Instance {
    int64_t left; ///< chunks
    uint32_t token;
  };
  struct Npu {
    std::deque<DueList> dues; ///< by time
    int64_t nextStream = 0, nextPriority = 0;
    uint32_t trees = 0;
  };
  /// Deals the queues of one dimension out in turn: those for all, for the way there, the way back.
  struct Dealers {
    uint32_t all = 0, forth = 0, back = 0;
  };

  void schedule(uint32_t npu, int64_t delay, uint32_t subject, int64_t reduction);
  uint32_t newStream();
  void planPhases(uint32_t npu, Collective op, uint32_t group, std::vector<PhasePlan> &plan);
  PhasePlan deal(uint32_t npu, Collective op, unsigned dim, char way);
  Members membersOf(uint32_t npu, uint32_t group, unsigned dim, bool flat) const;
  Algorithm algorithmOf(Collective op, uint32_t group, unsigned dim) const;
  bool isSubgroup(uint32_t group) const;
  uint32_t placeOf(uint32_t npu, uint32_t group) const;
  unsigned dimensionsOf(Collective op, uint32_t group) const;
  int64_t nextNumber(uint32_t npu, uint32_t group);

  void advance(uint32_t stream);
  void enterPhase(uint32_t stream);
  void insert(Queue &queue, uint32_t stream);
  void startReady(uint32_t queue);
  void chunkFinished(uint32_t instance);

  // The algorithms.
  void begin(uint32_t stream);
  void releasedPacket(uint32_t stream);
  void receivedPacket(uint32_t stream);
  void preparePacket(uint32_t stream);
  void sendNext(uint32_t stream);
  void sendOne(uint32_t stream);
  void release(uint32_t stream, int64_t size, bool reduce);
  void send(uint32_t stream, uint32_t peer, int64_t size);
  void receive(uint32_t stream, uint32_t peer, int64_t size);
  void treeReleased(uint32_t stream);
  void treeUp(uint32_t stream);
  void treeDown(uint32_t stream);

  EventQueue &events;
  Links &links;
  const Network &network;
  const System &system;
  llvm::ArrayRef<GroupInfo> groups;
  std::function<void(uint32_t)> finished;
  uint64_t world;
  uint32_t dims, limit;
  llvm::SmallVector<uint32_t, 4> strides;
  Channels channels;
  std::vector<Npu> npus;
  std::vector<Queue> queues;    ///< (npu, dimension, queue)
  std::vector<Dealers> dealers; ///< (npu, dimension)
  /// Per group: its (rank, place) by rank, and the next chunk number by place.
  struct Membership {
    std::vector<std::pair<uint32_t, uint32_t>> places;
    std::vector<int64_t> next;
  };
  std::vector<Membership> memberships;
  std::vector<Stream> streams;
  std::vector<uint32_t> unusedStreams;
  std::vector<Instance> instances;
  std::vector<uint32_t> unusedInstances;
  std::vector<Action> actions;
  uint32_t unusedActions = ~0u;
  int64_t reducedSize = -1, reduction = 0;
  std::string abortReason;
};

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_COLLECTIVELAYER_H
