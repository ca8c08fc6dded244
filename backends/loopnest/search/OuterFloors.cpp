// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the last array outward: the least energy of all that is inside a boundary, by what the loops
// outside of it take. At each boundary the tensors that end there are told by the innermost loop in
// time outside: those that it moves enter again for all that it lacks. All tensors of a boundary
// have the same innermost loop, and where a slot has no loops the boundaries around it, too.
#include "backends/loopnest/search/Floors.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Most values of a table that tells innermost loops apart.
static constexpr size_t rowLimit = 4000000;
/// Most steps to find out where lanes further out lead to.
static constexpr size_t laneWork = 50000000;

/// Words that enter at least, lanes told apart; the number of dimensions is no loop or any.
double Floors::leastWords(const Crossing &crossing, size_t outside, unsigned innermost) const {
  unsigned t = crossing.tensor;
  const FlatTensor &tensor = space.tensors[t];
  double once = floors.whole(t, 0);
  if (innermost == space.dims())
    return once;
  if (tensor.plain >> innermost & 1)
    return floors.missing(t, outside) * floors.whole(t, outside);
  bool lanes = llvm::any_of(llvm::makeArrayRef(space.slots).take_front(crossing.end),
                            [](const Slot &slot) { return slot.isAxis; });
  if (lanes || !(tensor.windowed >> innermost & 1))
    return once;
  bool partner = grid.point(outside)[floors.partnerOf(t, innermost)] > 0;
  return std::max(once, floors.missing(t, outside) *
                            floors.sliding(t, outside, innermost, 2, 1, partner));
}

/// J of the crossings that end at a boundary outside of the last array.
double Floors::endingAt(unsigned boundary, size_t outside, unsigned innermost) const {
  double energy = 0;
  for (unsigned k = 0; k < space.crossings.size(); ++k) {
    const Crossing &crossing = space.crossings[k];
    if (crossing.end != boundary || boundary == 0)
      continue;
    const CrossingCost &cost = costs.of(k);
    double least = onceFloors[k];
    // All lanes on the way may take a word that is moved once.
    if (cost.separate >= 0 && cost.declared + cost.shared >= 0)
      least =
          std::max(least, leastWords(crossing, outside, innermost) *
                              (cost.separate + (cost.declared + cost.shared) / lanesOn(crossing)));
    energy += least;
  }
  return energy;
}

double Floors::lanesOn(const Crossing &crossing) const {
  double lanes = 1;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s)
    if (space.slots[s].isAxis)
      lanes *= static_cast<double>(space.slots[s].size);
  return lanes;
}

/// By point, innermost loop (one row if these are not told apart) and bucket.
struct Floors::Layer {
  size_t rows, buckets;
  std::vector<double> values;
  double *at(size_t point, size_t row) { return &values[(point * rows + row) * buckets]; }
  const double *at(size_t point, size_t row) const {
    return &values[(point * rows + row) * buckets];
  }
};

static void takeLeast(double *into, const double *from, size_t count) {
  for (size_t i = 0; i < count; ++i)
    into[i] = std::min(into[i], from[i]);
}

/// Whatever the innermost loop is.
std::vector<double> Floors::leastOfRows(const Layer &layer) const {
  std::vector<double> least(grid.size() * layer.buckets, infinite);
  for (size_t x = 0; x < grid.size(); ++x)
    for (size_t row = 0; row < layer.rows; ++row)
      takeLeast(&least[x * layer.buckets], layer.at(x, row), layer.buckets);
  return least;
}

