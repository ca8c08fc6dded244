// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/search/Mapspace.h"

#include "backends/loopnest/timeloop/search/FirstFactors.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

static Nest &nestIn(Placements &placements, unsigned slot) {
  Placement &placement = placements[slot / 2];
  return slot % 2 ? placement.spatial : placement.temporal;
}

int64_t &timeloop::factorIn(Placements &placements, unsigned slot, unsigned dim) {
  return nestIn(placements, slot).factors[dim].end;
}

int64_t timeloop::factorIn(const Placements &placements, unsigned slot, unsigned dim) {
  const Placement &placement = placements[slot / 2];
  return (slot % 2 ? placement.spatial : placement.temporal).factors[dim].end;
}

static unsigned below(std::mt19937_64 &random, size_t count) {
  return static_cast<unsigned>(random() % count);
}

Mapspace::Mapspace(const Input &input, const Constraints &constraints)
    : input(input), constraints(constraints), primes(input.dimCount()),
      used(size_t(input.spaceCount()) * input.dimCount(), 0),
      slots(2 * static_cast<unsigned>(input.memories.size())) {
  for (unsigned space = 0; space < input.spaceCount(); ++space)
    for (const std::vector<Term> &rank : input.problem.spaces[space].ranks)
      for (const Term &term : rank)
        used[space * input.dimCount() + term.dim] = 1;
  for (unsigned dim = 0; dim < input.dimCount(); ++dim) {
    int64_t rest = input.problem.bounds[dim];
    if (rest > 1)
      dims.push_back(dim);
    for (int64_t prime = 2; rest > 1; ++prime) {
      if (prime > rest / prime)
        prime = rest;
      if (rest % prime == 0)
        primes[dim].push_back(prime);
      while (rest % prime == 0)
        rest /= prime;
    }
  }
}

const NestRule &timeloop::ruleOf(const Constraints &constraints, unsigned slot) {
  const PlacementRule &placement = constraints.memories[slot / 2];
  return slot % 2 ? placement.spatial : placement.temporal;
}

bool Mapspace::isFree(unsigned slot, unsigned dim) const { return !rule(slot).exact[dim]; }

/// The order of a rule, and the dimensions that it leaves out behind.
static void followRule(const NestRule &rule, Nest &nest) {
  std::vector<unsigned> order = rule.inner;
  for (unsigned dim : nest.order)
    if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  nest.order = std::move(order);
  if (rule.split)
    nest.split = *rule.split;
}

void timeloop::turn(Nest &nest, unsigned dim) {
  auto place = llvm::find(nest.order, dim);
  bool isX = place - nest.order.begin() < static_cast<ptrdiff_t>(nest.split);
  nest.order.erase(place);
  nest.split -= isX;
  nest.order.insert(isX ? nest.order.end() : nest.order.begin(), dim);
  nest.split += !isX;
}

llvm::Optional<Placements> Mapspace::start(NoStart &why) const {
  Placements placements = emptyPlacements(input);
  for (unsigned slot = 0; slot < slots; ++slot)
    followRule(rule(slot), nestIn(placements, slot));
  if (llvm::Optional<NoStart> none = FirstFactors(input, constraints, placements).run()) {
    why = std::move(*none);
    return llvm::None;
  }
  keepWhatFits(placements);
  return placements;
}

/// What must be kept, and what there is room for beside it.
void Mapspace::keepWhatFits(Placements &placements) const {
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    const Attributes &attributes = input.memories[memory].attributes;
    double room =
        attributes.words
            ? std::floor(static_cast<double>(*attributes.words) / attributes.multipleBuffering)
            : HUGE_VAL;
    for (unsigned space = 0; space < input.spaceCount(); ++space) {
      const llvm::Optional<bool> &keep = constraints.memories[memory].keep[space];
      double size = tileSize(placements, memory, space);
      bool isOutermost = memory + 1 == input.memories.size();
      placements[memory].keep[space] = keep ? *keep : isOutermost || size <= room;
      room -= placements[memory].keep[space] ? size : 0;
    }
  }
}

double Mapspace::tileSize(const Placements &placements, unsigned memory, unsigned space) const {
  double size = 1;
  for (const std::vector<Term> &rank : input.problem.spaces[space].ranks) {
    double extent = 1;
    for (const Term &term : rank) {
      int64_t covered = 1;
      for (unsigned slot = 0; slot < 2 * (memory + 1); ++slot)
        covered *= factorIn(placements, slot, term.dim);
      extent += std::abs(static_cast<double>(term.coefficient)) * static_cast<double>(covered - 1);
    }
    size *= extent;
  }
  return size;
}

