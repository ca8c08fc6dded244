// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of every rank: each rank has a slot for one CPU operation, one compute kernel and one
// communication (collective, send or memory access); receives are unlimited. Ready nodes are issued
// by ascending id whenever something finishes.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_WORKLOAD_H
#define PERFC_BACKENDS_NETWORK_ASTRA_WORKLOAD_H

#include "backends/network/astra/CollectiveLayer.h"
#include "backends/network/astra/Exchanges.h"
#include "backends/network/astra/Folding.h"
#include "backends/network/astra/Simulation.h"
#include <queue>

namespace perfc::astra {

/// A node that runs, or a collective, send or receive that waits.
struct Operation {
  uint32_t rank = ~0u; ///< ~0 when the entry is unused
  uint32_t node = 0;   ///< index in the rank's trace
  int64_t start = 0;
};

class Workload {
public:
  /// All ranks are run; with `folding` one of each class, and collectives take their closed form.
  Workload(const Cluster &cluster, Traces traces, const Folding *folding);

  /// Runs to the end.
  void run();
  RankResult result(uint32_t rank) const;
  uint64_t executedEvents() const { return events.executed(); }
  /// "" or why the run ended early.
  std::string abortion() const;

  // For the explanation of what never finishes.
  const std::vector<Operation> &operations() const { return running; }
  const chakra::Trace &trace(uint32_t rank) const {
    return *traces[traces.size() > 1 ? realRank(rank) : 0];
  }
  const CollectiveLayer &collectives() const { return layer; }
  const Exchanges &messages() const { return exchanges; }
  uint32_t rankCount() const { return static_cast<uint32_t>(ranks.size()); }
  bool finished(uint32_t rank) const { return ranks[rank].finish >= 0; }
  /// False when a folded run met a tie that ranks of a class might decide differently, or did not
  /// come to its end.
  bool isUnambiguous() const;

private:
  enum Slot : uint8_t { Cpu, Gpu, Communication, Receive, Never };
  static constexpr unsigned slotCount = 4;
  using ReadyHeap = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>>;
  struct Rank {
    std::vector<uint32_t> waiting; ///< per node: nodes that it waits for
    ReadyHeap ready[slotCount];
    bool busy[slotCount] = {};
    uint32_t active = 0;
    int64_t finish = -1, computeTime = 0;
    int64_t lastFinish = -1;                         ///< when a node was done last
    int64_t lastIssue[slotCount] = {-1, -1, -1, -1}; ///< per slot, when a node was issued last
    std::vector<std::pair<int64_t, int64_t>> communication;
  };

  Slot slotOf(const chakra::Node &node) const;
  bool usesRoofline(const chakra::Node &node) const;
  void makeReady(uint32_t rank, uint32_t node);
  void issueReady(uint32_t rank);
  void issue(uint32_t rank, uint32_t node, Slot slot);
  void issueCollective(uint32_t token, const chakra::Node &node);
  void issueMessage(uint32_t token, const chakra::Node &node);
  void receive(uint32_t token, Exchange &exchange);
  void issueFolded(uint32_t token, const chakra::Node &node);
  void issueMemory(uint32_t token, const chakra::Node &node);
  int64_t computeTime(const chakra::Node &node) const;
  void finish(uint32_t token);
  uint32_t newOperation(Operation operation);
  uint32_t groupOf(const chakra::Trace &trace, const chakra::Node &node) const;
  /// The rank that stands for `rank` of a folded run.
  uint32_t realRank(uint32_t rank) const { return folding ? folding->firsts[rank] : rank; }
  void checkTie(Rank &rank);
  void handle(Event event);

  const Cluster &cluster;
  Traces traces;
  const Folding *folding;
  bool hasTie = false;
  std::vector<GroupInfo> groups;
  llvm::StringMap<uint32_t> groupByName;
  const Network network;
  EventQueue events;
  Links links;
  CollectiveLayer layer;
  Exchanges exchanges;
  std::vector<Rank> ranks;
  std::vector<Operation> running;
  std::vector<uint32_t> unused;
  std::map<int64_t, int64_t> memoryFreeAt; ///< per shared memory
  std::string abortReason;
};

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_WORKLOAD_H
