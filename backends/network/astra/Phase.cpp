// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Phase.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::astra;

int64_t Phase::outputSize() const {
  if (op == Collective::AllGather)
    return size * members.count;
  return op == Collective::ReduceScatter ? size / members.count : size;
}

static void beginRing(Phase &phase) {
  int64_t count = phase.members.count;
  phase.target = phase.members.neighbour(phase.direction);
  phase.source = phase.members.neighbour(-phase.direction);
  phase.message = phase.op == Collective::AllGather ? phase.size : phase.size / count;
  phase.width = 1;
  phase.perPass = count - 1;
  phase.remaining = phase.op == Collective::AllReduce  ? 2 * (count - 1)
                    : phase.op == Collective::AllToAll ? count * (count - 1) / 2
                                                       : count - 1;
}

static void beginDirect(Phase &phase) {
  beginRing(phase);
  int64_t peers = phase.members.count - 1;
  phase.width = phase.algorithm.window ? std::min<int64_t>(phase.algorithm.window, peers) : peers;
  phase.target = 1;
  phase.perPass = phase.members.subgroup ? peers * phase.width : phase.width;
  if (phase.op == Collective::AllToAll)
    phase.remaining = peers;
}

static void setPartner(Phase &phase) {
  bool upwards = phase.distance == 0 || (phase.members.index / phase.distance) % 2 == 0;
  int64_t offset = phase.distance;
  phase.target = phase.members.neighbour(upwards ? offset : -offset);
  phase.source = phase.target;
}

static void beginHalvingDoubling(Phase &phase) {
  int64_t steps = llvm::Log2_32(phase.members.count);
  phase.width = 1;
  phase.perPass = steps - 1;
  phase.remaining = phase.op == Collective::AllReduce ? 2 * steps : steps;
  phase.halving = phase.op != Collective::AllGather;
  phase.distance = phase.halving ? 1 : phase.members.count / 2;
  phase.message = phase.halving ? phase.size / 2 : phase.size;
  setPartner(phase);
}

void astra::nextPartner(Phase &phase) {
  if (phase.halving) {
    phase.distance *= 2;
    phase.message /= 2;
    if (phase.distance == phase.members.count && phase.op == Collective::AllReduce)
      phase.halving = false;
  }
  if (!phase.halving) {
    phase.distance /= 2;
    phase.message *= 2;
  }
  setPartner(phase);
}

/// The root has one child; the other ranks form a complete binary tree numbered in order.
static void beginTree(Phase &phase, bool rootIsHighest) {
  uint32_t count = phase.members.count, rank = phase.members.index;
  uint32_t low = rootIsHighest ? 0 : 1, high = rootIsHighest ? count - 1 : count;
  uint32_t parent = rootIsHighest ? count - 1 : 0;
  phase.tree = Phase::TreeState::Start;
  phase.hasParent = rank != parent;
  phase.childCount = 0;
  phase.released = 0;
  if (!phase.hasParent) {
    phase.children[phase.childCount++] = (low + high) / 2;
    return;
  }
  for (uint32_t middle; (middle = (low + high) / 2) != rank;) {
    parent = middle;
    (rank < middle ? high : low) = rank < middle ? middle : middle + 1;
  }
  phase.parent = parent;
  if (high - low > 1) {
    phase.children[phase.childCount++] = (low + rank) / 2;
    phase.children[phase.childCount++] = (rank + 1 + high) / 2;
  }
}

void astra::beginPhase(Phase &phase, bool rootIsHighest) {
  phase.received = phase.packets = phase.idle = phase.fresh = phase.forwarded = 0;
  phase.reducingPass = false;
  switch (phase.algorithm.kind) {
  case AlgorithmKind::Ring:
    return beginRing(phase);
  case AlgorithmKind::Direct:
    return beginDirect(phase);
  case AlgorithmKind::HalvingDoubling:
    return beginHalvingDoubling(phase);
  case AlgorithmKind::DoubleBinaryTree:
    return beginTree(phase, rootIsHighest);
  }
}

llvm::SmallVector<Stage, 3> astra::stagesOf(const Network &network, const System &system,
                                            Collective op, const std::vector<uint32_t> *group) {
  llvm::ArrayRef<Algorithm> algorithms = system.algorithmsOf(op);
  auto world = static_cast<uint32_t>(rankCount(network));
  if (group && group->size() != world) { // with several algorithms given, it uses rings
    Algorithm algorithm = algorithms.size() > 1 ? Algorithm() : algorithms.front();
    return {{algorithm, static_cast<uint32_t>(group->size()), true}};
  }
  if (algorithms.front().flat)
    return {{algorithms.front(), world, false}};
  llvm::SmallVector<Stage, 3> stages;
  for (size_t dim = 0; dim < network.size(); ++dim)
    stages.push_back({algorithms[dim], network[dim].npus, false});
  return stages;
}

std::string astra::algorithmProblem(const Algorithm &algorithm, Collective op, uint32_t count) {
  bool isPower = llvm::isPowerOf2_32(count);
  if (algorithm.kind == AlgorithmKind::HalvingDoubling) {
    if (op == Collective::AllToAll)
      return "halvingDoubling is no algorithm for all-to-all";
    return isPower ? "" : "halvingDoubling takes a power of two";
  }
  if (algorithm.kind == AlgorithmKind::DoubleBinaryTree) {
    if (op != Collective::AllReduce)
      return "doubleBinaryTree is an algorithm for all-reduce alone";
    return isPower ? "" : "doubleBinaryTree takes a power of two";
  }
  return "";
}
