// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/Report.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

/// Energies per block of one memory; what has no energy is remembered. Where none is given at all,
/// the energy of what is done is not known; where some are, one that is needed and missing is a
/// mistake.
class ActionEnergies {
public:
  ActionEnergies(const Level &level, DiagnosticEngine &diagnostics)
      : level(level), diagnostics(diagnostics) {}

  double read(const Outcome &outcome) {
    return cost(outcome.random, {"random_read", "read"}) + optional(outcome.gated, {"gated_read"}) +
           optional(outcome.skipped, {"skipped_read", "gated_read"});
  }
  double fill(const Outcome &outcome) {
    return cost(outcome.random, {"random_fill", "random_write", "fill", "write"}) +
           optional(outcome.gated, {"gated_fill", "gated_write"}) +
           optional(outcome.skipped,
                    {"skipped_fill", "skipped_write", "gated_fill", "gated_write"});
  }
  double update(const Outcome &outcome) {
    return cost(outcome.random, {"random_update", "random_write", "update", "write"}) +
           optional(outcome.gated, {"gated_update", "gated_write"}) +
           optional(outcome.skipped,
                    {"skipped_update", "skipped_write", "gated_update", "gated_write"});
  }
  bool isMissing() const { return missing; }
  bool isUnknown() const { return unknown; }

private:
  double blocks(Count count) const {
    Count block = static_cast<Count>(level.attributes.blockSize);
    return static_cast<double>(count / block + (count % block != 0));
  }
  double cost(Count count, llvm::ArrayRef<llvm::StringRef> actions) {
    if (count == 0)
      return 0;
    llvm::Optional<double> energy = level.energy(actions);
    unknown |= level.energies.empty();
    if (!energy && !missing && !unknown) {
      missing = true;
      diagnostics.report(level.place, diag::TimeloopNoEnergy, level.name, actions.back().str())
          .help("the tool would use a built-in figure; give the energy in the ERT");
    }
    return blocks(count) * energy.getValueOr(0);
  }
  double optional(Count count, llvm::ArrayRef<llvm::StringRef> actions) const {
    return count ? blocks(count) * level.energy(actions).getValueOr(0) : 0;
  }

  const Level &level;
  DiagnosticEngine &diagnostics;
  bool missing = false, unknown = false;
};

} // namespace

/// Instances of each memory that the spatial factors outside it span.
static std::vector<int64_t> spans(const LoopList &list) {
  std::vector<int64_t> result(list.blocks.size());
  int64_t span = 1;
  for (size_t memory = list.blocks.size(); memory-- > 0;) {
    result[memory] = span;
    span *= list.blocks[memory].children();
  }
  return result;
}

ComputeResult timeloop::reportCompute(const Input &input, const LoopList &list,
                                      const AnalysisResult &analysis) {
  ComputeResult result;
  const Block &innermost = list.blocks.front();
  result.name = input.compute.name;
  result.instances = input.compute.instances;
  result.averageInstances = static_cast<int64_t>(list.inUse[innermost.sender()] *
                                                 static_cast<double>(innermost.children()));
  result.usedInstances = 1;
  for (const Block &block : list.blocks)
    result.usedInstances *= block.children();
  double lanes = static_cast<double>(result.averageInstances);
  result.algorithmic = std::trunc(analysis.computes * lanes);
  result.cycles = std::ceil(result.algorithmic / lanes);
  if (!list.raggedDims.empty()) {
    result.cycles = 1;
    for (const Loop &loop : list.loops)
      if (!loop.isSpatial())
        result.cycles *= static_cast<double>(loop.end);
  }
  result.actual = result.algorithmic;
  return result;
}

static double slowdown(const Attributes &attributes, double read, double write) {
  double result = 1;
  auto limit = [&](const llvm::Optional<double> &bandwidth, double demand) {
    if (bandwidth && *bandwidth < demand)
      result = std::min(result, *bandwidth / demand);
  };
  limit(attributes.readBandwidth, read);
  limit(attributes.writeBandwidth, write);
  limit(attributes.sharedBandwidth, write + read);
  return result;
}

