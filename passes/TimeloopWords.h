// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `timeloop { … }` blocks add to an input: attributes and energies of memories and units that
// the language has no word for, and of the mapping flags per tensor, densities and sparse
// optimizations.
#ifndef PERFC_PASSES_TIMELOOPWORDS_H
#define PERFC_PASSES_TIMELOOPWORDS_H

#include "ir/core/Operation.h"
#include "ir/timeloop/Input.h"

namespace perfc {
namespace passes {

/// The class that the block of `part` gives, or "".
llvm::StringRef timeloopClass(const ir::Operation &part);

/// Changes `level` to what the block of `part` says, if it has one.
void addTimeloopWords(const ir::Operation &part, timeloop::Level &level);

/// Adds the lines of a nest's attribute `timeloop`; its memories and placements are there, and
/// `indices` are the names of the dimensions in the program. Lines about what `input` lacks are
/// left out: a builder checked their names.
void addTimeloopLines(const ir::Operation &nest, llvm::ArrayRef<std::string> indices,
                      timeloop::Input &input);

/// Twelve digits, so that a decimal of the source comes out as it was written.
double roundedDecimal(double value);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TIMELOOPWORDS_H
