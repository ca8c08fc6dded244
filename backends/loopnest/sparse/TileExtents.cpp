// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/TileExtents.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

void TileExtents::add(const Loop &loop) {
  for (const Drive &drive : loop.drives) {
    if (drive.step)
      offsets[drive.dim] += (loop.factor - 1) * *drive.step;
    else
      digits[drive.dim] = std::min(digits[drive.dim] * loop.factor, nest.dims[drive.dim].size);
  }
}

double TileExtents::points() const {
  double points = 1;
  for (size_t dim = 0; dim < digits.size(); ++dim)
    points *= static_cast<double>(std::min(digits[dim] + offsets[dim], nest.dims[dim].size));
  return points;
}

/// The values of a rank: without holes where a term steps by no more than those before it cover.
int64_t TileExtents::valuesOf(const Subscript &rank) const {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> terms; // coefficient, values of the dimension
  for (const Term &term : rank.terms)
    terms.push_back({std::abs(term.coefficient),
                     std::min(digits[term.dim] + offsets[term.dim], nest.dims[term.dim].size)});
  llvm::sort(terms);
  int64_t count = 1, span = 1;
  for (auto [step, values] : terms) {
    bool isDense = count == span && step <= span;
    span += step * (values - 1);
    count = isDense ? span : std::min(span, count * values);
  }
  return count;
}

llvm::SmallVector<int64_t, 4> TileExtents::box(const Tensor &tensor,
                                               llvm::ArrayRef<int64_t> shape) const {
  llvm::SmallVector<int64_t, 4> extents;
  for (size_t rank = 0; rank < tensor.ranks.size(); ++rank) {
    int64_t values = valuesOf(tensor.ranks[rank]);
    extents.push_back(rank < shape.size() ? std::min(values, std::max<int64_t>(shape[rank], 1))
                                          : values);
  }
  return extents;
}

bool loopnest::moves(const Loop &loop, const Tensor &tensor) {
  return llvm::any_of(loop.drives, [&](const Drive &drive) {
    return llvm::any_of(tensor.ranks, [&](const Subscript &rank) {
      return llvm::any_of(rank.terms, [&](const Term &term) {
        return term.dim == drive.dim && term.coefficient != 0;
      });
    });
  });
}

TileExtents loopnest::tileInside(const Nest &nest, size_t place) {
  TileExtents extents(nest);
  for (size_t p = nest.places.size(); p-- > place;)
    for (const Loop &loop : llvm::reverse(nest.places[p].loops))
      extents.add(loop);
  return extents;
}

TileExtents loopnest::whileHeld(const Nest &nest, const Tensor &tensor, size_t memory,
                                size_t child) {
  TileExtents extents = tileInside(nest, child);
  bool stays = child < nest.places.size();
  for (size_t p = child; p-- > 0;) {
    const Place &place = nest.places[p];
    for (const Loop &loop : llvm::reverse(place.loops)) {
      bool isShared = p > memory && place.kind == PlaceKind::Array &&
                      place.axes[loop.axis].shares(&tensor - nest.tensors.data(), tensor.isOutput);
      bool isTime = place.kind == PlaceKind::Memory;
      if (moves(loop, tensor))
        stays &= !isTime;
      else if (isShared || (isTime && stays))
        extents.add(loop);
    }
  }
  return extents;
}

TileExtents loopnest::whileFirst(const Nest &nest, const Tensor &output, size_t memory) {
  TileExtents extents(nest);
  for (size_t p = nest.places.size(); p-- > 0;) {
    const Place &place = nest.places[p];
    for (const Loop &loop : llvm::reverse(place.loops)) {
      bool isOutside = p < memory, isTime = place.kind == PlaceKind::Memory;
      if (loop.factor == 1)
        continue;
      if (isOutside && isTime && moves(loop, output))
        return extents;
      if (!moves(loop, output) && (isTime || !isOutside))
        extents.add(loop);
    }
  }
  return extents;
}
