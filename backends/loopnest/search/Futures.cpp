// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Futures.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Most futures of which it is known what it took to get there.
static constexpr unsigned seenLimit = 1000000;

Futures::Needs Futures::needsAt(unsigned slots) const {
  Needs needs;
  auto hasAxes = [&](unsigned from) {
    return from < slots && llvm::any_of(llvm::makeArrayRef(space.slots).slice(from, slots - from),
                                        [](const Slot &slot) { return slot.isAxis; });
  };
  needs.axes = hasAxes(0);
  for (const Crossing &crossing : space.crossings) {
    if (crossing.end <= slots)
      continue;
    // What lanes take depends on no order, and on no lanes outside of the parent.
    if (crossing.level == space.lanes() && !hasAxes(crossing.parentEnd))
      continue;
    if (crossing.level < space.lanes())
      needs.live |= uint32_t(1) << crossing.tensor;
    needs.lanes = needs.axes;
    needs.windows |= !space.tensors[crossing.tensor].windows.empty();
  }
  return needs;
}

/// Whether what is decided fits whatever loops further in make memories hold partial sums.
bool Futures::fitsWithSums(const Mapping &mapping, unsigned slots) const {
  for (unsigned m = 0; m < space.lanes() && space.memorySlot[m] <= slots; ++m)
    if (const auto &capacity = weights.memories[m].capacityBits;
        capacity && evaluator.mostTileBits(mapping, m) > *capacity)
      return false;
  return true;
}

/// The loops in time from the inside out, up to the one outside of which no tensor of `live` finds
/// what it had.
void Futures::appendTrail(const TileGrid &grid, const Mapping &mapping, unsigned slots,
                          uint32_t live, std::string &key) const {
  std::pair<unsigned, int64_t> last{~0u, 1};
  auto write = [&] {
    if (last.first == ~0u)
      return;
    key += char(last.first);
    key += char(grid.number(last.first, last.second));
  };
  for (unsigned s = slots; s-- > 0 && live;)
    for (unsigned i = space.dims(); i-- > 0 && live && !space.slots[s].isAxis;) {
      unsigned d = mapping.order[s][i];
      if (mapping.factor[s][d] == 1)
        continue;
      if (last.first != d) {
        write();
        last = {d, 1};
      }
      last.second *= mapping.factor[s][d];
      for (unsigned t = 0; t < space.tensors.size(); ++t)
        if (space.tensors[t].plain >> d & 1)
          live &= ~(uint32_t(1) << t);
    }
  write();
}

bool Futures::isCovered(const Floors &floors, const Mapping &mapping, unsigned slots,
                        const TileGrid::Point &outside, double decided, bool energyOnly) {
  Needs needs = needsAt(slots);
  if (needs.axes && (!energyOnly || needs.windows || !floors.crossingCosts().sharingPays()))
    return false;
  // What has room further in depends on more where partial sums have a size of their own.
  if (evaluator.tellsPartial() && (needs.axes || slots < floors.arrayBegin()))
    return false;
  const TileGrid &grid = floors.tiles();
  std::string key(1, char(slots));
  key.append(outside.begin(), outside.end());
  for (unsigned s = 0; s < slots && needs.lanes; ++s)
    for (unsigned d = 0; d < space.dims() && space.slots[s].isAxis; ++d)
      key += char(grid.number(d, mapping.factor[s][d]));
  appendTrail(grid, mapping, slots, needs.live, key);
  Costs cost{decided};
  if (!energyOnly)
    evaluator.movedOutside(mapping, slots, cost);
  auto covers = [](const Costs &a, const Costs &b) {
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] > b[i])
        return false;
    return true;
  };
  auto known = seen.find(key);
  if (known != seen.end() &&
      llvm::any_of(known->second, [&](const Costs &other) { return covers(other, cost); }))
    return true;
  // What may turn out not to fit excludes nothing.
  if (seen.size() >= seenLimit || (evaluator.tellsPartial() && !fitsWithSums(mapping, slots)))
    return false;
  std::vector<Costs> &list = seen[key];
  llvm::erase_if(list, [&](const Costs &other) { return covers(cost, other); });
  list.push_back(cost);
  return false;
}
