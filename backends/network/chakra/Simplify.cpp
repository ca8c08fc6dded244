// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/Simplify.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace perfc;
using namespace perfc::chakra;

static bool vanishes(const Node &node) {
  return node.type == NodeType::Invalid || node.type == NodeType::Metadata || node.onCpu;
}

/// An order in which each node comes behind those that it waits for; nodes of cycles are left out.
static std::vector<uint32_t> inOrder(const Trace &trace) {
  std::vector<uint32_t> left(trace.parentCounts().begin(), trace.parentCounts().end()), order;
  for (uint32_t node = 0; node < left.size(); ++node)
    if (left[node] == 0)
      order.push_back(node);
  for (size_t at = 0; at < order.size(); ++at)
    for (uint32_t child : trace.children(order[at]))
      if (--left[child] == 0)
        order.push_back(child);
  return order;
}

Trace chakra::simplify(const Trace &trace) {
  std::vector<std::vector<uint64_t>> waits(trace.nodes.size()); // ids that stay
  for (uint32_t node : inOrder(trace)) {
    std::vector<uint64_t> &own = waits[node];
    llvm::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (uint32_t child : trace.children(node))
      if (vanishes(trace.nodes[node]))
        waits[child].insert(waits[child].end(), own.begin(), own.end());
      else
        waits[child].push_back(trace.nodes[node].id);
  }
  Trace shorter;
  shorter.path = trace.path;
  shorter.version = trace.version;
  shorter.hasMetadata = trace.hasMetadata;
  shorter.groupNames = trace.groupNames;
  for (uint32_t node = 0; node < trace.nodes.size(); ++node)
    if (!vanishes(trace.nodes[node]))
      shorter.add(trace.nodes[node], waits[node]);
  shorter.link();
  return shorter;
}

bool TrafficKey::operator<(const TrafficKey &other) const {
  return std::tie(type, commType, group, bytes) <
         std::tie(other.type, other.commType, other.group, other.bytes);
}

TraceSummary chakra::summarize(const Trace &trace) {
  TraceSummary summary;
  summary.nodes = trace.nodes.size();
  for (const Node &node : trace.nodes) {
    if (node.communicates()) {
      bool isCollective = node.type == NodeType::Collective;
      ++summary.traffic[{node.type, isCollective ? node.value(Field::CommType) : 0,
                         node.value(Field::CommSize), trace.groupNames[node.group]}];
    } else if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore) {
      ++summary.memoryAccesses;
    } else if (node.type != NodeType::Compute) {
      ++summary.others;
    } else {
      ++(node.onCpu ? summary.cpuOperations : summary.kernels);
      (node.onCpu ? summary.cpuMicros : summary.kernelMicros) += node.durationMicros;
      if (!node.onCpu)
        ++summary.kernelsByTime[node.durationMicros];
    }
  }
  return summary;
}
