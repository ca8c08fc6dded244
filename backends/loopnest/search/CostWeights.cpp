// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/CostWeights.h"

#include "backends/loopnest/SystolicNest.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

Rate loopnest::makeRate(const Quantity &rate, const llvm::Optional<Quantity> &clock) {
  Rate result;
  result.given = true;
  result.perSecond = rate.toDouble();
  if (!clock || !clock->isExact() || !rate.isExact())
    return result;
  llvm::Optional<Rational> perCycle = divide(rate.rational(), clock->rational());
  if (perCycle && perCycle->numerator() > 0) {
    result.numerator = perCycle->numerator();
    result.denominator = perCycle->denominator();
  }
  return result;
}

/// In bits as the nest counts them.
static Rate bitRate(const Nest &nest, const llvm::Optional<Quantity> &bandwidth,
                    const llvm::Optional<Quantity> &clock) {
  if (!bandwidth)
    return {};
  QuantityError error = QuantityError::None;
  int64_t perByte = 8 * nest.partsPerBit;
  auto bits = apply("*", *bandwidth, Quantity(Rational(perByte)), error);
  return makeRate(bits ? *bits
                       : Quantity(bandwidth->toUncertain() * static_cast<double>(perByte),
                                  bandwidth->dimension()),
                  clock);
}

/// J of a word of so many bits: one that is read, one that is written, a partial sum that arrives.
struct WordEnergy {
  double read = 0, write = 0, update = 0;
};

static WordEnergy wordEnergy(const Nest &nest, target::MemoryOp memory, int64_t bits) {
  double bytes = bytesOf(nest, bits);
  auto of = [&](const llvm::Optional<Quantity> &perByte) {
    return perByte ? perByte->toDouble() * bytes : 0;
  };
  WordEnergy energy{of(memory.readEnergy()), of(memory.writeEnergy()), of(memory.updateEnergy())};
  if (auto address = memory.addressEnergy()) {
    // One per access, which is a word, or `width` of them.
    double accesses =
        memory.width() && memory.width()->toDouble() > 0 ? bytes / memory.width()->toDouble() : 1;
    for (double *one : {&energy.read, &energy.write, &energy.update})
      *one += address->toDouble() * accesses;
  }
  return energy;
}

static MemoryWeights memoryWeights(const AdaptedNest &nest, const Place &place,
                                   target::MemoryOp memory, const llvm::Optional<Quantity> &clock,
                                   std::vector<std::string> &missing) {
  MemoryWeights result;
  if (auto capacity = memory.capacity())
    if (double bits = capacity->toDouble() / bytesOf(nest.nest, 1); bits < 4.6e18)
      result.capacityBits = static_cast<int64_t>(bits);
  bool given = memory.readEnergy() && memory.writeEnergy();
  if (!given && !place.keep.empty())
    missing.push_back(fmt::format("memory `{}`", memory.symbol()));
  for (unsigned t = 0; t < nest.nest.tensors.size(); ++t) {
    WordEnergy energy = wordEnergy(nest.nest, memory, movedBits(nest.nest, place, t));
    result.read.push_back(energy.read);
    result.write.push_back(energy.write);
    result.update.push_back(energy.update);
    if (!nest.nest.tensors[t].isOutput)
      continue;
    WordEnergy finished = wordEnergy(nest.nest, memory, nest.nest.tensors[t].bitsPerWord);
    result.sparedRead = energy.read - finished.read;
    result.sparedUpdate = energy.update - finished.update;
  }
  result.isBuffered = !memory.buffering().empty();
  result.bandwidth = bitRate(nest.nest, memory.bandwidth(), clock);
  result.readBandwidth = bitRate(nest.nest, memory.readBandwidth(), clock);
  result.writeBandwidth = bitRate(nest.nest, memory.writeBandwidth(), clock);
  return result;
}

static ArrayWeights arrayWeights(const AdaptedNest &nest, const ir::Operation &array,
                                 const llvm::Optional<Quantity> &clock) {
  ArrayWeights result;
  std::vector<const ir::Operation *> known;
  for (unsigned t = 0; t < nest.tensors.size(); ++t) {
    target::NetworkOp network = networkFor(array, nest.tensors[t].role());
    double bytes = bytesOf(nest.nest, nest.nest.tensors[t].bitsPerWord);
    auto energy = network ? network.energy() : llvm::None;
    auto hop = network ? network.hopEnergy() : llvm::None;
    result.word.push_back(energy ? energy->toDouble() * bytes : 0);
    result.hop.push_back(hop ? hop->toDouble() * bytes : 0);
    auto copy = !network                        ? llvm::None
                : nest.nest.tensors[t].isOutput ? network.reduceEnergy()
                                                : network.multicastEnergy();
    result.copy.push_back(copy ? copy->toDouble() * bytes : 0);
    if (!network || !network.bandwidth())
      continue;
    auto same = llvm::find(known, network.op);
    if (same == known.end()) {
      same = known.insert(known.end(), network.op);
      result.networks.push_back({bitRate(nest.nest, network.bandwidth(), clock), {}});
    }
    result.networks[same - known.begin()].tensors.push_back(t);
  }
  return result;
}

