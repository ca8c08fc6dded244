// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tables say of a partial mapping is below all that it can become.
#include "backends/loopnest/search/Floors.h"
#include "Spaces.h"
#include "test/unit/Rounds.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// The bounds on the way from nothing to one mapping.
class Path {
public:
  Path(const MapSpace &space, const Floors &floors, const CostWeights &weights,
       const Mapping &mapping)
      : space(space), floors(floors), evaluator(space, weights), mapping(mapping) {}

  /// J at each boundary; the least over all classes of lanes outside the array.
  std::vector<double> bounds();
  /// Whether the lanes of the last array are among the choices.
  bool isListed() const { return choice() < floors.crossingCosts().choices().size(); }

private:
  TileGrid::Point pointOf(unsigned slots) const;
  size_t choice() const;
  double decided(unsigned slots);
  unsigned innermostBefore(unsigned slots) const;
  double atArray() const;
  double behindLanes(unsigned slots);

  const MapSpace &space;
  const Floors &floors;
  MappingEvaluator evaluator;
  const Mapping &mapping;
};

} // namespace

TileGrid::Point Path::pointOf(unsigned slots) const {
  TileGrid::Point point{};
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t product = 1;
    for (unsigned s = 0; s < slots; ++s)
      product *= mapping.factor[s][d];
    point[d] = floors.tiles().number(d, product);
  }
  return point;
}

size_t Path::choice() const {
  const std::vector<LaneChoice> &all = floors.crossingCosts().choices();
  for (size_t c = 0; c < all.size(); ++c) {
    bool same = true;
    for (unsigned a = 0; a < all[c].factors.size(); ++a)
      for (unsigned d = 0; d < space.dims(); ++d)
        same &= floors.tiles().value(d, all[c].factors[a][d]) ==
                mapping.factor[floors.arrayBegin() + a][d];
    if (same)
      return c;
  }
  return all.size();
}

double Path::decided(unsigned slots) {
  const CrossingCosts &costs = floors.crossingCosts();
  double energy = costs.constant();
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (unsigned end = space.crossings[k].end; end > 0 && end <= slots && !costs.of(k).atLanes)
      energy += evaluator.crossingEnergy(mapping, space.crossings[k], costs.of(k), slots);
  return energy;
}

unsigned Path::innermostBefore(unsigned slots) const {
  unsigned innermost = space.dims();
  for (unsigned s = 0; s < slots; ++s)
    for (unsigned i = 0; !space.slots[s].isAxis && i < space.dims(); ++i)
      if (unsigned d = mapping.order[s][i]; mapping.factor[s][d] > 1)
        innermost = d;
  return innermost;
}

/// What ends at the memory behind the lanes of an array further out, of which some are decided.
double Path::behindLanes(unsigned slots) {
  Mapping outer = mapping;
  for (unsigned s = slots; s < space.slots.size(); ++s)
    outer.factor[s].fill(1);
  double energy = 0;
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (const Crossing &crossing = space.crossings[k]; crossing.end == floors.laneEnd(slots))
      energy += evaluator.energyBeforeLanes(outer, crossing, floors.crossingCosts().of(k),
                                            crossing.end, floors.once(k));
  return energy;
}

double Path::atArray() const {
  unsigned begin = floors.arrayBegin(), innermost = innermostBefore(begin);
  double repeats = floors.repeats(trailsOf(space, mapping, begin), innermost);
  return floors.atArray(floors.tiles().index(pointOf(begin)), innermost, repeats,
                        floors.bucketOf(choice()));
}

std::vector<double> Path::bounds() {
  const TileGrid &grid = floors.tiles();
  unsigned begin = floors.arrayBegin(), end = floors.arrayEnd();
  std::vector<double> result;
  for (unsigned s = 0; s < begin; ++s) {
    llvm::ArrayRef<double> left = floors.at(s, grid.index(pointOf(s)));
    result.push_back(decided(s) + *std::min_element(left.begin(), left.end()));
    left = floors.from(s, grid.index(pointOf(s)));
    result.push_back(decided(s > 0 ? s - 1 : 0) + *std::min_element(left.begin(), left.end()));
    if (!floors.laneEnd(s))
      continue;
    left = floors.acrossLanes(s, grid.index(pointOf(s)), innermostBefore(s));
    result.push_back(decided(s) + behindLanes(s) + *std::min_element(left.begin(), left.end()));
  }
  result.push_back(decided(begin) + atArray());
  const LaneChoice &lanes = floors.crossingCosts().choices()[choice()];
  TileGrid::Point lanesAt = pointOf(end);
  Floors::Priced priced = floors.priced(lanes, lanesAt);
  Trails trails = trailsOf(space, mapping, begin);
  for (Trail &trail : trails.of)
    trail.lanes *= grid.value(trail.dim, lanes.lanes[trail.dim]);
  result.push_back(decided(begin) + floors.inside(end, end, grid.index(lanesAt), trails, priced));
  for (unsigned s = end; s < space.slots.size(); ++s)
    result.push_back(decided(s) + floors.inside(s, s + 1, grid.index(pointOf(s)),
                                                trailsOf(space, mapping, s), priced));
  // With the orders of the lanes, and at the best order of each slot further in.
  LaneChoice ordered = floors.crossingCosts().ordered(lanes, mapping);
  Floors::Priced own = floors.priced(ordered, lanesAt);
  result.push_back(decided(begin) + floors.inside(end, end, grid.index(lanesAt), trails, own));
  for (unsigned s = end; s < space.slots.size(); ++s) {
    TileGrid::Point factor{};
    EXPECT_TRUE(grid.between(pointOf(s), pointOf(s + 1), factor));
    Trails before = trailsOf(space, mapping, s), after = extended(space, before, mapping, s);
    EXPECT_EQ(after.of, trailsOf(space, mapping, s + 1).of);
    size_t at = grid.index(pointOf(s + 1));
    if (floors.inner().at(s + 1, at).empty())
      continue; // nothing fits there
    result.push_back(decided(s) + floors.insideAtBest(s + 1, at, factor, before, own));
    result.push_back(decided(s) + floors.inside(s + 1, s + 1, at, after, own));
  }
  return result;
}

