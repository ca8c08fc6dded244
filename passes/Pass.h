// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass: a plain function from a verified module to a verified module, and its description for
// `perfc opt --help` and the manual. Passes share no state; what a later pass needs is in the IR.
#ifndef PERFC_PASSES_PASS_H
#define PERFC_PASSES_PASS_H

#include "ir/core/Module.h"

namespace perfc {
namespace passes {

/// What every pass is given.
struct PassContext {
  DiagnosticEngine &diagnostics;
  const ir::OpRegistry &registry;
};

/// One pass, as listed.
struct PassInfo {
  llvm::StringRef name;    ///< "lower-to-tile"
  llvm::StringRef summary; ///< one line
  llvm::StringRef doc;     ///< precondition, and a program before and after
  /// False after an error, which is then reported; the module is still well-formed.
  bool (*run)(ir::Module &, PassContext &);
};

extern const PassInfo inlinePass;
extern const PassInfo inferShapesPass;
extern const PassInfo autodiffPass;
extern const PassInfo shardPass;
extern const PassInfo splitProductsPass;
extern const PassInfo fusePass;
extern const PassInfo placePass;
extern const PassInfo lowerToLoopNestPass;
extern const PassInfo lowerToTilePass;
extern const PassInfo lowerToPhasePass;
extern const PassInfo schedulePipelinePass;
extern const PassInfo lowerToCollectivePass;

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_PASS_H
