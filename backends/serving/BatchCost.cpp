// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/BatchCost.h"

#include <algorithm>
#include <set>

using namespace perfc;
using namespace perfc::serving;

static const char *const differs = "what it runs differs between sizes";

//===-- From samples
//---------------------------------------------------------------------------===//

void BatchCost::findSources(const StepBlock &block) {
  for (const StepItem &item : block.items)
    for (const Uncertain::Contribution &part : item.energyMoves)
      if (!llvm::is_contained(sources, part.source))
        sources.push_back(part.source);
}

Point BatchCost::pointOf(const StepItem &item) const {
  Point point;
  point.parts[Point::Compute] = item.compute;
  point.parts[Point::Memory] = item.memory;
  point.parts[Point::Rest] = item.seconds - std::max(item.compute, item.memory);
  point.parts[Point::Flops] = item.flops;
  point.parts[Point::Bytes] = item.bytes;
  point.parts[Point::Energy] = std::max(0.0, item.energy);
  for (size_t i = 0; i < std::min(sources.size(), Point::mostSources); ++i) {
    double &upper = point.parts[Point::UpperEnergy + i] = point.parts[Point::Energy];
    for (const Uncertain::Contribution &part : item.energyMoves)
      upper += part.source == sources[i] ? part.delta : 0;
  }
  return point;
}

Uncertain BatchCost::energyOf(const Point &sum) const {
  std::vector<Uncertain::Contribution> moves;
  double joules = sum.parts[Point::Energy];
  for (size_t i = 0; i < std::min(sources.size(), Point::mostSources); ++i)
    moves.push_back({sources[i], sum.parts[Point::UpperEnergy + i] - joules});
  return {joules, moves};
}

void BatchCost::place(Item &item, const StepItem &from, const Sample &sample) const {
  if (sample.isDecode)
    item.decodes[decodeBatch.indexOf(sample.batch) * decodeContext.count() +
                 decodeContext.indexOf(sample.context)] = pointOf(from);
  else
    item.prompts[promptTokens.indexOf(sample.batch * sample.tokens) * promptBefore.count() +
                 promptBefore.indexOf(sample.context - sample.tokens)] = pointOf(from);
}

void BatchCost::addPart(const std::vector<Sample> &samples,
                        llvm::function_ref<const StepBlock &(const GraphCost &)> blockOf) {
  Part part;
  for (const StepItem &item : blockOf(samples.front().cost).items) {
    part.items.push_back({item.name, item.kind, static_cast<double>(item.count)});
    part.items.back().isOfContext = item.isOfContext;
    part.items.back().prompts.resize(promptTokens.count() * promptBefore.count());
    part.items.back().decodes.resize(decodeBatch.count() * decodeContext.count());
  }
  for (const Sample &sample : samples) {
    const std::vector<StepItem> &items = blockOf(sample.cost).items;
    bool isSame = items.size() == part.items.size();
    for (size_t i = 0; isSame && i < items.size(); ++i) {
      isSame = items[i].kind == part.items[i].kind &&
               static_cast<double>(items[i].count) == part.items[i].count;
      place(part.items[i], items[i], sample);
    }
    if (!isSame)
      mismatch = differs;
  }
  parts.push_back(std::move(part));
}

BatchCost::BatchCost(std::vector<Sample> samples, llvm::ArrayRef<std::vector<int64_t>> layers,
                     std::function<double(size_t, double)> sendTime)
    : send(std::move(sendTime)) {
  for (const Sample &sample : samples) {
    if (sample.isDecode) {
      decodeBatch.add(sample.batch);
      decodeContext.add(sample.context);
      continue;
    }
    promptTokens.add(sample.batch * sample.tokens);
    promptBefore.add(sample.context - sample.tokens);
    if (sample.batch == 1)
      chunkTokens.add(sample.tokens);
  }
  for (const Sample &sample : samples) {
    findSources(sample.cost.before.block);
    for (const GraphCost::Layers &layers : sample.cost.layers)
      findSources(layers.one.block);
    findSources(sample.cost.after.block);
  }
  const GraphCost &first = samples.front().cost;
  auto areAsMany = [](const GraphCost::Layers &one, const GraphCost::Layers &two) {
    return one.count == two.count;
  };
  for (const Sample &sample : samples)
    if (!std::equal(sample.cost.layers.begin(), sample.cost.layers.end(), first.layers.begin(),
                    first.layers.end(), areAsMany))
      mismatch = differs;
  if (!mismatch.empty())
    return;
  addPart(samples, [](const GraphCost &cost) -> const StepBlock & { return cost.before.block; });
  for (size_t kind = 0; kind < first.layers.size(); ++kind)
    addPart(samples, [&](const GraphCost &cost) -> const StepBlock & {
      return cost.layers[kind].one.block;
    });
  if (!first.layers.empty())
    addPart(samples, [](const GraphCost &cost) -> const StepBlock & { return cost.after.block; });
  for (const std::vector<int64_t> &counts : layers) {
    layersOf.emplace_back(counts.begin(), counts.end());
    layersOf.back().resize(first.layers.size(), 0);
  }
}

//===-- Of a batch
//-----------------------------------------------------------------------------===//

template <typename Rows, typename Columns>
static Point weigh(const std::vector<Point> &grid, size_t width, const Rows &rows,
                   const Columns &columns) {
  Point sum;
  for (Axis::Weight row : rows)
    for (Axis::Weight column : columns)
      if (double share = row.share * column.share; share != 0)
        sum.add(grid[row.index * width + column.index], share);
  for (double &part : sum.parts)
    part = std::max(0.0, part);
  return sum;
}

