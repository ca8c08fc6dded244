// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Enumeration.h"
#include "backends/loopnest/analysis/Checked.h"
#include "backends/loopnest/analysis/Delivery.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "backends/loopnest/analysis/Touched.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// What one copy of a memory holds: elements, and partial sums of the output as numbers of points.
struct Instance {
  std::vector<ElementSet> held; ///< by tensor; empty vector: never used
  llvm::DenseMap<int64_t, int64_t> sums;
};
using Tile = std::vector<ElementSet>;  ///< by tensor
using Tiles = std::map<int64_t, Tile>; ///< by instance
using Sets = std::map<int64_t, ElementSet>;

/// What moves words in or out of a memory.
enum class Way { Fill, Read, Update, Writeback };

class Enumeration {
public:
  Enumeration(const FlatNest &flat, const Touched &touched, bool hops, bool transfers);
  Counts run();

private:
  Tiles touchedTiles(unsigned level, llvm::ArrayRef<int64_t> when) const;
  Tiles targets(unsigned level, Tiles tiles, const std::map<unsigned, Tiles> &outer);
  void move(unsigned firstChanged, llvm::ArrayRef<int64_t> when);
  void enter(unsigned level, unsigned tensor, const Sets &entering);
  void writeBack(unsigned level, const Sets &leaving);
  void update(unsigned level, int64_t where, int64_t element, int64_t points,
              const NetworkCount &writers);
  void countPoints();
  void execute(llvm::ArrayRef<std::pair<int64_t, Point>> work);
  void noteResident(unsigned level);
  void noteMoving(unsigned level, Way way, int64_t where, int64_t words, int64_t finished = 0);
  void noteTransfers(unsigned tensor);
  void storeTransfers();
  void drain();
  template <typename Visit> void forGroups(unsigned above, unsigned level, const Sets &sets, Visit);
  int64_t instanceAbove(unsigned above, unsigned level, int64_t instance) const;
  void addHops(const Delivery &delivery, llvm::ArrayRef<int64_t> children) {
    if (hops)
      delivery.addHops(children, counts.arrays);
  }
  TensorCounts &countsOf(unsigned level, unsigned tensor) {
    return *counts.memories[level].tensors[tensor];
  }

  const FlatNest &flat;
  const Touched &touched;
  bool hops, transfers;
  std::vector<std::map<int64_t, Instance>> state;
  /// Points of each element of the output, where finished words are told apart.
  llvm::DenseMap<int64_t, int64_t> pointsOf;
  /// By memory: most bits in one instance if it holds partial sums.
  std::vector<int64_t> partialResident;
  /// By memory: transfers by what moves, tensor, words and finished words.
  std::vector<std::map<std::tuple<Way, unsigned, int64_t, int64_t>, int64_t>> moved;
  /// Those of one epoch or step, by instance: words, of which finished.
  std::map<std::tuple<unsigned, Way, int64_t>, std::pair<int64_t, int64_t>> moving;
  Counts counts;
};

} // namespace

static void add(NetworkCount &sum, const NetworkCount &count) {
  sum.shared += count.shared;
  sum.separate += count.separate;
  sum.declared += count.declared;
}

