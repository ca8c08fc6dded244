// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/ChipTime.h"

#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

/// ceil(amount / (rate / clock)) when that is exact and fits.
static llvm::Optional<int64_t> wholeCycles(int64_t amount, const Quantity &rate,
                                           const Quantity &clock) {
  if (!rate.isExact() || !clock.isExact())
    return llvm::None;
  llvm::Optional<Rational> perCycle = divide(rate.rational(), clock.rational());
  llvm::Optional<Rational> cycles = perCycle ? divide(Rational(amount), *perCycle) : llvm::None;
  return cycles ? llvm::Optional<int64_t>(cycles->ceil()) : llvm::None;
}

ChipTime loopnest::timeFor(int64_t amount, const Quantity &rate,
                           const llvm::Optional<Quantity> &clock) {
  ChipTime time;
  time.cycles = clock ? wholeCycles(amount, rate, *clock) : llvm::None;
  if (time.cycles)
    time.seconds = static_cast<double>(*time.cycles) / clock->toDouble();
  else
    time.seconds = Uncertain(static_cast<double>(amount)) / rate.toUncertain();
  return time;
}

ChipTime loopnest::timeFor(double amount, const Quantity &rate,
                           const llvm::Optional<Quantity> &clock) {
  double whole = std::ceil(amount - 1e-6); // sums of parts are not exact
  if (whole < 0x1p63)
    return timeFor(static_cast<int64_t>(whole), rate, clock);
  return {Uncertain(whole) / rate.toUncertain(), llvm::None};
}

ChipTime loopnest::later(const ChipTime &a, const ChipTime &b) {
  return a.seconds.central() >= b.seconds.central() ? a : b;
}
