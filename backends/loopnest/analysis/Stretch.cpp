// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Stretch.h"
#include "backends/loopnest/analysis/Digits.h"
#include "backends/loopnest/analysis/Enumeration.h"
#include "backends/loopnest/analysis/RankSums.h"

using namespace perfc;
using namespace perfc::loopnest;

/// All lanes of the parallel loops of `dim` outside `level` work whenever one does: the first and
/// the last one have as many tiles.
static bool workTogether(const FlatNest &flat, unsigned dim, unsigned level) {
  Digits digits(flat, dim, level);
  Digits::Choices first, last;
  for (const Digit &digit : digits.list()) {
    Choice any = Choice::any(digit.factor);
    first.push_back(digit.parallel ? Choice::only(0) : any);
    last.push_back(digit.parallel ? Choice::only(digit.factor - 1) : any);
  }
  return digits.countBelow(digits.size(), first) == digits.countBelow(digits.size(), last);
}

bool loopnest::canStretch(const FlatNest &flat) {
  unsigned innermost = flat.parent(flat.lanes(), flat.output);
  for (unsigned i = 0; flat.plainLoops && i < flat.levels[innermost].parallel; ++i)
    if (!workTogether(flat, flat.parallel[i].drives.front().dim, innermost))
      return false;
  return flat.plainLoops;
}

namespace {

/// All counts of the output, memory after memory, then the finished points.
using Numbers = std::vector<Checked>;

/// The shortest factor from which on counts are affine, or proportional, in that of one loop.
struct Onset {
  int64_t factor;
  bool isProportional = false;
  bool isWindow = false;
};

class Stretch {
public:
  explicit Stretch(int64_t work) : work(work) {}
  /// Empty when it takes too much work.
  Numbers count(const Nest &nest);

private:
  Numbers execute(const Nest &nest);
  int64_t work;
};

} // namespace

/// The nest with nothing but its output.
static Nest outputOnly(const FlatNest &flat) {
  Nest nest = *flat.nest;
  nest.tensors = {flat.nest->tensors[flat.output]};
  for (Place &place : nest.places) {
    bool keeps = llvm::is_contained(place.keep, flat.output);
    place.keep.assign(keeps ? 1 : 0, 0u);
    for (Axis &axis : place.axes) {
      bool apart = llvm::is_contained(axis.apart, flat.output);
      axis.apart.assign(apart ? 1 : 0, 0u);
    }
  }
  return nest;
}

/// Product of the factors of `dim`.
static int64_t covered(const Nest &nest, unsigned dim) {
  int64_t product = 1;
  for (const Place &place : nest.places)
    for (const Loop &loop : place.loops)
      product *= loop.drives.front().dim == dim ? loop.factor : 1;
  return product;
}

/// Product of the factors of `dim` further in.
static int64_t stepOf(const Nest &nest, size_t place, size_t loop, unsigned dim) {
  int64_t step = 1;
  for (size_t p = place; p < nest.places.size(); ++p)
    for (size_t l = p == place ? loop + 1 : 0; l < nest.places[p].loops.size(); ++l)
      if (nest.places[p].loops[l].drives.front().dim == dim)
        step *= nest.places[p].loops[l].factor;
  return step;
}

/// Of a loop with this step of a dimension without a rest. Nothing where padding cuts a rank of it.
static llvm::Optional<Onset> onsetOf(const Nest &nest, unsigned dim, int64_t factor, int64_t step) {
  bool isUsed = false, isAlone = true;
  int64_t touching = INT64_MAX;
  for (const Subscript &subscript : nest.tensors.front().ranks) {
    Rank rank = normalise(nest, subscript);
    auto term = llvm::find_if(rank.terms, [&](const Term &t) { return t.dim == dim; });
    if (term == rank.terms.end())
      continue;
    if (rank.extent)
      return llvm::None;
    isAlone &= !isUsed && rank.terms.size() == 1;
    isUsed = true;
    int64_t shift = std::abs(term->coefficient) * step;
    int64_t rest = rank.high - rank.low - shift * (factor - 1); // reach of all other loops
    touching = std::min(touching, rest / shift + 1);
  }
  if (!isUsed)
    return Onset{2};
  return isAlone ? Onset{2, true, false} : Onset{touching + 2, false, true};
}

