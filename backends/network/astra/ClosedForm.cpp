// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/ClosedForm.h"

#include "llvm/Support/MathExtras.h"

using namespace perfc;
using namespace perfc::astra;

namespace {

/// One phase of one chunk: `op` by `algorithm` in dimension `dim`.
struct PhaseForm {
  const Dimension &dim;
  const System &system;
  bool aware;
  Collective op;
  int64_t chunk;

  /// An aware message is serialised on every link; an unaware one pays its size once.
  int64_t messageTime(int64_t size, uint32_t hops) const {
    return aware ? hops * dim.messageTime(1, size) : dim.messageTime(hops, size);
  }
  bool isHalf() const { return op == Collective::AllReduce || op == Collective::ReduceScatter; }
  llvm::Optional<int64_t> ring() const;
  llvm::Optional<int64_t> direct() const;
  llvm::Optional<int64_t> halvingDoubling() const;
};

} // namespace

/// Of n ranks, with messages of `time` and the endpoint delay `delay`.
static int64_t ringTime(const System &system, Collective op, int64_t n, int64_t message,
                        int64_t time, int64_t delay) {
  int64_t steps = op == Collective::AllReduce  ? 2 * (n - 1)
                  : op == Collective::AllToAll ? n * (n - 1) / 2
                                               : n - 1;
  bool reduces = op == Collective::AllReduce || op == Collective::ReduceScatter;
  return delay + steps * (time + delay) + (reduces ? (n - 1) * system.reductionTime(message) : 0);
}

llvm::Optional<int64_t> PhaseForm::ring() const {
  int64_t message = op == Collective::AllGather ? chunk : chunk / dim.npus;
  return ringTime(system, op, dim.npus, message, messageTime(message, dim.hops(0, 1)),
                  system.endpointDelay);
}

/// All peers at once: the farthest one decides. The sends of an aware NPU queue at its link.
llvm::Optional<int64_t> PhaseForm::direct() const {
  int64_t n = dim.npus, delay = system.endpointDelay;
  int64_t message = op == Collective::AllGather ? chunk : chunk / n;
  if (dim.topology == Topology::Ring && (aware || op == Collective::AllReduce))
    return llvm::None;
  int64_t latest;
  if (aware && dim.topology == Topology::Switch) {
    if (n > 2 && op == Collective::AllReduce)
      return llvm::None;
    latest = (n - 2) * dim.serialisation(message) + 2 * dim.messageTime(1, message);
  } else {
    latest = messageTime(message, dim.hops(0, dim.npus / 2));
  }
  int64_t rounds = op == Collective::AllReduce ? 2 : 1;
  return delay + rounds * (latest + delay) + (isHalf() ? system.reductionTime(message) : 0);
}

/// Partner distance 1, 2, .. n/2 with halving messages, then back with doubling ones.
llvm::Optional<int64_t> PhaseForm::halvingDoubling() const {
  uint32_t n = dim.npus;
  if (dim.topology == Topology::Ring && aware)
    return llvm::None;
  int64_t delay = system.endpointDelay, total = delay, message = chunk;
  if (op != Collective::AllGather) {
    message = chunk / 2;
    for (uint32_t distance = 1; distance < n; message /= 2) {
      total += messageTime(message, dim.hops(0, distance)) + delay;
      distance *= 2;
      if (distance < n)
        total += system.reductionTime(message / 2);
    }
    message *= 2;
  }
  if (op == Collective::AllReduce || op == Collective::AllGather)
    for (uint32_t distance = n / 2; distance > 0; distance /= 2, message *= 2)
      total += messageTime(message, dim.hops(0, distance)) + delay;
  return total;
}

static llvm::Optional<int64_t> phaseTime(const PhaseForm &phase, const Algorithm &algorithm) {
  switch (algorithm.kind) {
  case AlgorithmKind::Ring:
    return phase.ring();
  case AlgorithmKind::Direct:
    return algorithm.window ? llvm::None : phase.direct();
  case AlgorithmKind::HalvingDoubling:
    return phase.halvingDoubling();
  case AlgorithmKind::DoubleBinaryTree:
    return llvm::None; // ranks finish at different times
  }
  return llvm::None;
}

/// Chunks that run at once, and the rounds that this takes.
static int64_t wavesOf(const System &system, Collective op, int64_t chunks, int64_t &atOnce) {
  int64_t perQueue = (system.activeChunks - 1) / system.queues + 1;
  bool half = op == Collective::AllReduce && system.localBwAware;
  int64_t queues = half ? std::max(1u, system.queues / 2) : system.queues;
  atOnce = std::min(perQueue * queues, chunks);
  int64_t inQueue = (chunks - 1) / queues + 1;
  return (inQueue - 1) / perQueue + 1;
}

