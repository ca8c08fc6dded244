// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/Analysis.h"

#include "backends/loopnest/timeloop/Links.h"
#include "backends/loopnest/timeloop/PatternBuilder.h"
#include "backends/loopnest/timeloop/Runs.h"
#include "backends/loopnest/timeloop/VisitMemo.h"
#include "ir/common/diagnostics/Timeloop.h"

using namespace perfc;
using namespace perfc::timeloop;

/// Visits of loops before an input counts as too large; the largest of practice takes 10^5.
static constexpr uint64_t maxVisits = 30'000'000;
static constexpr int64_t maxChildren = 1 << 20;

namespace {

/// Which of the ragged dimensions are in the last pass of their outer loops, as bits.
using PassMask = uint64_t;

/// Bounds of a tile relative to its origin, per space.
using TileShape = std::vector<Box>;

class Analysis {
public:
  Analysis(const Input &input, const LoopList &list, bool remembers);
  void run() { visit(static_cast<unsigned>(list.loops.size()) - 1); }
  bool tookTooLong() const { return visits > maxVisits; }
  AnalysisResult takeResult();

private:
  void visit(unsigned loop);
  void visitOnce(unsigned memory);
  void visitAnew(unsigned loop);
  void visitTemporal(unsigned loop);
  Box pointOf(unsigned space) const;
  void visitArray(unsigned memory);
  void updateDeltas(unsigned memory);
  void updateDelta(unsigned memory, unsigned space, const Box &tile);
  void send(unsigned memory, unsigned space, const SpatialPattern &pattern, const Boxes &words);
  void countComputes(double iterations);

  bool isAtLast(unsigned start, unsigned dim) const;
  PassMask passMask(unsigned start) const;
  int64_t endOf(unsigned loop) const;
  /// Iterations of the innermost memory's temporal loops up to `loop`.
  double iterationsBelow(unsigned loop);
  const TileShape &tileShape(unsigned loop);
  void tileOf(unsigned loop, unsigned space, Box &tile);
  const SpatialPattern &patternOf(unsigned memory);

  const Input &input;
  const LoopList &list;
  unsigned spaces;
  std::vector<int64_t> index, origin;
  double epochs = 1;
  uint64_t visits = 0;
  std::vector<MemoryState> states;
  VisitSums sums;
  VisitMemo memo;
  std::vector<std::map<PassMask, TileShape>> shapes;
  std::map<std::pair<unsigned, PassMask>, std::unique_ptr<SpatialPattern>> patterns;
  Links links;
  std::map<PassMask, double> innerIterations;
};

} // namespace

Analysis::Analysis(const Input &input, const LoopList &list, bool remembers)
    : input(input), list(list), spaces(input.spaceCount()), index(list.loops.size(), 0),
      origin(input.dimCount(), 0), states(list.blocks.size()), memo(input, list, remembers),
      shapes(list.loops.size()) {
  for (MemoryState &state : states) {
    state.spaces.resize(spaces);
    state.previousWords.resize(spaces);
  }
  sums.traffic.assign(list.blocks.size(), std::vector<Traffic>(spaces));
}

bool Analysis::isAtLast(unsigned start, unsigned dim) const {
  for (unsigned loop : list.ofDim[dim])
    if (loop >= start && index[loop] + 1 < list.loops[loop].residual)
      return false;
  return true;
}

PassMask Analysis::passMask(unsigned start) const {
  PassMask mask = 0;
  for (unsigned dim : list.raggedDims)
    if (isAtLast(start, dim))
      mask |= PassMask(1) << dim;
  return mask;
}

int64_t Analysis::endOf(unsigned loop) const {
  const Loop &own = list.loops[loop];
  return own.isRagged() && isAtLast(loop + 1, own.dim) ? own.residual : own.end;
}

double Analysis::iterationsBelow(unsigned loop) {
  int64_t end = endOf(loop);
  if (loop == 0)
    return static_cast<double>(end);
  double sum = 0;
  index[loop] = 0;
  for (const Run &run : planRuns(list, loop, end, isAtLast(loop + 1, list.loops[loop].dim))) {
    ++visits;
    sum += run.repeat * iterationsBelow(loop - 1);
    index[loop] += static_cast<int64_t>(run.repeat);
  }
  return sum;
}

void Analysis::countComputes(double iterations) {
  sums.laneComputes += iterations;
  for (Traffic &one : sums.traffic[0])
    one.histogram[{1, 1}].words += iterations;
}

void Analysis::visit(unsigned loop) {
  if (++visits > maxVisits)
    return;
  unsigned memory = list.loops[loop].memory;
  if (loop == list.blocks[memory].boundary && memo.serves(memory))
    visitOnce(memory);
  else
    visitAnew(loop);
}

