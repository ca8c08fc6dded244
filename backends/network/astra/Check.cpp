// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said of a cluster and its traces before anything runs.
#include "backends/network/astra/Phase.h"
#include "backends/network/astra/Simulation.h"
#include "ir/collective/TraceLimits.h"
#include "ir/common/diagnostics/Cluster.h"
#include "llvm/ADT/DenseMap.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::astra;
using chakra::Field;
using chakra::FieldState;
using chakra::Node;
using chakra::NodeType;

static constexpr size_t mostFindings = 20;
static constexpr uint32_t mostFullyConnected = 4096;
static constexpr uint64_t mostRanks = 1 << 20;

std::string astra::nodePlace(const chakra::Trace &trace, uint32_t rank, const Node &node) {
  std::string byte = node.offset ? fmt::format("byte {} of ", node.offset) : "";
  return fmt::format("rank {}, node {} ({}{})", rank, node.id, byte, trace.path);
}

const std::vector<uint32_t> *astra::groupOf(const Cluster &cluster, const chakra::Trace &trace,
                                            const Node &node) {
  int64_t id = 0;
  llvm::StringRef name = trace.groupNames[node.group];
  if (node.group == 0 || name.getAsInteger(10, id))
    return nullptr;
  auto group = cluster.groups.find(id);
  return group == cluster.groups.end() ? nullptr : &group->second;
}

std::vector<Finding> astra::checkCluster(const Cluster &cluster) {
  std::vector<Finding> findings;
  const Network &network = cluster.network;
  auto refuse = [&](std::string reason) {
    findings.push_back({&diag::NotOnThisCluster,
                        cluster.aware ? "a congestion-aware network" : "this network",
                        std::move(reason),
                        {},
                        true});
  };
  uint64_t ranks = 1;
  for (const Dimension &dim : network)
    ranks = std::min(ranks * dim.npus, mostRanks + 1);
  if (ranks > mostRanks)
    refuse(fmt::format("more than {} ranks cannot be simulated", mostRanks));
  for (const auto &[group, members] : cluster.groups)
    for (uint32_t member : members)
      if (member >= ranks)
        findings.push_back(
            {&diag::BadGroup,
             std::to_string(group),
             fmt::format("has a member {}, and here are {}", member, counted(ranks, "rank")),
             {}});
  if (!cluster.aware)
    return findings;
  const Dimension &dim = network.front();
  if (network.size() > 1)
    refuse(fmt::format("it has one dimension, not {}", network.size()));
  else if (dim.topology == Topology::Ring && dim.npus == 2)
    refuse("a ring of 2 ranks would have each link twice");
  else if (dim.topology == Topology::FullyConnected && dim.npus > mostFullyConnected)
    refuse(
        fmt::format("more than {} fully connected ranks cannot be simulated", mostFullyConnected));
  return findings;
}

/// "" or why a collective cannot be simulated among `group`, null for the world.
static std::string collectiveProblem(const Cluster &cluster, Collective op, int64_t size,
                                     const std::vector<uint32_t> *group) {
  const System &system = cluster.system;
  llvm::ArrayRef<Algorithm> algorithms = system.algorithmsOf(op);
  auto world = static_cast<int64_t>(rankCount(cluster.network));
  llvm::StringRef word = collectiveWord(op);
  if (algorithms.empty())
    return fmt::format("the system gives no {}-implementation", word);
  bool isSubgroup = group && static_cast<int64_t>(group->size()) != world;
  bool isFlat = algorithms.front().flat;
  if (isSubgroup && isFlat && algorithms.size() == 1)
    return fmt::format("{} is not modelled inside a group", algorithmName(algorithms.front()));
  size_t dims = isSubgroup || isFlat ? 1 : cluster.network.size();
  if (algorithms.size() < dims)
    return fmt::format("{}-implementation has {} for {} network dimensions", word,
                       counted(algorithms.size(), "entry"), dims);
  if (system.localMemBandwidth <= 0 &&
      (op == Collective::AllReduce || op == Collective::ReduceScatter))
    return "the system gives no local-mem-bw, which a reduction needs";
  Chunks chunks = cutIntoChunks(op, size, static_cast<uint64_t>(world), system);
  if (chunks.bytes == 0 && size > 0)
    return fmt::format("an all-gather of {} bytes in {} splits never ends", size, system.splits);
  if (chunks.bytes > (int64_t(1) << 53) / world)
    return fmt::format("{} bytes on {} ranks are too much to simulate", size, world);
  for (const Stage &stage : stagesOf(cluster.network, system, op, group)) {
    bool isTree = stage.algorithm.kind == AlgorithmKind::DoubleBinaryTree;
    if (isTree && (stage.isSubgroup || stage.count != world))
      return "doubleBinaryTree is modelled for networks of one dimension alone";
    std::string reason = algorithmProblem(stage.algorithm, op, stage.count);
    if (!reason.empty())
      return fmt::format("{}, and here are {}", reason, stage.count);
  }
  return "";
}

