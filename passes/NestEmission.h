// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan of loops as IR: the loopnest.nest of one statement, and what a loopnest.fused says of all.
#ifndef PERFC_PASSES_NESTEMISSION_H
#define PERFC_PASSES_NESTEMISSION_H

#include "ir/core/Module.h"
#include "passes/FusedPlan.h"
#include "passes/StatementGroups.h"
#include "passes/analysis/IslText.h"
#include <map>

namespace perfc {
namespace passes {

/// A kernel's model with what is derived from it once.
struct PreparedKernel {
  explicit PreparedKernel(op::KernelOp op) : kernel(op), groups(groupStatements(kernel)) {}
  Kernel kernel;
  std::vector<StatementGroup> groups;
  std::map<unsigned, std::string> domains;
  std::map<const Access *, std::string> accesses;
};

class NestEmitter {
public:
  explicit NestEmitter(ir::Builder &builder) : builder(builder) {}

  /// Fills `nest`, a new loopnest.nest, with the loops of `plan` for `group` of `kernel`. `written`
  /// is the user's mapping or dataflow, or null.
  void fill(ir::Operation &nest, const NestPlan &plan, PreparedKernel &kernel,
            const StatementGroup &group, const ir::Operation *written);

private:
  void emitTensors(ir::Region &into, const NestPlan &plan, PreparedKernel &kernel,
                   const StatementGroup &group);
  void emitLoops(ir::Region &into, const NestPlan &plan);

  ir::Builder &builder;
  IslTexts isl;
};

/// Where the nest of `group` comes from: its statements and the mapping, which may be null.
ir::Location nestLocation(const StatementGroup &group, const ir::Operation *written);

/// Gives `fused`, a loopnest.fused, what `plan` says of all its nests together.
void describe(const FusedPlan &plan, ir::Operation &fused);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_NESTEMISSION_H
