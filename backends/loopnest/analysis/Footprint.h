// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the copies of a word go in an array, as columns: positions on the first axis with the span
// on the second. A factor of a tensor (a rank, an unused dimension) has a footprint per element;
// positions of different factors add up, since loops number positions in mixed radix, and an
// instance moves an element unless all factors say that it holds it.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_FOOTPRINT_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_FOOTPRINT_H

#include "backends/loopnest/analysis/Checked.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <tuple>
#include <vector>

namespace perfc {
namespace loopnest {

/// A place in one of the copies of the array.
struct Spot {
  int64_t copy = 0;
  int64_t x = 0;
  int64_t y = 0;
};

/// An instance that needs an element.
struct Reader {
  Spot spot;
  bool holds;
};

/// The readers with one x in one copy.
struct Column {
  int64_t copy, x;
  int64_t low, high;         ///< of y over all readers
  bool moves;                ///< some do not hold the element
  int64_t moveLow, moveHigh; ///< of y over those; 0 without
  bool operator<(const Column &other) const {
    return std::tie(copy, x, low, high, moves, moveLow, moveHigh) <
           std::tie(other.copy, other.x, other.low, other.high, other.moves, other.moveLow,
                    other.moveHigh);
  }
};
using Columns = std::vector<Column>; ///< by copy, then by x

Columns columnsOf(std::vector<Reader> readers);

/// How often each footprint occurs, over elements, epochs and groups.
using Footprints = std::map<Columns, Checked>;

/// A factor as a sum of products: digits that do not depend on one another are factors themselves.
using FootprintSum = std::vector<std::vector<Footprints>>;

/// Links of the trees to all that moves, summed over the product of factors.
class TreeSum {
public:
  /// The second axis is entered at `middle`.
  explicit TreeSum(int64_t middle);
  void multiply(const Footprints &factor);
  /// Multiplies with all `factors` and returns the total.
  Checked totalWith(llvm::ArrayRef<FootprintSum> factors) const;

private:
  /// Footprints on the first axis alone that move as one.
  struct Row {
    Checked copies, reach, columns; ///< sums of: copies, largest x per copy, columns
  };
  static Row product(const Row &a, const Row &b);
  Checked total() const;
  Checked linksOf(const Columns &columns, const Row &row, bool all) const;

  int64_t middle;
  Row moving;
  Row holding;
  Footprints rest;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_FOOTPRINT_H
