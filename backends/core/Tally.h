// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A distribution of more values than are kept: how many there are in each of buckets whose bounds
// are 0.1 % apart, so that percentiles are known to 0.05 %. Mean, least and most are exact.
#ifndef PERFC_BACKENDS_CORE_TALLY_H
#define PERFC_BACKENDS_CORE_TALLY_H

#include "backends/core/Serving.h"

namespace perfc {

class Tally {
public:
  /// Counts `value`, which is not negative, `times` times.
  void add(double value, int64_t times = 1);
  int64_t count() const { return total; }
  /// Without halves of intervals, which would need the values in order.
  Distribution distribution() const;

private:
  double percentile(double share) const;

  size_t placeOf(double value) const;

  std::vector<int64_t> buckets; ///< the first one for what is too small for the others
  /// The last value and its bucket: requests of a batch have the same gap, one after the other.
  double lastValue = 0;
  size_t lastPlace = 0;
  int64_t total = 0;
  double sum = 0, least = 0, most = 0;
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_TALLY_H