namespace {

class Checker {
public:
  Checker(const Cluster &cluster, Traces traces, std::vector<Finding> &findings)
      : cluster(cluster), traces(traces), findings(findings),
        world(static_cast<uint32_t>(rankCount(cluster.network))) {}

  void checkTrace(uint32_t rank);
  void checkPeers(uint32_t rank);
  void checkCollectives();

private:
  void checkGraph(uint32_t rank);
  void checkNode(uint32_t rank, const Node &node);
  void checkCompute(uint32_t rank, const Node &node);
  void checkCollective(uint32_t rank, const Node &node);
  void checkMembership(uint32_t rank, const Node &node);
  const chakra::Trace &trace(uint32_t rank) const { return *traces[traces.size() > 1 ? rank : 0]; }
  /// Whether the node has an integer `field`; reports when not.
  bool needs(uint32_t rank, const Node &node, Field field);
  void add(const DiagnosticKind &kind, std::string subject, std::string reason, bool aborts,
           llvm::Optional<NodeName> node = llvm::None) {
    // However many warnings there are, one error stops what cannot be simulated.
    if (findings.size() < mostFindings || (aborts && !aborted))
      findings.push_back({&kind, std::move(subject), std::move(reason), {}, aborts, node});
    aborted |= aborts;
  }
  void add(const DiagnosticKind &kind, uint32_t rank, const Node &node, std::string reason,
           bool aborts) {
    add(kind, nodePlace(trace(rank), rank, node), std::move(reason), aborts,
        NodeName{rank, node.id});
  }
  void bad(uint32_t rank, const Node &node, std::string reason) {
    add(diag::BadTraceNode, rank, node, std::move(reason), true);
  }

  const Cluster &cluster;
  Traces traces;
  std::vector<Finding> &findings;
  uint32_t world;
  bool aborted = false;
};

} // namespace

bool Checker::needs(uint32_t rank, const Node &node, Field field) {
  if (node.state(field) == FieldState::Integer)
    return true;
  bad(rank, node,
      node.state(field) == FieldState::Absent
          ? fmt::format("it has no attribute `{}`", fieldName(field))
          : fmt::format("attribute `{}` is no integer", fieldName(field)));
  return false;
}

std::vector<std::string> astra::lostWork(const chakra::Trace &trace) {
  std::vector<std::string> reasons;
  if (!trace.hasMetadata)
    reasons.push_back("record 0 is not metadata, so its node is lost");
  for (uint64_t id : trace.duplicates)
    reasons.push_back(
        fmt::format("node {} stands there more than once, and the last one counts", id));
  if (trace.partlyInvolved > 0)
    reasons.push_back(fmt::format("{} out dimensions of the network (`involved_dim`), which is not "
                                  "modelled",
                                  trace.partlyInvolved == 1
                                      ? "a collective leaves"
                                      : fmt::format("{} collectives leave", trace.partlyInvolved)));
  return reasons;
}

void Checker::checkTrace(uint32_t rank) {
  const chakra::Trace &trace = this->trace(rank);
  std::string subject = fmt::format("rank {} ({})", rank, trace.path);
  for (std::string &reason : lostWork(trace))
    add(diag::TraceLosesWork, subject, std::move(reason), false, NodeName{rank, llvm::None});
  checkGraph(rank);
  for (const Node &node : trace.nodes)
    checkNode(rank, node);
}

void Checker::checkGraph(uint32_t rank) {
  const chakra::Trace &trace = this->trace(rank);
  std::string subject = fmt::format("rank {} ({})", rank, trace.path);
  for (const chakra::MissingNode &edge : trace.missing)
    add(diag::MissingTraceNode, rank, trace.nodes[edge.node],
        fmt::format("it waits for node {}, which does not exist (`--drop-missing` leaves such "
                    "edges out)",
                    edge.id),
        true);
  bool canStart = llvm::any_of(trace.parentCounts(), [](uint32_t count) { return count == 0; });
  if (trace.nodes.empty())
    return add(diag::BadTraceNode, subject, "it has no node", true, NodeName{rank, llvm::None});
  std::vector<uint32_t> cycle = trace.missing.empty() ? trace.cycle() : std::vector<uint32_t>();
  if (cycle.empty())
    return;
  std::string path;
  for (size_t at = 0; at < cycle.size() && at < 8; ++at)
    path += (at ? ", " : "") + std::to_string(trace.nodes[cycle[at]].id);
  if (cycle.size() > 8)
    path += fmt::format(" and {} more", cycle.size() - 8);
  add(diag::TraceCycle, subject,
      cycle.size() == 1 ? fmt::format("node {} waits for itself", path)
                        : fmt::format("nodes {} wait for each other", path),
      !canStart, NodeName{rank, trace.nodes[cycle.front()].id});
}

