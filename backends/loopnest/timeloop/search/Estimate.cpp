// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/search/Estimate.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

class Estimator {
public:
  Estimator(const Input &input, const Mapspace &space, const Placements &placements);

  Estimate run();

private:
  double spatial(unsigned from, unsigned to, const unsigned *space) const;
  double tileSize(unsigned memory, unsigned space) const;
  double rounds(unsigned from, unsigned space, bool reuses) const;
  void addSpace(unsigned space);
  void addTransfer(unsigned space, unsigned child, unsigned parent);

  const Input &input;
  const Mapspace &mapspace;
  const Placements &placements;
  unsigned dims, spaces;
  llvm::SmallVector<double, 8> reads, writes; ///< words of all instances of a memory
  llvm::SmallVector<double, 8> lanes;         ///< of the array below a memory
  llvm::SmallVector<double, 32> ownLanes;     ///< by memory and space: with words of their own
  llvm::SmallVector<double, 64> covered;      ///< by memory and dimension: values of a tile
};

} // namespace

Estimator::Estimator(const Input &input, const Mapspace &space, const Placements &placements)
    : input(input), mapspace(space), placements(placements), dims(input.dimCount()),
      spaces(input.spaceCount()), reads(input.memories.size(), 0), writes(input.memories.size(), 0),
      lanes(input.memories.size(), 1), ownLanes(input.memories.size() * spaces, 1),
      covered(input.memories.size() * dims, 1) {
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    const Placement &placement = placements[memory];
    for (unsigned dim = 0; dim < dims; ++dim) {
      auto across = static_cast<double>(placement.spatial.factors[dim].end);
      double &values = covered[memory * dims + dim];
      values = memory ? covered[(memory - 1) * dims + dim] : 1;
      values *= across * static_cast<double>(placement.temporal.factors[dim].end);
      if (across == 1)
        continue;
      lanes[memory] *= across;
      for (unsigned of = 0; of < spaces; ++of)
        ownLanes[memory * spaces + of] *= mapspace.has(of, dim) ? across : 1;
    }
  }
}

/// Lanes below the memories [from, to); with `space`, those with words of their own.
double Estimator::spatial(unsigned from, unsigned to, const unsigned *space) const {
  double product = 1;
  for (unsigned memory = from; memory < to; ++memory)
    product *= space ? ownLanes[memory * spaces + *space] : lanes[memory];
  return product;
}

/// As Mapspace::tileSize.
double Estimator::tileSize(unsigned memory, unsigned space) const {
  double size = 1;
  for (const std::vector<Term> &rank : input.problem.spaces[space].ranks) {
    double extent = 1;
    for (const Term &term : rank)
      extent +=
          std::abs(static_cast<double>(term.coefficient)) * (covered[memory * dims + term.dim] - 1);
    size *= extent;
  }
  return size;
}

double Estimator::rounds(unsigned from, unsigned space, bool reuses) const {
  double count = 1;
  for (unsigned memory = from; memory < input.memories.size(); ++memory) {
    const Nest &nest = placements[memory].temporal;
    for (unsigned dim : nest.order) {
      int64_t factor = nest.factors[dim].end;
      if (factor == 1 || (reuses && !mapspace.has(space, dim)))
        continue;
      reuses = false;
      count *= static_cast<double>(factor);
    }
  }
  return count;
}

/// Levels count from the arithmetic units, 0, as in Input::level.
void Estimator::addTransfer(unsigned space, unsigned child, unsigned parent) {
  unsigned memories = static_cast<unsigned>(input.memories.size());
  double tile = child ? tileSize(child - 1, space) : 1;
  // The arithmetic asks in every step, unless it is an array: there a lane has the words that it,
  // or a neighbour, held in the step before.
  double times = tile * rounds(child, space, child > 0 || lanes.front() > 1);
  double outside = times * spatial(parent, memories, nullptr);
  double sent = outside * spatial(child, parent, &space);
  double arrived = outside * spatial(child, parent, nullptr);
  reads[parent - 1] += sent;
  if (child)
    writes[child - 1] += arrived;
  if (!input.problem.spaces[space].readWrite)
    return;
  double fresh = tileSize(memories - 1, space); // sums that start from zero
  reads[parent - 1] -= std::min(sent, fresh);
  writes[parent - 1] += sent;
  if (!child)
    return;
  writes[child - 1] -= std::min(arrived, fresh);
  reads[child - 1] += arrived;
}

void Estimator::addSpace(unsigned space) {
  unsigned child = 0;
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    if (!placements[memory].keep[space])
      continue;
    addTransfer(space, child, memory + 1);
    child = memory + 1;
  }
}

Estimate Estimator::run() {
  unsigned memories = static_cast<unsigned>(input.memories.size());
  for (unsigned space = 0; space < input.spaceCount(); ++space)
    addSpace(space);
  Estimate result;
  result.cycles = 1;
  for (unsigned memory = 0; memory < memories; ++memory)
    for (const Factor &factor : placements[memory].temporal.factors)
      result.cycles *= static_cast<double>(factor.end);
  result.energy = input.compute.energy({"compute"}).getValueOr(0) * result.cycles *
                  spatial(0, memories, nullptr);
  for (unsigned memory = 0; memory < memories; ++memory) {
    const Level &level = input.memories[memory];
    const Attributes &attributes = level.attributes;
    double perWord = 1 / static_cast<double>(attributes.blockSize);
    result.energy += perWord * (reads[memory] * level.energy({"read"}).getValueOr(0) +
                                writes[memory] * level.energy({"write", "update"}).getValueOr(0));
    double instances = spatial(memory + 1, memories, nullptr);
    auto limit = [&](double words, const llvm::Optional<double> &bandwidth) {
      if (bandwidth && *bandwidth > 0)
        result.cycles = std::max(result.cycles, words / instances / *bandwidth);
    };
    limit(reads[memory], attributes.readBandwidth);
    limit(writes[memory], attributes.writeBandwidth);
    limit(reads[memory] + writes[memory], attributes.sharedBandwidth);
  }
  return result;
}

Estimate timeloop::estimate(const Input &input, const Mapspace &space,
                            const Placements &placements) {
  return Estimator(input, space, placements).run();
}
