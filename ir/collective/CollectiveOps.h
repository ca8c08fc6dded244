// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs on a system: phases on every chip and the collectives between them. Bytes are those
// that one rank contributes.
#ifndef PERFC_IR_COLLECTIVE_COLLECTIVEOPS_H
#define PERFC_IR_COLLECTIVE_COLLECTIVEOPS_H

#include "ir/core/Operation.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc {
namespace collective {

/// The declarations of this level.
llvm::ArrayRef<ir::OpDecl> collectiveOps();

/// What a system runs, in order.
struct ProgramOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.program";
  llvm::StringRef system() const { return op->symbolAttr("system"); }
  // Of a training step, whose body has stages.
  llvm::StringRef schedule() const { return op->stringAttr("schedule"); }
  int64_t microbatches() const { return op->intAttr("microbatches"); } ///< the last may be a part
  int64_t chunks() const { return op->intAttr("chunks"); }             ///< of each stage
};

/// A pipeline stage: its passes, and the order in which it runs them.
struct StageOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.stage";
  int64_t number() const { return op->intAttr("number"); }
};

/// What a stage runs for a microbatch on one of its chunks.
struct PassOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.pass";
  bool isBackward() const { return op->stringAttr("direction") == "backward"; }
  int64_t chunk() const { return op->intAttr("chunk"); }
};

/// So many forward passes, then so many backward ones, that often.
struct TasksOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.tasks";
  int64_t forward() const { return op->intAttr("forward"); }
  int64_t backward() const { return op->intAttr("backward"); }
  int64_t times() const { return op->intAttr("times"); }
};

/// The optimizer's update.
struct UpdateOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.update";
};

/// A sequence of phases on every rank.
struct RunOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.run";
  llvm::StringRef phase() const { return op->symbolAttr("phase"); }
};

/// Its region, so many times.
struct RepeatOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.repeat";
  int64_t count() const { return op->intAttr("count"); }
};

/// A send of a schedule: the move that it comes from, chunk, sender and receiver.
struct ScheduledSend {
  uint32_t move, chunk, from, to;
};

/// A collective algorithm for a number of ranks: sends of chunks, in order. Since there are
/// millions, `sends` is a text: "0 3 1 2, " is a send.
struct ScheduleOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.schedule";
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
  llvm::StringRef collective() const { return op->stringAttr("collective"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
  int64_t chunks() const { return op->intAttr("chunks"); }
  /// The sends in order, until `each` returns false; false then, or where the text is none of
  /// sends.
  bool forEachSend(llvm::function_ref<bool(const ScheduledSend &)> each) const;
  static void append(std::string &sends, const ScheduledSend &send);
};

/// A line of an algorithm, from which sends of a schedule come.
struct MoveOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.move";
  bool isReduction() const { return op->stringAttr("action") == "reduce"; }
};

/// Every rank gets the sum.
struct AllReduceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.all_reduce";
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef group() const { return op->stringAttr("group"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
};

/// Every rank gets every part.
struct AllGatherOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.all_gather";
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef group() const { return op->stringAttr("group"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
};

/// Each rank gets its part of the sum.
struct ReduceScatterOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.reduce_scatter";
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef group() const { return op->stringAttr("group"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
};

/// Each rank sends a part to each other.
struct AllToAllOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.all_to_all";
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef group() const { return op->stringAttr("group"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
};

/// One rank sends to all.
struct BroadcastOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.broadcast";
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef group() const { return op->stringAttr("group"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
};

/// One rank gets the sum.
struct ReduceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.reduce";
  int64_t bytes() const { return op->intAttr("bytes"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
};

/// All ranks wait for each other.
struct BarrierOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.barrier";
  int64_t ranks() const { return op->intAttr("ranks"); }
};

/// One rank sends to another.
struct SendOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "collective.send";
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef group() const { return op->stringAttr("group"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
};

} // namespace collective
} // namespace perfc

#endif // PERFC_IR_COLLECTIVE_COLLECTIVEOPS_H
