// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be wrong with a nest, as a kind and its data, so that the caller can point at the loop,
// dimension or place concerned and word the message its own way.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_ANALYSISERROR_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_ANALYSISERROR_H

#include <cstdint>
#include <string>

namespace perfc {
namespace loopnest {

enum class AnalysisErrorKind {
  NoMemory,       ///< the first place is not a memory
  OuterKeep,      ///< the first memory does not keep `name`
  OneOutput,      ///< `actual` tensors are outputs
  BadSize,        ///< dimension or axis `name` has size `actual`
  BadFactor,      ///< a loop of `name` at `place` has factor `actual`
  BadReference,   ///< an index of a dimension, tensor or axis at `name` is out of range
  DuplicateDrive, ///< a loop at `place` drives dimension `name` twice
  SeveralInTime,  ///< a loop at memory `place` drives several dimensions
  Uncovered,      ///< the factors of dimension `name` cover `actual` of `limit`
  Excess,         ///< the outermost loop of `name` starts its last pass at `actual` of `limit`
  AxisTooSmall,   ///< loops use `actual` positions of axis `name` of `place`, which has `limit`
  Overflow,       ///< the range of `name` does not fit in 64 bits
  CountOverflow,  ///< `name`, at `place` where it is given, do not fit in 64 bits
  TooLarge,       ///< no closed form, and enumeration needs `actual` of at most `limit` points
};

struct AnalysisError {
  AnalysisErrorKind kind;
  std::string name;  ///< the dimension, tensor, axis or place concerned
  std::string place; ///< the place where the loop stands, if one is concerned
  int64_t actual = 0;
  int64_t limit = 0;

  /// One line, lower case, no full stop: "loop m covers 60 of 64".
  std::string message() const;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_ANALYSISERROR_H
