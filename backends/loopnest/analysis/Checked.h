// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 64-bit integer that remembers that it overflowed: sums and products of counts are formed
// freely, and the flag is looked at once, at the end.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_CHECKED_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_CHECKED_H

#include <cstdint>

namespace perfc {
namespace loopnest {

class Checked {
public:
  Checked(int64_t value = 0) : number(value) {}

  /// Meaningless once overflowed() is true.
  int64_t value() const { return number; }
  bool overflowed() const { return wrapped; }

  Checked &operator+=(Checked other) {
    wrapped |= other.wrapped | __builtin_add_overflow(number, other.number, &number);
    return *this;
  }
  Checked &operator-=(Checked other) {
    wrapped |= other.wrapped | __builtin_sub_overflow(number, other.number, &number);
    return *this;
  }
  /// Zero times an overflowed number is still overflowed: it may stand for a huge one.
  Checked &operator*=(Checked other) {
    wrapped |= other.wrapped | __builtin_mul_overflow(number, other.number, &number);
    return *this;
  }
  friend Checked operator+(Checked a, Checked b) { return a += b; }
  friend Checked operator-(Checked a, Checked b) { return a -= b; }
  friend Checked operator*(Checked a, Checked b) { return a *= b; }

private:
  int64_t number;
  bool wrapped = false;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_CHECKED_H