Numbers Stretch::execute(const Nest &nest) {
  std::vector<AnalysisError> errors;
  llvm::Optional<FlatNest> flat = flatten(nest, errors);
  int64_t points = flat ? enumerationWork(*flat) : -1;
  if (points < 0 || (work -= points) < 0)
    return {};
  llvm::Optional<Counts> counts = enumerate(*flat, /*hops=*/false, /*transfers=*/false, errors);
  if (!counts)
    return {};
  Numbers result;
  for (const MemoryCounts &memory : counts->memories) {
    const llvm::Optional<TensorCounts> &output = memory.tensors.front();
    if (!output)
      continue;
    for (int64_t number : {output->fills, output->writebacks, output->finished.getValueOr(0)})
      result.push_back(number);
    for (const NetworkCount &count : {output->reads, output->updates})
      for (int64_t number : {count.shared, count.separate, count.declared})
        result.push_back(number);
  }
  result.push_back(counts->finishedPoints);
  return result;
}

/// Whether the loop makes the innermost memory that keeps the output leave its tile and come back:
/// a loop in time outside that memory, with another one outside.
static bool makesReturn(const Nest &nest, size_t place, size_t loop) {
  bool isOutside = false, hasTimeOutside = false;
  for (size_t p = place + 1; p < nest.places.size(); ++p)
    isOutside |= !nest.places[p].keep.empty();
  for (size_t p = 0; p <= place; ++p)
    for (size_t l = 0; l < (p < place ? nest.places[p].loops.size() : loop); ++l)
      hasTimeOutside |=
          nest.places[p].kind == PlaceKind::Memory && nest.places[p].loops[l].factor > 1;
  return nest.places[place].kind == PlaceKind::Memory && isOutside && hasTimeOutside;
}

/// Shortens the first loop that is longer than it need be, and counts what that leaves.
Numbers Stretch::count(const Nest &nest) {
  for (size_t p = 0; p < nest.places.size(); ++p)
    for (size_t l = 0; l < nest.places[p].loops.size(); ++l) {
      const Loop &loop = nest.places[p].loops[l];
      unsigned dim = loop.drives.front().dim;
      int64_t size = nest.dims[dim].size;
      if (covered(nest, dim) != size)
        continue;
      llvm::Optional<Onset> onset = onsetOf(nest, dim, loop.factor, stepOf(nest, p, l, dim));
      if (onset && onset->isProportional && !makesReturn(nest, p, l))
        onset->factor = 1;
      bool isLane = nest.places[p].kind == PlaceKind::Array;
      if (!onset || (isLane && onset->isWindow) ||
          loop.factor <= onset->factor + (onset->isProportional ? 0 : 1))
        continue;
      auto shortened = [&](int64_t factor) {
        Nest result = nest;
        result.places[p].loops[l].factor = factor;
        result.dims[dim].size = size / loop.factor * factor;
        return count(result);
      };
      Numbers least = shortened(onset->factor);
      if (least.empty())
        return {};
      if (onset->isProportional) {
        for (Checked &number : least)
          number = Checked(number.value() / onset->factor) * loop.factor;
        return least;
      }
      Numbers next = shortened(onset->factor + 1);
      if (next.empty())
        return {};
      for (size_t i = 0; i < least.size(); ++i)
        least[i] += (next[i] - least[i]) * (loop.factor - onset->factor);
      return least;
    }
  return execute(nest);
}

llvm::Optional<OutputCounts> loopnest::stretchedOutput(const FlatNest &flat, int64_t work) {
  Numbers numbers = Stretch(work).count(outputOnly(flat));
  if (numbers.empty() || llvm::any_of(numbers, [](Checked n) { return n.overflowed(); }))
    return llvm::None;
  auto next = numbers.begin();
  auto take = [&] { return (next++)->value(); };
  OutputCounts result;
  for (unsigned m = 0; m < flat.memories.size(); ++m) {
    llvm::Optional<TensorCounts> &counts = result.memories.emplace_back();
    if (!flat.levels[m].keeps[flat.output])
      continue;
    counts.emplace();
    counts->fills = take();
    counts->writebacks = take();
    int64_t finished = take();
    if (flat.nest->hasPartial())
      counts->finished = finished;
    for (NetworkCount *count : {&counts->reads, &counts->updates})
      for (int64_t *number : {&count->shared, &count->separate, &count->declared})
        *number = take();
  }
  result.finishedPoints = take();
  return result;
}
