// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Spaces.h"
#include "backends/loopnest/analysis/PartialWords.h"

using namespace perfc;
using namespace perfc::loopnest;

static int64_t below(std::mt19937 &random, int64_t end) {
  return std::uniform_int_distribution<int64_t>(0, end - 1)(random);
}

Mapping loopnest::randomMapping(const MapSpace &space, std::mt19937 &random) {
  Mapping mapping = space.emptyMapping();
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t rest = space.nest.dims[d].size;
    mapping.factor[0][d] = 1;
    for (int64_t prime = 2; rest > 1; ++prime)
      while (rest % prime == 0) {
        rest /= prime;
        unsigned slot = below(random, space.slots.size());
        int64_t used = prime;
        for (unsigned e = 0; e < space.dims(); ++e)
          used *= mapping.factor[slot][e];
        mapping.factor[space.slots[slot].isAxis && used > space.slots[slot].size ? 0 : slot][d] *=
            prime;
      }
  }
  for (unsigned s = 0; s < space.slots.size(); ++s)
    std::shuffle(mapping.order[s].begin(), mapping.order[s].begin() + space.dims(), random);
  return mapping;
}

CostWeights loopnest::randomWeights(const MapSpace &space, std::mt19937 &random) {
  CostWeights weights;
  weights.clock = 1e9;
  weights.leak = double(below(random, 2)) * 1e9;
  auto rate = [&]() {
    Rate result;
    result.given = below(random, 3) > 0;
    result.numerator = 1 + below(random, 64);
    result.denominator = 1 + below(random, 3);
    return result;
  };
  weights.compute = {true, 1, 1, 1e9};
  for (unsigned m = 0; m < space.lanes(); ++m) {
    MemoryWeights memory;
    for (unsigned t = 0; t < space.tensors.size(); ++t) {
      memory.read.push_back(double(1 + below(random, 200)));
      memory.write.push_back(double(1 + below(random, 200)));
      memory.update.push_back(double(1 + below(random, 200)));
    }
    memory.bandwidth = rate();
    memory.readBandwidth = rate();
    memory.writeBandwidth = rate();
    if (m > 0)
      memory.capacityBits = 64 + below(random, 4000);
    weights.memories.push_back(memory);
  }
  for (const Place &place : space.nest.places) {
    if (place.kind != PlaceKind::Array)
      continue;
    ArrayWeights array;
    array.networks.push_back({rate(), {}});
    for (unsigned t = 0; t < space.tensors.size(); ++t) {
      array.word.push_back(double(below(random, 3)));
      array.hop.push_back(double(below(random, 3)));
      array.copy.push_back(double(below(random, 3)));
      array.networks.back().tensors.push_back(t);
    }
    weights.arrays.push_back(array);
  }
  return weights;
}

void loopnest::tellPartial(MapSpace &space, std::mt19937 &random) {
  int64_t bits = space.tensors[space.output].bits;
  for (Place &place : space.nest.places)
    if (place.kind == PlaceKind::Memory)
      place.partialBits = bits + below(random, 3 * bits);
}

CostWeights loopnest::withPartial(const MapSpace &space, const CostWeights &weights,
                                  int64_t elements) {
  CostWeights result = weights;
  unsigned t = space.output;
  for (unsigned m = 0; m < space.lanes(); ++m) {
    double share = double(movedBits(space.nest, memoryOf(space.nest, m), t)) /
                   double(space.nest.tensors[t].bitsPerWord);
    MemoryWeights &own = result.memories[m];
    own.sparedRead = (share - 1) * own.read[t];
    own.sparedUpdate = (share - 1) * own.update[t];
    result.spared += (own.sparedUpdate + (m > 0 ? own.sparedRead : 0)) * double(elements);
    for (auto *list : {&own.read, &own.write, &own.update})
      (*list)[t] *= share;
  }
  return result;
}

/// Bits that leave and enter a memory, of which partial sums have a size of their own.
static std::pair<int64_t, int64_t> movedAt(const Nest &nest, unsigned memory, unsigned t,
                                           const TensorCounts &c) {
  int64_t word = nest.tensors[t].bitsPerWord, sum = movedBits(nest, memoryOf(nest, memory), t);
  int64_t up = std::min(c.writebacks, c.finished.getValueOr(0));
  int64_t in = std::min(c.updates.declared, c.finished.getValueOr(0));
  return {(c.reads.declared + c.writebacks - up) * sum + up * word,
          (c.updates.declared - in) * sum + in * word};
}

