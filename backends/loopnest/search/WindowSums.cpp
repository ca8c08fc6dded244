// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/WindowSums.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

static std::vector<uint8_t> numberDivisors(int64_t size) {
  std::vector<uint8_t> index(size + 1, 0);
  uint8_t next = 0;
  for (int64_t factor = 1; factor <= size; ++factor)
    if (size % factor == 0)
      index[factor] = next++;
  return index;
}

/// Bits that tell `count` numbers apart.
static unsigned bitsFor(uint64_t count) {
  unsigned bits = 0;
  while (count > uint64_t(1) << bits)
    ++bits;
  return bits;
}

WindowSums::WindowSums(const MapSpace &space, const Window &window)
    : space(space), window(window), table(1024) {
  divisorIndex[0] = numberDivisors(space.nest.dims[window.first].size);
  divisorIndex[1] = numberDivisors(space.nest.dims[window.second].size);
  firstBits = bitsFor(divisorIndex[0].back() + 1);
  bitsPerSlot = firstBits + bitsFor(divisorIndex[1].back() + 1);
  packs = bitsPerSlot * space.slots.size() + queryBits <= 64;
}

/// A number of the factors outside a level that have no room in one word.
uint64_t WindowSums::numberOf(const Mapping &mapping, unsigned end) {
  std::array<uint16_t, maxSlots> key{};
  for (unsigned s = 0; s < end; ++s)
    key[s] = static_cast<uint16_t>(digitOf(mapping, s));
  return numbers.insert({key, numbers.size()}).first->second;
}

/// The entry of a sum, or the empty one where it belongs.
WindowSums::Entry &WindowSums::entryFor(uint64_t key) {
  uint64_t hash = key * 0x9E3779B97F4A7C15ULL;
  for (size_t at = hash ^ hash >> 32;; ++at) {
    Entry &entry = table[at & (table.size() - 1)];
    if (entry.value < 0 || entry.key == key)
      return entry;
  }
}

void WindowSums::grow() {
  std::vector<Entry> old(table.size() * 2);
  old.swap(table);
  for (const Entry &entry : old)
    if (entry.value >= 0)
      entryFor(entry.key) = entry;
}

WindowSums::Entry WindowSums::find(const Mapping &mapping, const WindowQuery &query, uint64_t key) {
  Entry &entry = entryFor(key);
  if (entry.value >= 0)
    return entry;
  Entry found{key, compute(mapping, query)};
  entry = found;
  if (2 * ++used > table.size())
    grow();
  return found;
}

WindowSums::Digits WindowSums::digits(const Mapping &mapping, const WindowQuery &query,
                                      unsigned dim, unsigned prefix, bool carries,
                                      int64_t &tile) const {
  Digits result;
  tile = space.nest.dims[dim].size;
  int last = -1; // the innermost free loop in time
  for (unsigned s = 0; s < query.end; ++s) {
    int64_t factor = mapping.factor[s][dim];
    tile /= factor;
    if (factor == 1)
      continue;
    bool axis = space.slots[s].isAxis;
    Digit::Role role = axis ? (query.joint >> s & 1 ? Digit::Joint : Digit::Free)
                            : (s < prefix ? Digit::Free : Digit::Restarts);
    if (!axis && s < prefix)
      last = static_cast<int>(result.size());
    result.push_back({factor, 0, role});
  }
  int64_t step = tile;
  for (unsigned i = result.size(); i-- > 0;) {
    result[i].step = step;
    step *= result[i].factor;
  }
  if (carries && last >= 0)
    result[last].role = Digit::Carries;
  return result;
}

