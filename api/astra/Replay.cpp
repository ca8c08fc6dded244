// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/astra/Replay.h"

#include "api/astra/ClusterReader.h"
#include "api/astra/ClusterTexts.h"
#include "backends/emit/Emit.h"
#include "backends/network/chakra/TraceProgram.h"
#include "ir/common/diagnostics/Cluster.h"
#include "passes/Levels.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::api;

/// `system` as ASTRA-sim's inputs describe it; false after a report.
static bool readSystemTexts(Context &context, const ir::Operation &system,
                            const ir::Operation &replay, astra::Cluster &cluster) {
  ClusterTexts texts;
  auto keep = [&](const std::string &name, llvm::StringRef text) {
    FileId file = context.sources.add(name, text.str());
    if (name == "network.yml")
      texts.network = file;
    else if (name == "system.json")
      texts.system = file;
    return true;
  };
  llvm::StringRef label = replay.stringAttr("label");
  return emit::astraSimTexts(system, label, replay.range(), &context.diagnostics, keep) &&
         readClusterTexts(context.diagnostics, texts, cluster);
}

/// False, reported, where the traces are not those of ranks 0 to `count` - 1.
static bool checkRanks(Context &context, const chakra::ProgramTraces &traces, uint64_t count,
                       const ir::Operation &replay) {
  llvm::StringRef name = replay.symbolAttr("subject");
  if (traces.ranks.size() > count) {
    context.diagnostics.report(replay.range(), diag::NotOnThisCluster,
                               fmt::format("trace `{}`", name),
                               fmt::format("it has a rank {}, but here are {}",
                                           traces.ranks.size() - 1, counted(count, "rank")));
    return false;
  }
  for (uint64_t rank = 0; rank < count; ++rank)
    if (rank >= traces.ranks.size() || !traces.ranks[rank]) {
      context.diagnostics.report(replay.range(), diag::MissingRank, rank,
                                 fmt::format("`{}` has no nodes of it", name));
      return false;
    }
  return true;
}

/// Where `node` of `trace` stands; nowhere when there is none.
static SourceRange placeOf(const ir::Operation &trace, const astra::NodeName &node) {
  for (const ir::Operation &part : trace.body())
    if (part.is("collective.ranks") && llvm::is_contained(chakra::ranksOf(part), node.rank))
      for (const ir::Operation &op : part.body())
        if (static_cast<uint64_t>(op.intAttr("id")) == *node.id)
          return op.range();
  return {};
}

static double secondsOf(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

/// A part for each stretch of ranks that take the same.
static void addRanks(llvm::ArrayRef<astra::RankResult> ranks, SourceRange place, Cost &cost) {
  for (size_t first = 0, last; first < ranks.size(); first = last + 1) {
    for (last = first; last + 1 < ranks.size() && ranks[last + 1] == ranks[first];)
      ++last;
    cost.breakdown.children.emplace_back(PartKind::Phase,
                                         first == last ? fmt::format("rank {}", first)
                                                       : fmt::format("ranks {}-{}", first, last),
                                         place, secondsOf(ranks[first].finish), cost.energy);
  }
  cost.breakdown.composition = Composition::Overlap;
}

/// What no kernel hides is communication while a node communicates, and operations of the host.
static void addBounds(const astra::RankResult &rank, Cost &cost) {
  int64_t communication = std::min(rank.exposed(), rank.communicationBusy);
  cost.exposed = secondsOf(communication);
  cost.work->compute = secondsOf(rank.computeTime);
  cost.work->network = secondsOf(rank.communicationBusy);
  cost.addBound("kernels", secondsOf(rank.computeTime));
  cost.addBound("communication", cost.exposed);
  cost.addBound("host", secondsOf(rank.exposed() - communication));
}

llvm::Optional<Outcome> api::replayTrace(Context &context, const ir::Module &module,
                                         const ir::Operation &op, const astra::Cluster *given) {
  astra::Cluster cluster;
  if (given) {
    cluster = *given;
  } else if (passes::chipCount(module, op.symbolAttr("on")) <= 1) { // without a network
    cluster.network.emplace_back();
    cluster.network.front().npus = 1;
  } else if (!readSystemTexts(context, *module.lookup(op.symbolAttr("on")), op, cluster)) {
    return llvm::None;
  }
  const ir::Operation &trace = *module.lookup(op.symbolAttr("subject"));
  chakra::ProgramTraces traces = chakra::programTraces(trace);
  if (cluster.groups.empty())
    cluster.groups = traces.groups;
  if (!checkRanks(context, traces, astra::rankCount(cluster.network), op))
    return llvm::None;
  if (traces.owned.size() == 1)
    traces.ranks.resize(1);
  size_t errors = context.diagnostics.errorCount();
  astra::SimulationResult result = astra::simulate(cluster, traces.ranks);
  reportFindings(context.diagnostics, result.findings,
                 [&](const llvm::Optional<astra::NodeName> &node) {
                   return node && node->id ? placeOf(trace, *node) : op.range();
                 });
  if (context.diagnostics.errorCount() != errors)
    return llvm::None;
  auto last = std::max_element(result.ranks.begin(), result.ranks.end(),
                               [](const auto &a, const auto &b) { return a.finish < b.finish; });
  Outcome outcome;
  outcome.kind = ResultKind::Replay;
  outcome.isTimesOnly = true;
  Cost &cost = outcome.cost;
  cost.latency = secondsOf(last->finish);
  cost.energy = cost.area = Figure::notGiven("trace", op.symbolAttr("subject"));
  cost.chips = static_cast<int64_t>(result.ranks.size());
  addBounds(*last, cost);
  cost.addNote(fmt::format("timed as ASTRA-sim does, {} on {}",
                           cluster.aware ? "congestion_aware" : "congestion_unaware",
                           given ? "the cluster of the command line"
                                 : "what its inputs can say of the system"));
  cost.provenance = {"network", "", "a graph for each rank, event by event"};
  addRanks(result.ranks, op.range(), cost);
  cost.describe(PartKind::Program, op.stringAttr("label"), op.range());
  return outcome;
}