static Count busy(const Outcome &outcome) { return outcome.random + outcome.gated; }

static SpaceCounts countSpace(const Level &level, const Tile &tile, const SpaceActions &actions,
                              bool readWrite, int64_t clusters) {
  SpaceCounts counts;
  counts.keep = tile.keep;
  counts.wrapped = tile.wrapped;
  counts.tileSize = tile.size;
  counts.partitionSize = tile.partition;
  counts.instances = actions.instances;
  counts.clusters = clusters;
  counts.reads = tile.reads;
  counts.fills = tile.fills;
  counts.updates = tile.updates;
  counts.reductions = actions.reductions;
  counts.readOutcome = actions.read;
  counts.fillOutcome = actions.fill;
  counts.updateOutcome = actions.update;
  counts.addresses = busy(readWrite ? actions.update : actions.read) + busy(actions.fill);
  counts.addressEnergy = static_cast<double>(counts.addresses) * level.attributes.addressEnergy *
                         static_cast<double>(clusters);
  return counts;
}

static llvm::Optional<LevelResult> reportLevel(const Input &input, const Tiles &tiles,
                                               const Actions &actions, unsigned memory,
                                               int64_t mapped, double cycles,
                                               DiagnosticEngine &diagnostics) {
  const Level &level = input.memories[memory];
  ActionEnergies energies(level, diagnostics);
  LevelResult result;
  result.name = level.name;
  result.instances = level.instances;
  double read = 0, write = 0;
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    const Tile &tile = tiles[space][memory];
    const SpaceActions &done = actions.spaces[space][memory];
    int64_t span = done.most.getValueOr(mapped);
    int64_t clusters = std::min(span, level.instances / level.attributes.clusterSize);
    SpaceCounts counts =
        countSpace(level, tile, done, input.problem.spaces[space].readWrite, clusters);
    double perInstance = static_cast<double>(span) / done.instances;
    double reads = static_cast<double>(busy(done.read)) + done.metadataReads;
    double writes = static_cast<double>(busy(done.fill) + busy(done.update)) + done.metadataWrites;
    counts.readBandwidth = std::ceil(reads / perInstance) / cycles;
    counts.writeBandwidth = std::ceil(writes / perInstance) / cycles;
    read += counts.readBandwidth;
    write += counts.writeBandwidth;
    double words =
        energies.read(done.read) + energies.fill(done.fill) + energies.update(done.update);
    double energy = words * done.blockRatio + done.metadataEnergy;
    counts.energyPerInstance = energy / (static_cast<double>(span) / static_cast<double>(clusters));
    counts.energy = counts.energyPerInstance * counts.instances;
    result.energy += counts.energy + counts.addressEnergy;
    result.spaces.push_back(counts);
  }
  if (energies.isMissing())
    return llvm::None;
  result.hasEnergy = !energies.isUnknown();
  result.slowdown = slowdown(level.attributes, read, write);
  for (SpaceCounts &counts : result.spaces) {
    counts.readBandwidth *= result.slowdown;
    counts.writeBandwidth *= result.slowdown;
  }
  result.cycles = std::ceil(cycles / result.slowdown);
  return result;
}

