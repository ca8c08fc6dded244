// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finished words and partial sums: the closed form and the enumeration against an execution that
// knows of every sum which points are in it, and so which update is an element's last.
#include "Nests.h"
#include "backends/loopnest/analysis/Enumeration.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

using Index = std::vector<int64_t>;
using Elements = std::set<Index>;
using Tiles = std::map<Index, Elements>; ///< by instance: the parallel loops outside

struct SimulatedLoop {
  unsigned dim;
  int64_t factor, step;
};

struct SimulatedMemory {
  size_t temporal, parallel; ///< loops outside
  Tiles held;
  std::map<std::pair<Index, Index>, std::set<Index>> sums; ///< instance, element: its points
  int64_t updates = 0, finished = 0, writebacks = 0, finishedWritebacks = 0, merges = 0;
  size_t position = 0; ///< among the memories of the nest
};

/// Executes the result of a nest of plain loops step by step. Only memories that keep it matter.
class Simulation {
public:
  explicit Simulation(const Nest &nest);
  void run();

  std::vector<SimulatedMemory> memories;
  int64_t finishedPoints = 0;

private:
  void addLoops();
  llvm::Optional<Index> pointAt(const Index &when, const Index &lane) const;
  llvm::Optional<Index> elementAt(const Index &point) const;
  Tiles touched(const SimulatedMemory &memory, const Index &when) const;
  Tiles targets(size_t m, const Index &when, const std::map<size_t, Tiles> &outer) const;
  void beginEpochs(const Index &when, const Index *before);
  void send(size_t m, const Tiles &leaving);
  void arrive(SimulatedMemory &memory, const Index &instance, const Index &element,
              const std::set<Index> &points);
  template <typename Visit>
  static void forAll(const std::vector<SimulatedLoop> &loops, Visit visit);
  Index outside(const Index &instance, size_t m) const {
    return {instance.begin(), instance.begin() + long(memories[m].parallel)};
  }

  const Nest &nest;
  const Tensor *output = nullptr;
  std::vector<SimulatedLoop> temporal, parallel;
  std::map<Index, std::set<Index>> wanted; ///< all points of each element
};

} // namespace

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