void Checker::checkNode(uint32_t rank, const Node &node) {
  const chakra::Trace &trace = this->trace(rank);
  if (node.durationMicros > uint64_t(collective::mostTraceMicros))
    bad(rank, node, fmt::format("{} microseconds are too long", node.durationMicros));
  if (node.onCpu && node.type != NodeType::Compute && node.type != NodeType::Receive &&
      node.type > NodeType::Metadata)
    bad(rank, node, "communication and memory accesses cannot be CPU operations");
  switch (node.type) {
  case NodeType::Invalid: {
    bool isNeeded = !trace.children(static_cast<uint32_t>(&node - trace.nodes.data())).empty();
    return add(isNeeded ? diag::NeverFinishes : diag::TraceLosesWork, rank, node,
               isNeeded ? "nodes wait for it, but an INVALID node never runs"
                        : "an INVALID node never runs",
               false);
  }
  case NodeType::Metadata:
    return bad(rank, node, "a METADATA node cannot be simulated");
  case NodeType::Compute:
    return checkCompute(rank, node);
  case NodeType::MemLoad:
  case NodeType::MemStore:
    if (cluster.memory.kind == MemoryKind::None)
      bad(rank, node, "it accesses remote memory, which the cluster does not have");
    if (needs(rank, node, Field::TensorSize) && node.value(Field::TensorSize) < 0)
      bad(rank, node, "tensor_size is negative");
    return;
  case NodeType::Collective:
    return checkCollective(rank, node);
  case NodeType::Send:
  case NodeType::Receive:
    return; // by rank, in checkPeers
  }
}

void Checker::checkCompute(uint32_t rank, const Node &node) {
  if (!cluster.system.roofline || node.onCpu)
    return;
  if (!needs(rank, node, Field::NumOps) || !needs(rank, node, Field::TensorSize))
    return;
  if (node.value(Field::TensorSize) == 0)
    return add(diag::NeverFinishes, rank, node,
               "with a roofline, a kernel whose tensor_size is 0 never runs", false);
  if (node.value(Field::NumOps) <= 0 || node.value(Field::TensorSize) < 0)
    return bad(rank, node, "with a roofline, num_ops and tensor_size are positive");
  if (cluster.system.localMemBandwidth <= 0 || cluster.system.peakPerf <= 0)
    return bad(rank, node, "a roofline needs local-mem-bw and peak-perf in the system");
  double perByte = static_cast<double>(node.value(Field::NumOps)) / 9e6;
  if (perByte > cluster.system.peakPerf * 1e12 ||
      static_cast<double>(node.value(Field::TensorSize)) / 9e6 >
          cluster.system.localMemBandwidth * 1e9)
    bad(rank, node, "it takes too long");
}

void Checker::checkMembership(uint32_t rank, const Node &node) {
  llvm::StringRef name = trace(rank).groupNames[node.group];
  if (node.group == 0)
    return;
  const std::vector<uint32_t> *group = groupOf(cluster, trace(rank), node);
  if (!group)
    return bad(rank, node,
               fmt::format("there is no communicator group {}{}", name,
                           cluster.groups.empty() ? "; `--groups` names the file with them" : ""));
  if (llvm::find(*group, rank) == group->end())
    bad(rank, node, fmt::format("the rank is no member of group {}", name));
}

void Checker::checkCollective(uint32_t rank, const Node &node) {
  if (node.groupIsNoString)
    return bad(rank, node, "attribute `pg_name` is no text");
  checkMembership(rank, node);
  if (!needs(rank, node, Field::CommType))
    return;
  Collective op;
  if (!collectiveOf(node.value(Field::CommType), op)) {
    if (node.value(Field::CommType) != broadcastType)
      bad(rank, node,
          fmt::format("collective type {} cannot be simulated", node.value(Field::CommType)));
    return;
  }
  if (cluster.system.replayOnly || !needs(rank, node, Field::CommSize))
    return;
  if (world < 2)
    return bad(rank, node, "here is one rank, and a collective needs others");
  int64_t size = node.value(Field::CommSize);
  if (size < 0)
    return bad(rank, node, "comm_size is negative");
  const std::vector<uint32_t> *group = groupOf(cluster, trace(rank), node);
  if (group && group->size() < 2)
    return add(diag::BadGroup, trace(rank).groupNames[node.group],
               "has one member, so its collectives never end: " +
                   nodePlace(trace(rank), rank, node),
               false, NodeName{rank, node.id});
  std::string problem = collectiveProblem(cluster, op, size, group);
  if (!problem.empty())
    return bad(rank, node, problem);
  if (size == 0 && op == Collective::AllGather)
    return add(diag::NeverFinishes, rank, node, "an all-gather of 0 bytes never ends", false);
  llvm::ArrayRef<Algorithm> algorithms = cluster.system.algorithmsOf(op);
  bool isWindowed = llvm::any_of(algorithms, [](const Algorithm &a) { return a.window != 0; });
  if (op == Collective::AllReduce && isWindowed)
    add(diag::TraceLosesWork, rank, node,
        "a direct all-reduce with a window can corrupt the memory of ASTRA-sim", false);
}

