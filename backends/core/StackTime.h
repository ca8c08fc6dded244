// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a software stack makes of the kernels and exchanges of an evaluation, in the words of its
// `runtime`:
//     busy    = kernel_time * kernels + exchanges / network
//     latency = (max(busy, kernel_host * number of kernels) + step + step_each * sequences) *
//     measured
// since the host starts one kernel after another, ahead of the chip as long as it can.
#ifndef PERFC_BACKENDS_CORE_STACKTIME_H
#define PERFC_BACKENDS_CORE_STACKTIME_H

#include "backends/core/Cost.h"
#include "ir/study/StudyOps.h"

namespace perfc {

class StackTime {
public:
  explicit StackTime(study::EvaluateOp evaluate);

  bool isGiven() const { return hasRuntime; }

  /// What is added from here on runs `count` times; returns what was so before.
  double enter(double count);
  void leave(double before) { times = before; }
  void addKernel(const Uncertain &latency, double runs);
  void addExchange(const Uncertain &latency) { exchanges += latency * times; }
  /// Lengthens `total`, which has the latencies that were added, one after the other, of so many
  /// `sequences`.
  void finish(Cost &total, double sequences) const;

private:
  bool hasRuntime = false;
  double kernelTime = 1, network = 1, kernelHost = 0, step = 0,
         stepEach = 0; ///< s for the latter three
  llvm::Optional<Quantity> measured;
  std::string label;
  double times = 1;
  double runs = 0;              ///< of kernels
  Uncertain kernels, exchanges; ///< s
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_STACKTIME_H
