// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/SampledCost.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::serving;

//===-- From samples
//---------------------------------------------------------------------------===//

SampleFrame::SampleFrame(const std::vector<Sample> &samples, const UncertainEnd *at) {
  if (at)
    end = *at;
  for (const Sample &sample : samples) {
    findSources(sample.cost.before.block);
    for (const GraphCost::Layers &layers : sample.cost.layers)
      findSources(layers.one.block);
    findSources(sample.cost.after.block);
    if (sample.isDecode) {
      decodeBatch.add(sample.batch);
      decodeContext.add(sample.context);
      continue;
    }
    if (sample.before() == 0)
      tokens.add(sample.batch * sample.tokens);
    if (sample.isPiece) {
      chunkTokens.add(sample.tokens);
      chunkBefore.add(sample.before());
    }
  }
}

void SampleFrame::findSources(const StepBlock &block) {
  for (const StepItem &item : block.items)
    for (const Uncertain::Contribution &part : item.energyMoves)
      if (!llvm::is_contained(sources, part.source))
        sources.push_back(part.source);
}

Point SampleFrame::pointOf(const StepItem &item) const {
  Point point;
  point.parts[Point::Compute] = item.compute;
  point.parts[Point::Memory] = item.memory;
  point.parts[Point::Launch] = item.launch;
  point.parts[Point::Rest] = item.seconds - std::max(item.compute, item.memory) - item.launch;
  point.parts[Point::Flops] = item.flops;
  point.parts[Point::Bytes] = item.bytes;
  point.parts[Point::Energy] = std::max(0.0, item.energy);
  auto move = [&](Point::Part part, llvm::ArrayRef<Uncertain::Contribution> moves) {
    for (const Uncertain::Contribution &one : moves)
      if (end && one.source == end->source)
        point.parts[part] += end->sign * one.delta;
  };
  move(Point::Rest, item.timeMoves);
  move(Point::Energy, item.energyMoves);
  for (size_t i = 0; i < std::min(sources.size(), Point::mostSources); ++i) {
    double &upper = point.parts[Point::UpperEnergy + i] = point.parts[Point::Energy];
    for (const Uncertain::Contribution &part : item.energyMoves)
      upper += part.source == sources[i] ? part.delta : 0;
  }
  return point;
}

Uncertain SampleFrame::energyOf(const Point &sum) const {
  std::vector<Uncertain::Contribution> moves;
  double joules = sum.parts[Point::Energy];
  for (size_t i = 0; i < std::min(sources.size(), Point::mostSources); ++i)
    moves.push_back({sources[i], sum.parts[Point::UpperEnergy + i] - joules});
  return {joules, moves};
}

void SampledCost::addItem(const StepItem &from, Of of) {
  auto isSame = [&](const Item &item) {
    return of != Of::Tokens && item.of != Of::Tokens && item.name == from.name &&
           item.kind == from.kind;
  };
  auto line = static_cast<size_t>(llvm::find_if(items, isSame) - items.begin());
  items.push_back({from.name, from.kind, static_cast<double>(from.count), of, true, line});
  size_t points = of == Of::Tokens    ? frame->tokens.count()
                  : of == Of::Decodes ? frame->decodeBatch.count() * frame->decodeContext.count()
                                      : frame->chunkTokens.count() * frame->chunkBefore.count();
  items.back().points.resize(points);
}

/// Where what runs for `of` stands among its points; nothing where `sample` does not say it.
llvm::Optional<size_t> SampledCost::placeOf(Of of, const Sample &sample) const {
  if (of == Of::Decodes)
    return frame->decodeBatch.indexOf(sample.batch) * frame->decodeContext.count() +
           frame->decodeContext.indexOf(sample.context);
  if (of == Of::Prompts && sample.isPiece)
    return frame->chunkTokens.indexOf(sample.tokens) * frame->chunkBefore.count() +
           frame->chunkBefore.indexOf(sample.before());
  if (of == Of::Tokens && !sample.isDecode && sample.before() == 0)
    return frame->tokens.indexOf(sample.batch * sample.tokens);
  return llvm::None;
}

/// False where these are not the items.
bool SampledCost::place(const std::vector<StepItem> &from, const Sample &sample) {
  Of own = sample.isDecode ? Of::Decodes : Of::Prompts;
  auto next = from.begin();
  for (Item &item : items) {
    if (item.of != Of::Tokens && item.of != own)
      continue;
    if (next == from.end() || next->isOfContext != (item.of != Of::Tokens) ||
        next->kind != item.kind || static_cast<double>(next->count) != item.count)
      return false;
    if (auto index = placeOf(item.of, sample))
      item.points[*index] = frame->pointOf(*next);
    ++next;
  }
  return next == from.end();
}

