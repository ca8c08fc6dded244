// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/StepShare.h"

#include "backends/loopnest/sparse/LockStep.h"
#include "backends/loopnest/sparse/TileExtents.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

/// Beyond so many elements of one lane the nonzeros are taken as binomial.
static constexpr int64_t exactDraws = 1 << 12;
/// Of so many tensors all choices are compared.
static constexpr size_t mostCompared = 4;

double LaneShares::of(const std::vector<int64_t> &key, llvm::function_ref<double()> compute) {
  std::lock_guard<std::mutex> guard(lock);
  auto [at, isNew] = known.insert({key, 0});
  if (isNew)
    at->second = compute();
  return at->second;
}

namespace {

/// The steps of one nest; conditions are tensors whose zeros are left out, those that more lanes
/// share first.
class StepCounter {
public:
  StepCounter(const Nest &nest, const Sparsity &sparsity, LaneShares *shares)
      : nest(nest), sparsity(sparsity), shares(shares), lanesFrom(nest.places.size()) {
    while (lanesFrom > 0 && nest.places[lanesFrom - 1].kind == PlaceKind::Memory)
      --lanesFrom;
  }

  double run() const;

private:
  using Conditions = llvm::ArrayRef<unsigned>;
  std::vector<LaneLevel> levels(Conditions conditions) const;
  bool areTied(unsigned a, unsigned b) const;
  llvm::SmallVector<int64_t, 4> inAllLanes(unsigned tensor) const;
  double inEveryPoint(Conditions conditions) const;
  double share(Conditions conditions) const;

  const Nest &nest;
  const Sparsity &sparsity;
  LaneShares *shares;
  size_t lanesFrom; ///< the places in a lane
};

} // namespace

/// The lanes into which each tensor splits those that share all tensors before it.
std::vector<LaneLevel> StepCounter::levels(Conditions conditions) const {
  std::vector<LaneLevel> result;
  for (unsigned condition : conditions) {
    const SparseTensor &tensor = sparsity.tensors[condition];
    result.push_back({1, tensor.density.share(tensor.shape)});
  }
  for (const Place &place : nest.places)
    for (const Loop &loop : place.loops) {
      auto moved = llvm::find_if(
          conditions, [&](unsigned tensor) { return moves(loop, nest.tensors[tensor]); });
      if (place.kind == PlaceKind::Array && moved != conditions.end())
        result[moved - conditions.begin()].lanes *= static_cast<double>(loop.factor);
    }
  return result;
}

/// True where lanes have other elements of both tensors at once.
bool StepCounter::areTied(unsigned a, unsigned b) const {
  auto movesBoth = [&](const Loop &loop) {
    return moves(loop, nest.tensors[a]) && moves(loop, nest.tensors[b]);
  };
  return llvm::any_of(nest.places, [&](const Place &place) {
    return place.kind == PlaceKind::Array && llvm::any_of(place.loops, movesBoth);
  });
}

/// The elements of a tensor that all lanes meet at one point.
llvm::SmallVector<int64_t, 4> StepCounter::inAllLanes(unsigned tensor) const {
  TileExtents extents(nest);
  for (const Place &place : llvm::reverse(nest.places))
    for (const Loop &loop : llvm::reverse(place.loops))
      if (place.kind == PlaceKind::Array)
        extents.add(loop);
  return extents.box(nest.tensors[tensor], sparsity.tensors[tensor].shape);
}

/// Where lanes wait for each other at every point, tensors that are not tied leave out points on
/// their own: those at which the elements of all lanes are zero.
double StepCounter::inEveryPoint(Conditions conditions) const {
  llvm::EquivalenceClasses<size_t> tied;
  for (size_t i = 0; i < conditions.size(); ++i) {
    tied.insert(i);
    for (size_t j = 0; j < i; ++j)
      if (areTied(conditions[j], conditions[i]))
        tied.unionSets(j, i);
  }
  double product = 1;
  for (auto group = tied.begin(); group != tied.end(); ++group) {
    if (!group->isLeader())
      continue;
    std::vector<size_t> members(tied.member_begin(group), tied.member_end());
    llvm::sort(members);
    std::vector<unsigned> together;
    for (size_t member : members)
      together.push_back(conditions[member]);
    const SparseTensor &first = sparsity.tensors[together.front()];
    product *= together.size() > 1
                   ? slowestLane(levels(together), 1, {})
                   : 1 - first.density.emptyShare(first.shape, inAllLanes(together.front()));
  }
  return product;
}

/// The share of its points that the slowest lane executes.
double StepCounter::share(Conditions conditions) const {
  auto inside = tileInside(nest, lanesFrom);
  auto tileOf = [&](unsigned tensor) {
    return inside.box(nest.tensors[tensor], sparsity.tensors[tensor].shape);
  };
  std::vector<LaneLevel> lanes = levels(conditions);
  double product = 1, points = 0x1p62;
  bool isEven = true;
  for (size_t i = 0; i < conditions.size(); ++i) {
    auto tile = tileOf(conditions[i]);
    product *= lanes[i].share;
    isEven &= sparsity.tensors[conditions[i]].density.isEven(tile);
    points = std::min(points, elements(tile));
  }
  auto count = static_cast<int64_t>(points);
  if (isEven || count < 1)
    return product;
  const SparseTensor &first = sparsity.tensors[conditions.front()];
  auto tile = tileOf(conditions.front());
  bool isDrawn = elements(tile) == points && count <= exactDraws;
  auto slowest = [&] {
    if (count == 1)
      return inEveryPoint(conditions);
    return slowestLane(lanes, count,
                       isDrawn ? first.density.distribution(first.shape, tile)
                               : std::vector<double>());
  };
  if (!shares)
    return slowest();
  std::vector<int64_t> key{count, isDrawn ? first.density.lengthOfRows(tile) : 0};
  for (size_t i = 0; i < conditions.size(); ++i) {
    key.push_back(conditions[i]);
    key.push_back(static_cast<int64_t>(lanes[i].lanes));
    if (count == 1)
      llvm::append_range(key, inAllLanes(conditions[i]));
  }
  return shares->of(key, slowest);
}

double StepCounter::run() const {
  llvm::SmallVector<unsigned, 4> conditions = sparsity.conditions(/*withGates=*/false);
  llvm::stable_sort(conditions, [&](unsigned a, unsigned b) {
    return levels(a).front().lanes < levels(b).front().lanes;
  });
  if (conditions.empty())
    return 1;
  double least = share(conditions);
  size_t count = conditions.size();
  if (count > mostCompared)
    for (unsigned condition : conditions)
      least = std::min(least, share(condition));
  for (size_t chosen = 1; count <= mostCompared && chosen + 1 < size_t(1) << count; ++chosen) {
    llvm::SmallVector<unsigned, 4> some;
    for (size_t i = 0; i < count; ++i)
      if (chosen >> i & 1)
        some.push_back(conditions[i]);
    least = std::min(least, share(some));
  }
  return least;
}

double loopnest::stepShare(const Nest &nest, const Sparsity &sparsity, LaneShares *shares) {
  return StepCounter(nest, sparsity, shares).run();
}
