// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a mapping for a workload, for the one kernel that runs its operators: `p` is the
// index of the last operator, and inside the memory where an operator meets the others also its own
// index of that name; `y.p` is the index of the operator that makes y. `rest` is the smallest
// factor that covers what the other loops of an index leave.
#ifndef PERFC_PASSES_UNITLOOPS_H
#define PERFC_PASSES_UNITLOOPS_H

#include "passes/FusedWorkload.h"
#include "passes/analysis/Chip.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {
namespace passes {

class UnitLoops {
public:
  /// `kernel` runs the members of `group` in their order.
  UnitLoops(op::KernelOp kernel, const JoinedGroup &group, loopnest::MappingOp mapping,
            DiagnosticEngine &diagnostics);

  /// Gives the indices of all operators but the last names of their own.
  void renameIndices();
  /// Writes the loops and lines of the mapping into `own`, that of the kernel.
  bool write(ir::Operation &own, ir::Builder &builder);

private:
  /// An operator of the kernel.
  struct Unit {
    llvm::StringSet<> values; ///< that it and what finishes its result make
    std::string name;         ///< the last of them
    llvm::StringMap<std::pair<std::string, int64_t>> indices; ///< by old name: new name, extent
    llvm::Optional<unsigned> meets; ///< number among the places of the memory that keeps its result
  };
  struct Written {
    const ir::Operation *from;
    std::string place;
    std::vector<std::string> indices;
    llvm::Optional<int64_t> factor;
    size_t unit;
  };
  void readUnits(const JoinedGroup &group);
  bool readLoop(const ir::Operation &loop, llvm::StringRef place);
  bool applies(size_t unit, llvm::StringRef value, llvm::StringRef place) const;
  bool fillRests();
  int64_t extentOf(size_t unit, llvm::StringRef index) const;
  void writeTensors(const ir::Operation &line, ir::Operation &own) const;

  op::KernelOp kernel;
  loopnest::MappingOp mapping;
  DiagnosticEngine &diagnostics;
  Chip chip;
  std::vector<Unit> units;
  std::vector<std::vector<ir::Operation *>> statements; ///< by unit
  llvm::StringMap<std::vector<std::string>> tensors;    ///< of the kernel, by value
  std::vector<Written> loops;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_UNITLOOPS_H
