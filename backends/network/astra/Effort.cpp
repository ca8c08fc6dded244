// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Effort.h"

#include "backends/network/astra/Phase.h"
#include "ir/common/diagnostics/Cluster.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::astra;
using chakra::Field;
using chakra::Node;
using chakra::NodeType;

static constexpr double chunkBytes = 400, messageBytes = 100;

namespace {
/// Of one rank.
struct Effort {
  double messages = 0, bytes = 0;
};

/// The node that takes the most, of one rank and of all.
struct Most {
  double one = 0, all = 0;
  uint32_t rank = 0;
  const Node *node = nullptr;

  void add(double amount, double ranks, uint32_t of, const Node &by) {
    all += amount * ranks;
    if (!node || amount > one) {
      one = amount;
      rank = of;
      node = &by;
    }
  }
};
} // namespace

/// Sends of one rank and chunk, and how many are under way at once.
static std::pair<double, double> sendsOf(Collective op, const Stage &stage) {
  if (stage.algorithm.kind == AlgorithmKind::DoubleBinaryTree)
    return {2, 2}; // each but the root sends up, and each gets one from above
  Phase phase;
  phase.algorithm = stage.algorithm;
  phase.op = op;
  phase.members.count = stage.count;
  beginPhase(phase, /*rootIsHighest=*/false);
  return {static_cast<double>(phase.remaining), static_cast<double>(phase.width)};
}

/// Links that a message of `stage` crosses one by one.
static double linksOf(const Cluster &cluster, const Stage &stage) {
  const Dimension &dim = cluster.network.front();
  if (!cluster.aware)
    return 1;
  if (dim.topology != Topology::Ring)
    return dim.hops(0, 1);
  bool isNeighbour = stage.algorithm.kind == AlgorithmKind::Ring && !stage.isSubgroup;
  return isNeighbour ? 1 : std::max(1.0, dim.npus / 4.0);
}

static Effort effortOf(const Cluster &cluster, const chakra::Trace &trace, uint32_t rank,
                       const Node &node) {
  Collective op;
  if (node.type == NodeType::Send) {
    const Dimension &dim = cluster.network.front();
    auto peer = static_cast<uint32_t>(node.value(Field::CommDst));
    return {cluster.aware ? static_cast<double>(dim.hops(rank, peer)) : 1, messageBytes};
  }
  if (node.type != NodeType::Collective || cluster.system.replayOnly ||
      !collectiveOf(node.value(Field::CommType), op))
    return {};
  const std::vector<uint32_t> *group = groupOf(cluster, trace, node);
  const System &system = cluster.system;
  if (group && group->size() < 2) // never ends, and a warning says so
    return {};
  Chunks chunks =
      cutIntoChunks(op, node.value(Field::CommSize), rankCount(cluster.network), system);
  auto count = static_cast<double>(chunks.count);
  double running = std::min(count, static_cast<double>(system.activeChunks + system.queues));
  Effort effort{0, count * chunkBytes};
  for (const Stage &stage : stagesOf(cluster.network, system, op, group)) {
    auto [sends, width] = sendsOf(op, stage);
    effort.messages += count * sends * linksOf(cluster, stage);
    effort.bytes = std::max(effort.bytes, count * chunkBytes + running * width * messageBytes);
  }
  return effort;
}

/// "1000000 chunks on 4 ranks", or what else `node` is.
static std::string nameOf(const Cluster &cluster, const chakra::Trace &trace, const Node &node) {
  if (node.type == NodeType::Send)
    return "messages";
  Collective op = Collective::AllReduce;
  collectiveOf(node.value(Field::CommType), op);
  const std::vector<uint32_t> *group = groupOf(cluster, trace, node);
  uint64_t world = rankCount(cluster.network);
  Chunks chunks = cutIntoChunks(op, node.value(Field::CommSize), world, cluster.system);
  return fmt::format("{} on {}", counted(chunks.count, "chunk"),
                     counted(group ? group->size() : world, "rank"));
}

std::vector<Finding> astra::checkEffort(const Cluster &cluster, Traces traces) {
  auto world = static_cast<double>(rankCount(cluster.network));
  double ranks = traces.size() == 1 ? world : 1;
  Most messages, bytes;
  for (uint32_t rank = 0; rank < traces.size(); ++rank) {
    Most own;
    for (const Node &node : traces[rank]->nodes) {
      Effort effort = effortOf(cluster, *traces[rank], rank, node);
      messages.add(effort.messages, ranks, rank, node);
      own.add(effort.bytes, 0, rank, node);
    }
    if (own.node)
      bytes.add(own.one, ranks, rank, *own.node);
  }
  auto refuse = [&](const Most &most, std::string what) {
    const chakra::Trace &trace = *traces[most.rank];
    std::string reason = nameOf(cluster, trace, *most.node) + what;
    if (most.node->type == NodeType::Collective && cluster.system.splits > 1)
      reason += "; `preferred-dataset-splits` says how many chunks there are";
    return std::vector<Finding>{{&diag::TooMuchToSimulate,
                                 nodePlace(trace, most.rank, *most.node),
                                 std::move(reason),
                                 {},
                                 true,
                                 NodeName{most.rank, most.node->id}}};
  };
  if (bytes.all > mostMemory)
    return refuse(bytes, fmt::format(" take about {:.1f} GB of memory, and at most {:.0f} GB are "
                                     "taken",
                                     bytes.all / 1e9, mostMemory / 1e9));
  if (messages.all > mostMessages)
    return refuse(messages, fmt::format(" are the most of about {:.1e} messages, and at most "
                                        "{:.0e} are simulated",
                                        messages.all, mostMessages));
  return {};
}
