// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Simulation.h"

#include "backends/network/astra/Deadlock.h"
#include "backends/network/astra/Effort.h"
#include "backends/network/astra/Folding.h"
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

/// Runs the traces, all ranks or one of each class, into `result`; false when classes do not tell
/// what all ranks would do.
static bool runRanks(const Cluster &cluster, Traces traces, const Folding *folding,
                     SimulationResult &result) {
  auto ranks = static_cast<uint32_t>(rankCount(cluster.network));
  Workload workload(cluster, traces, folding);
  workload.run();
  if (folding && !workload.isUnambiguous())
    return false;
  result.folded = folding != nullptr;
  result.events = workload.executedEvents();
  if (std::string reason = workload.abortion(); !reason.empty()) {
    result.findings.push_back({&diag::NotOnThisCluster, "this run", reason, {}, true});
    return true;
  }
  std::vector<RankResult> own;
  for (uint32_t rank = 0; rank < workload.rankCount(); ++rank)
    own.push_back(workload.result(rank));
  result.ranks.reserve(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank)
    result.ranks.push_back(own[folding ? folding->classOf[rank] : rank]);
  llvm::append_range(result.findings, explainUnfinished(workload));
  return true;
}

SimulationResult astra::simulate(const Cluster &cluster, Traces traces, Fidelity fidelity) {
  SimulationResult result;
  result.findings = checkCluster(cluster);
  if (!result.aborted())
    llvm::append_range(result.findings, checkTraces(cluster, traces));
  if (result.aborted())
    return result;
  llvm::Optional<Folding> folding;
  // What is lost on the way may be lost on one rank and not on its equals.
  if (fidelity == Fidelity::Fastest && (traces.size() == 1 || result.findings.empty()))
    folding = foldRanks(cluster, traces);
  if (folding && runRanks(cluster, traces, folding.getPointer(), result))
    return result;
  llvm::append_range(result.findings, checkEffort(cluster, traces));
  if (!result.aborted())
    runRanks(cluster, traces, nullptr, result);
  return result;
}
