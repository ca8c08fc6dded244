// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Cluster.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::astra;

uint32_t Dimension::hops(uint32_t from, uint32_t to) const {
  if (topology == Topology::Switch)
    return 2;
  if (topology == Topology::FullyConnected)
    return 1;
  uint32_t clockwise = to >= from ? to - from : to + npus - from;
  return std::min(clockwise, npus - clockwise);
}

uint64_t astra::rankCount(const Network &network) {
  uint64_t count = 1;
  for (const Dimension &dim : network)
    count *= dim.npus;
  return count;
}

llvm::StringRef astra::collectiveName(Collective op) {
  static constexpr llvm::StringLiteral names[] = {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER",
                                                  "ALL_TO_ALL"};
  return names[static_cast<unsigned>(op)];
}

llvm::StringRef astra::collectiveWord(Collective op) {
  static constexpr llvm::StringLiteral names[] = {"all-reduce", "all-gather", "reduce-scatter",
                                                  "all-to-all"};
  return names[static_cast<unsigned>(op)];
}

bool astra::parseAlgorithm(llvm::StringRef name, Algorithm &algorithm) {
  algorithm = {};
  std::string plain = name.str();
  if (name.startswith("one") && name.size() > 3 && name[3] >= 'A' && name[3] <= 'Z') {
    algorithm.flat = true;
    plain = llvm::toLower(name[3]) + name.substr(4).str();
  }
  llvm::StringRef rest = plain;
  if (rest == "ring")
    return true;
  if (rest == "halvingDoubling" || rest == "doubleBinaryTree") {
    algorithm.kind = rest == "halvingDoubling" ? AlgorithmKind::HalvingDoubling
                                               : AlgorithmKind::DoubleBinaryTree;
    return true;
  }
  algorithm.kind = AlgorithmKind::Direct;
  return rest.consume_front("direct") &&
         (rest.empty() || (rest.size() < 10 && !rest.getAsInteger(10, algorithm.window)));
}

std::string astra::algorithmName(const Algorithm &algorithm) {
  static constexpr llvm::StringLiteral names[] = {"ring", "direct", "halvingDoubling",
                                                  "doubleBinaryTree"};
  static constexpr llvm::StringLiteral flat[] = {"oneRing", "oneDirect", "oneHalvingDoubling",
                                                 "oneDoubleBinaryTree"};
  auto kind = static_cast<unsigned>(algorithm.kind);
  std::string name = (algorithm.flat ? flat : names)[kind].str();
  return algorithm.window ? name + std::to_string(algorithm.window) : name;
}

Chunks astra::cutIntoChunks(Collective op, int64_t size, uint64_t ranks, const System &system) {
  Chunks chunks;
  chunks.bytes = size / system.splits;
  if (op != Collective::AllGather && chunks.bytes < static_cast<int64_t>(ranks)) {
    chunks.bytes = static_cast<int64_t>(ranks);
    size = system.splits * chunks.bytes;
  }
  chunks.count = chunks.bytes ? (size - 1) / chunks.bytes + 1 : 0;
  return chunks;
}
