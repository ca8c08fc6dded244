// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes down the kernels and collectives of a stretch of a graph with what each of them reads, so
// that a trace of the step can be made (backends/core/StepProgram.h).
#ifndef PERFC_BACKENDS_TRAINING_BLOCKRECORDER_H
#define PERFC_BACKENDS_TRAINING_BLOCKRECORDER_H

#include "backends/core/StepProgram.h"
#include "ir/core/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/SmallVector.h"

namespace perfc::training {

class BlockRecorder {
public:
  /// Items go to `block` from now on; values made before count as what goes into it.
  void open(StepBlock &block);
  /// Adds an item for `op`, whose operands it reads and whose results it makes.
  void record(const ir::Operation &op, StepItem item);
  /// Adds an item that runs on the operands of `op` before the next item for `op`.
  void prepare(const ir::Operation &op, StepItem item);
  /// The results of `op` are its operands, seen otherwise.
  void passThrough(const ir::Operation &op);
  /// The arguments of `op`'s region are its operands; its items run `count` times.
  void enter(const ir::Operation &op, int64_t count);
  /// The results of `op` are what its region yields.
  void leave(const ir::Operation &op, int64_t count);
  /// Items that make the operands of `op` go out of the block.
  void close(const ir::Operation &op);

private:
  using Items = llvm::SmallVector<uint32_t, 2>;

  Items makersOf(llvm::ArrayRef<ir::Value *> values) const;
  uint32_t add(StepItem item, const Items &after);

  StepBlock *block = nullptr;
  int64_t runs = 1;
  llvm::Optional<uint32_t> prepared; ///< what the next item waits for instead of its operands
  llvm::DenseMap<const ir::Value *, Items> makers;
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_BLOCKRECORDER_H