template <typename Visit>
void Simulation::forAll(const std::vector<SimulatedLoop> &loops, Visit visit) {
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

static Nest withPartial(Nest nest, std::mt19937 &random) {
  for (Place &place : nest.places)
    if (place.kind == PlaceKind::Memory)
      place.partialBits = 24 + 8 * int64_t(random() % 4);
  return nest;
}

/// A product whose reduction is spread over lanes and time with ragged factors: i, j, k over two or
/// three memories and two arrays.
static Nest raggedReduction(std::mt19937 &random) {
  auto below = [&](int64_t end) { return int64_t(random() % uint64_t(end)); };
  Nest nest;
  std::vector<int64_t> left;
  for (const char *name : {"i", "j", "k", "l"}) {
    nest.dims.push_back({name, 1 + below(name[0] > 'j' ? 9 : 6)});
    left.push_back(nest.dims.back().size);
  }
  auto plain = [](unsigned dim) { return Subscript{{{dim, 1}}, 0, llvm::None}; };
  nest.tensors = {{"A", false, 8, {plain(0), plain(2)}},
                  {"B", false, 8, {plain(2), plain(1), plain(3)}},
                  {"Z", true, 8, {plain(0), plain(1)}}};
  if (below(4) == 0) {
    nest.tensors[2].ranks[0].constant = -below(2);
    nest.tensors[2].ranks[0].extent = std::max<int64_t>(1, nest.dims[0].size - below(3));
  }
  for (int m = 0; m < 3; ++m) {
    Place memory{PlaceKind::Memory, "M" + std::to_string(m), {0, 1}, {}, {}};
    if (m == 0 || below(5) > 0)
      memory.keep.push_back(2);
    nest.places.push_back(memory);
    nest.places.push_back(
        {PlaceKind::Array, "A" + std::to_string(m), {}, {{"x", 64, true, below(2) == 0}}, {}});
  }
  for (size_t p = nest.places.size(); p-- > 0;) {
    Place &place = nest.places[p];
    bool isArray = place.kind == PlaceKind::Array;
    for (unsigned d = 0; d < left.size(); ++d) {
      int64_t most = std::min<int64_t>(left[d], 3);
      int64_t factor = p == 0                                 ? left[d]
                       : below(isArray && d < 2 ? 4 : 2) == 0 ? 1 + below(most)
                                                              : 1;
      left[d] = (left[d] + factor - 1) / factor;
      place.loops.push_back({{{d, llvm::None}}, factor, 0});
    }
    std::shuffle(place.loops.begin(), place.loops.end(), random);
  }
  return nest;
}

static std::string describe(const Nest &nest) {
  std::string text;
  for (const Dim &dim : nest.dims)
    text += dim.name + "=" + std::to_string(dim.size) + " ";
  for (const Place &place : nest.places) {
    text += "| " + place.name + (llvm::is_contained(place.keep, 2u) ? "*" : "") + ": ";
    for (const Loop &loop : place.loops)
      if (loop.factor > 1)
        text += nest.dims[loop.drives[0].dim].name + std::to_string(loop.factor) + " ";
  }
  return text;
}

static unsigned outputOf(const Nest &nest) {
  unsigned output = 0;
  while (!nest.tensors[output].isOutput)
    ++output;
  return output;
}

/// Compares the counts of `nest` with an execution; returns how many memories finish some elements
/// but not all.
static unsigned checkFinished(const Nest &nest, const Counts &counts) {
  unsigned mixed = 0, output = outputOf(nest);
  Simulation simulation(nest);
  simulation.run();
  EXPECT_EQ(counts.finishedPoints, simulation.finishedPoints) << describe(nest);
  int64_t all = simulation.memories.front().finished;
  for (const SimulatedMemory &expected : simulation.memories) {
    const TensorCounts &actual = *counts.memories[expected.position].tensors[output];
    EXPECT_EQ(actual.finished.getValueOr(-1), expected.finished) << describe(nest);
    EXPECT_EQ(actual.updates.shared, expected.updates) << describe(nest);
    EXPECT_EQ(actual.writebacks, expected.writebacks) << describe(nest);
    // As many words go up finished as are finished here, but where the result ends.
    EXPECT_EQ(&expected == &simulation.memories.front() ? 0 : expected.finished,
              expected.finishedWritebacks)
        << describe(nest);
    mixed += expected.finished > 0 && expected.finished < all;
  }
  return mixed;
}

TEST(Finished, EqualsExecution) {
  std::mt19937 random(41);
  unsigned compared = 0, mixed = 0;
  while (compared < 2500) {
    Nest nest = withPartial(compared % 2 ? raggedReduction(random) : randomNest(random), random);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    if (enumerationWork(*flat) > 4000)
      continue;
    AnalysisOptions options;
    options.hops = false;
    AnalysisResult closed = analyse(nest, options);
    ASSERT_TRUE(closed.counts);
    mixed += checkFinished(nest, *closed.counts);
    ASSERT_FALSE(HasFailure()) << "nest " << compared;
    ++compared;
  }
  EXPECT_GT(mixed, 50u);
}

TEST(Finished, ClosedFormEqualsEnumeration) {
  std::mt19937 random(97);
  unsigned compared = 0;
  while (compared < 4000) {
    Nest nest = withPartial(compared % 4 ? raggedReduction(random) : randomNest(random), random);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    if (enumerationWork(*flat) > 20000)
      continue;
    AnalysisOptions options;
    options.hops = false;
    AnalysisResult closed = analyse(nest, options);
    options.enumerate = true;
    AnalysisResult executed = analyse(nest, options);
    ASSERT_TRUE(closed.counts && executed.counts);
    ASSERT_EQ(closed.counts->form, AnalysisForm::Closed);
    ASSERT_EQ(compare(nest, *closed.counts, *executed.counts), "") << describe(nest);
    unsigned output = outputOf(nest);
    for (size_t m = 0; m < closed.counts->memories.size(); ++m)
      if (const auto &counts = closed.counts->memories[m].tensors[output]) {
        ASSERT_EQ(*counts->finished, *executed.counts->memories[m].tensors[output]->finished)
            << describe(nest);
      }
    ++compared;
  }
}

TEST(Finished, NothingIsToldApartWithoutPartialBits) {
  std::mt19937 random(5);
  Nest nest = raggedReduction(random);
  AnalysisResult result = analyse(nest);
  ASSERT_TRUE(result.counts);
  EXPECT_FALSE(result.counts->memories[0].tensors[outputOf(nest)]->finished);
}

/// 4 results, each the sum of 6 points, 2 at a time: the tile of a memory of one result at a time
/// is left after 3 steps and never comes back, so what goes out is finished.
TEST(Finished, ReductionInsideSendsFinishedWords) {
  Nest nest;
  nest.dims = {{"i", 4}, {"k", 6}};
  auto plain = [](unsigned dim) { return Subscript{{{dim, 1}}, 0, llvm::None}; };
  nest.tensors = {{"A", false, 8, {plain(0), plain(1)}}, {"Z", true, 8, {plain(0)}}};
  Place outer{PlaceKind::Memory, "DRAM", {0, 1}, {}, {}};
  outer.loops.push_back({{{0, llvm::None}}, 4, 0});
  Place inner{PlaceKind::Memory, "ACC", {1}, {}, {}};
  inner.loops.push_back({{{1, llvm::None}}, 3, 0});
  Place lanes{PlaceKind::Array, "PE", {}, {{"x", 2, true, true}}, {}};
  lanes.loops.push_back({{{1, llvm::None}}, 2, 0});
  outer.partialBits = inner.partialBits = 32;
  nest.places = {outer, inner, lanes};
  AnalysisResult result = analyse(nest);
  ASSERT_TRUE(result.counts);
  const TensorCounts &dram = *result.counts->memories[0].tensors[1];
  const TensorCounts &acc = *result.counts->memories[1].tensors[1];
  EXPECT_EQ(acc.updates.shared, 12);
  EXPECT_EQ(*acc.finished, 4);
  EXPECT_EQ(dram.updates.shared, 4);
  EXPECT_EQ(*dram.finished, 4);
  EXPECT_FALSE(dram.holdsPartial());
  EXPECT_TRUE(acc.holdsPartial());
  EXPECT_EQ(result.counts->memories[1].maxResidentBits, 32);
  EXPECT_EQ(result.counts->memories[0].maxResidentBits, 4 * 6 * 8 + 4 * 8);
}