/// Compares `mappings` random mappings that fit; returns how many there were.
static unsigned compareFloors(const MapSpace &space, const CostWeights &weights,
                              std::mt19937 &random, unsigned mappings) {
  auto never = [] { return false; };
  SlotRules rules = openRules(space);
  std::unique_ptr<Floors> floors = Floors::make(space, weights, rules, never);
  SearchGoal goal{SearchGoal::Scalar, [](const Score &score) { return score.energy; }};
  if (!floors || !floors->fill(Incumbents(goal), never))
    return 0;
  MappingEvaluator evaluator(space, weights);
  unsigned compared = 0;
  for (unsigned i = 0; i < mappings; ++i) {
    Mapping mapping = randomMapping(space, random);
    if (!evaluator.fits(mapping))
      continue;
    Path path(space, *floors, weights, mapping);
    if (!path.isListed())
      continue; // its lanes are dealt in a way that others are as good as
    ++compared;
    Score score = evaluator.evaluate(mapping);
    EXPECT_LE(floors->leastLatency(), score.latency * (1 + 1e-9));
    double energy = score.energy - weights.leak * score.latency;
    std::vector<double> bounds = path.bounds();
    for (size_t b = 0; b < bounds.size(); ++b)
      EXPECT_LE(bounds[b], energy * (1 + 1e-9)) << "bound " << b << " of " << bounds.size();
    if (testing::Test::HasFailure())
      return compared;
  }
  return compared;
}

/// Convolutions with strides, dilation and padding, products and others.
static void compareMany(std::mt19937 &random, bool partial) {
  unsigned compared = 0, windows = 0, arrays = 0;
  for (unsigned i = 0; i < rounds(2500) && !testing::Test::HasFailure(); ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random, /*roomyAxes=*/true);
    if (!space)
      continue;
    if (partial)
      tellPartial(*space, random);
    unsigned now = compareFloors(*space, weightsOf(*space, random), random, 40);
    compared += now;
    windows += llvm::any_of(space->tensors, [](const FlatTensor &t) { return !t.windows.empty(); })
                   ? now
                   : 0;
    arrays += llvm::any_of(space->crossings, [](const Crossing &c) { return c.arrays.size() > 1; })
                  ? now
                  : 0;
  }
  EXPECT_GE(compared, least(10000));
  EXPECT_GE(windows, least(4000));
  EXPECT_GE(arrays, least(1000));
}

TEST(Floors, AreBelowWhatTheyBound) {
  std::mt19937 random(1031);
  compareMany(random, /*partial=*/false);
}

TEST(Floors, AreBelowWhatTheyBoundWithPartialSums) {
  std::mt19937 random(1034);
  compareMany(random, /*partial=*/true);
}

/// The tables hold one of each point and its image.
TEST(Floors, AreBelowWhatTheyBoundInSymmetricSpaces) {
  std::mt19937 random(1032);
  unsigned compared = 0;
  for (unsigned i = 0; i < rounds(300) && !testing::Test::HasFailure(); ++i)
    if (llvm::Optional<MapSpace> space = symmetricSpace(random))
      compared += compareFloors(*space, randomWeights(*space, random), random, 40);
  EXPECT_GE(compared, least(1500));
}

/// What is said of a point before its entries are made holds for them.
TEST(Floors, FlowsAreAtLeastTheirOutlook) {
  std::mt19937 random(1033);
  auto never = [] { return false; };
  unsigned settled = 0, open = 0;
  for (unsigned i = 0; i < rounds(1200) && !testing::Test::HasFailure(); ++i) {
    llvm::Optional<MapSpace> space =
        i % 4 ? randomSpace(random, /*roomyAxes=*/true) : symmetricSpace(random);
    if (!space)
      continue;
    std::unique_ptr<Floors> floors =
        Floors::make(*space, randomWeights(*space, random), openRules(*space), never);
    SearchGoal goal{SearchGoal::Scalar, [](const Score &score) { return score.energy; }};
    if (!floors || !floors->fill(Incumbents(goal), never))
      continue;
    const InnerFloors &inner = floors->inner();
    for (size_t x = 0; x < floors->tiles().size() && !testing::Test::HasFailure(); ++x)
      for (const InnerFloors::Entry &entry : inner.at(floors->arrayEnd(), x))
        for (unsigned v = 0; v < inner.flows().size(); ++v) {
          InnerFloors::Outlook outlook = inner.outlook(v, x);
          if (entry.words[v] == InnerFloors::open) {
            ++open;
            EXPECT_TRUE(outlook.mayBeOpen);
            continue;
          }
          ++settled;
          EXPECT_GE(outlook.padding, entry.padding[v] * (1 - 1e-9));
          // With windows either may be the better bound.
          unsigned t = space->crossings[inner.flows()[v]].tensor;
          if (space->tensors[t].windows.empty()) {
            EXPECT_LE(outlook.words, entry.words[v] * (1 + 1e-9));
          }
        }
  }
  EXPECT_GE(settled, least(10000));
  EXPECT_GE(open, least(10000));
}