/// A single chunk through all dimensions.
static llvm::Optional<int64_t> walk(const Cluster &cluster, Collective op, int64_t chunk) {
  const Network &network = cluster.network;
  llvm::ArrayRef<Algorithm> algorithms = cluster.system.algorithmsOf(op);
  struct Step {
    Collective op;
    size_t dim;
  };
  std::vector<Step> steps;
  size_t last = network.size() - 1;
  if (op == Collective::AllReduce && cluster.system.localBwAware) {
    for (size_t dim = 0; dim < last; ++dim)
      steps.push_back({Collective::ReduceScatter, dim});
    steps.push_back({op, last});
    for (size_t dim = last; dim-- > 0;)
      steps.push_back({Collective::AllGather, dim});
  } else {
    for (size_t at = 0; at <= last; ++at)
      steps.push_back({op, op == Collective::AllGather ? last - at : at});
  }
  int64_t total = 0;
  for (const Step &step : steps) {
    const Dimension &dim = network[step.dim];
    llvm::Optional<int64_t> time =
        phaseTime({dim, cluster.system, cluster.aware, step.op, chunk}, algorithms[step.dim]);
    if (!time)
      return llvm::None;
    total += *time;
    if (step.op == Collective::AllGather)
      chunk *= dim.npus;
    else if (step.op == Collective::ReduceScatter)
      chunk /= dim.npus;
  }
  return total;
}

Distance astra::distanceOf(const Network &network, uint32_t from, uint32_t to) {
  for (uint32_t dim = 0; dim < network.size(); ++dim) {
    uint32_t npus = network[dim].npus;
    if (from % npus != to % npus)
      return {dim, network[dim].hops(from % npus, to % npus)};
    from /= npus;
    to /= npus;
  }
  return {};
}

Distance astra::ringDistance(const Network &network, llvm::ArrayRef<uint32_t> members) {
  Distance all;
  for (size_t i = 0; i < members.size(); ++i) {
    Distance way = distanceOf(network, members[i], members[(i + 1) % members.size()]);
    Distance back = distanceOf(network, members[(i + 1) % members.size()], members[i]);
    if (!(way == back) || (i > 0 && !(way == all)))
      return {};
    all = way;
  }
  return all;
}

/// A group is one flat ring with a delay of its own.
static llvm::Optional<int64_t> groupForm(const Cluster &cluster, Collective op, int64_t size,
                                         const std::vector<uint32_t> &group) {
  const System &system = cluster.system;
  llvm::ArrayRef<Algorithm> algorithms = system.algorithmsOf(op);
  bool isRing = algorithms.size() > 1 ||
                (!algorithms.empty() && algorithms.front().kind == AlgorithmKind::Ring);
  Distance way = ringDistance(cluster.network, group);
  Chunks chunks = cutIntoChunks(op, size, rankCount(cluster.network), system);
  if (cluster.aware || !isRing || way.hops == 0 || chunks.bytes == 0)
    return llvm::None;
  auto n = static_cast<int64_t>(group.size());
  int64_t atOnce = 1, waves = wavesOf(system, op, chunks.count, atOnce);
  int64_t message = op == Collective::AllGather ? chunks.bytes : chunks.bytes / n;
  int64_t time = cluster.network[way.dim].messageTime(way.hops, message);
  return waves * ringTime(system, op, n, message, time, groupEndpointDelay);
}

llvm::Optional<int64_t> astra::closedForm(const Cluster &cluster, Collective op, int64_t size,
                                          const std::vector<uint32_t> *group) {
  const System &system = cluster.system;
  if (group && group->size() != rankCount(cluster.network))
    return groupForm(cluster, op, size, *group);
  llvm::ArrayRef<Algorithm> algorithms = system.algorithmsOf(op);
  bool isOneDimension = cluster.network.size() == 1;
  if (algorithms.empty() || (algorithms.front().flat && !isOneDimension))
    return llvm::None;
  Chunks chunks = cutIntoChunks(op, size, rankCount(cluster.network), system);
  if (chunks.bytes == 0 || (!isOneDimension && chunks.count != 1))
    return llvm::None;
  int64_t atOnce = 1, waves = wavesOf(system, op, chunks.count, atOnce);
  // Without a delay the order of events at one time would matter, and messages start at time 0.
  if (cluster.aware && (atOnce > 1 || system.endpointDelay == 0))
    return llvm::None;
  llvm::Optional<int64_t> once = walk(cluster, op, chunks.bytes);
  if (!once)
    return llvm::None;
  return waves * *once;
}