namespace {

/// Offsets from the digits of one role.
void addOffsets(std::vector<int64_t> &offsets, int64_t first, int64_t factor, int64_t step) {
  std::vector<int64_t> longer;
  longer.reserve(offsets.size() * (factor - first));
  for (int64_t offset : offsets)
    for (int64_t i = first; i < factor; ++i)
      longer.push_back(offset + i * step);
  offsets = std::move(longer);
}

/// Subsets of an interval of values, with counts below a limit.
class Marks {
public:
  Marks(int64_t low, int64_t high) : low(low), marks(high - low + 1, 0) {}
  unsigned char &operator[](int64_t value) { return marks[value - low]; }
  bool has(int64_t value) const {
    return value >= low && value - low < int64_t(marks.size()) && marks[value - low];
  }
  template <typename Test> void finish(Test test) {
    below.assign(marks.size() + 1, 0);
    for (size_t i = 0; i < marks.size(); ++i)
      below[i + 1] = below[i] + (test(marks[i]) ? 1 : 0);
  }
  int64_t within(int64_t from, int64_t to) const {
    auto at = [&](int64_t v) {
      return below[std::min<int64_t>(std::max<int64_t>(v - low, 0), marks.size())];
    };
    return to <= from ? 0 : at(to) - at(from);
  }
  int64_t total() const { return below.back(); }

private:
  int64_t low;
  std::vector<unsigned char> marks;
  std::vector<int64_t> below;
};

/// What the loops of one dimension do, as offsets in values of the subscript.
struct Offsets {
  std::vector<int64_t> free{0}, joint{0};
  int64_t held = 0; ///< of the tile before, less that of the new one
  int64_t reach = 0;
};

} // namespace

int64_t WindowSums::compute(const Mapping &mapping, const WindowQuery &query) const {
  int64_t tiles[2];
  Offsets offsets[2];
  const unsigned dims[2] = {window.first, window.second};
  const int64_t coefficients[2] = {window.a, window.b};
  for (unsigned k = 0; k < 2; ++k) {
    bool carries = query.carry == (k == 0 ? Carry::First : Carry::Second);
    for (const Digit &digit :
         digits(mapping, query, dims[k], k == 0 ? query.firstPrefix : query.secondPrefix, carries,
                tiles[k])) {
      int64_t step = digit.step * coefficients[k];
      if (digit.role == Digit::Restarts)
        offsets[k].held += (digit.factor - 1) * step;
      else if (digit.role == Digit::Joint)
        addOffsets(offsets[k].joint, 0, digit.factor, step);
      else
        addOffsets(offsets[k].free, digit.role == Digit::Carries, digit.factor, step);
      if (digit.role == Digit::Carries)
        offsets[k].held -= step;
    }
  }
  std::vector<int64_t> lanes;
  for (int64_t p : offsets[0].joint)
    for (int64_t r : offsets[1].joint)
      lanes.push_back(p + r);
  auto extremes = [](const std::vector<int64_t> &list) {
    auto both = std::minmax_element(list.begin(), list.end());
    return std::make_pair(*both.first, *both.second);
  };
  int64_t ranges[2] = {window.a * (tiles[0] - 1), window.b * (tiles[1] - 1)};
  int64_t low = std::min<int64_t>(ranges[0], 0) + std::min<int64_t>(ranges[1], 0);
  int64_t high = std::max<int64_t>(ranges[0], 0) + std::max<int64_t>(ranges[1], 0);
  Marks tile(low, high);
  for (int64_t i = 0; i < tiles[0]; ++i)
    for (int64_t k = 0; k < tiles[1]; ++k)
      tile[window.a * i + window.b * k] = 1;
  std::pair<int64_t, int64_t> lane = extremes(lanes);
  Marks needed(low + lane.first, high + lane.second);
  int64_t held = offsets[0].held + offsets[1].held;
  for (int64_t start : lanes)
    for (int64_t v = low; v <= high; ++v)
      if (tile.has(v)) {
        bool misses = !query.kept || !tile.has(v - held);
        needed[start + v] |= misses ? 3 : 1;
      }
  needed.finish([&](unsigned char mark) { return query.kept ? mark == 1 : mark != 0; });
  if (!window.extent)
    return needed.total() * int64_t(offsets[0].free.size() * offsets[1].free.size());
  int64_t sum = 0;
  for (int64_t p : offsets[0].free)
    for (int64_t r : offsets[1].free) {
      int64_t base = window.constant + p + r;
      sum += needed.within(-base, *window.extent - base);
    }
  return sum;
}
