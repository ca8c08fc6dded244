// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lower-to-phase has made of a graph that stages share out, and how they run it.
#ifndef PERFC_PASSES_TRAINING_GRAPHPARTS_H
#define PERFC_PASSES_TRAINING_GRAPHPARTS_H

#include "ir/core/Module.h"
#include "ir/phase/PhaseOps.h"

namespace perfc::passes {

/// `after` is null for a graph without layers.
struct GraphParts {
  phase::SequenceOp before, after;
  std::vector<phase::SequenceOp> layers; ///< one for each kind

  /// Those of `graph` on `chip`.
  GraphParts(const ir::Module &module, llvm::StringRef graph, llvm::StringRef chip);
};

/// Runs `part` that often in `into`; the region that does so, null where nothing runs.
ir::Region *runSequence(ir::Builder &builder, ir::Region &into, phase::SequenceOp part,
                        int64_t times = 1);

} // namespace perfc::passes

#endif // PERFC_PASSES_TRAINING_GRAPHPARTS_H
