// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Reliability.h"

#include <cmath>

using namespace perfc;
using namespace perfc::training;

static double numberIn(const ir::AttrDict &entries, llvm::StringRef key) {
  const ir::Attribute *value = entries.find(key);
  return value ? value->asQuantity().toDouble() : 0;
}

Reliability Reliability::read(const ir::AttrDict &settings, int64_t chips) {
  Reliability result;
  const ir::Attribute *block = settings.find("checkpoint");
  if (!block)
    return result;
  const ir::AttrDict &entries = block->asDict();
  result.mtbf = numberIn(entries, "mtbf");
  if (double one = numberIn(entries, "chip_mtbf"); one > 0)
    result.mtbf = one / static_cast<double>(chips);
  result.every = numberIn(entries, "every");
  result.restart = numberIn(entries, "restart");
  result.bandwidth = numberIn(entries, "bandwidth");
  if (entries.find("per_chip"))
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

double Reliability::goodput(double interval, double write) const {
  if (interval <= 0)
    return 1;
  if (mtbf <= 0)
    return interval / (interval + write);
  return interval / (mtbf * std::exp(restart / mtbf) * std::expm1((interval + write) / mtbf));
}

void training::addRun(const ir::AttrDict &settings, double checkpointBytes,
                      TrainingSummary &summary) {
  Reliability reliability = Reliability::read(settings, summary.chips);
  if (reliability.bandwidth > 0) {
    summary.checkpointTime = checkpointBytes / reliability.bandwidth;
    summary.checkpointInterval = reliability.interval(summary.checkpointTime);
    summary.goodput = reliability.goodput(summary.checkpointInterval, summary.checkpointTime);
  }
  summary.steps = std::max(1.0, numberIn(settings, "steps"));
  if (double tokens = numberIn(settings, "tokens"); tokens > 0)
    summary.steps = std::ceil(tokens / summary.tokens);
  summary.runTime = summary.steps * summary.effectiveStep();
  const ir::Attribute *price = settings.find("price");
  if (!price)
    return;
  double chip = numberIn(price->asDict(), "chip"), joule = numberIn(price->asDict(), "energy");
  summary.hasPrice = true;
  summary.chipCost = summary.runTime * static_cast<double>(summary.chips) * chip;
  // What is lost and done again takes energy as well.
  summary.energyCost = joule * summary.steps / summary.goodput;
}
