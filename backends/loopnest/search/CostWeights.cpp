// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/CostWeights.h"

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

static Rate bitRate(const llvm::Optional<Quantity> &bandwidth,
                    const llvm::Optional<Quantity> &clock) {
  if (!bandwidth)
    return {};
  QuantityError error = QuantityError::None;
  auto bits = apply("*", *bandwidth, Quantity(Rational(8)), error);
  return makeRate(bits ? *bits : Quantity(bandwidth->toUncertain() * 8.0, bandwidth->dimension()),
                  clock);
}

static MemoryWeights memoryWeights(const AdaptedNest &nest, const Place &place,
                                   target::MemoryOp memory, const llvm::Optional<Quantity> &clock,
                                   std::vector<std::string> &missing) {
  MemoryWeights result;
  if (auto capacity = memory.capacity())
    if (double bits = capacity->toDouble() * 8; bits < 4.6e18)
      result.capacityBits = static_cast<int64_t>(bits);
  bool given = memory.readEnergy() && memory.writeEnergy();
  if (!given && !place.keep.empty())
    missing.push_back(fmt::format("memory `{}`", memory.symbol()));
  for (const Tensor &tensor : nest.nest.tensors) {
    double bytes = static_cast<double>(tensor.bitsPerWord) / 8;
    result.read.push_back(memory.readEnergy() ? memory.readEnergy()->toDouble() * bytes : 0);
    result.write.push_back(memory.writeEnergy() ? memory.writeEnergy()->toDouble() * bytes : 0);
    result.update.push_back(memory.updateEnergy() ? memory.updateEnergy()->toDouble() * bytes : 0);
    if (auto address = memory.addressEnergy()) {
      // One per access, which is a word, or `width` of them.
      double accesses =
          memory.width() && memory.width()->toDouble() > 0 ? bytes / memory.width()->toDouble() : 1;
      for (auto *list : {&result.read, &result.write, &result.update})
        list->back() += address->toDouble() * accesses;
    }
  }
  result.bandwidth = bitRate(memory.bandwidth(), clock);
  result.readBandwidth = bitRate(memory.readBandwidth(), clock);
  result.writeBandwidth = bitRate(memory.writeBandwidth(), clock);
  return result;
}

static ArrayWeights arrayWeights(const AdaptedNest &nest, const ir::Operation &array,
                                 const llvm::Optional<Quantity> &clock) {
  ArrayWeights result;
  std::vector<const ir::Operation *> known;
  for (unsigned t = 0; t < nest.tensors.size(); ++t) {
    target::NetworkOp network = networkFor(array, nest.tensors[t].role());
    double bytes = static_cast<double>(nest.nest.tensors[t].bitsPerWord) / 8;
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
      result.networks.push_back({bitRate(network.bandwidth(), clock), {}});
    }
    result.networks[same - known.begin()].tensors.push_back(t);
  }
  return result;
}

std::string loopnest::notWeighed(const AdaptedNest &nest) {
  if (nest.nest.hasPartial())
    return "partial sums of the result are wider than its words";
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

CostWeights loopnest::makeWeights(const AdaptedNest &nest, const UnitRate &rate, const Chip &chip,
                                  const llvm::Optional<Quantity> &clock, int64_t extraBytes) {
  CostWeights weights;
  weights.clock = clock ? clock->toDouble() : 0;
  weights.launch = chip.launch().central();
  if (llvm::Optional<CostPart> leaking = leakage(chip, Uncertain(1)))
    weights.leak = leaking->energy.known.central();
  weights.extraBits = extraBytes * 8;
  for (unsigned p = 0; p < nest.places.size(); ++p) {
    const Place &place = nest.nest.places[p];
    if (place.kind == PlaceKind::Memory)
      weights.memories.push_back(memoryWeights(
          nest, place, ir::as<target::MemoryOp>(*nest.places[p]), clock, weights.missing));
    else
      weights.arrays.push_back(arrayWeights(nest, *nest.places[p], clock));
  }
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
  if (rate.energy)
    weights.constantEnergy = rate.energy->central() * points * static_cast<double>(operations);
  else
    weights.missing.push_back(fmt::format("compute `{}`", rate.unit->name()));
  auto outermost = ir::as<target::MemoryOp>(*nest.places.front());
  if (outermost && outermost.readEnergy())
    weights.constantEnergy += outermost.readEnergy()->toDouble() * static_cast<double>(extraBytes);
  return weights;
}