Point BatchCost::tokenWise(const Item &item, int64_t tokens) const {
  std::array<Axis::Weight, 1> first{{{0, 1}}};
  return weigh(item.prompts, promptBefore.count(), promptTokens.linear(static_cast<double>(tokens)),
               first);
}

Point BatchCost::prompt(const Item &item, const BatchShape::Chunk &chunk) const {
  return weigh(item.prompts, promptBefore.count(),
               chunkTokens.quadratic(static_cast<double>(chunk.tokens)),
               promptBefore.linear(static_cast<double>(chunk.before)));
}

Point BatchCost::decode(const Item &item, const BatchShape &shape) const {
  auto requests = static_cast<double>(shape.decodes);
  return weigh(item.decodes, decodeContext.count(), decodeBatch.linear(requests),
               decodeContext.linear(static_cast<double>(shape.decodeContext) / requests));
}

static void note(ItemTotal &total, const Point &one, double times) {
  total.runs += times;
  total.sum.add(one, times);
  total.seconds += one.seconds() * times;
  bool isCompute = one.parts[Point::Compute] > one.parts[Point::Memory];
  (isCompute ? total.computeSeconds : total.memorySeconds) += one.seconds() * times;
}

/// One run of `part`, which a batch has `runs` times.
double BatchCost::partSeconds(Part &part, const BatchShape &shape, double runs) {
  double seconds = 0;
  if (part.contextTotals.empty())
    for (const Item &item : part.items)
      part.contextTotals.push_back({&item});
  auto add = [&](size_t i, const Point &one) {
    const Item &item = part.items[i];
    note(part.contextTotals[i], one, runs * item.count);
    seconds += one.seconds() * item.count;
  };
  for (size_t i = 0; i < part.items.size(); ++i) {
    if (!part.items[i].isOfContext)
      continue;
    if (shape.decodes > 0)
      add(i, decode(part.items[i], shape));
    for (const BatchShape::Chunk &chunk : shape.chunks)
      add(i, prompt(part.items[i], chunk));
  }
  return seconds;
}

double BatchCost::runsOf(size_t part, size_t stage) const {
  size_t last = parts.size() - 1;
  if (part == 0)
    return stage == 0 ? 1 : 0;
  if (part == last)
    return stage + 1 == layersOf.size() ? 1 : 0;
  return layersOf[stage][part - 1];
}

void BatchCost::run(const BatchShape &shape, std::vector<double> &seconds) {
  seconds.assign(layersOf.size(), 0);
  for (size_t number = 0; number < parts.size(); ++number) {
    Part &part = parts[number];
    int64_t tokens = tokensOf(number, shape);
    double all = 0;
    for (size_t stage = 0; stage < seconds.size(); ++stage)
      all += runsOf(number, stage);
    if (tokens == 0 || all == 0)
      continue;
    auto [found, isNew] = part.seconds.try_emplace(tokens, 0.0);
    if (isNew)
      for (const Item &item : part.items)
        if (!item.isOfContext)
          found->second += tokenWise(item, tokens).seconds() * item.count;
    ++part.batches[tokens];
    double one = found->second + partSeconds(part, shape, all);
    for (size_t stage = 0; stage < seconds.size(); ++stage)
      seconds[stage] += one * runsOf(number, stage);
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
  for (size_t number = 0; number < parts.size(); ++number) {
    const Part &part = parts[number];
    double runs = 0;
    for (size_t stage = 0; stage < layersOf.size(); ++stage)
      runs += runsOf(number, stage);
    // In a fixed order, so that sums do not depend on the hash of a number.
    std::vector<std::pair<int64_t, int64_t>> batches(part.batches.begin(), part.batches.end());
    std::sort(batches.begin(), batches.end());
    for (size_t i = 0; i < part.items.size(); ++i) {
      const Item &item = part.items[i];
      ItemTotal total{&item};
      if (item.isOfContext && !part.contextTotals.empty())
        total = part.contextTotals[i];
      else if (!item.isOfContext)
        for (auto [tokens, count] : batches)
          note(total, tokenWise(item, tokens), static_cast<double>(count) * runs * item.count);
      result.push_back(std::move(total));
    }
  }
  return result;
}

std::vector<ServedNode> BatchCost::nodesOf(const BatchShape &shape, size_t stage) const {
  std::vector<ServedNode> nodes;
  auto add = [&](const Item &item, const Point &one) {
    bool joins = item.kind.empty() && !nodes.empty() && nodes.back().kind.empty();
    if (!joins)
      nodes.push_back({item.kind.empty() ? "kernels" : item.kind + " tensor", item.kind});
    ServedNode &node = nodes.back();
    node.seconds += one.seconds() * item.count;
    node.flops += one.parts[Point::Flops] * item.count;
    node.bytes += one.parts[Point::Bytes] * item.count;
  };
  for (size_t number = 0; number < parts.size(); ++number) {
    int64_t tokens = tokensOf(number, shape);
    for (double left = tokens > 0 ? runsOf(number, stage) : 0; left > 0; --left)
      for (const Item &item : parts[number].items) {
        if (!item.isOfContext) {
          add(item, tokenWise(item, tokens));
          continue;
        }
        if (shape.decodes > 0)
          add(item, decode(item, shape));
        for (const BatchShape::Chunk &chunk : shape.chunks)
          add(item, prompt(item, chunk));
      }
  }
  return nodes;
}
