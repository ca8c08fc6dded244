// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events per second of the two event engines alone: native messages on links, one chip slow so that
// times differ, and a ring of ASTRA-sim's congestion-aware model.
#include "backends/network/FabricSimulation.h"
#include "backends/network/astra/Simulation.h"
#include "ir/core/Parser.h"
#include "ir/study/AllOps.h"
#include <benchmark/benchmark.h>

using namespace perfc;

static constexpr llvm::StringLiteral systemText = R"(target.chip @chip (dtype = "fp16") { }
target.system @s {
  target.group @g { target.members (count = 1024, of = @chip)
    target.network (topology = "switch", bandwidth = 50GB/s, latency = 1us)
    target.fault (kind = "chip", ends = ["chip[7]"], slowdown = 1.5) }
}
)";

static void nativeAllReduce(benchmark::State &state) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  auto module = ir::parseModule(sources.add("bench.ir", systemText.str()), allOps(), diagnostics);
  auto fabric = network::Fabric::build(*module->lookup("s"), diagnostics);
  auto messages =
      network::patternMessages(network::CollectiveKind::AllReduce,
                               {{1024, network::Topology::Switch}}, 64 << 20, size_t(8) << 20);
  uint64_t events = 0;
  for (auto _ : state)
    events += network::simulateMessages(*fabric, *messages, {}, diagnostics)->events;
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(nativeAllReduce)->Unit(benchmark::kMillisecond);

static void astraRing(benchmark::State &state) {
  astra::Cluster cluster;
  cluster.network.resize(1);
  cluster.network[0].npus = 1024;
  cluster.network[0].bandwidth = 50;
  cluster.network[0].latency = 500;
  cluster.aware = true;
  cluster.system.localMemBandwidth = 1600;
  for (auto &algorithms : cluster.system.algorithms)
    algorithms.assign(1, astra::Algorithm());
  chakra::Trace trace = astra::collectiveTrace(astra::Collective::AllReduce, 1 << 20);
  uint64_t events = 0;
  for (auto _ : state)
    events += astra::simulate(cluster, {&trace}, astra::Fidelity::Events).events;
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(astraRing)->Unit(benchmark::kMillisecond);