/// The model only limits what all levels together use of the innermost mesh; a mapping that can be
/// built also has no more children below an instance than the architecture gives it.
bool Mapspace::fitsMeshes(const Placements &placements) const {
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    const Nest &nest = placements[memory].spatial;
    const Level &child = input.level(memory), &parent = input.memories[memory];
    double usedX = 1, usedY = 1;
    for (unsigned place = 0; place < nest.order.size(); ++place) {
      double &used = place < nest.split ? usedX : usedY;
      used *= static_cast<double>(nest.factors[nest.order[place]].end);
      if (usedX > static_cast<double>(child.meshX / parent.meshX) ||
          usedY > static_cast<double>(child.meshY / parent.meshY))
        return false;
    }
  }
  return true;
}

bool Mapspace::isValid(const Placements &placements) const {
  if (!fitsMeshes(placements))
    return false;
  for (unsigned slot = 0; slot < slots; ++slot)
    for (unsigned dim : dims)
      if (rule(slot).most[dim] && factorIn(placements, slot, dim) > *rule(slot).most[dim])
        return false;
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    const Attributes &attributes = input.memories[memory].attributes;
    if (!attributes.words)
      continue;
    double used = 0;
    for (unsigned space = 0; space < input.spaceCount(); ++space)
      if (placements[memory].keep[space])
        used += tileSize(placements, memory, space);
    if (used > std::floor(static_cast<double>(*attributes.words) / attributes.multipleBuffering))
      return false;
  }
  return true;
}

bool Mapspace::movePrime(Placements &placements, unsigned dim, unsigned from, unsigned to,
                         std::mt19937_64 &random) const {
  int64_t prime = primes[dim][below(random, primes[dim].size())];
  if (from == to || !isFree(from, dim) || !isFree(to, dim) ||
      factorIn(placements, from, dim) % prime)
    return false;
  factorIn(placements, from, dim) /= prime;
  factorIn(placements, to, dim) *= prime;
  return true;
}

/// `exchange`: another prime goes the other way.
bool Mapspace::moveFactor(Placements &placements, std::mt19937_64 &random, bool exchange) const {
  unsigned from = below(random, slots), to = below(random, slots);
  if (!movePrime(placements, dims[below(random, dims.size())], from, to, random))
    return false;
  if (exchange)
    movePrime(placements, dims[below(random, dims.size())], to, from, random);
  return true;
}

bool Mapspace::moveLoops(Placements &placements, std::mt19937_64 &random) const {
  unsigned slot = 2 * below(random, input.memories.size());
  Nest &nest = nestIn(placements, slot);
  size_t fixed = rule(slot).inner.size();
  std::vector<unsigned> places; // of loops that do something
  for (size_t place = fixed; place < nest.order.size(); ++place)
    if (nest.factors[nest.order[place]].end > 1)
      places.push_back(static_cast<unsigned>(place));
  if (places.size() < 2)
    return false;
  unsigned first = below(random, places.size()), second = below(random, places.size() - 1);
  std::swap(nest.order[places[first]], nest.order[places[second + (second >= first)]]);
  return true;
}

bool Mapspace::turnAxis(Placements &placements, std::mt19937_64 &random) const {
  unsigned slot = 2 * below(random, input.memories.size()) + 1;
  if (rule(slot).split)
    return false;
  Nest &nest = nestIn(placements, slot);
  if (!rule(slot).inner.empty()) {
    nest.split = below(random, input.dimCount() + 1);
    return true;
  }
  turn(nest, dims[below(random, dims.size())]);
  return true;
}

bool Mapspace::flipKeep(Placements &placements, std::mt19937_64 &random) const {
  if (input.memories.size() < 2)
    return false;
  unsigned memory = below(random, input.memories.size() - 1);
  unsigned space = below(random, input.spaceCount());
  if (constraints.memories[memory].keep[space])
    return false;
  placements[memory].keep[space] = !placements[memory].keep[space];
  return true;
}

bool Mapspace::move(Placements &placements, std::mt19937_64 &random) const {
  unsigned kind = below(random, 16);
  if (dims.empty() || kind == 0)
    return flipKeep(placements, random);
  if (kind < 4)
    return moveLoops(placements, random);
  if (kind == 4)
    return turnAxis(placements, random);
  return moveFactor(placements, random, kind >= 10);
}