static Transfers transfer(const Level &level, const Tile &tile, bool readWrite) {
  const Attributes &attributes = level.attributes;
  bool readsBack = readWrite && !attributes.reduces;
  Transfers result;
  result.fanout = tile.fanout;
  result.links = static_cast<Count>(tile.links);
  double hops = 0, routers = 0;
  for (const auto &[key, sent] : tile.histogram) {
    double words = readsBack ? 2 * sent.words - static_cast<double>(tile.partition) : sent.words;
    result.histogram.push_back({key.first, key.second, words});
    result.multicast = std::max(result.multicast, key.first);
    result.ingresses += words;
    if (readWrite)
      result.spatialReductions += std::trunc(static_cast<double>(key.first - 1) * words);
    if (words > 0) {
      hops += sent.hops;
      routers += std::trunc((1 + std::trunc(sent.hops / words)) * words);
    }
  }
  if (result.ingresses > 0)
    result.hops = hops / result.ingresses;
  result.energy = hops * attributes.hopEnergy + routers * attributes.routerEnergy;
  result.linkEnergy = tile.links * (attributes.hopEnergy + 2 * attributes.routerEnergy);
  result.totalEnergy = result.energy * static_cast<double>(tile.instances);
  return result;
}

NetworkResult timeloop::reportNetwork(const Input &input, const Tiles &tiles, unsigned memory) {
  NetworkResult result;
  result.name = input.memories[memory].name + " <==> " + input.level(memory).name;
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    result.spaces.push_back(transfer(input.memories[memory], tiles[space][memory],
                                     input.problem.spaces[space].readWrite));
    result.energy += result.spaces.back().totalEnergy;
  }
  return result;
}

/// pJ per compute: of one that is done, gated or skipped.
static std::array<double, 3> computeEnergies(const Level &compute) {
  auto energy = [&](llvm::ArrayRef<llvm::StringRef> actions) {
    return compute.energy(actions).getValueOr(0);
  };
  return {energy({"mac_random", "mult_random", "mac", "mult", "compute"}),
          energy({"mac_gated", "mult_gated", "compute_gated", "mac", "mult", "compute"}),
          energy({"mac_skipped", "mult_skipped", "compute_skipped", "mac_gated", "mult_gated",
                  "compute_gated", "mac", "mult", "compute"})};
}

static bool checkCompute(const Input &input, DiagnosticEngine &diagnostics) {
  if (input.compute.energies.empty() ||
      input.compute.energy({"mac_random", "mult_random", "mac", "mult", "compute"}))
    return true;
  diagnostics.report(input.compute.place, diag::TimeloopNoEnergy, input.compute.name, "compute");
  return false;
}

llvm::Optional<Result> timeloop::report(const Input &input, const LoopList &list,
                                        const Tiles &tiles, const Actions &actions,
                                        ComputeResult compute, DiagnosticEngine &diagnostics) {
  if (!checkCompute(input, diagnostics))
    return llvm::None;
  Result result;
  auto [done, gated, skipped] = computeEnergies(input.compute);
  compute.energy = actions.compute.random * done + actions.compute.gated * gated +
                   actions.compute.skipped * skipped;
  if (input.compute.energies.empty())
    result.withoutEnergy.push_back(input.compute.name);
  std::vector<int64_t> span = spans(list);
  double latency = 0, cycles = compute.cycles;
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    auto level =
        reportLevel(input, tiles, actions, memory, span[memory], compute.cycles, diagnostics);
    if (!level)
      return llvm::None;
    cycles = std::max(cycles, level->cycles);
    if (!level->hasEnergy)
      result.withoutEnergy.push_back(level->name);
    const Attributes &attributes = input.memories[memory].attributes;
    latency += static_cast<double>(attributes.networkFillLatency + attributes.networkDrainLatency);
    result.levels.push_back(std::move(*level));
    result.networks.push_back(reportNetwork(input, tiles, memory));
  }
  result.energy = compute.energy;
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    LevelResult &level = result.levels[memory];
    double used = 1; // of the tensor with the most
    for (const std::vector<SpaceActions> &column : actions.spaces)
      used = std::max(used, column[memory].instances);
    level.leakage = input.memories[memory].energy({"leak"}).getValueOr(0) * cycles * used;
    level.energy += level.leakage;
    result.energy += level.energy + result.networks[memory].energy;
  }
  result.cycles = cycles + latency;
  result.utilization =
      (compute.actual + compute.gated) / static_cast<double>(compute.instances) / result.cycles;
  result.compute = std::move(compute);
  return result;
}
