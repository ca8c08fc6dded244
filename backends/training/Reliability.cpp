// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Reliability.h"

#include "ir/study/TrainOps.h"
#include <cmath>

using namespace perfc;
using namespace perfc::training;

Reliability Reliability::read(const ir::Operation &train, int64_t chips) {
  Reliability result;
  const ir::Operation *block = study::findPart(train, study::CheckpointOp::opName);
  if (!block)
    return result;
  result.mtbf = block->realAttr("mtbf");
  if (double one = block->realAttr("chip_mtbf"); one > 0)
    result.mtbf = one / static_cast<double>(chips);
  result.every = block->realAttr("every");
  result.restart = block->realAttr("restart");
  result.bandwidth = block->realAttr("bandwidth");
  if (block->hasAttr("per_chip"))
    result.bandwidth *= static_cast<double>(chips);
  return result;
}

double Reliability::interval(double write) const {
  if (every > 0 || mtbf <= 0)
    return every;
  if (write >= 2 * mtbf)
    return mtbf;
  double ratio = write / (2 * mtbf);
  return std::sqrt(2 * write * mtbf) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - write;
}

double Reliability::availability(double interval, double write) const {
  if (interval <= 0)
    return 1;
  if (mtbf <= 0)
    return interval / (interval + write);
  return interval / (mtbf * std::exp(restart / mtbf) * std::expm1((interval + write) / mtbf));
}

void training::addRun(const ir::Operation &train, double checkpointBytes,
                      TrainingSummary &summary) {
  Reliability reliability = Reliability::read(train, summary.chips);
  if (reliability.bandwidth > 0) {
    summary.checkpointTime = checkpointBytes / reliability.bandwidth;
    summary.checkpointInterval = reliability.interval(summary.checkpointTime);
    summary.availability =
        reliability.availability(summary.checkpointInterval, summary.checkpointTime);
  }
  summary.steps = std::max(1.0, train.realAttr("steps"));
  if (double tokens = train.realAttr("tokens"); tokens > 0)
    summary.steps = std::ceil(tokens / summary.tokens);
  summary.runTime = summary.steps * summary.effectiveStep();
}
