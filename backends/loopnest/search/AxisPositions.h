// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes of one axis lie that messages go to: sums over the settings of the loops that
// tell messages apart, and how far the others reach.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_AXISPOSITIONS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_AXISPOSITIONS_H

#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cstdint>

namespace perfc {
namespace loopnest {

struct AxisPositions {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 6> apart; ///< factor, stride
  int64_t settings = 1;
  int64_t together = 1; ///< lanes that one message serves
  int64_t reach = 0;    ///< from the first to the last of them
  int64_t stride = 1;   ///< of the next loop

  /// Adds the loop outside of those there are. `relevant` when the tensor has its dimension,
  /// `shares` when one message serves all lanes of others; with `relevantOnly` these do not count.
  void addLoop(int64_t factor, bool relevant, bool shares, bool relevantOnly) {
    if (factor == 1)
      return;
    if (relevant || (!shares && !relevantOnly)) {
      apart.push_back({factor, stride});
      settings *= factor;
    } else if (!relevantOnly) {
      together *= factor;
      reach += (factor - 1) * stride;
    }
    stride *= factor;
  }
  int64_t sum() const {
    int64_t total = 0;
    for (auto [factor, step] : apart)
      total += settings / factor * (factor * (factor - 1) / 2) * step;
    return total;
  }
  /// Sum over the settings of the links from `middle` to both ends.
  int64_t spans(int64_t middle) const {
    int64_t total = 0;
    for (int64_t setting = 0; setting < settings; ++setting) {
      int64_t rest = setting, low = 0;
      for (auto [factor, step] : apart) {
        low += rest % factor * step;
        rest /= factor;
      }
      total += std::max<int64_t>(0, low + reach - middle) + std::max<int64_t>(0, middle - low);
    }
    return total;
  }
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_AXISPOSITIONS_H
