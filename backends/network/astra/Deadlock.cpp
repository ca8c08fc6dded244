// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Deadlock.h"

#include "ir/common/diagnostics/Cluster.h"

#include <fmt/format.h>

using namespace perfc;
using namespace perfc::astra;
using chakra::Field;
using chakra::Node;
using chakra::NodeType;

namespace {

/// Operation `token` of a rank waits for a message of rank `source`.
struct Wait {
  uint32_t token;
  uint32_t source;
};

} // namespace

/// The first wait of each rank that has one, by rank.
static std::map<uint32_t, Wait> findWaits(const Workload &workload) {
  std::map<uint32_t, Wait> waits;
  for (const Channel &channel : workload.collectives().channelsLeft().all())
    if (channel.balance < 0 && channel.source != Channels::none)
      waits.try_emplace(channel.destination,
                        Wait{workload.collectives().tokenOf(channel.receiver), channel.source});
  for (const Exchange &exchange : workload.messages().all())
    if (!exchange.receives.empty())
      waits.try_emplace(exchange.key.destination,
                        Wait{exchange.receives.front(), exchange.key.source});
  return waits;
}

/// What `operation` does, and how it ends: "and waits for rank 3".
static FindingNote describe(const Workload &workload, const Operation &operation,
                            llvm::StringRef end) {
  const chakra::Trace &trace = workload.trace(operation.rank);
  const Node &node = trace.nodes[operation.node];
  std::string what;
  Collective op;
  if (node.type == NodeType::Receive)
    what = fmt::format("receives {} bytes with tag {}", node.value(Field::CommSize),
                       node.value(Field::CommTag));
  else if (collectiveOf(node.value(Field::CommType), op))
    what = fmt::format("does an {} of {} bytes", collectiveWord(op), node.value(Field::CommSize));
  if (node.group && node.type == NodeType::Collective)
    what += " in group " + trace.groupNames[node.group];
  return {fmt::format("node {} of rank {} {}{}", node.id, operation.rank, what, end),
          NodeName{operation.rank, node.id}};
}

/// The chain of waits that begins at `rank`, as notes; true in `isCycle` when it comes round.
static std::vector<FindingNote> followWaits(const Workload &workload,
                                            const std::map<uint32_t, Wait> &waits, uint32_t rank,
                                            bool &isCycle) {
  std::vector<uint32_t> path;
  isCycle = false;
  while (true) {
    auto seen = llvm::find(path, rank);
    if (seen != path.end()) {
      isCycle = true;
      path.erase(path.begin(), seen);
      break;
    }
    auto wait = waits.find(rank);
    if (wait == waits.end())
      break;
    path.push_back(rank);
    rank = wait->second.source;
  }
  std::vector<FindingNote> notes;
  for (uint32_t waiting : path) {
    const Wait &wait = waits.at(waiting);
    notes.push_back(describe(workload, workload.operations()[wait.token],
                             fmt::format(" and waits for rank {}", wait.source)));
  }
  if (!isCycle && workload.finished(rank))
    notes.push_back({fmt::format("rank {} has finished", rank), llvm::None});
  if (notes.size() > 10) {
    size_t more = notes.size() - 9;
    notes.resize(9);
    notes.push_back({fmt::format("and {} more", more), llvm::None});
  }
  return notes;
}

/// Operations that can never end, of a rank without messages to wait for.
static FindingNote describeStuck(const Workload &workload, uint32_t rank) {
  for (const Operation &operation : workload.operations())
    if (operation.rank == rank)
      return describe(workload, operation, ", which never ends");
  return {"none of its nodes can start", llvm::None};
}

static std::string listRanks(const std::vector<uint32_t> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t at = 0; at < ranks.size() && at < 8; ++at)
    text += (at ? ", " : "") + std::to_string(ranks[at]);
  return ranks.size() > 8 ? text + fmt::format(" and {} more", ranks.size() - 8) : text;
}

std::vector<Finding> astra::explainUnfinished(const Workload &workload) {
  std::vector<Finding> findings;
  std::vector<uint32_t> unfinished;
  for (uint32_t rank = 0; rank < workload.rankCount(); ++rank)
    if (!workload.finished(rank))
      unfinished.push_back(rank);
  if (!unfinished.empty()) {
    std::map<uint32_t, Wait> waits = findWaits(workload);
    bool isCycle = false;
    std::vector<FindingNote> notes;
    for (uint32_t rank : unfinished) {
      std::vector<FindingNote> chain = followWaits(workload, waits, rank, isCycle);
      if (notes.empty() || isCycle)
        notes = std::move(chain);
      if (isCycle)
        break;
    }
    if (notes.empty())
      notes.push_back(describeStuck(workload, unfinished.front()));
    findings.push_back({&diag::NeverFinishes, listRanks(unfinished),
                        isCycle                  ? "deadlock, each waits for the next"
                        : unfinished.size() == 1 ? "what it waits for never comes"
                                                 : "what they wait for never comes",
                        notes, false, NodeName{unfinished.front(), llvm::None}});
  }
  for (const Exchange &exchange : workload.messages().all())
    if (exchange.arrived > 0) {
      const MessageKey &key = exchange.key;
      findings.push_back(
          {&diag::TraceLosesWork,
           fmt::format("rank {}", key.source),
           fmt::format("{} of {} bytes to rank {} with tag {} {} never received",
                       counted(static_cast<uint64_t>(exchange.arrived), "message"), key.size,
                       key.destination, key.tag, exchange.arrived == 1 ? "is" : "are"),
           {},
           false,
           NodeName{key.source, llvm::None}});
    }
  return findings;
}
