// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedHalo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::passes;

namespace {

/// Values of one index that are made, and that are needed no more, by the number of a tile.
class IndexValues {
public:
  explicit IndexValues(TileSteps steps);

  int64_t all() const { return needed; }
  /// Made before the step of tile `number`; the halo of the first tile comes before all steps.
  int64_t madeBefore(int64_t number) const { return upTo(halo - missing, number); }
  /// Not needed by tile `number` nor later ones.
  int64_t doneBefore(int64_t number) const {
    return number == count ? needed : upTo(-missing, number);
  }
  /// Tile numbers between which both grow evenly.
  llvm::SmallVector<int64_t, 8> corners() const;

private:
  int64_t upTo(int64_t first, int64_t number) const {
    return number > (needed - first) / step ? needed : std::max<int64_t>(0, first + number * step);
  }

  int64_t step, halo = 0, missing, count, needed;
};

using Numbers = llvm::SmallVector<int64_t, 4>;
using Before = int64_t (IndexValues::*)(int64_t) const;

} // namespace

IndexValues::IndexValues(TileSteps steps)
    : step(steps.step), missing(steps.missing()), count(steps.count) {
  int64_t tile = steps.tile;
  if (tile >= step && count > 1) {
    halo = tile - step;
    int64_t first = tile - missing;
    needed = count - 1 > (steps.extent - first) / step ? steps.extent : (count - 1) * step + first;
    return;
  }
  // Without a halo tiles stand side by side once what lies between them is left out.
  int64_t whole = std::min(count, steps.extent / step);
  needed = whole * tile + (whole < count ? std::min(steps.extent - whole * step, tile) : 0);
  step = tile;
}

llvm::SmallVector<int64_t, 8> IndexValues::corners() const {
  llvm::SmallVector<int64_t, 8> numbers = {0, 1, count - 2, count - 1};
  for (int64_t last : {(needed + missing) / step, (needed + missing - halo) / step})
    numbers.append({last - 1, last, last + 1});
  llvm::erase_if(numbers, [&](int64_t number) { return number < 0 || number >= count; });
  llvm::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// Elements whose numbers, by `before`, are lexicographically below `numbers`; at most them, if
/// `orEqual`.
static int64_t countBelow(llvm::ArrayRef<IndexValues> indices, const Numbers &numbers,
                          Before before, bool orEqual) {
  int64_t sum = 0, equal = 1;
  for (size_t k = 0; k < indices.size(); ++k) {
    int64_t below = (indices[k].*before)(numbers[k]), inner = 1;
    for (const IndexValues &index : indices.drop_front(k + 1))
      inner *= index.all();
    sum += equal * below * inner;
    equal *= (indices[k].*before)(numbers[k] + 1) - below;
  }
  return orEqual ? sum + equal : sum;
}

/// The most over the corners of the indices from `next` on.
static int64_t mostKept(llvm::ArrayRef<IndexValues> indices, Numbers &numbers) {
  size_t next = numbers.size();
  if (next == indices.size())
    return countBelow(indices, numbers, &IndexValues::madeBefore, /*orEqual=*/true) -
           countBelow(indices, numbers, &IndexValues::doneBefore, /*orEqual=*/false);
  int64_t most = 0;
  for (int64_t number : indices[next].corners()) {
    numbers.push_back(number);
    most = std::max(most, mostKept(indices, numbers));
    numbers.pop_back();
  }
  return most;
}

llvm::Optional<int64_t> passes::keptElements(llvm::ArrayRef<TileSteps> indices) {
  std::vector<IndexValues> values;
  llvm::Optional<int64_t> all = 1; // bounds every sum
  for (const TileSteps &steps : indices) {
    values.emplace_back(steps);
    all = all ? checkedMultiply(*all, values.back().all()) : llvm::None;
  }
  Numbers numbers;
  return all ? llvm::Optional<int64_t>(mostKept(values, numbers)) : llvm::None;
}
