// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipeline schedules: p stages, m microbatches, f and b seconds forward and backward on a stage.
//     gpipe, one_f_one_b   m (f + b) + (p - 1) (f + b)
//     interleaved(v)       m (f + b) + (p - 1) (f + b) / v
//     zero_bubble          m (f + b) + (p - 1) (f + b - 2 w), w the part of b that makes gradients
//                          of weights, at most f and half of b (ZB-H1)
// (Huang et al., GPipe, NeurIPS 2019; Narayanan et al., SC 2021; Qi et al., ICLR 2024). Where
// stages differ or send, the schedule is played through instead, task by task; where they are equal
// and messages take no time both agree, that of zero_bubble for at least p microbatches and such a
// w.
#ifndef PERFC_BACKENDS_TRAINING_SCHEDULE_H
#define PERFC_BACKENDS_TRAINING_SCHEDULE_H

#include "backends/core/Training.h"
#include "passes/training/StepPlan.h"
#include "llvm/ADT/ArrayRef.h"

namespace perfc::training {

/// What a pass hands on to the next stage, which has it `way` seconds later, one message of a stage
/// after the other. For `waits` of these the stage begins no other pass; gradients of weights that
/// were put off may run.
struct StageSend {
  double way = 0;
  double waits = 0;
};

/// Seconds of one microbatch on one chunk of a stage (all of the stage, where it is not cut).
struct StageTime {
  double forward = 0;
  double backward = 0;
  double weights = 0; ///< of backward, for gradients of weights, which nothing waits for
  StageSend sendForward = {}, sendBackward = {};

  double kernels() const { return forward + backward; }
  double waits() const { return sendForward.waits + sendBackward.waits; }
  /// The least that a microbatch takes of the stage's time.
  double least(passes::ScheduleKind kind) const;
  void add(const StageTime &other, double times);
  bool operator==(const StageTime &other) const;
};

struct ScheduleResult {
  double time = 0;             ///< from the first task to the end of the last
  std::vector<double> working; ///< of each stage
  std::vector<double> sending; ///< of each stage, in which it only waits for what it sends
  /// Most microbatches (in an interleaved schedule, their share of the layers) that wait for their
  /// backward pass on each stage, gradients of weights included.
  std::vector<double> inFlight;
};

/// True where `closedFormTime` is what playing the schedule for equal stages comes to.
bool hasClosedForm(passes::ScheduleKind kind, int64_t stages, int64_t microbatches,
                   const StageTime &stage);
/// For p equal stages, whose chunks are together as `stage` says, without messages.
double closedFormTime(passes::ScheduleKind kind, int64_t stages, int64_t microbatches,
                      int64_t chunks, const StageTime &stage);
/// Microbatches in flight on stage `stage` of `stages`.
double microbatchesInFlight(passes::ScheduleKind kind, int64_t stage, int64_t stages,
                            int64_t microbatches, int64_t chunks);

/// Plays `order`: each task starts when its stage is free and its input has arrived. `times` are
/// those of all chunks of the first stage, then of the next. `tasks`, unless null, gets all tasks.
ScheduleResult playSchedule(const passes::PipelineOrder &order, llvm::ArrayRef<StageTime> times,
                            std::vector<ScheduledTask> *tasks = nullptr);
/// The same in the order that `kind` gives.
ScheduleResult playSchedule(passes::ScheduleKind kind, llvm::ArrayRef<StageTime> times,
                            int64_t microbatches, int64_t chunks,
                            std::vector<ScheduledTask> *tasks = nullptr);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_SCHEDULE_H
