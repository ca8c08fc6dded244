// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/timeloop/Timeloop.h"

using namespace perfc;
using namespace perfc::driver;
using emit::Json;

static int64_t whole(double value) { return static_cast<int64_t>(value); }

static void addOutcomes(Json &json, const timeloop::SpaceCounts &counts) {
  const std::pair<const char *, const timeloop::Outcome *> outcomes[] = {
      {"reads", &counts.readOutcome},
      {"fills", &counts.fillOutcome},
      {"updates", &counts.updateOutcome},
  };
  for (const auto &[name, outcome] : outcomes)
    json.set(std::string("random_") + name, outcome->random)
        .set(std::string("gated_") + name, outcome->gated)
        .set(std::string("skipped_") + name, outcome->skipped);
}

static Json energyJson(double energy, bool isKnown) { return isKnown ? Json(energy) : Json(); }

static Json spaceJson(const timeloop::SpaceCounts &counts, bool isKnown, bool isSparse) {
  Json json = Json::object();
  json.set("keep", counts.keep)
      .set("tile_size", counts.tileSize)
      .set("partition_size", counts.partitionSize)
      .set("utilized_instances", counts.instances)
      .set("utilized_clusters", counts.clusters)
      .set("scalar_reads", counts.reads)
      .set("scalar_fills", counts.fills)
      .set("scalar_updates", counts.updates)
      .set("temporal_reductions", counts.reductions)
      .set("address_generations", counts.addresses)
      .set("read_bandwidth", counts.readBandwidth)
      .set("write_bandwidth", counts.writeBandwidth)
      .set("energy_per_instance_pJ", energyJson(counts.energyPerInstance, isKnown))
      .set("energy_total_pJ", energyJson(counts.energy, isKnown))
      .set("addr_gen_energy_total_pJ", counts.addressEnergy);
  if (isSparse)
    addOutcomes(json, counts);
  return json;
}

static Json levelJson(const timeloop::Input &input, const timeloop::LevelResult &level,
                      bool isSparse) {
  Json spaces = Json::object();
  for (unsigned space = 0; space < level.spaces.size(); ++space)
    spaces.set(input.problem.spaces[space].name,
               spaceJson(level.spaces[space], level.hasEnergy, isSparse));
  return Json::object()
      .set("name", level.name)
      .set("instances", level.instances)
      .set("cycles", whole(level.cycles))
      .set("slowdown", level.slowdown)
      .set("dataspaces", std::move(spaces))
      .set("leakage_energy_pJ", energyJson(level.leakage, level.hasEnergy))
      .set("energy_total_pJ", energyJson(level.energy, level.hasEnergy));
}

static Json networkJson(const timeloop::Input &input, const timeloop::NetworkResult &network) {
  Json spaces = Json::object();
  for (unsigned space = 0; space < network.spaces.size(); ++space) {
    const timeloop::Transfers &one = network.spaces[space];
    Json rows = Json::array();
    for (const timeloop::HistogramRow &row : one.histogram)
      rows.push(Json::array().push(row.multicast).push(row.scatter).push(row.words));
    spaces.set(input.problem.spaces[space].name,
               Json::object()
                   .set("fanout", one.fanout)
                   .set("multicast_factor", one.multicast)
                   .set("link_transfers", one.links)
                   .set("spatial_reductions", whole(one.spatialReductions))
                   .set("num_hops", one.hops)
                   .set("ingresses", one.ingresses)
                   .set("ingress_histogram", std::move(rows))
                   .set("energy", one.energy)
                   .set("link_transfer_energy", one.linkEnergy)
                   .set("energy_total_pJ", one.totalEnergy));
  }
  return Json::object()
      .set("name", network.name)
      .set("dataspaces", std::move(spaces))
      .set("energy_total_pJ", network.energy);
}

static Json computeJson(const timeloop::ComputeResult &compute, bool isKnown) {
  return Json::object()
      .set("name", compute.name)
      .set("instances", compute.instances)
      .set("utilized_instances", compute.usedInstances)
      .set("avg_utilized_instances", compute.averageInstances)
      .set("cycles", whole(compute.cycles))
      .set("algorithmic_computes", whole(compute.algorithmic))
      .set("actual_computes", whole(compute.actual))
      .set("gated_computes", whole(compute.gated))
      .set("skipped_computes", whole(compute.skipped))
      .set("energy_pJ", energyJson(compute.energy, isKnown));
}

Json driver::timeloopJson(const timeloop::Input &input, const timeloop::Result &result) {
  Json levels = Json::array(), networks = Json::array();
  for (const timeloop::LevelResult &level : result.levels)
    levels.push(levelJson(input, level, result.isSparse));
  for (const timeloop::NetworkResult &network : result.networks)
    networks.push(networkJson(input, network));
  Json document = Json::object();
  bool isKnown = result.withoutEnergy.empty();
  document.set("schema", 1)
      .set("mode", "timeloop")
      .set("cycles", whole(result.cycles))
      .set("energy_pJ", energyJson(result.energy, isKnown));
  if (!isKnown)
    document.set("energy_reason", energyReason(result));
  bool hasUnit = !input.compute.energies.empty();
  document.set("utilization", result.utilization)
      .set("compute", computeJson(result.compute, hasUnit))
      .set("levels", std::move(levels))
      .set("networks", std::move(networks));
  return document;
}
