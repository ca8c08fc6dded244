// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings for workloads: the applications that make and read a fused value run as one kernel. An
// application takes the elementwise ones along that finish its result. Indices of different
// operators are different even where they have one name, so those of all but the last operator are
// renamed after what it makes: `y.p` in the mapping is the index p_y of the kernel.
#ifndef PERFC_PASSES_FUSEDWORKLOAD_H
#define PERFC_PASSES_FUSEDWORKLOAD_H

#include "ir/loopnest/LoopnestOps.h"
#include "ir/op/OpOps.h"
#include "ir/study/StudyOps.h"
#include "passes/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace perfc {
namespace passes {

/// Applications that run as one kernel, in order. The last one makes the group's result.
using ApplyGroup = llvm::SmallVector<ir::Operation *, 4>;

/// Groups that a mapping joins.
struct JoinedGroup {
  ApplyGroup members;            ///< of all units, in the order of the program
  std::vector<ApplyGroup> units; ///< an operator and what finishes its result; the last one last
};

/// The part of one mapping for a workload in the fusion of its graph.
class WorkloadFusion {
public:
  WorkloadFusion(ir::Module &module, const ir::OpRegistry &registry, loopnest::MappingOp mapping,
                 DiagnosticEngine &diagnostics)
      : module(module), builder(registry), mapping(mapping), diagnostics(diagnostics) {}

  /// Takes from `groups` of a region those that the mapping joins. False after a report.
  bool join(std::vector<ApplyGroup> &groups, const ir::Operation &graph,
            std::vector<JoinedGroup> &joined);
  /// Renames the indices of `kernel`, which runs `group`, and makes its mapping.
  bool specialise(op::KernelOp kernel, const JoinedGroup &group);
  /// Checks that every value was found, and gives the mappings of kernels to `evaluate`.
  bool finish(study::EvaluateOp evaluate);

private:
  using Users = llvm::DenseMap<const ir::Value *, std::vector<ir::Operation *>>;
  bool fail(SourceRange where, llvm::StringRef value, llvm::StringRef why);
  bool isFused(llvm::StringRef value) const;
  bool makeJoined(const ApplyGroup &members, llvm::ArrayRef<ApplyGroup> units, const Users &users,
                  std::vector<JoinedGroup> &joined);

  ir::Module &module;
  ir::Builder builder;
  loopnest::MappingOp mapping;
  DiagnosticEngine &diagnostics;
  llvm::StringSet<> found;                     ///< fused values
  llvm::DenseMap<ir::Operation *, bool> known; ///< kernels that have their mapping
  std::vector<std::string> made;               ///< symbols of mappings of kernels
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDWORKLOAD_H
