// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `serve` says, as typed parts inside its study.serve: the scheduler, when requests arrive,
// how long they are, and the model in the sizes at which batches are costed. Its degrees stand in a
// study.strategy.
#ifndef PERFC_IR_STUDY_SERVEOPS_H
#define PERFC_IR_STUDY_SERVEOPS_H

#include "ir/common/DType.h"
#include "ir/study/StudyOps.h"

namespace perfc {
namespace study {

/// The declarations of the parts, and of study.serve.
std::vector<ir::OpDecl> serveDecls();

/// How requests are batched.
struct SchedulerOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.scheduler";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  /// What the program calls it.
  llvm::StringRef label() const { return op->stringAttr("label"); }
  /// True where each request holds from its start what it may come to need.
  bool isReserving() const { return kind() == "orca" || kind() == "static"; }
  int64_t maxBatch() const { return op->intAttr("max_batch"); }
  int64_t block() const { return op->intAttr("block"); }
  int64_t chunk() const { return op->intAttr("chunk"); } ///< of sarathi
  /// Of vllm: tokens of a batch of prompts. Of those that reserve: of a request, where that is
  /// given.
  int64_t maxTokens(int64_t otherwise = 0) const { return op->intAttr("max_tokens", otherwise); }
};

struct ArrivalsOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.arrivals";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  double rate() const { return op->realAttr("rate"); } ///< requests/s
  int64_t seed() const { return op->intAttr("seed"); }
  /// Requests of a burst; `all` of them unless given.
  int64_t size(int64_t all) const { return op->intAttr("size", all); }
  double every() const { return op->realAttr("every"); } ///< s
  const ir::AttrList &times() const { return op->listAttr("times"); }
};

struct LengthsOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.lengths";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  int64_t least() const { return op->intAttr("min"); }
  int64_t most() const { return op->intAttr("max"); }
  double theta() const { return op->realAttr("theta"); }
  double promptToAnswer() const { return op->realAttr("prefill_to_decode"); }
  int64_t seed() const { return op->intAttr("seed"); }
  int64_t prompt() const { return op->intAttr("prompt"); }
  int64_t answer() const { return op->intAttr("answer"); }
  const ir::AttrList &prompts() const { return op->listAttr("prompts"); }
  const ir::AttrList &answers() const { return op->listAttr("answers"); }
  /// Tokens of the longest request, prompt and answer.
  int64_t longest() const;
};

/// The model in one size.
struct SampleOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.sample";
  llvm::StringRef graph() const { return op->symbolAttr("graph"); }
  bool isDecode() const { return op->hasAttr("decode"); }
  int64_t batch() const { return op->intAttr("batch"); }
  int64_t tokens() const { return op->intAttr("tokens"); }
  int64_t context() const { return op->intAttr("context"); }
};

/// The share of a GPU's memory that its driver keeps from programs: of what a card nominally has,
/// its total as programs see it lacks 0.8 to 2 % (docs/serving.md).
inline constexpr double keptByDrivers = 0.015;

/// A stream of requests to a model.
struct ServeOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.serve";
  llvm::StringRef subject() const { return op->symbolAttr("subject"); }
  llvm::StringRef on() const { return op->symbolAttr("on"); }
  llvm::StringRef subjectLabel() const { return op->stringAttr("subject_label"); }
  DType dtype() const { return *parseDType(op->stringAttr("dtype")); }
  int64_t requests() const { return op->intAttr("requests"); }
  double memoryShare() const { return op->realAttr("memory_share"); }
  /// B of a memory of `capacity` B that the driver keeps.
  double reserve(double capacity) const {
    return op->hasAttr("reserve") ? op->realAttr("reserve") : keptByDrivers * capacity;
  }
  SchedulerOp scheduler() const { return partOf<SchedulerOp>(*op); }
  ArrivalsOp arrivals() const { return partOf<ArrivalsOp>(*op); }
  LengthsOp lengths() const { return partOf<LengthsOp>(*op); }
  std::vector<SampleOp> samples() const;
};

} // namespace study
} // namespace perfc

#endif // PERFC_IR_STUDY_SERVEOPS_H
