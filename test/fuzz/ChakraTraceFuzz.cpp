// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a Chakra trace: read, checked and, when small, run on four ranks without a crash; as
// records, what is written of them is read and written as the same bytes.
#include "backends/network/astra/Simulation.h"
#include "backends/network/chakra/Records.h"
#include "backends/network/chakra/TraceReader.h"
#include <cstdlib>

using namespace perfc;

static astra::Cluster smallCluster() {
  astra::Cluster cluster;
  astra::Dimension dim;
  dim.npus = 4;
  dim.bandwidth = 50;
  dim.latency = 500;
  cluster.network = {dim};
  cluster.system.localMemBandwidth = 1600;
  for (auto &algorithms : cluster.system.algorithms)
    algorithms.assign(1, astra::Algorithm());
  return cluster;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  WireError error;
  if (auto records = chakra::readRecords({reinterpret_cast<const char *>(data), size}, error)) {
    std::string once = chakra::traceBytes(*records);
    auto again = chakra::readRecords(once, error);
    if (!again || chakra::traceBytes(*again) != once)
      std::abort();
  }
  auto trace = chakra::readTrace({reinterpret_cast<const char *>(data), size}, "fuzz.0.et", error);
  if (!trace || trace->nodes.size() > 100)
    return 0;
  static const astra::Cluster cluster = smallCluster();
  astra::simulate(cluster, {&*trace}, astra::Fidelity::Events);
  return 0;
}
