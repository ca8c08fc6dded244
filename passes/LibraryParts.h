// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what kernels of libraries compute down as operations of the tile level, for lower-to-tile.
#ifndef PERFC_PASSES_LIBRARYPARTS_H
#define PERFC_PASSES_LIBRARYPARTS_H

#include "ir/core/Module.h"
#include "passes/analysis/Attentions.h"
#include "passes/analysis/Convolutions.h"
#include "passes/analysis/Experts.h"

namespace perfc {
namespace passes {

/// Sets what a tile.attention says.
void emitAttention(const Attention &attention, ir::Operation &op);
/// A tile.experts; `copies` sets of weights take turns, 0 where they come from memory.
void emitExperts(const Experts &experts, int64_t copies, ir::Region &into, ir::Builder &builder,
                 const ir::Location &location);
/// A tile.convolution, whose algorithm is chosen later.
void emitConvolution(const Convolution &convolution, ir::Region &into, ir::Builder &builder,
                     const ir::Location &location);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_LIBRARYPARTS_H