/// Words of `memory` that cross to the next one further in, in bits: those that leave that one
/// finished, all others as partial sums.
static int64_t crossingBits(const Nest &nest, const Counts &counts, unsigned memory, unsigned t) {
  const TensorCounts &c = *counts.memories[memory].tensors[t];
  int64_t finished = counts.finishedPoints;
  for (unsigned m = counts.memories.size(); m-- > memory + 1;)
    if (const auto &inner = counts.memories[m].tensors[t])
      finished = inner->finished.getValueOr(0);
  finished = nest.tensors[t].isOutput ? std::min(finished, c.updates.declared) : 0;
  int64_t words = c.reads.declared + c.updates.declared;
  return (words - finished) * movedBits(nest, memoryOf(nest, memory), t) +
         finished * nest.tensors[t].bitsPerWord;
}

Score loopnest::scoreOf(const CostWeights &weights, const Nest &nest, const Counts &counts) {
  Score score;
  int64_t cycles = counts.steps * weights.compute.denominator;
  auto later = [&](const Rate &rate, int64_t bits, int64_t instances) {
    int64_t all = rate.numerator * instances;
    if (rate.given)
      cycles = std::max(cycles, (bits * rate.denominator + all - 1) / all);
  };
  unsigned memory = 0, array = 0;
  int64_t instances = 1;
  for (const Place &place : nest.places) {
    if (place.kind == PlaceKind::Memory) {
      int64_t read = 0, written = 0;
      for (unsigned t : place.keep) {
        const TensorCounts &c = *counts.memories[memory].tensors[t];
        auto [out, updated] = movedAt(nest, memory, t, c);
        int64_t filled = c.fills * movedBits(nest, place, t);
        auto bits = double(nest.tensors[t].bitsPerWord);
        score.energy += double(out) / bits * weights.memories[memory].read[t] +
                        double(filled) / bits * weights.memories[memory].write[t] +
                        double(updated) / bits * weights.memories[memory].update[t];
        read += out;
        written += filled + updated;
      }
      later(weights.memories[memory].bandwidth, read + written, instances);
      later(weights.memories[memory].readBandwidth, read, instances);
      later(weights.memories[memory].writeBandwidth, written, instances);
      ++memory;
      continue;
    }
    int64_t bits = 0;
    for (unsigned t = 0; t < nest.tensors.size(); ++t) {
      int64_t words = 0, copies = 0, crossed = 0;
      double share = 1; // of what a partial sum takes
      auto word = double(nest.tensors[t].bitsPerWord);
      for (unsigned m = 0; m < memory; ++m)
        if (const auto &c = counts.memories[m].tensors[t]) {
          words = c->reads.declared + c->updates.declared;
          const NetworkCount &passing = nest.tensors[t].isOutput ? c->updates : c->reads;
          copies = passing.separate - passing.declared;
          crossed = crossingBits(nest, counts, m, t);
          share = double(movedBits(nest, memoryOf(nest, m), t)) / word;
        }
      double mean = words ? double(crossed) / word / double(words) : 1;
      score.energy += double(crossed) / word * weights.arrays[array].word[t] +
                      double(copies) * share * weights.arrays[array].copy[t];
      if (const auto &hops = counts.arrays[array].hops[t])
        score.energy += double(hops->declared) * mean * weights.arrays[array].hop[t];
      bits += crossed;
    }
    later(weights.arrays[array].networks[0].bandwidth, bits, instances);
    for (const Loop &loop : place.loops)
      instances *= loop.factor;
    ++array;
  }
  score.latency = double(cycles) / weights.clock;
  score.energy += weights.leak * score.latency;
  return score;
}

llvm::Optional<MapSpace> loopnest::randomSpace(std::mt19937 &random, bool roomyAxes) {
  Nest nest = randomNest(random);
  if (roomyAxes)
    for (Place &place : nest.places)
      for (Axis &axis : place.axes)
        axis.size = 1 + below(random, 6);
  std::string reason;
  return makeMapSpace(nest, reason);
}

llvm::Optional<MapSpace> loopnest::symmetricSpace(std::mt19937 &random) {
  Nest nest;
  unsigned rows = 0;
  do {
    nest = randomNest(random);
    for (rows = 0; rows < nest.dims.size() && nest.dims[rows].name != "p";)
      ++rows;
  } while (rows == nest.dims.size());
  unsigned columns = rows + 1, heights = rows + 2, widths = rows + 3;
  nest.dims[columns].size = nest.dims[rows].size;
  nest.dims[widths].size = nest.dims[heights].size;
  auto &ranks = nest.tensors.front().ranks; // of the images
  Subscript &last = ranks.back();
  last = ranks[ranks.size() - 2];
  last.terms[0].dim = columns;
  last.terms[1].dim = widths;
  for (Place &place : nest.places)
    for (Axis &axis : place.axes)
      axis.size = 1 + below(random, 6);
  std::string reason;
  return makeMapSpace(nest, reason);
}
