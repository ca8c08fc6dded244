// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mapped loop nest, apart from any IR: an iteration space, tensors with affine subscripts, a
// chain of memories and arrays from the outside in, and the loops at each. The loops in this order
// form one nest; a loop of dimension d advances by the product of the factors of the loops of d
// further in, so a point is a mixed-radix number per dimension, and what is at or beyond the size
// of a dimension does nothing.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_NEST_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_NEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>
#include <vector>

namespace perfc {
namespace loopnest {

/// One dimension of the iteration space, from 0 to size - 1.
struct Dim {
  std::string name;
  int64_t size = 1;
};

struct Term {
  unsigned dim;
  int64_t coefficient;
};

/// The subscript of one rank of a tensor: constant + sum of coefficient * dim.
struct Subscript {
  llvm::SmallVector<Term, 2> terms;
  int64_t constant = 0;
  /// Elements outside [0, extent) are padding: neither stored, moved nor read. Nothing is cut when
  /// no extent is given.
  llvm::Optional<int64_t> extent;
};

/// A tensor and the one place where the statement accesses it. The output is accumulated; one that
/// each point writes once needs no read, and none is counted.
struct Tensor {
  std::string name;
  bool isOutput = false;
  int64_t bitsPerWord = 0; ///< in parts of a bit, as the nest counts them
  llvm::SmallVector<Subscript, 4> ranks;
};

/// A dimension that a loop drives. Without `step` the loop is one of the digits of the dimension;
/// with it, the loop adds index * step and is not counted among the factors that must cover it.
struct Drive {
  unsigned dim;
  llvm::Optional<int64_t> step;
};

/// A loop. In an array it is parallel, runs along `axis`, and may drive several dimensions with one
/// lane number.
struct Loop {
  llvm::SmallVector<Drive, 1> drives;
  int64_t factor = 1;
  unsigned axis = 0;
};

/// One axis of an array. Loops on an axis number its positions, the first loop being the most
/// significant digit. `multicast` and `reduce` say what the declared network shares along it.
struct Axis {
  std::string name;
  int64_t size = 1;
  bool multicast = true;
  bool reduce = true;
  /// Tensors whose own network shares nothing along the axis, whatever these two say.
  llvm::SmallVector<unsigned, 2> apart;

  bool shares(unsigned tensor, bool isOutput) const {
    return (isOutput ? reduce : multicast) && !llvm::is_contained(apart, tensor);
  }
};

enum class PlaceKind { Memory, Array };

/// A memory (keeps tensors, loops in time) or an array (axes, loops in space). Lanes, which execute
/// one point per step, stand below the last place.
struct Place {
  PlaceKind kind = PlaceKind::Memory;
  std::string name;
  llvm::SmallVector<unsigned, 4> keep; ///< tensors, memories only
  llvm::SmallVector<Axis, 2> axes;     ///< arrays only
  llvm::SmallVector<Loop, 8> loops;    ///< outermost first
  /// Memories only: bits of a partial sum of the output, in parts as well; none for those of a
  /// finished word.
  llvm::Optional<int64_t> partialBits = llvm::None;
};

/// The first place is a memory that keeps every tensor; exactly one tensor is the output.
struct Nest {
  std::vector<Dim> dims;
  std::vector<Tensor> tensors;
  std::vector<Place> places;
  /// Conditions of the iteration space, each at least 0: points that do not meet them are left out,
  /// and steps and tiles in which no point is left cost nothing.
  std::vector<Subscript> conditions;
  /// All sizes of words, and the bits that memories hold, are counted in this part of a bit: an
  /// element which shares a scale has a fraction of its bits.
  int64_t partsPerBit = 1;

  /// Partial sums are told apart from finished words.
  bool hasPartial() const {
    return llvm::any_of(places, [](const Place &place) { return place.partialBits.hasValue(); });
  }
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_NEST_H