void Checker::checkPeers(uint32_t rank) {
  for (const Node &node : trace(rank).nodes) {
    if (node.type == NodeType::Collective && traces.size() == 1 && rank > 0)
      checkMembership(rank, node);
    bool sends = node.type == NodeType::Send;
    if (!sends && node.type != NodeType::Receive)
      continue;
    Field own = sends ? Field::CommSrc : Field::CommDst;
    Field other = sends ? Field::CommDst : Field::CommSrc;
    if (!needs(rank, node, other) || !needs(rank, node, Field::CommSize) ||
        !needs(rank, node, Field::CommTag))
      continue;
    int64_t peer = node.value(other), size = node.value(Field::CommSize);
    if (node.state(own) != FieldState::Absent && node.value(own) != rank)
      bad(rank, node, fmt::format("{} is {}, not its own rank", fieldName(own), node.value(own)));
    else if (peer == rank)
      bad(rank, node, "it sends to its own rank");
    else if (peer < 0 || peer >= world)
      bad(rank, node, fmt::format("there is no rank {}", peer));
    else if (size <= 0 || size > (int64_t(1) << 53))
      bad(rank, node, fmt::format("it cannot move {} bytes", size));
    else if (int64_t tag = node.value(Field::CommTag); tag != static_cast<int32_t>(tag))
      bad(rank, node, fmt::format("comm_tag {} does not fit 32 bits", tag));
  }
}

/// Members of a group issue the same collectives: compared as multisets, by a sum of hashes.
void Checker::checkCollectives() {
  struct Sum {
    uint64_t hash = 0, count = 0;
  };
  std::map<int64_t, llvm::DenseMap<uint32_t, Sum>> sums;
  for (uint32_t rank = 0; rank < world; ++rank)
    for (const Node &node : trace(rank).nodes) {
      if (node.type != NodeType::Collective || node.value(Field::CommType) == broadcastType)
        continue;
      int64_t id = 0;
      llvm::StringRef(trace(rank).groupNames[node.group]).getAsInteger(10, id);
      uint64_t hash = static_cast<uint64_t>(node.value(Field::CommSize)) * 0x9E3779B97F4A7C15u;
      hash = (hash ^ hash >> 31) * (2 * static_cast<uint64_t>(node.value(Field::CommType)) + 3);
      Sum &sum = sums[id][rank];
      sum.hash += (hash ^ hash >> 29) * 0xC2B2AE3D27D4EB4Fu;
      ++sum.count;
    }
  for (auto &[id, byRank] : sums) {
    auto group = cluster.groups.find(id);
    std::vector<uint32_t> members;
    if (group != cluster.groups.end())
      members = group->second;
    else
      for (uint32_t rank = 0; rank < world; ++rank)
        members.push_back(rank);
    Sum first = byRank.lookup(members.front());
    for (uint32_t rank : members) {
      Sum sum = byRank.lookup(rank);
      if (sum.hash == first.hash && sum.count == first.count)
        continue;
      std::string where = id ? fmt::format("group {}", id) : std::string("the world");
      add(diag::CollectivesDiffer, where,
          fmt::format("rank {} issues {}, rank {} {}{}", members.front(),
                      counted(first.count, "collective"), rank, sum.count,
                      sum.count == first.count ? " of other types or sizes" : ""),
          false, NodeName{rank, llvm::None});
      break;
    }
  }
}

std::vector<Finding> astra::checkTraces(const Cluster &cluster, Traces traces) {
  std::vector<Finding> findings;
  Checker checker(cluster, traces, findings);
  auto world = static_cast<uint32_t>(rankCount(cluster.network));
  for (uint32_t rank = 0; rank < traces.size(); ++rank)
    checker.checkTrace(rank);
  auto isPerRank = [](const Node &node) {
    return node.type == NodeType::Send || node.type == NodeType::Receive || node.group != 0;
  };
  if (traces.size() == 1 && llvm::none_of(traces[0]->nodes, isPerRank))
    return findings;
  for (uint32_t rank = 0; rank < world; ++rank)
    checker.checkPeers(rank);
  if (findings.empty())
    checker.checkCollectives();
  return findings;
}