SampledCost::SampledCost(std::shared_ptr<const SampleFrame> sizes,
                         const std::vector<Sample> &samples, BlockOf blockOf)
    : frame(std::move(sizes)) {
  auto firstOf = [&](bool isDecode) {
    auto found =
        llvm::find_if(samples, [&](const Sample &sample) { return sample.isDecode == isDecode; });
    return found == samples.end() ? std::vector<StepItem>() : blockOf(found->cost).items;
  };
  std::vector<StepItem> prompt = firstOf(false), decode = firstOf(true);
  auto next = decode.begin();
  auto addDecodes = [&] {
    for (; next != decode.end() && next->isOfContext; ++next)
      addItem(*next, Of::Decodes);
  };
  for (const StepItem &item : prompt) {
    if (!item.isOfContext)
      addDecodes();
    addItem(item, item.isOfContext ? Of::Prompts : Of::Tokens);
    if (!item.isOfContext && next != decode.end())
      ++next;
  }
  addDecodes();
  for (const Sample &sample : samples)
    areSame &= place(blockOf(sample.cost).items, sample);
}

double SampledCost::exchanges() const {
  double count = 0;
  for (const Item &item : items)
    count += item.kind.empty() ? 0 : item.count;
  return count;
}

void SampledCost::leaveTimes(bool withExchanges) {
  for (Item &item : items)
    if (withExchanges || item.kind.empty())
      item.isTimed = false;
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

Point SampledCost::tokenWise(const Item &item, int64_t tokens) const {
  std::array<Axis::Weight, 1> first{{{0, 1}}};
  return weigh(item.points, 1, frame->tokens.linear(static_cast<double>(tokens)), first);
}

/// All pieces of a batch run as one kernel, which starts once.
Point SampledCost::chunk(const Item &item, const BatchShape::Chunk &chunk, bool isFirst) const {
  Point one = weigh(item.points, frame->chunkBefore.count(),
                    frame->chunkTokens.quadratic(static_cast<double>(chunk.tokens)),
                    frame->chunkBefore.linear(static_cast<double>(chunk.before)));
  if (!isFirst)
    one.parts[Point::Launch] = 0;
  return one;
}

Point SampledCost::decode(const Item &item, const BatchShape &shape) const {
  auto requests = static_cast<double>(shape.decodes);
  return weigh(item.points, frame->decodeContext.count(), frame->decodeBatch.linear(requests),
               frame->decodeContext.linear(static_cast<double>(shape.decodeContext) / requests));
}

void SampledCost::addContexts(const BatchShape &shape, double runs, StackWork &work) {
  if (contextTotals.empty())
    for (const Item &item : items)
      contextTotals.push_back({item.name, item.kind});
  auto add = [&](size_t i, const Point &one) {
    const Item &item = items[i];
    contextTotals[item.line].note(one, runs * item.count);
    item.addTo(work, one);
  };
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].of == Of::Decodes && shape.decodes > 0)
      add(i, decode(items[i], shape));
    if (items[i].of == Of::Prompts)
      for (const BatchShape::Chunk &piece : shape.chunks)
        add(i, chunk(items[i], piece, &piece == shape.chunks.data()));
  }
}

StackWork SampledCost::run(int64_t tokens, const BatchShape &shape, double runs) {
  auto [found, isNew] = known.try_emplace(tokens);
  if (isNew)
    for (const Item &item : items)
      if (item.of == Of::Tokens)
        item.addTo(found->second, tokenWise(item, tokens));
  counts[tokens] += runs;
  StackWork work = found->second;
  addContexts(shape, runs, work);
  return work;
}

std::vector<ItemTotal> SampledCost::totals() const {
  std::vector<ItemTotal> result;
  // In a fixed order, so that sums do not depend on the hash of a number.
  std::vector<std::pair<int64_t, double>> sizes(counts.begin(), counts.end());
  std::sort(sizes.begin(), sizes.end());
  for (size_t i = 0; i < items.size(); ++i) {
    const Item &item = items[i];
    if (item.line != i)
      continue;
    ItemTotal total{item.name, item.kind};
    if (item.of == Of::Tokens)
      for (auto [tokens, runs] : sizes)
        total.note(tokenWise(item, tokens), runs * item.count);
    else if (!contextTotals.empty())
      total = contextTotals[i];
    total.isTimed = item.isTimed;
    result.push_back(std::move(total));
  }
  return result;
}

void SampledCost::addNodes(int64_t tokens, const BatchShape &shape,
                           std::vector<ServedNode> &nodes) const {
  for (const Item &item : items) {
    auto add = [&](Point one) {
      if (!item.isTimed)
        for (auto part : {Point::Compute, Point::Memory, Point::Rest, Point::Launch})
          one.parts[part] = 0;
      addNode(item.kind, one, item.count, nodes);
    };
    if (item.of == Of::Tokens)
      add(tokenWise(item, tokens));
    if (item.of == Of::Decodes && shape.decodes > 0)
      add(decode(item, shape));
    if (item.of == Of::Prompts)
      for (const BatchShape::Chunk &piece : shape.chunks)
        add(chunk(item, piece, &piece == shape.chunks.data()));
  }
}
