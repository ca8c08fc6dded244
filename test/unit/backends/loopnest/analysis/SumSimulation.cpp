// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SumSimulation.h"

using namespace perfc;
using namespace perfc::loopnest;

Simulation::Simulation(const Nest &nest) : nest(nest) {
  for (const Tensor &tensor : nest.tensors)
    output = tensor.isOutput ? &tensor : output;
  addLoops();
  forAll(temporal, [&](const Index &when) {
    forAll(parallel, [&](const Index &lane) {
      if (auto point = pointAt(when, lane))
        if (auto element = elementAt(*point))
          wanted[*element].insert(*point);
    });
  });
}

void Simulation::addLoops() {
  std::vector<int64_t> cover(nest.dims.size(), 1);
  for (size_t p = nest.places.size(); p-- > 0;) {
    const Place &place = nest.places[p];
    auto &loops = place.kind == PlaceKind::Memory ? temporal : parallel;
    for (size_t l = place.loops.size(); l-- > 0;) {
      unsigned dim = place.loops[l].drives[0].dim;
      loops.insert(loops.begin(), {dim, place.loops[l].factor, cover[dim]});
      cover[dim] *= place.loops[l].factor;
    }
  }
  size_t times = 0, lanes = 0, number = 0;
  unsigned tensor = unsigned(output - nest.tensors.data());
  for (const Place &place : nest.places) {
    if (place.kind == PlaceKind::Memory) {
      if (llvm::is_contained(place.keep, tensor)) {
        SimulatedMemory memory{times, lanes, {}, {}};
        memory.position = number;
        memories.push_back(std::move(memory));
      }
      ++number;
    }
    (place.kind == PlaceKind::Memory ? times : lanes) += place.loops.size();
  }
}

void Simulation::forAll(const std::vector<SimulatedLoop> &loops,
                        llvm::function_ref<void(const Index &)> visit) {
  Index at(loops.size(), 0);
  while (true) {
    visit(at);
    size_t i = loops.size();
    for (; i > 0; at[--i] = 0)
      if (++at[i - 1] < loops[i - 1].factor)
        break;
    if (i == 0)
      return;
  }
}

llvm::Optional<Index> Simulation::pointAt(const Index &when, const Index &lane) const {
  Index point(nest.dims.size(), 0);
  for (size_t i = 0; i < when.size(); ++i)
    point[temporal[i].dim] += when[i] * temporal[i].step;
  for (size_t i = 0; i < lane.size(); ++i)
    point[parallel[i].dim] += lane[i] * parallel[i].step;
  for (size_t d = 0; d < point.size(); ++d)
    if (point[d] >= nest.dims[d].size)
      return llvm::None;
  return point;
}

llvm::Optional<Index> Simulation::elementAt(const Index &point) const {
  Index element;
  for (const Subscript &rank : output->ranks) {
    element.push_back(rank.constant);
    for (const Term &term : rank.terms)
      element.back() += term.coefficient * point[term.dim];
    if (rank.extent && (element.back() < 0 || element.back() >= *rank.extent))
      return llvm::None;
  }
  return element;
}

/// Tiles of the instances that work in the epoch of `when`.
Tiles Simulation::touched(const SimulatedMemory &memory, const Index &when) const {
  Tiles tiles;
  std::vector<SimulatedLoop> inner(temporal.begin() + long(memory.temporal), temporal.end());
  forAll(inner, [&](const Index &rest) {
    Index whole(when.begin(), when.begin() + long(memory.temporal));
    whole.insert(whole.end(), rest.begin(), rest.end());
    forAll(parallel, [&](const Index &lane) {
      if (auto point = pointAt(whole, lane)) {
        Elements &tile = tiles[{lane.begin(), lane.begin() + long(memory.parallel)}];
        if (auto element = elementAt(*point))
          tile.insert(*element);
      }
    });
  });
  return tiles;
}

/// Idle instances keep what the one outside still has.
Tiles Simulation::targets(size_t m, const Index &when, const std::map<size_t, Tiles> &outer) const {
  Tiles tiles = touched(memories[m], when);
  for (const auto &[instance, held] : memories[m].held) {
    if (tiles.count(instance))
      continue;
    Elements &kept = tiles[instance];
    kept = held;
    if (m == 0)
      continue;
    Index where = outside(instance, m - 1);
    auto begun = outer.find(m - 1);
    const Tiles &above = begun == outer.end() ? memories[m - 1].held : begun->second;
    kept.clear();
    for (const Index &element : held)
      if (above.at(where).count(element))
        kept.insert(element);
  }
  return tiles;
}

void Simulation::arrive(SimulatedMemory &memory, const Index &instance, const Index &element,
                        const std::set<Index> &points) {
  std::set<Index> &sum = memory.sums[{instance, element}];
  memory.merges += !sum.empty();
  sum.insert(points.begin(), points.end());
  ++memory.updates;
  memory.finished += sum == wanted[element];
}

/// What leaves goes up, that of all instances under one parent together.
void Simulation::send(size_t m, const Tiles &leaving) {
  std::map<std::pair<Index, Index>, std::set<Index>> groups;
  for (const auto &[instance, elements] : leaving)
    for (const Index &element : elements) {
      std::set<Index> &points = memories[m].sums[{instance, element}];
      ++memories[m].writebacks;
      memories[m].finishedWritebacks += points == wanted[element];
      groups[{outside(instance, m - 1), element}].insert(points.begin(), points.end());
      memories[m].sums.erase({instance, element});
    }
  for (const auto &[key, points] : groups)
    arrive(memories[m - 1], key.first, key.second, points);
}

void Simulation::beginEpochs(const Index &when, const Index *before) {
  std::map<size_t, Tiles> target;
  for (size_t m = 0; m < memories.size(); ++m)
    if (!before ||
        !std::equal(when.begin(), when.begin() + long(memories[m].temporal), before->begin()))
      target[m] = targets(m, when, target);
  for (size_t m = memories.size(); m-- > 1;) {
    if (!target.count(m))
      continue;
    Tiles leaving;
    for (const auto &[instance, held] : memories[m].held)
      for (const Index &element : held)
        if (!target[m][instance].count(element))
          leaving[instance].insert(element);
    send(m, leaving);
  }
  for (auto &[m, tiles] : target) {
    for (const auto &[instance, tile] : tiles)
      for (const Index &element : tile) {
        if (m == 0 || memories[m].held[instance].count(element))
          continue;
        auto above = memories[m - 1].sums.find({outside(instance, m - 1), element});
        if (above == memories[m - 1].sums.end())
          continue;
        memories[m].sums[{instance, element}] = above->second;
        memories[m - 1].sums.erase(above);
      }
    memories[m].held = tiles;
  }
}

void Simulation::run() {
  Index before;
  bool isFirst = true;
  forAll(temporal, [&](const Index &when) {
    std::map<std::pair<Index, Index>, std::set<Index>> products;
    bool works = false;
    SimulatedMemory &inner = memories.back();
    forAll(parallel, [&](const Index &lane) {
      auto point = pointAt(when, lane);
      works |= point.hasValue();
      if (auto element = point ? elementAt(*point) : llvm::None) {
        products[{outside(lane, memories.size() - 1), *element}].insert(*point);
        finishedPoints += wanted[*element].size() == 1;
      }
    });
    if (!works)
      return;
    beginEpochs(when, isFirst ? nullptr : &before);
    for (const auto &[key, points] : products)
      arrive(inner, key.first, key.second, points);
    before = when;
    isFirst = false;
  });
  for (size_t m = memories.size(); m-- > 1;)
    send(m, Tiles(memories[m].held));
}
