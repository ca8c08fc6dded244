// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of equations, whose subscripts are sums c0 + c1*i1 + c2*i2 + …, as operators that move
// data: fixed places, offsets and strides are a Slice, numbers of several digits such as p*Q + q a
// Reshape, windows that overlap a Gather, and what is read beside a tensor is a Pad of zeros.
#ifndef PERFC_BACKENDS_EMIT_ONNX_SUBSCRIPTS_H
#define PERFC_BACKENDS_EMIT_ONNX_SUBSCRIPTS_H

#include "backends/emit/onnx/Model.h"
#include "ir/common/Affine.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace perfc::emit::onnx {

using Indices = std::vector<std::string>;
using ExtentOf = llvm::function_ref<int64_t(llvm::StringRef)>;

/// A value whose dimensions are indices, each once.
struct Part {
  Value value;
  Indices indices;
};

/// What is read of `value` at `subscripts`, one of each dimension; nothing where operators cannot
/// say this, or only by a list of more than a million places.
llvm::Optional<Part> readAt(Model &model, const Value &value, llvm::ArrayRef<AffineExpr> subscripts,
                            ExtentOf extent);

/// The places that a statement writes: along each dimension all from `first` on.
struct Box {
  std::vector<int64_t> first, shape;
};

/// A statement's write: its indices from the outermost on, so that their points are, in order,
/// those of the box.
struct Target {
  Indices indices;
  Box box;
};

/// Nothing where `subscripts` leave places out or name one twice, or are not inside `shape`.
llvm::Optional<Target> targetOf(llvm::ArrayRef<AffineExpr> subscripts,
                                llvm::ArrayRef<int64_t> shape, ExtentOf extent);

/// What a statement wrote into a tensor.
struct Piece {
  Value value; ///< of the shape of the box
  Box box;
};

/// The tensor of `shape` that `pieces` make, with zeros where none writes; nothing where they are
/// not side by side along one dimension.
llvm::Optional<Value> join(Model &model, std::vector<Piece> pieces, llvm::ArrayRef<int64_t> shape);

} // namespace perfc::emit::onnx

#endif // PERFC_BACKENDS_EMIT_ONNX_SUBSCRIPTS_H
