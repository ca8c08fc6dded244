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
  auto note = [](llvm::ArrayRef<Uncertain::Contribution> moves,
                 std::vector<UncertaintySource> &of) {
    for (const Uncertain::Contribution &part : moves)
      if (!llvm::is_contained(of, part.source))
        of.push_back(part.source);
  };
  for (const StepItem &item : block.items) {
    note(item.energyMoves, sources);
    note(item.timeMoves, timeSources);
  }
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
  return point;
}

std::vector<double> SampleFrame::energyMovesOf(const StepItem &item) const {
  std::vector<double> moves(sources.size(), 0);
  for (const Uncertain::Contribution &part : item.energyMoves)
    moves[static_cast<size_t>(llvm::find(sources, part.source) - sources.begin())] += part.delta;
  return moves;
}

Uncertain SampleFrame::energyOf(const ItemTotal &total) const {
  std::vector<Uncertain::Contribution> moves;
  for (size_t i = 0; i < total.energyMoves.size(); ++i)
    moves.push_back({sources[i], total.energyMoves[i]});
  return {total.sum.parts[Point::Energy], moves};
}

void SampledCost::addItem(const StepItem &from, Of of) {
  auto isSame = [&](const Item &item) {
    return of != Of::Tokens && item.of != Of::Tokens && item.name == from.name &&
           item.kind == from.kind && item.alike == from.alike;
  };
  auto line = static_cast<size_t>(llvm::find_if(items, isSame) - items.begin());
  items.push_back({from.name, from.kind, static_cast<double>(from.count),
                   StackWork{0, 0, from.isJoined ? 0.0 : 1.0, from.isPromptAttention ? 1.0 : 0.0},
                   of, true, line, from.alike});
  hasContexts |= of != Of::Tokens;
  size_t points = of == Of::Tokens    ? frame->tokens.count()
                  : of == Of::Decodes ? decodeRuns.size()
                                      : pieceRuns.size();
  items.back().points.resize(points);
  items.back().energyMoves.resize(points);
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
    if (auto index = placeOf(item.of, sample)) {
      item.points[*index] = frame->pointOf(*next);
      item.energyMoves[*index] = frame->energyMovesOf(*next);
    }
    ++next;
  }
  return next == from.end();
}

SampledCost::SampledCost(std::shared_ptr<const SampleFrame> sizes,
                         const std::vector<Sample> &samples, BlockOf blockOf)
    : frame(std::move(sizes)),
      decodeRuns(frame->decodeBatch.count() * frame->decodeContext.count()),
      pieceRuns(frame->chunkTokens.count() * frame->chunkBefore.count()) {
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

static Point weigh(const std::vector<Point> &grid, const Cells &cells) {
  Point sum;
  for (Axis::Weight cell : cells)
    sum.add(grid[cell.index], cell.share);
  for (double &part : sum.parts)
    part = std::max(0.0, part);
  return sum;
}

Point SampledCost::tokenWise(const Item &item, int64_t tokens) const {
  static constexpr std::array<Axis::Weight, 1> only{{{0, 1}}};
  return weigh(item.points, Cells(frame->tokens.linear(static_cast<double>(tokens)), only, 1));
}

void SampledCost::findPlace(const BatchShape &shape, Place &place) const {
  place.decodes = {};
  if (shape.decodes > 0) {
    auto requests = static_cast<double>(shape.decodes);
    place.decodes =
        Cells(frame->decodeBatch.linear(requests),
              frame->decodeContext.linear(static_cast<double>(shape.decodeContext) / requests),
              frame->decodeContext.count());
  }
  place.pieces.clear();
  for (const BatchShape::Chunk &piece : shape.chunks)
    place.pieces.emplace_back(frame->chunkTokens.quadratic(static_cast<double>(piece.tokens)),
                              frame->chunkBefore.linear(static_cast<double>(piece.before)),
                              frame->chunkBefore.count());
}

/// All pieces of a batch run as one kernel, which starts once.
template <typename Use>
void SampledCost::forEachPoint(const Item &item, const Place &place, Use use) {
  if (item.of == Of::Decodes && !place.decodes.empty())
    use(weigh(item.points, place.decodes));
  if (item.of != Of::Prompts)
    return;
  for (size_t i = 0; i < place.pieces.size(); ++i) {
    Point one = weigh(item.points, place.pieces[i]);
    if (i > 0)
      one.parts[Point::Launch] = 0;
    use(one);
  }
}

void SampledCost::addContexts(const BatchShape &shape, double runs, StackWork &work) {
  if (contextTotals.empty())
    for (const Item &item : items)
      contextTotals.push_back({item.name, item.kind});
  findPlace(shape, here);
  for (Axis::Weight cell : here.decodes)
    decodeRuns[cell.index] += cell.share * runs;
  for (const Cells &piece : here.pieces)
    for (Axis::Weight cell : piece)
      pieceRuns[cell.index] += cell.share * runs;
  for (const Item &item : items)
    forEachPoint(item, here, [&](const Point &one) {
      contextTotals[item.line].note(one, runs * item.count);
      item.addTo(work, one);
    });
}

StackWork SampledCost::run(int64_t tokens, const BatchShape &shape, double runs) {
  StackWork work = known.note(tokens, runs, [&] {
    StackWork sum;
    for (const Item &item : items)
      if (item.of == Of::Tokens)
        item.addTo(sum, tokenWise(item, tokens));
    return sum;
  });
  if (hasContexts)
    addContexts(shape, runs, work);
  return work;
}

/// Adds what each source moves the energy of all runs of `item` by, which are those of `sizes`
/// where it depends on the tokens of a batch alone.
void SampledCost::addEnergyMoves(const Item &item, llvm::ArrayRef<std::pair<int64_t, double>> sizes,
                                 ItemTotal &total) const {
  total.energyMoves.resize(frame->sources.size(), 0);
  auto add = [&](size_t index, double runs) {
    for (size_t i = 0; i < item.energyMoves[index].size(); ++i)
      total.energyMoves[i] += item.energyMoves[index][i] * runs * item.count;
  };
  if (item.of == Of::Tokens)
    for (auto [tokens, runs] : sizes)
      for (Axis::Weight cell : frame->tokens.linear(static_cast<double>(tokens)))
        add(cell.index, cell.share * runs);
  else
    for (size_t index = 0; index < item.points.size(); ++index)
      add(index, (item.of == Of::Decodes ? decodeRuns : pieceRuns)[index]);
}

std::vector<ItemTotal> SampledCost::totals() const {
  std::vector<ItemTotal> result;
  std::vector<std::pair<int64_t, double>> sizes = known.runs();
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
    for (const Item &part : items)
      if (part.line == i)
        addEnergyMoves(part, sizes, total);
    total.isTimed = item.isTimed;
    total.alike = item.alike;
    result.push_back(std::move(total));
  }
  return result;
}

void SampledCost::addNodes(int64_t tokens, const BatchShape &shape,
                           std::vector<ServedNode> &nodes) const {
  Place place;
  findPlace(shape, place);
  for (const Item &item : items) {
    auto add = [&](Point one) {
      if (!item.isTimed)
        for (auto part : {Point::Compute, Point::Memory, Point::Rest, Point::Launch})
          one.parts[part] = 0;
      addNode(item.kind, one, item.count, nodes);
    };
    if (item.of == Of::Tokens)
      add(tokenWise(item, tokens));
    forEachPoint(item, place, add);
  }
}
