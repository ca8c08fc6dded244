// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All passes by name, and pipelines: lists of passes written as text ("inline,fuse") or named by
// the level of the IR that they lead to.
#ifndef PERFC_PASSES_REGISTRY_H
#define PERFC_PASSES_REGISTRY_H

#include "passes/Pass.h"

namespace perfc {
namespace passes {

/// Passes in the order in which they run.
using Pipeline = llvm::SmallVector<const PassInfo *, 8>;

/// Every pass, in the order of a full lowering.
llvm::ArrayRef<const PassInfo *> allPasses();
/// Null when there is no such pass.
const PassInfo *findPass(llvm::StringRef name);

/// Reads "inline, fuse,lower-to-phase", the whole text of `file`. Nothing when it is wrong; each
/// mistake is reported at its place, with the pass that may be meant.
llvm::Optional<Pipeline> parsePipeline(FileId file, DiagnosticEngine &diagnostics);

/// "op", "loopnest", "tile", "phase", "collective".
llvm::ArrayRef<llvm::StringRef> levelNames();
/// The passes that bring a module as built to the level of that name; nothing when there is none.
llvm::Optional<Pipeline> pipelineTo(llvm::StringRef level);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_REGISTRY_H
