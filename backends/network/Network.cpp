// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Network.h"

#include "backends/network/ClosedForms.h"

using namespace perfc;
using namespace perfc::network;

bool NetworkProvider::serves(const ir::Operation &op) const {
  return collectiveKind(op.name()).hasValue();
}

/// The levels that `op` runs over. Nothing, reported, when the closed forms do not cover them.
static llvm::Optional<NetworkLevels> levelsOf(const CostQuery &query,
                                              DiagnosticEngine &diagnostics) {
  std::string reason;
  llvm::Optional<NetworkLevels> levels = networkLevels(*query.target, reason);
  if (levels && levels->ranks() != query.op->intAttr("ranks", 1))
    reason = fmt::format("it has {}, not {}", counted(levels->ranks(), "rank"),
                         query.op->intAttr("ranks", 1));
  llvm::StringRef algorithm = query.op->stringAttr("algorithm");
  if (!algorithm.empty() && algorithm != "ring" && algorithm != "direct")
    reason = fmt::format("algorithm `{}` has none", algorithm);
  if (reason.empty())
    return levels;
  diagnostics.report(query.op->range(), diag::NoClosedForm, query.target->symbol(), reason);
  return llvm::None;
}

static CostPart partOf(const CollectiveStep &step, const Figure &energy) {
  CostPart part;
  part.label = step.label;
  part.kind = PartKind::Network;
  part.location = step.level->location;
  part.latency = step.latency;
  part.energy = energy;
  return part;
}

/// Adds up the steps: one after another, or at the same time.
static void addSteps(Cost &cost, llvm::ArrayRef<CollectiveStep> steps, bool overlap,
                     int64_t ranks) {
  const CollectiveStep *slowest = nullptr;
  for (const CollectiveStep &step : steps) {
    Figure energy =
        step.level->energy
            ? Figure(*step.level->energy * (step.sentBytes * static_cast<double>(ranks)))
            : Figure::notGiven("network", step.level->name);
    cost.energy += energy;
    cost.breakdown.children.push_back(partOf(step, energy));
    if (!overlap) {
      cost.latency += step.latency;
      cost.addBound("network " + step.level->name, step.latency);
    } else if (!slowest || step.latency.central() > slowest->latency.central()) {
      slowest = &step;
    }
  }
  if (slowest) {
    cost.latency = slowest->latency;
    cost.addBound("network " + slowest->level->name, slowest->latency);
  }
}

static llvm::Optional<Cost> evaluateOne(const CostQuery &query, DiagnosticEngine &diagnostics) {
  llvm::Optional<NetworkLevels> network = levelsOf(query, diagnostics);
  if (!network)
    return llvm::None;
  CollectiveKind kind = *collectiveKind(query.op->name());
  double bytes = static_cast<double>(query.op->intAttr("bytes"));
  Cost cost;
  cost.notes = network->notes;
  bool overlap = kind == CollectiveKind::AllToAll;
  addSteps(cost, closedForm(kind, network->levels, bytes), overlap, network->ranks());
  cost.exposed = cost.latency;
  cost.chips = network->ranks();
  if (cost.latency.central() > 0)
    cost.busBandwidth = Uncertain(busFactor(kind, cost.chips) * bytes) / cost.latency;
  llvm::StringRef name = query.op->name().drop_front(llvm::StringRef("collective.").size());
  cost.provenance = {"network", "",
                     name.str() + ": messages * latency + bytes sent / bandwidth, by level"};
  cost.breakdown.label = name.str();
  cost.breakdown.kind = PartKind::Collective;
  cost.breakdown.location = query.op->range();
  cost.breakdown.latency = cost.latency;
  cost.breakdown.energy = cost.energy;
  cost.breakdown.bound = cost.bottleneck().str();
  cost.breakdown.provider = "network";
  cost.breakdown.composition = overlap ? Composition::Overlap : Composition::Sequence;
  return cost;
}

std::vector<llvm::Optional<Cost>> NetworkProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                            DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(evaluateOne(query, diagnostics));
  return costs;
}