/// The loops of a memory from the outermost one on: as before where it has been like this.
void Analysis::visitOnce(unsigned memory) {
  VisitMemo::Visit &visit = memo.find(memory, states, origin);
  if (visit.isKnown) {
    memo.restore(visit, memory, states, origin);
  } else {
    VisitSums outside = std::move(sums);
    sums = VisitSums();
    sums.traffic.assign(memory + 1, std::vector<Traffic>(spaces));
    double times = epochs;
    epochs = 1;
    visitAnew(list.blocks[memory].boundary);
    epochs = times;
    visit.sums = std::move(sums);
    sums = std::move(outside);
    memo.keep(visit, memory, states, origin);
  }
  sums.add(visit.sums, epochs);
}

void Analysis::visitAnew(unsigned loop) {
  unsigned memory = list.loops[loop].memory;
  const Block &block = list.blocks[memory];
  if (memory == 0 && loop == block.boundary && !block.isSpatial()) {
    PassMask mask = passMask(loop + 1);
    auto [known, isNew] = innerIterations.try_emplace(mask, 0.0);
    if (isNew)
      known->second = iterationsBelow(loop);
    countComputes(known->second * epochs);
  } else if (list.loops[loop].isSpatial()) {
    visitArray(memory);
  } else {
    visitTemporal(loop);
  }
  if (loop == block.boundary)
    updateDeltas(memory);
}

void Analysis::visitTemporal(unsigned loop) {
  const Loop &own = list.loops[loop];
  const Block &block = list.blocks[own.memory];
  bool atLast = isAtLast(loop + 1, own.dim);
  int64_t end = atLast ? own.residual : own.end;
  if (loop == 0)
    return countComputes(static_cast<double>(end) * epochs);
  bool sends = loop == block.first;
  llvm::SmallVector<double, 4> sent(spaces, 0.0), sizes(spaces, 0.0);
  int64_t start = origin[own.dim];
  index[loop] = 0;
  for (const Run &run : planRuns(list, loop, end, atLast)) {
    double outerEpochs = epochs;
    epochs *= run.repeat;
    visit(loop - 1);
    epochs = outerEpochs;
    for (unsigned space = 0; sends && space < spaces; ++space) {
      if (run.ownDelta)
        sizes[space] = states[own.memory - 1].spaces[space].deltaVolume;
      sent[space] += sizes[space] * run.repeat;
    }
    origin[own.dim] += list.step[loop] * static_cast<int64_t>(run.repeat);
    index[loop] += static_cast<int64_t>(run.repeat);
  }
  origin[own.dim] = start;
  for (unsigned space = 0; sends && space < spaces; ++space)
    sums.traffic[own.memory][space].histogram[{1, 1}].words += sent[space] * epochs;
}

const TileShape &Analysis::tileShape(unsigned loop) {
  PassMask mask = passMask(loop + 1);
  auto [known, isNew] = shapes[loop].try_emplace(mask);
  if (!isNew)
    return known->second;
  auto extent = [&](unsigned dim) {
    bool isLast = mask >> dim & 1;
    return (isLast ? list.lastExtent : list.extent)[loop][dim];
  };
  for (const Space &space : input.problem.spaces) {
    Box box;
    for (const std::vector<Term> &rank : space.ranks) {
      int64_t low = 0, high = 1;
      for (const Term &term : rank)
        (term.coefficient < 0 ? low : high) += term.coefficient * extent(term.dim);
      box.append({low, high});
    }
    known->second.push_back(std::move(box));
  }
  return known->second;
}

void Analysis::tileOf(unsigned loop, unsigned space, Box &tile) {
  tile = tileShape(loop)[space];
  const Space &tensor = input.problem.spaces[space];
  for (size_t rank = 0; rank < tensor.ranks.size(); ++rank)
    for (const Term &term : tensor.ranks[rank]) {
      int64_t shift = term.coefficient * origin[term.dim];
      tile[2 * rank] += shift;
      tile[2 * rank + 1] += shift;
    }
}

void Analysis::updateDeltas(unsigned memory) {
  Box tile;
  for (unsigned space = 0; space < spaces; ++space) {
    tileOf(list.blocks[memory].boundary, space, tile);
    double &largest = sums.traffic[memory][space].tileSize;
    largest = std::max(largest, volume(tile));
    updateDelta(memory, space, tile);
  }
}

/// What is new in `tile`; all of it when the direction of movement has changed.
void Analysis::updateDelta(unsigned memory, unsigned space, const Box &tile) {
  SpaceState &state = states[memory].spaces[space];
  auto whole = [&] {
    state.delta.clear();
    state.delta.add(tile);
  };
  if (input.placements[memory].noTemporalReuse[space] || state.last.empty()) {
    whole();
    if (!input.placements[memory].noTemporalReuse[space])
      state.last = tile;
  } else {
    Offset moved;
    translation(state.last, tile, moved);
    bool rests = llvm::all_of(moved, [](int64_t distance) { return distance == 0; });
    if (rests || state.moved.empty() || moved == state.moved) {
      subtract(tile, state.last, state.delta);
      if (!rests)
        state.moved = moved;
    } else {
      whole();
      state.moved.clear();
    }
    state.last = tile;
  }
  state.deltaVolume = state.delta.volume();
}