/// What is inside the boundary before a slot, from what is at the one after it.
void Floors::addSlot(Layer &layer, unsigned slot) const {
  size_t buckets = layer.buckets, rows = layer.rows;
  if (space.slots[slot].isAxis) {
    addLanes(layer, slot);
    return;
  }
  if (rows == 1) {
    grid.gatherMultiples(~uint32_t(0), [&](size_t x, size_t other) {
      takeLeast(layer.at(x, 0), layer.at(other, 0), buckets);
    });
    return;
  }
  // The slot has no loops, or it leads to another point, with any innermost one there.
  std::vector<double> inside = leastOfRows(layer), moved(inside.size(), infinite);
  grid.gatherMultiples(~uint32_t(0), [&](size_t x, size_t other) {
    takeLeast(&inside[x * buckets], &inside[other * buckets], buckets);
  });
  grid.gatherMultiples(~uint32_t(0), [&](size_t x, size_t other) {
    takeLeast(&moved[x * buckets], &inside[other * buckets], buckets);
  });
  for (size_t x = 0; x < grid.size(); ++x)
    for (size_t row = 0; row < rows; ++row)
      takeLeast(layer.at(x, row), &moved[x * buckets], buckets);
}

/// Lanes leave the loops in time as they are.
void Floors::addLanes(Layer &layer, unsigned slot) const {
  std::vector<TileGrid::Point> all;
  for (size_t x = 0; x < grid.size(); ++x) {
    double lanes = 1;
    for (unsigned d = 0; d < space.dims(); ++d)
      lanes *= static_cast<double>(grid.value(d, grid.point(x)[d]));
    if (lanes <= static_cast<double>(space.slots[slot].size))
      all.push_back(grid.point(x));
  }
  size_t width = layer.rows * layer.buckets;
  if (all.size() * grid.size() > laneWork) {
    grid.gatherMultiples(~uint32_t(0), [&](size_t x, size_t other) {
      takeLeast(layer.at(x, 0), layer.at(other, 0), width);
    });
    return;
  }
  TileGrid::Point inside;
  for (size_t x = 0; x < grid.size(); ++x) // larger points have what they had
    for (const TileGrid::Point &lanes : all)
      if (grid.multiply(grid.point(x), lanes, inside))
        takeLeast(layer.at(x, 0), layer.at(grid.index(inside), 0), width);
}

/// Keeps what is inside the memory at `end`, by the innermost loop in time, for the boundaries
/// before the axes that lead to it.
void Floors::addAcross(Layer layer, unsigned end) {
  for (unsigned slot = end; slot-- > 0 && space.slots[slot].isAxis;) {
    addLanes(layer, slot);
    across[slot] = layer.values;
    laneEnds[slot] = end;
  }
}

void Floors::makeSuffixes() {
  size_t buckets = classes.size(), rows = space.dims() + 1;
  Layer layer{grid.size() * rows * buckets > rowLimit ? 1 : rows, buckets, {}};
  layer.values.assign(grid.size() * layer.rows * buckets, infinite);
  for (size_t x = 0; x < grid.size(); ++x)
    for (unsigned d = 0; d < rows; ++d) {
      double *least = layer.at(x, layer.rows == 1 ? 0 : d);
      size_t first = place(x, d, 0);
      double repeats = mostRepeats(x, d);
      for (size_t b = 0; b < buckets; ++b)
        least[b] = std::min(least[b], leastAt(first + b, repeats));
    }
  suffix.resize(arrayBegin() + 1);
  ending.resize(arrayBegin() + 1);
  across.assign(arrayBegin() + 1, {});
  laneEnds.assign(arrayBegin() + 1, 0);
  for (unsigned b = arrayBegin() + 1; b-- > 0;) {
    suffix[b] = leastOfRows(layer);
    std::vector<char> room(grid.size(), 1);
    if (b < space.slots.size() && !space.slots[b].isAxis)
      room = roomAt(space, weights, grid, b);
    for (size_t x = 0; x < grid.size(); ++x)
      if (!room[x])
        std::fill_n(layer.at(x, 0), layer.rows * buckets, infinite);
    if (b > 0 && space.slots[b - 1].isAxis && b <= arrayBegin())
      addAcross(layer, b);
    for (size_t x = 0; x < grid.size(); ++x)
      for (size_t row = 0; row < layer.rows; ++row) {
        double more = endingAt(b, x, layer.rows == 1 ? space.dims() : row);
        for (size_t i = 0; i < buckets; ++i)
          layer.at(x, row)[i] += more;
      }
    ending[b] = leastOfRows(layer);
    if (b > 0)
      addSlot(layer, b - 1);
  }
}
