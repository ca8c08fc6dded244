// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/systolic/Replay.h"

#include "backends/loopnest/analysis/Checked.h"
#include "backends/loopnest/systolic/Buffers.h"
#include "backends/loopnest/systolic/Streams.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

/// Calls `visit(fold, cycle)` for every cycle of a run.
template <typename Visitor> static void forEachCycle(const FoldPlan &plan, Visitor visit) {
  for (Fold fold; fold.column < plan.columnFolds; ++fold.column)
    for (fold.row = 0; fold.row < plan.rowFolds; ++fold.row)
      for (int64_t cycle = 0; cycle < plan.foldCycles; ++cycle)
        visit(fold, cycle);
}

static int64_t estimatedReads(const OperandStream &stream, const FoldPlan &plan, int64_t words,
                              int64_t bytes) {
  if (words <= epochWords(bytes))
    return words;
  EpochBuffer buffer(bytes, stream.operand().count());
  forEachCycle(plan, [&](const Fold &fold, int64_t cycle) {
    stream.cycle(fold, cycle, [&](int32_t word) { buffer.read(word); });
  });
  return buffer.fetches();
}

static int64_t drainedWords(const SystolicArray &array, const FoldPlan &plan, int64_t bytes) {
  DrainBuffer buffer(bytes, array.columns);
  int64_t now = 0;
  forEachCycle(plan, [&](const Fold &fold, int64_t cycle) {
    buffer.write(outputsInCycle(fold, cycle, array, plan), now++);
  });
  buffer.finish();
  return buffer.drains();
}

DramTraffic loopnest::estimatedTraffic(const Layer &layer, const Gemm &gemm,
                                       const SystolicArray &array, const FoldPlan &plan,
                                       const Scratchpads &pads) {
  OperandWords inputs = OperandWords::input(layer, gemm), weights = OperandWords::weight(gemm);
  DramTraffic traffic;
  traffic.inputReads = estimatedReads(OperandStream(inputs, true, gemm, array, plan), plan,
                                      layer.inputWords(), pads.input);
  traffic.weightReads = estimatedReads(OperandStream(weights, false, gemm, array, plan), plan,
                                       gemm.k * gemm.n, pads.weight);
  traffic.outputWrites = drainedWords(array, plan, pads.output);
  return traffic;
}

TimedRun loopnest::timedRun(const Layer &layer, const Gemm &gemm, const SystolicArray &array,
                            const FoldPlan &plan, const Scratchpads &pads, int64_t bandwidth) {
  OperandWords inputs = OperandWords::input(layer, gemm), weights = OperandWords::weight(gemm);
  OperandStream inputStream(inputs, true, gemm, array, plan);
  OperandStream weightStream(weights, false, gemm, array, plan);
  PrefetchBuffer inputBuffer(pads.input, bandwidth, inputStream.prefetchOrder(), inputs.count());
  PrefetchBuffer weightBuffer(pads.weight, bandwidth, weightStream.prefetchOrder(),
                              weights.count());
  DrainBuffer outputBuffer(pads.output, bandwidth);
  TimedRun run;
  int64_t index = 0;
  forEachCycle(plan, [&](const Fold &fold, int64_t cycle) {
    int64_t now = index++ + run.stalls;
    int64_t inputWait = 0, weightWait = 0;
    inputStream.cycle(fold, cycle,
                      [&](int32_t w) { inputWait = inputBuffer.read(w, now, inputWait); });
    weightStream.cycle(fold, cycle,
                       [&](int32_t w) { weightWait = weightBuffer.read(w, now, weightWait); });
    int64_t outputWait = outputBuffer.write(outputsInCycle(fold, cycle, array, plan), now);
    run.stalls += std::max({inputWait, weightWait, outputWait});
    run.cycles = now + outputWait;
  });
  outputBuffer.finish();
  run.traffic = {inputBuffer.fetches(), weightBuffer.fetches(), outputBuffer.drains()};
  return run;
}

double loopnest::boundedCycles(const Layer &layer, const Gemm &gemm, const FoldPlan &plan,
                               const Scratchpads &pads, int64_t bandwidth) {
  auto transfer = [&](int64_t distinct, int64_t demanded, int64_t bytes) {
    int64_t words = distinct <= bytes / 2 ? distinct : demanded;
    return static_cast<double>(std::max<int64_t>(0, words - bytes / 2)) /
           static_cast<double>(bandwidth);
  };
  double input = transfer(layer.inputWords(), plan.inputReads, pads.input);
  double weight = transfer(gemm.k * gemm.n, plan.weightReads, pads.weight);
  double output = transfer(pads.output + 1, plan.outputWrites, pads.output);
  return std::max({static_cast<double>(plan.cycles - 1), input, weight, output});
}

int64_t loopnest::replayWork(const Layer &layer, const Gemm &gemm, const SystolicArray &array,
                             const FoldPlan &plan) {
  constexpr int64_t mostWords = int64_t(1) << 27;
  // Matrices as the array sees them, with the places that the last folds leave empty.
  Checked padded = Checked(plan.rowFolds) * array.rows * plan.stream;
  padded += Checked(plan.columnFolds) * array.columns * std::max(plan.stream, plan.rowExtent);
  padded += Checked(gemm.m) + gemm.n + gemm.k;
  padded += Checked(gemm.k) * gemm.n + Checked(layer.height) * layer.width * layer.channels;
  Checked work = Checked(plan.inputReads) + plan.weightReads + plan.cycles;
  if (padded.overflowed() || padded.value() > mostWords || work.overflowed())
    return -1;
  return work.value();
}