std::string loopnest::notWeighed(const AdaptedNest &nest) {
  for (const Place &place : nest.nest.places)
    for (const Axis &axis : place.axes)
      if (!axis.apart.empty())
        return fmt::format("the networks of `{}` share different words along {}", place.name,
                           axis.name);
  for (const ir::Operation *place : nest.places) {
    if (auto memory = ir::as<target::MemoryOp>(*place)) {
      if (!memory.buffering().empty() || memory.latency() || memory.width())
        return fmt::format("memory `{}` gives a width, a latency or a buffering", memory.symbol());
    } else if (auto array = ir::as<target::ArrayOp>(*place)) {
      if (!array.systolic().empty())
        return fmt::format("array `{}` is systolic", array.symbol());
      for (const ir::Operation &part : place->body())
        if (auto network = ir::as<target::NetworkOp>(part);
            network && (network.latency() || network.hopLatency()))
          return fmt::format("the network of `{}` has a latency", array.symbol());
    }
  }
  return "";
}

/// No more elements than the subscripts of the result have values.
static double mostResults(const Nest &nest) {
  double elements = 1;
  for (const Tensor &tensor : nest.tensors)
    for (const Subscript &rank : tensor.ranks) {
      double values = 1;
      for (const Term &term : rank.terms)
        values += static_cast<double>(std::abs(term.coefficient)) *
                  static_cast<double>(nest.dims[term.dim].size - 1);
      elements *= tensor.isOutput ? values : 1;
    }
  return elements;
}

/// Of each element at most one finished word arrives at each memory and leaves it.
static double mostSpared(const AdaptedNest &nest, const CostWeights &weights) {
  double spared = 0;
  for (unsigned m = 0; m < weights.memories.size(); ++m)
    spared += weights.memories[m].sparedUpdate + (m > 0 ? weights.memories[m].sparedRead : 0);
  return spared * mostResults(nest.nest);
}

/// The elements of a systolic array hold what stays, and all words pass through them: the closed
/// form, which knows neither, must not count more than that, so of what crosses the array it counts
/// nothing.
static void spareStationary(const AdaptedNest &nest, CostWeights &weights) {
  llvm::Optional<SystolicPlace> systolic = findSystolic(nest);
  if (!systolic)
    return;
  size_t arrays = 0;
  std::vector<size_t> outside; // places of the memories around the array
  for (size_t p = 0; p < systolic->position; ++p)
    if (nest.nest.places[p].kind == PlaceKind::Memory)
      outside.push_back(p);
    else
      ++arrays;
  ArrayWeights &array = weights.arrays[arrays];
  for (unsigned t = 0; t < nest.nest.tensors.size(); ++t) {
    array.word[t] = array.hop[t] = array.copy[t] = 0;
    size_t m = outside.size() - 1;
    while (m > 0 && !llvm::is_contained(nest.nest.places[outside[m]].keep, t))
      --m;
    MemoryWeights &memory = weights.memories[m];
    memory.read[t] = memory.update[t] = 0;
    memory.bandwidth = memory.readBandwidth = memory.writeBandwidth = {};
  }
  array.networks.clear();
}

CostWeights loopnest::makeWeights(const AdaptedNest &nest, const UnitRate &rate, const Chip &chip,
                                  const llvm::Optional<Quantity> &clock, int64_t extraBytes) {
  CostWeights weights;
  weights.clock = clock ? clock->toDouble() : 0;
  weights.launch = chip.launch().central();
  if (llvm::Optional<Figure> leaking = leakage(chip, Uncertain(1)))
    weights.leak = leaking->known.central();
  weights.extraBits = extraBytes * 8 * nest.nest.partsPerBit;
  for (unsigned p = 0; p < nest.places.size(); ++p) {
    const Place &place = nest.nest.places[p];
    if (place.kind == PlaceKind::Memory)
      weights.memories.push_back(memoryWeights(
          nest, place, ir::as<target::MemoryOp>(*nest.places[p]), clock, weights.missing));
    else
      weights.arrays.push_back(arrayWeights(nest, *nest.places[p], clock));
  }
  spareStationary(nest, weights);
  int64_t operations = operationsPerPoint(nest.statement);
  // `operations` of the unit make one step.
  weights.compute = makeRate(rate.perCopy, clock);
  weights.compute.perSecond /= static_cast<double>(operations);
  if (llvm::Optional<Rational> steps = Rational::make(
          weights.compute.numerator, __int128(weights.compute.denominator) * operations)) {
    weights.compute.numerator = steps->numerator();
    weights.compute.denominator = steps->denominator();
  }
  double points = 1;
  for (const Dim &dim : nest.nest.dims)
    points *= static_cast<double>(dim.size);
  if (rate.energy) {
    weights.pointEnergy = rate.energy->central() * static_cast<double>(operations);
    weights.constantEnergy = rate.energy->central() * points * static_cast<double>(operations);
  } else {
    weights.missing.push_back(fmt::format("compute `{}`", rate.unit->name()));
  }
  weights.spared = mostSpared(nest, weights);
  auto outermost = ir::as<target::MemoryOp>(*nest.places.front());
  if (outermost && outermost.readEnergy())
    weights.constantEnergy += outermost.readEnergy()->toDouble() * static_cast<double>(extraBytes);
  return weights;
}