static ElementSet difference(const ElementSet &a, const ElementSet &b) {
  ElementSet result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

static ElementSet intersection(const ElementSet &a, const ElementSet &b) {
  ElementSet result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

Enumeration::Enumeration(const FlatNest &flat, const Touched &touched, bool hops, bool transfers)
    : flat(flat), touched(touched), hops(hops), transfers(transfers), state(flat.memories.size()),
      moved(flat.memories.size()) {
  unsigned tensors = flat.nest->tensors.size();
  counts.form = AnalysisForm::Enumerated;
  for (unsigned m = 0; m < flat.memories.size(); ++m) {
    counts.memories.push_back({flat.memories[m]->name, {}});
    counts.memories[m].tensors.resize(tensors);
    for (unsigned t = 0; t < tensors; ++t)
      if (flat.levels[m].keeps[t])
        counts.memories[m].tensors[t] = TensorCounts();
    if (flat.nest->hasPartial() && flat.levels[m].keeps[flat.output])
      counts.memories[m].tensors[flat.output]->finished = 0;
  }
  partialResident.assign(flat.memories.size(), 0);
  llvm::Optional<NetworkCount> zero;
  if (hops)
    zero = NetworkCount();
  for (const FlatArray &array : flat.arrays)
    counts.arrays.push_back(
        {array.place->name, std::vector<llvm::Optional<NetworkCount>>(tensors, zero)});
}

int64_t Enumeration::instanceAbove(unsigned above, unsigned level, int64_t instance) const {
  for (unsigned i = flat.levels[above].parallel; i < flat.levels[level].parallel; ++i)
    instance /= flat.parallel[i].factor;
  return instance;
}

/// The tiles of all instances of `level` that have work in the epoch of `when`.
Tiles Enumeration::touchedTiles(unsigned level, llvm::ArrayRef<int64_t> when) const {
  Tiles tiles;
  unsigned outside = flat.levels[level].temporal, tensors = flat.nest->tensors.size();
  llvm::SmallVector<int64_t, 8> inner(when.begin(), when.end());
  std::fill(inner.begin() + outside, inner.end(), 0);
  Point point(flat.nest->dims.size());
  do {
    Point base = touched.base(inner);
    for (int64_t lane = 0; lane < touched.laneCount(); ++lane) {
      if (!touched.pointAt(base, lane, point))
        continue;
      Tile &tile = tiles[instanceAbove(level, flat.lanes(), lane)];
      tile.resize(tensors);
      for (unsigned t = 0; t < tensors; ++t)
        if (flat.levels[level].keeps[t])
          if (int64_t element = touched.element(t, point); element >= 0)
            tile[t].push_back(element);
    }
  } while (touched.next(inner, outside));
  for (auto &entry : tiles)
    for (ElementSet &set : entry.second) {
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
  return tiles;
}

/// What each instance holds in the new epoch; idle ones keep what the parent still has.
Tiles Enumeration::targets(unsigned level, Tiles tiles, const std::map<unsigned, Tiles> &outer) {
  for (const auto &entry : state[level]) {
    if (tiles.count(entry.first))
      continue;
    Tile &tile = tiles[entry.first] = entry.second.held;
    if (!level || !flat.levels[level].keeps[flat.output])
      continue;
    unsigned above = flat.parent(level, flat.output);
    int64_t where = instanceAbove(above, level, entry.first);
    auto begun = outer.find(above);
    const Tile &kept = begun == outer.end() ? state[above][where].held : begun->second.at(where);
    tile[flat.output] = intersection(tile[flat.output], kept[flat.output]);
  }
  return tiles;
}

/// Epochs begin in the memories with a loop at or after `firstChanged` outside them: outputs leave,
/// innermost memory first, then everything enters, outermost first.
void Enumeration::move(unsigned firstChanged, llvm::ArrayRef<int64_t> when) {
  std::map<unsigned, Tiles> target;
  for (unsigned m = 0; m < flat.memories.size(); ++m)
    if (firstChanged < flat.levels[m].temporal || counts.steps == 0)
      target[m] = targets(m, touchedTiles(m, when), target);
  for (auto it = target.rbegin(); it != target.rend(); ++it) {
    if (!it->first || !flat.levels[it->first].keeps[flat.output])
      continue;
    Sets leaving;
    for (auto &held : state[it->first])
      leaving[held.first] =
          difference(held.second.held[flat.output], it->second[held.first][flat.output]);
    writeBack(it->first, leaving);
  }
  for (auto &entry : target) {
    for (auto &tile : entry.second)
      state[entry.first][tile.first].held.resize(flat.nest->tensors.size());
    for (unsigned t = 0; t < flat.nest->tensors.size(); ++t) {
      if (!flat.levels[entry.first].keeps[t])
        continue;
      Sets entering;
      for (auto &tile : entry.second)
        entering[tile.first] = difference(tile.second[t], state[entry.first][tile.first].held[t]);
      if (entry.first)
        enter(entry.first, t, entering);
      for (auto &tile : entry.second)
        state[entry.first][tile.first].held[t] = tile.second[t];
    }
    noteResident(entry.first);
  }
}

/// Calls visit(parent instance, element, children) for each element of `sets`, children in order.
template <typename Visit>
void Enumeration::forGroups(unsigned above, unsigned level, const Sets &sets, Visit visit) {
  std::map<std::pair<int64_t, int64_t>, llvm::SmallVector<int64_t, 4>> groups;
  for (const auto &entry : sets)
    for (int64_t element : entry.second)
      groups[{instanceAbove(above, level, entry.first), element}].push_back(entry.first);
  for (const auto &group : groups)
    visit(group.first.first, group.first.second, group.second);
}

void Enumeration::enter(unsigned level, unsigned tensor, const Sets &entering) {
  unsigned above = flat.parent(level, tensor);
  Delivery delivery(flat, above, level, tensor);
  TensorCounts &mine = countsOf(level, tensor), &theirs = countsOf(above, tensor);
  forGroups(above, level, entering,
            [&](int64_t where, int64_t element, llvm::ArrayRef<int64_t> children) {
              if (tensor != flat.output) {
                mine.fills += children.size();
                for (int64_t child : children)
                  noteMoving(level, Way::Fill, child, 1);
                NetworkCount messages = delivery.messages(children);
                noteMoving(above, Way::Read, where, messages.declared);
                add(theirs.reads, messages);
                addHops(delivery, children);
                return;
              }
              auto &sums = state[above][where].sums;
              auto sum = sums.find(element);
              if (sum == sums.end())
                return;
              ++mine.fills;
              noteMoving(level, Way::Fill, children.front(), 1);
              noteMoving(above, Way::Read, where, 1);
              add(theirs.reads, {1, 1, 1});
              addHops(delivery, children.front());
              state[level][children.front()].sums[element] = sum->second;
              sums.erase(element);
            });
  noteTransfers(tensor);
}

void Enumeration::writeBack(unsigned level, const Sets &leaving) {
  unsigned above = flat.parent(level, flat.output);
  Delivery delivery(flat, above, level, flat.output);
  forGroups(above, level, leaving,
            [&](int64_t where, int64_t element, llvm::ArrayRef<int64_t> children) {
              countsOf(level, flat.output).writebacks += children.size();
              int64_t points = 0;
              for (int64_t child : children) {
                int64_t part = state[level][child].sums.lookup(element);
                noteMoving(level, Way::Writeback, child, 1, part == pointsOf.lookup(element));
                points += part;
                state[level][child].sums.erase(element);
              }
              update(above, where, element, points, delivery.messages(children));
              addHops(delivery, children);
            });
  noteTransfers(flat.output);
}

/// Partial sums of one element arrive at the same time, `points` together: all but a first one are
/// merged, and the last one finishes the element.
void Enumeration::update(unsigned level, int64_t where, int64_t element, int64_t points,
                         const NetworkCount &writers) {
  TensorCounts &mine = countsOf(level, flat.output);
  auto inserted = state[level][where].sums.try_emplace(element, 0);
  int64_t first = inserted.second ? 1 : 0;
  inserted.first->second += points;
  bool finished = mine.finished && inserted.first->second == pointsOf.lookup(element);
  if (finished)
    ++*mine.finished;
  noteMoving(level, Way::Update, where, writers.declared, finished);
  noteMoving(level, Way::Read, where, writers.declared - first);
  add(mine.updates, writers);
  add(mine.reads, {writers.shared - first, writers.separate - first, writers.declared - first});
}

void Enumeration::noteResident(unsigned level) {
  MemoryCounts &memory = counts.memories[level];
  for (const auto &entry : state[level]) {
    int64_t words = 0, bits = 0, more = 0;
    for (unsigned t = 0; t < entry.second.held.size(); ++t) {
      int64_t size = entry.second.held[t].size();
      words += size;
      bits += size * flat.nest->tensors[t].bitsPerWord;
      more += size * movedBits(*flat.nest, *flat.memories[level], t);
      if (flat.levels[level].keeps[t])
        countsOf(level, t).maxResident = std::max(countsOf(level, t).maxResident, size);
    }
    memory.maxResident = std::max(memory.maxResident, words);
    memory.maxResidentBits = std::max(memory.maxResidentBits, bits);
    partialResident[level] = std::max(partialResident[level], more);
  }
}

/// One step: lanes hold nothing, so each needs its elements now and sends its product up.
void Enumeration::execute(llvm::ArrayRef<std::pair<int64_t, Point>> work) {
  for (unsigned t = 0; t < flat.nest->tensors.size(); ++t) {
    unsigned above = flat.parent(flat.lanes(), t);
    Delivery delivery(flat, above, flat.lanes(), t);
    Sets sets;
    for (const auto &entry : work)
      if (int64_t element = touched.element(t, entry.second); element >= 0)
        sets[entry.first].push_back(element);
    forGroups(above, flat.lanes(), sets,
              [&](int64_t where, int64_t element, llvm::ArrayRef<int64_t> lanes) {
                addHops(delivery, lanes);
                if (t != flat.output) {
                  NetworkCount messages = delivery.messages(lanes);
                  noteMoving(above, Way::Read, where, messages.declared);
                  return add(countsOf(above, t).reads, messages);
                }
                update(above, where, element, int64_t(lanes.size()), delivery.messages(lanes));
                if (pointsOf.lookup(element) == 1)
                  ++counts.finishedPoints;
              });
    noteTransfers(t);
  }
  counts.macs += work.size();
  counts.maxActiveLanes = std::max<int64_t>(counts.maxActiveLanes, work.size());
  ++counts.steps;
}

/// Words of the transfers at hand.
void Enumeration::noteMoving(unsigned level, Way way, int64_t where, int64_t words,
                             int64_t finished) {
  if (!transfers)
    return;
  auto &entry = moving[{level, way, where}];
  entry.first += words;
  entry.second += finished;
}

/// Ends the transfers at hand.
void Enumeration::noteTransfers(unsigned tensor) {
  for (const auto &[key, words] : moving)
    if (words.first > 0)
      ++moved[std::get<0>(key)][{std::get<1>(key), tensor, words.first, words.second}];
  moving.clear();
}

void Enumeration::storeTransfers() {
  for (unsigned m = 0; m < flat.memories.size(); ++m) {
    for (auto &tensor : counts.memories[m].tensors)
      if (tensor)
        tensor->transfers = TensorTransfers();
    for (const auto &[key, number] : moved[m]) {
      const auto &[way, tensor, words, finished] = key;
      TensorTransfers &all = *countsOf(m, tensor).transfers;
      TransferSizes &sizes = way == Way::Fill     ? all.fills
                             : way == Way::Read   ? all.reads
                             : way == Way::Update ? all.updates
                                                  : all.writebacks;
      sizes.push_back({words, finished, number});
    }
  }
}

void Enumeration::drain() {
  for (unsigned m = flat.memories.size(); m-- > 1;) {
    if (!flat.levels[m].keeps[flat.output])
      continue;
    Sets leaving;
    for (auto &entry : state[m])
      leaving[entry.first] = entry.second.held[flat.output];
    writeBack(m, leaving);
  }
}

/// Fills in `pointsOf`.
void Enumeration::countPoints() {
  llvm::SmallVector<int64_t, 8> when(flat.temporal.size(), 0);
  Point point(flat.nest->dims.size());
  do {
    Point base = touched.base(when);
    for (int64_t lane = 0; lane < touched.laneCount(); ++lane)
      if (touched.pointAt(base, lane, point))
        if (int64_t element = touched.element(flat.output, point); element >= 0)
          ++pointsOf[element];
  } while (touched.next(when, 0));
}

Counts Enumeration::run() {
  if (flat.nest->hasPartial())
    countPoints();
  llvm::SmallVector<int64_t, 8> when(flat.temporal.size(), 0), before;
  Point point(flat.nest->dims.size());
  do {
    std::vector<std::pair<int64_t, Point>> work;
    Point base = touched.base(when);
    for (int64_t lane = 0; lane < touched.laneCount(); ++lane)
      if (touched.pointAt(base, lane, point))
        work.push_back({lane, point});
    if (work.empty())
      continue;
    unsigned changed = 0;
    while (changed < before.size() && before[changed] == when[changed])
      ++changed;
    move(changed, when);
    execute(work);
    before = when;
  } while (touched.next(when, 0));
  drain();
  for (unsigned m = 0; m < flat.memories.size(); ++m)
    if (flat.levels[m].keeps[flat.output] && countsOf(m, flat.output).holdsPartial())
      counts.memories[m].maxResidentBits = partialResident[m];
  if (transfers)
    storeTransfers();
  return std::move(counts);
}

int64_t loopnest::enumerationWork(const FlatNest &flat) {
  Checked work = flat.levels.size();
  for (const std::vector<FlatLoop> *list : {&flat.temporal, &flat.parallel})
    for (const FlatLoop &loop : *list)
      work *= loop.factor;
  return work.overflowed() ? -1 : work.value();
}

llvm::Optional<Counts> loopnest::enumerate(const FlatNest &flat, bool hops, bool transfers,
                                           std::vector<AnalysisError> &errors) {
  Touched touched(flat);
  if (touched.overflowed()) {
    errors.push_back({AnalysisErrorKind::CountOverflow, "the elements touched", ""});
    return llvm::None;
  }
  return Enumeration(flat, touched, hops, transfers).run();
}
