// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/MapSpace.h"

#include "backends/loopnest/analysis/Decouple.h"
#include "backends/loopnest/analysis/Flow.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "backends/loopnest/search/CompactWindow.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::loopnest;

Mapping MapSpace::emptyMapping() const {
  Mapping mapping;
  for (unsigned s = 0; s < maxSlots; ++s)
    for (unsigned d = 0; d < maxDims; ++d) {
      mapping.factor[s][d] = s == 0 && d < dims() ? nest.dims[d].size : 1;
      mapping.order[s][d] = static_cast<uint8_t>(d);
    }
  return mapping;
}

Nest MapSpace::withLoops(const Mapping &mapping) const {
  Nest result = nest;
  for (unsigned s = 0; s < slots.size(); ++s)
    for (unsigned i = 0; i < dims(); ++i) {
      unsigned dim = mapping.order[s][i];
      if (int64_t factor = mapping.factor[s][dim]; factor > 1)
        result.places[slots[s].place].loops.push_back(
            {{{dim, llvm::None}}, factor, slots[s].isAxis ? slots[s].axis : 0});
    }
  return result;
}

namespace {

class Builder {
public:
  Builder(const Nest &nest, std::string &reason) : reason(reason) {
    space.nest = nest;
    for (Place &place : space.nest.places)
      place.loops.clear();
  }
  llvm::Optional<MapSpace> run();
  llvm::Optional<MapSpace> runGeneral();

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  bool checkSizes();
  void addSlots();
  bool addPlaces();
  FlatTensor tensorOf(unsigned tensor);
  bool addTensor(unsigned tensor);
  void addAnyTensor(unsigned tensor);
  bool addRank(const Rank &rank, FlatTensor &tensor, DimMask &used);
  void addCrossings(unsigned tensor);

  std::string &reason;
  MapSpace space;
};

} // namespace

/// Flows are at most points, and a memory adds up the bits of a few of each tensor; the links of a
/// tree over lanes are at most their number, summed over its positions.
bool Builder::checkSizes() {
  if (space.nest.dims.size() > maxDims)
    return fail(fmt::format("more than {} indices", maxDims));
  Checked points = 1;
  for (const Dim &dim : space.nest.dims) {
    if (dim.size < 1)
      return fail(fmt::format("index `{}` has no iterations", dim.name));
    points *= dim.size;
  }
  space.points = points.value();
  Checked lanes = 1;
  int64_t bits = 0;
  for (const Place &place : space.nest.places) {
    int64_t own = 0;
    for (const Axis &axis : place.axes)
      lanes *= axis.size;
    for (unsigned t = 0; t < space.nest.tensors.size(); ++t)
      own += movedBits(space.nest, place, t);
    bits = std::max(bits, own);
  }
  if (int64_t most = INT64_MAX / 16 / std::max<int64_t>(1, bits);
      points.overflowed() || points.value() > most)
    return fail(fmt::format("a search of this chip counts at most {} iterations", most));
  if ((lanes * lanes * Checked(64)).overflowed())
    return fail("the chip has more than 2^28 lanes");
  return true;
}

void Builder::addSlots() {
  unsigned memories = 0, arrays = 0;
  for (unsigned p = 0; p < space.nest.places.size(); ++p) {
    const Place &place = space.nest.places[p];
    if (place.kind == PlaceKind::Memory) {
      space.memorySlot.push_back(space.slots.size());
      space.slots.push_back({p, memories++});
      continue;
    }
    for (unsigned a = 0; a < place.axes.size(); ++a)
      space.slots.push_back(
          {p, arrays, true, a, place.axes[a].size, place.axes[a].multicast, place.axes[a].reduce});
    ++arrays;
  }
}

