// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a pipeline over a module, with what one needs to see inside: the IR before and after each
// pass, the time each takes, and a check of the IR after each.
#ifndef PERFC_PASSES_PASSMANAGER_H
#define PERFC_PASSES_PASSMANAGER_H

#include "passes/Registry.h"
#include <functional>

namespace perfc {
namespace passes {

/// Called with the pass and the module as it is then.
using PassHook = std::function<void(const PassInfo &, const ir::Module &)>;

struct PassOptions {
  PassHook before; ///< may be null
  PassHook after;  ///< may be null; also called after a pass that failed
  bool verifyEach = false;
};

/// Time spent in one pass, over all runs of a manager.
struct PassTiming {
  const PassInfo *pass;
  double seconds = 0;
  unsigned runs = 0;
};

class PassManager {
public:
  explicit PassManager(const Pipeline &pipeline, PassOptions options = {});

  /// Runs the passes in order. False when one reports an error, or when `verifyEach` finds the IR
  /// broken; the rest are then not run.
  bool run(ir::Module &module, PassContext &context);

  /// One entry per pass of the pipeline, in its order.
  llvm::ArrayRef<PassTiming> timings() const { return times; }
  /// A table of the timings: seconds, share, name.
  void printTimings(llvm::raw_ostream &os) const;

private:
  PassOptions options;
  std::vector<PassTiming> times;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_PASSMANAGER_H
