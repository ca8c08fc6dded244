// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures, checkpoints and how long a run takes. With failures M apart in the mean, checkpoints
// that take d to write after every t of work, and R to restart, a run takes
//     M e^(R/M) (e^((t + d)/M) - 1) / t
// times as long as its steps alone; t = sqrt(2 d M) (1 + sqrt(d/2M)/3 + d/18M) - d is close to the
// best (Daly, Future Generation Computer Systems 22, 2006, equations 20 and 37; the first factor is
// Young's, CACM 17, 1974).
#ifndef PERFC_BACKENDS_TRAINING_RELIABILITY_H
#define PERFC_BACKENDS_TRAINING_RELIABILITY_H

#include "backends/core/Cost.h"
#include "backends/core/Training.h"
#include "ir/core/Operation.h"

namespace perfc::training {

/// What a `checkpoint` block says, in s and B/s; 0 for what it leaves out.
struct Reliability {
  double mtbf = 0; ///< of the whole system
  double every = 0;
  double bandwidth = 0; ///< of all chips together
  double restart = 0;

  /// Below this availability nothing gets done: figures of such a run would say nothing.
  static constexpr double leastAvailability = 1e-6;

  /// Reads the study.checkpoint of `train` for a system of `chips` chips.
  static Reliability read(const ir::Operation &train, int64_t chips);
  /// The interval between checkpoints that take `write` seconds.
  double interval(double write) const;
  /// The share of the time that makes progress.
  double availability(double interval, double write) const;
};

/// Fills in what the run of `train` comes to: failures and length. `checkpointBytes` are those of a
/// checkpoint.
void addRun(const ir::Operation &train, double checkpointBytes, TrainingSummary &summary);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_RELIABILITY_H