bool Builder::addRank(const Rank &rank, FlatTensor &tensor, DimMask &used) {
  for (const Term &term : rank.terms) {
    if (used >> term.dim & 1)
      return fail("the subscripts of a tensor share an index");
    used |= DimMask(1) << term.dim;
  }
  if (tensor.windows.size() == 4 && rank.terms.size() == 2)
    return fail("a tensor has more than four sliding windows");
  if (rank.terms.size() > 2 || (tensor.isOutput && rank.terms.size() > 1))
    return fail("a subscript has too many indices");
  if (rank.terms.empty()) {
    tensor.plainSize *= rank.extent ? 0 : 1;
  } else if (rank.terms.size() == 1) {
    unsigned dim = rank.terms.front().dim;
    IndexRange range = unpadded(rank, space.nest.dims[dim].size);
    tensor.plainSize *= std::max<int64_t>(0, range.high - range.low);
    tensor.plain |= DimMask(1) << dim;
    if (range.high - range.low < space.nest.dims[dim].size)
      tensor.cut |= DimMask(1) << dim;
  } else {
    const Term &a = rank.terms[0], &b = rank.terms[1];
    if (space.nest.dims[a.dim].size * space.nest.dims[b.dim].size > (1 << 20))
      return fail("a sliding window is too long");
    for (const Term &term : rank.terms) {
      tensor.windowed |= DimMask(1) << term.dim;
      tensor.windowOf[term.dim] = static_cast<int8_t>(tensor.windows.size());
    }
    llvm::Optional<Window> window =
        compactWindow({a.dim, b.dim, a.coefficient, b.coefficient, rank.constant, rank.extent},
                      space.nest.dims[a.dim].size, space.nest.dims[b.dim].size);
    if (!window)
      return fail("the steps of a sliding window are too long");
    tensor.windows.push_back(*window);
  }
  return true;
}

/// A tensor of the space, without its ranks.
FlatTensor Builder::tensorOf(unsigned t) {
  FlatTensor tensor;
  tensor.isOutput = space.nest.tensors[t].isOutput;
  tensor.bits = space.nest.tensors[t].bitsPerWord;
  tensor.windowOf.fill(-1);
  if (tensor.isOutput)
    space.output = t;
  return tensor;
}

bool Builder::addTensor(unsigned t) {
  FlatTensor tensor = tensorOf(t);
  DimMask used = 0;
  for (const Subscript &subscript : space.nest.tensors[t].ranks)
    if (!addRank(normalise(space.nest, subscript), tensor, used))
      return false;
  if (tensor.isOutput && tensor.cut)
    return fail("some of the result is padding");
  space.tensors.push_back(std::move(tensor));
  return true;
}

void Builder::addCrossings(unsigned t) {
  unsigned parent = 0, memory = 0, array = 0;
  llvm::SmallVector<unsigned, 2> arrays;
  auto cross = [&](unsigned level, unsigned end) {
    space.crossings.push_back({t, level, parent, end, space.memorySlot[parent], arrays});
    parent = level;
    arrays.clear();
  };
  for (const Place &place : space.nest.places) {
    if (place.kind == PlaceKind::Array) {
      arrays.push_back(array++);
      continue;
    }
    bool keeps = llvm::is_contained(place.keep, t);
    if (memory > 0 && keeps)
      cross(memory, space.memorySlot[memory]);
    ++memory;
  }
  cross(memory, space.slots.size());
}

bool Builder::addPlaces() {
  if (!checkSizes())
    return false;
  addSlots();
  if (space.slots.size() > maxSlots)
    return fail(fmt::format("the chip has more than {} memories and axes", maxSlots));
  return true;
}

/// Dimensions that are the only one of some rank change what is read whatever the others do.
void Builder::addAnyTensor(unsigned t) {
  FlatTensor tensor = tensorOf(t);
  for (const Subscript &subscript : space.nest.tensors[t].ranks) {
    Rank rank = normalise(space.nest, subscript);
    for (const Term &term : rank.terms)
      (rank.terms.size() == 1 ? tensor.plain : tensor.windowed) |= DimMask(1) << term.dim;
  }
  tensor.windowed &= ~tensor.plain;
  space.tensors.push_back(std::move(tensor));
}

llvm::Optional<MapSpace> Builder::runGeneral() {
  space.isFlat = false;
  if (!addPlaces())
    return llvm::None;
  for (unsigned t = 0; t < space.nest.tensors.size(); ++t)
    addAnyTensor(t);
  for (unsigned t = 0; t < space.nest.tensors.size(); ++t)
    addCrossings(t);
  return std::move(space);
}

llvm::Optional<MapSpace> Builder::run() {
  if (!addPlaces())
    return llvm::None;
  for (unsigned t = 0; t < space.nest.tensors.size(); ++t)
    if (!addTensor(t))
      return llvm::None;
  for (unsigned t = 0; t < space.nest.tensors.size(); ++t)
    addCrossings(t);
  return std::move(space);
}

llvm::Optional<MapSpace> loopnest::makeMapSpace(const Nest &nest, std::string &reason) {
  return Builder(decoupled(nest).getValueOr(nest), reason).run();
}

llvm::Optional<MapSpace> loopnest::makeGeneralSpace(const Nest &nest, std::string &reason) {
  if (llvm::Optional<MapSpace> flat = makeMapSpace(nest, reason))
    return flat;
  return Builder(decoupled(nest).getValueOr(nest), reason).runGeneral();
}
