// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/BatchCost.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::serving;

static const char *const differs = "what it runs differs between sizes";

void BatchCost::addPart(const std::vector<Sample> &samples, SampledCost::BlockOf blockOf,
                        const std::shared_ptr<const study::OpTable> &table) {
  auto part = std::make_unique<SampledCost>(frame, samples, blockOf);
  if (!part->isSame())
    mismatch = differs;
  if (table)
    parts.push_back(std::make_unique<TableCost>(table, std::move(part)));
  else
    parts.push_back(std::move(part));
}

BatchCost::BatchCost(const std::vector<Sample> &samples,
                     llvm::ArrayRef<std::vector<int64_t>> layers,
                     std::function<double(size_t, double)> sendTime,
                     std::shared_ptr<const study::OpTable> table, StackFigures stackFigures,
                     const UncertainEnd *end)
    : frame(std::make_shared<SampleFrame>(samples, end)), send(std::move(sendTime)),
      stack(std::move(stackFigures)) {
  const GraphCost &first = samples.front().cost;
  auto areAsMany = [](const GraphCost::Layers &one, const GraphCost::Layers &two) {
    return one.count == two.count;
  };
  for (const Sample &sample : samples)
    if (!std::equal(sample.cost.layers.begin(), sample.cost.layers.end(), first.layers.begin(),
                    first.layers.end(), areAsMany))
      mismatch = differs;
  if (table && first.layers.empty())
    mismatch = "it has no layers, of which the table has the times";
  if (!mismatch.empty())
    return;
  addPart(
      samples, [](const GraphCost &cost) -> const StepBlock & { return cost.before.block; },
      nullptr);
  for (size_t kind = 0; kind < first.layers.size(); ++kind)
    addPart(
        samples,
        [&](const GraphCost &cost) -> const StepBlock & { return cost.layers[kind].one.block; },
        table);
  if (!first.layers.empty())
    addPart(
        samples, [](const GraphCost &cost) -> const StepBlock & { return cost.after.block; },
        nullptr);
  for (const std::vector<int64_t> &counts : layers) {
    layersOf.emplace_back(counts.begin(), counts.end());
    layersOf.back().resize(first.layers.size(), 0);
  }
  for (size_t number = 0; number < parts.size(); ++number) {
    runs.push_back(0);
    for (size_t stage = 0; stage < layersOf.size(); ++stage)
      runs.back() += runsOf(number, stage);
  }
}

double BatchCost::runsOf(size_t part, size_t stage) const {
  size_t last = parts.size() - 1;
  if (part == 0)
    return stage == 0 ? 1 : 0;
  if (part == last)
    return stage + 1 == layersOf.size() ? 1 : 0;
  return layersOf[stage][part - 1];
}

std::vector<UncertaintySource> BatchCost::timeSources() const {
  std::vector<UncertaintySource> sources = frame->timeSources;
  for (const Uncertain::Contribution &part : stack.measured.contributions())
    sources.push_back(part.source);
  return sources;
}

void BatchCost::run(const BatchShape &shape, std::vector<double> &seconds) {
  work.assign(layersOf.size(), {});
  for (size_t number = 0; number < parts.size(); ++number) {
    int64_t tokens = tokensOf(number, shape);
    if (tokens == 0 || runs[number] == 0)
      continue;
    StackWork one = parts[number]->run(tokens, shape, runs[number]);
    for (size_t stage = 0; stage < work.size(); ++stage)
      work[stage].add(one, runsOf(number, stage));
  }
  seconds.resize(work.size());
  auto sequences = static_cast<double>(shape.decodes) + static_cast<double>(shape.chunks.size());
  double once = stack.once(sequences, static_cast<double>(shape.outputs - shape.decodes));
  for (size_t stage = 0; stage < work.size(); ++stage) {
    seconds[stage] = stack.busy(work[stage]) + (stage == 0 ? once : 0);
    added += seconds[stage] - work[stage].seconds();
  }
  tokensSent += static_cast<double>(shape.tokens);
  for (size_t stage = 0; stage + 1 < seconds.size(); ++stage) {
    double message = send(stage, static_cast<double>(shape.tokens));
    seconds[stage] += message;
    sent += message;
  }
}

std::vector<ItemTotal> BatchCost::totals() const {
  std::vector<ItemTotal> result;
  for (const auto &part : parts)
    llvm::append_range(result, part->totals());
  return result;
}

std::vector<ServedNode> BatchCost::nodesOf(const BatchShape &shape, size_t stage) const {
  std::vector<ServedNode> nodes;
  for (size_t number = 0; number < parts.size(); ++number) {
    int64_t tokens = tokensOf(number, shape);
    for (double left = tokens > 0 ? runsOf(number, stage) : 0; left > 0; --left)
      parts[number]->addNodes(tokens, shape, nodes);
  }
  return nodes;
}
