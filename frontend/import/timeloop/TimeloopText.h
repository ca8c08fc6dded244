// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of `timeloop { … }` blocks: what an input says that the language has no other word for.
// What the plain words of the program already lead to is left out.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_TIMELOOPTEXT_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_TIMELOOPTEXT_H

#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// What the plain words of a program say of a level.
struct PlainLevel {
  std::string type;     ///< the class that it leads to
  int64_t wordBits = 0; ///< of the chip's dtype
  bool hasHops = false; ///< an array below gives the energy of hops
  /// pJ per word or per compute: read, write, update, leak; compute, leak.
  std::vector<std::pair<std::string, double>> energies;
};

/// Lines of the block of a memory or unit; none when the plain words say it all.
std::vector<std::string> levelLines(const Level &level, const PlainLevel &plain);

/// Lines of the block of the mapping: flags per tensor, densities, sparse optimizations. `dims` are
/// the dimensions in the order of the program, `indices` their names there.
std::vector<std::string> mappingLines(const Input &input, llvm::ArrayRef<unsigned> dims,
                                      llvm::ArrayRef<std::string> indices);

/// Lines of the block of the evaluation, which native mode reads: densities, the nearest format at
/// each memory that has one, and what zeros save at any memory.
std::vector<std::string> zeroLines(const Input &input);

/// A number of a source: twelve digits.
std::string decimal(double value);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_TIMELOOPTEXT_H
