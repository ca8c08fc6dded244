// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves between the cells of a memory and its ports, in bytes. With a `width` each transfer
// takes whole accesses: sum over transfers of ceil(bytes / width).
#ifndef PERFC_BACKENDS_LOOPNEST_ACCESSES_H
#define PERFC_BACKENDS_LOOPNEST_ACCESSES_H

#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/analysis/Counts.h"

namespace perfc {
namespace loopnest {

/// Bytes that leave and enter the cells of a memory for one tensor.
struct Moved {
  double read = 0;
  double filled = 0;
  double updated = 0;
  double finished = 0; ///< of all these, what finished words take where partial sums differ

  double all() const { return read + filled + updated; }
};

/// The memories of the nest, in order, that move a given `width` per access: the sizes of their
/// transfers are asked for.
std::vector<bool> memoriesWithWidth(const AdaptedNest &nest);

/// The whole accesses for `tensor` of the memory at `position` among the places, which keeps it,
/// all instances together. Transfers whose sizes are not known are taken as of one size.
Moved movedBy(const AdaptedNest &nest, const Counts &counts, size_t position, size_t tensor);

/// The same for `words` of `wordBytes` that are left in expectation of a transfer of so many, of
/// memories that move `width` bytes at a time.
double expectedAccesses(double words, double wordBytes, TransferShare share, double width);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ACCESSES_H
