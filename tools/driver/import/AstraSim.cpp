// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format astra_sim: the network (and system) of ASTRA-sim as a system with one group per dimension,
// and an all-reduce on it. ASTRA-sim counts bandwidth in GiB/s per link and latency per hop, the
// language per chip and message: a ring has two links per chip, a full connection one to each
// other, and a message crosses a switch in two hops.
#include "tools/driver/astra/ClusterFiles.h"
#include "tools/driver/import/Format.h"

using namespace perfc;
using namespace perfc::driver;

/// `2.5ns`, `107374182400B/s`: figures as short as they can be read back.
static std::string figure(double value, llvm::StringRef unit) {
  return fmt::format("{}{}", value, unit.str());
}

static std::string groupText(const astra::Dimension &dim, size_t index, int64_t active) {
  double links = 1, hops = 1;
  llvm::StringRef topology = "switch";
  switch (dim.topology) {
  case astra::Topology::Ring:
    topology = "ring";
    links = dim.npus > 2 ? 2 : 1;
    break;
  case astra::Topology::FullyConnected:
    topology = "fully_connected";
    links = dim.npus - 1;
    break;
  case astra::Topology::Switch:
    hops = 2;
    break;
  }
  return fmt::format(
      "  d{} = {} * {} over dimension {{ topology {}; bandwidth {}/chip; latency {}{} }}\n", index,
      dim.npus, index == 0 ? "npu" : fmt::format("d{}", index - 1), topology.str(),
      figure(dim.bandwidth * links * (1 << 30), "B/s"), figure(dim.latency * hops, "ns"),
      active > 1 ? fmt::format("; active_chunks {}", active) : "");
}

bool driver::importAstraSim(Session &session, llvm::ArrayRef<std::string> files,
                            const Arguments & /*arguments*/, std::string &text) {
  ClusterFiles inputs{files[0], files.size() > 1 ? files[1] : "", "", ""};
  astra::Cluster cluster;
  if (!readCluster(session, inputs, cluster))
    return false;
  text = "import std.networks\n\nhardware npu {\n  memory local {\n    off_chip\n";
  if (cluster.system.localMemBandwidth > 0)
    text += "    bandwidth " + figure(cluster.system.localMemBandwidth * 1e9, "B/s") + "\n";
  text += "  }\n}\n\nnetwork dimension { topology switch }\n\nsystem cluster {\n";
  constexpr int64_t mostChunks = 1 << 16;
  int64_t chunks = std::min(cluster.system.splits, mostChunks);
  if (!inputs.system.empty()) // also one: without the word a trace is written for four
    text += fmt::format("  chunks {}\n  scheduling {}\n", chunks,
                        cluster.system.lifo ? "lifo" : "fifo");
  for (size_t i = 0; i < cluster.network.size(); ++i)
    text += groupText(cluster.network[i], i, std::min(cluster.system.activeChunks, chunks));
  text += "}\n\nevaluate all_reduce(1MiB) on cluster\n";
  return true;
}