const SpatialPattern &Analysis::patternOf(unsigned memory) {
  const Block &block = list.blocks[memory];
  auto [known, isNew] = patterns.try_emplace({memory, passMask(block.master() + 1)});
  if (isNew) {
    auto ends = [&](unsigned loop) { return endOf(loop); };
    auto enter = [&](unsigned loop, int64_t k) { index[loop] = k; };
    known->second = PatternBuilder(input, list, memory, ends, enter).build();
  }
  return *known->second;
}

/// The words of one step of a lane.
Box Analysis::pointOf(unsigned space) const {
  Box point;
  for (const std::vector<Term> &rank : input.problem.spaces[space].ranks) {
    int64_t place = 0;
    for (const Term &term : rank)
      place += term.coefficient * origin[term.dim];
    point.append({place, place + 1});
  }
  return point;
}

void Analysis::visitArray(unsigned memory) {
  const Block &block = list.blocks[memory];
  const SpatialPattern &pattern = patternOf(memory);
  MemoryState &state = states[memory];
  if (memory == 0) {
    sums.arrayVisits[&pattern] += epochs;
  } else {
    for (unsigned loop = block.first; loop < block.temporal; ++loop)
      index[loop] = 0;
    visit(block.first - 1);
  }
  Box tile;
  for (unsigned space = 0; space < spaces; ++space) {
    Boxes words;
    if (memory == 0)
      words.add(pointOf(space));
    else
      words = states[memory - 1].spaces[space].delta;
    words.sort();
    send(memory, space, pattern, words);
    state.previousWords[space] = std::move(words);
    tileOf(block.master(), space, tile);
    double &largest = sums.traffic[memory][space].senderSize;
    largest = std::max(largest, volume(tile));
  }
  if (!llvm::all_of(input.placements[memory].noLinks, [](bool barred) { return barred; }))
    state.previous = &pattern;
}

/// Adds what an array is sent in one step: the first child needs `words`.
void Analysis::send(unsigned memory, unsigned space, const SpatialPattern &pattern,
                    const Boxes &words) {
  Traffic &result = sums.traffic[memory][space];
  double volume = words.volume() * epochs;
  if (volume == 0)
    return;
  const Groups *groups = &pattern.groups[space];
  const MemoryState &state = states[memory];
  Offset shift;
  if (state.previous && !input.placements[memory].noLinks[space] &&
      !state.previousWords[space].empty() && isShifted(words, state.previousWords[space], shift)) {
    const LinkedGroups &linked = links.between(*state.previous, pattern, space, shift,
                                               input.placements[memory].noMulticast[space]);
    double all = 0;
    for (const GroupSize &size : *groups)
      all += static_cast<double>(size.groups);
    if (linked.served < all) {
      result.links += linked.linked * volume;
      groups = &linked.groups;
    }
  }
  for (const GroupSize &size : *groups) {
    double count = static_cast<double>(size.groups);
    Sent &sent = result.histogram[{size.multicast, size.groups}];
    sent.words += count * volume;
    sent.hops += size.hops * (count * volume) / count;
  }
}

AnalysisResult Analysis::takeResult() {
  AnalysisResult result;
  result.computes = sums.laneComputes;
  if (!sums.arrayVisits.empty()) {
    std::map<int64_t, double> lanes;
    for (const auto &[pattern, count] : sums.arrayVisits)
      for (size_t i = 0; i < pattern->children.size(); ++i)
        lanes[pattern->children[i]] += static_cast<double>(pattern->visits[i]) * count;
    double sum = 0;
    for (const auto &[number, count] : lanes)
      sum += count;
    result.computes = sum / static_cast<double>(lanes.size());
  }
  result.traffic = std::move(sums.traffic);
  return result;
}

static bool isExact(const AnalysisResult &result) {
  bool exact = result.computes < exactLimit;
  for (const std::vector<Traffic> &memory : result.traffic)
    for (const Traffic &one : memory) {
      exact &= one.links < exactLimit;
      for (const auto &[key, sent] : one.histogram)
        exact &= sent.words < exactLimit;
    }
  return exact;
}

llvm::Optional<AnalysisResult> timeloop::analyse(const Input &input, const LoopList &list,
                                                 DiagnosticEngine &diagnostics, bool remembers) {
  auto fail = [&](const char *reason) {
    diagnostics.report(input.place, diag::TimeloopTooLarge, reason);
    return llvm::None;
  };
  for (const Block &block : list.blocks)
    if (block.children() > maxChildren)
      return fail("an array of more than 2^20 children is not analysed");
  Analysis analysis(input, list, remembers);
  analysis.run();
  if (analysis.tookTooLong())
    return fail("the nest takes more than 30 million steps to analyse");
  AnalysisResult result = analysis.takeResult();
  if (!isExact(result))
    return fail("a count exceeds 2^53, from where on the tool's figures are no longer exact");
  return result;
}
