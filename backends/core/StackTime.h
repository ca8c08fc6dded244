// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a software stack makes of the kernels and exchanges of an evaluation, in the words of its
// `runtime`:
//     busy    = kernel_time * kernels + exchanges / network
//     latency = (max(busy, kernel_host * starts) + step + step_each * sequences) * measured
// since the host starts one kernel after another, ahead of the chip as long as it can: each once,
// attention of prompts attention_starts times. A batch of requests also has prompt_each for each
// prompt that it ends, and a request takes `request` from its arrival to the queue.
#ifndef PERFC_BACKENDS_CORE_STACKTIME_H
#define PERFC_BACKENDS_CORE_STACKTIME_H

#include "backends/core/Cost.h"
#include "ir/phase/PhaseOps.h"
#include "ir/study/StudyOps.h"
#include <algorithm>

namespace perfc {

/// What is said of one run of a graph, in s.
struct StackWork {
  double kernels = 0, exchanges = 0;
  double runs = 0;       ///< kernels that the host starts
  double attentions = 0; ///< of these, attention of prompts

  double seconds() const { return kernels + exchanges; }
  void add(const StackWork &other, double times = 1) {
    kernels += other.kernels * times;
    exchanges += other.exchanges * times;
    runs += other.runs * times;
    attentions += other.attentions * times;
  }
};

/// True for a kernel of a library, `run`, that is attention of several queries of each sequence.
bool isPromptAttention(const ir::Operation &run);

/// The words.
struct StackFigures {
  double kernelTime = 1, network = 1;
  double kernelHost = 0, step = 0, stepEach = 0, promptEach = 0, request = 0; ///< s
  double attentionStarts = 1;
  Uncertain measured = 1;

  /// Those of the runtime of `statement`; these without one.
  static StackFigures of(const ir::Operation &statement);
  /// What runs on the chip, or what the host takes for it.
  double busy(const StackWork &work) const {
    return std::max(work.kernels * kernelTime + work.exchanges / network, host(work)) *
           measured.central();
  }
  double host(const StackWork &work) const {
    return kernelHost * (work.runs + (attentionStarts - 1) * work.attentions);
  }
  /// What comes once to the step of so many `sequences`, which ends so many `prompts`.
  double once(double sequences, double prompts) const {
    return (step + stepEach * sequences + promptEach * prompts) * measured.central();
  }
};

class StackTime {
public:
  explicit StackTime(study::EvaluateOp evaluate);

  bool isGiven() const { return hasRuntime; }

  /// What is added from here on runs `count` times; returns what was so before.
  double enter(double count);
  void leave(double before) { times = before; }
  void addKernel(const Uncertain &latency, phase::KernelOp placed, const ir::Operation &run) {
    addKernel(latency, placed, run, times * static_cast<double>(placed.count()));
  }
  /// The same, so many runs.
  void addKernel(const Uncertain &latency, phase::KernelOp placed, const ir::Operation &run,
                 double count);
  void addExchange(const Uncertain &latency) { exchanges += latency * times; }
  /// Adds what `other`, of the same statement, has been told, `count` times.
  void add(const StackTime &other, double count);
  /// Lengthens `total`, which has the latencies that were added, one after the other, of so many
  /// `sequences`.
  void finish(Cost &total, double sequences) const;

private:
  bool hasRuntime = false;
  StackFigures figures;
  std::string label;
  double times = 1;
  StackWork starts;             ///< of the host
  Uncertain kernels, exchanges; ///< s
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_STACKTIME_H
