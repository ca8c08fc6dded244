// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loopnest.fused says of its statements besides the memory where all of them meet: which
// tensor stays in which memory, what is finished where it is made, and the running results that are
// put right when the steps of a shared loop reduce them one by one (passes/FusedRunning.h).
#ifndef PERFC_IR_LOOPNEST_FUSEDOPS_H
#define PERFC_IR_LOOPNEST_FUSEDOPS_H

#include "ir/loopnest/LoopnestOps.h"

namespace perfc {
namespace loopnest {

/// A tensor that never leaves a memory.
struct FusedTensor {
  std::string name;
  std::string memory;
};

/// What putting a running result right takes.
struct Rescale {
  std::string tensor;
  int64_t count;     ///< elements, once per step but the first
  bool isStatistics; ///< the maximum whose change is the factor; else a sum that is multiplied
};

/// Elements of a fused tensor with retained halos that its memory holds at most, those of the step
/// included.
struct KeptElements {
  std::string tensor;
  int64_t count;
};

std::vector<FusedTensor> fusedTensors(FusedOp op);
/// Fused tensors that elementwise statements finish where they are made: no memory holds them.
std::vector<std::string> finishedTensors(FusedOp op);
std::vector<Rescale> rescalesOf(FusedOp op);
std::vector<KeptElements> keptElements(FusedOp op);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_IR_LOOPNEST_FUSEDOPS_H
