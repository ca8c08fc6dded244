// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Simulation.h"

#include "backends/network/astra/ClosedForm.h"
#include "backends/network/astra/Deadlock.h"
#include "backends/network/astra/Workload.h"
#include "ir/common/diagnostics/Cluster.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::astra;
using chakra::Field;
using chakra::Node;
using chakra::NodeType;

bool SimulationResult::aborted() const {
  return llvm::any_of(findings, [](const Finding &finding) { return finding.aborts; });
}

bool astra::collectiveOf(int64_t commType, Collective &op) {
  switch (commType) {
  case 0:
    op = Collective::AllReduce;
    return true;
  case 2:
    op = Collective::AllGather;
    return true;
  case 6:
    op = Collective::AllToAll;
    return true;
  case 7:
    op = Collective::ReduceScatter;
    return true;
  default:
    return false;
  }
}

chakra::Trace astra::collectiveTrace(Collective op, int64_t size) {
  static constexpr int64_t types[] = {0, 2, 7, 6};
  Node node;
  node.type = NodeType::Collective;
  node.values[static_cast<unsigned>(Field::CommType)] = types[static_cast<unsigned>(op)];
  node.values[static_cast<unsigned>(Field::CommSize)] = size;
  node.states[static_cast<unsigned>(Field::CommType)] = chakra::FieldState::Integer;
  node.states[static_cast<unsigned>(Field::CommSize)] = chakra::FieldState::Integer;
  chakra::Trace trace;
  trace.path = "collective";
  trace.add(node, {});
  trace.link();
  return trace;
}

/// Whether one rank stands for all: they run one trace in step, and each collective has a closed
/// form.
static bool canFold(const Cluster &cluster, Traces traces) {
  if (traces.size() != 1)
    return false;
  return llvm::all_of(traces[0]->nodes, [&](const Node &node) {
    switch (node.type) {
    case NodeType::Send:
    case NodeType::Receive:
      return false;
    case NodeType::MemLoad:
    case NodeType::MemStore:
      return cluster.memory.kind == MemoryKind::PerNpu;
    case NodeType::Collective: {
      Collective op;
      if (!collectiveOf(node.value(Field::CommType), op))
        return true;
      return node.group == 0 && closedForm(cluster, op, node.value(Field::CommSize)).hasValue();
    }
    default:
      return true;
    }
  });
}

SimulationResult astra::simulate(const Cluster &cluster, Traces traces, Fidelity fidelity) {
  SimulationResult result;
  result.findings = checkCluster(cluster);
  if (!result.aborted())
    llvm::append_range(result.findings, checkTraces(cluster, traces));
  if (result.aborted())
    return result;
  auto ranks = static_cast<uint32_t>(rankCount(cluster.network));
  result.folded = fidelity == Fidelity::Fastest && canFold(cluster, traces);
  Workload workload(cluster, traces, result.folded ? 1 : ranks, result.folded);
  workload.run();
  result.events = workload.executedEvents();
  if (std::string reason = workload.abortion(); !reason.empty()) {
    result.findings.push_back({&diag::NotOnThisCluster, "this run", reason, {}, true});
    return result;
  }
  result.ranks.reserve(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank)
    result.ranks.push_back(result.folded && rank > 0 ? result.ranks.front()
                                                     : workload.result(rank));
  llvm::append_range(result.findings, explainUnfinished(workload));
  return result;
}
