// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel takes as a function of the sizes of a batch, from its cost at a few sizes. Each
// part of the cost (time at the units, time at the memories, operations, bytes, energy) is
// interpolated by itself and the longer time counts, so that the kinks of a roofline stay where
// they are. Between two sizes parts are linear, in a chunk of a prompt quadratic (causal attention
// of c tokens behind p takes c p + c (c + 1) / 2 products): what a roofline says is met exactly.
#ifndef PERFC_BACKENDS_SERVING_CURVE_H
#define PERFC_BACKENDS_SERVING_CURVE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfc::serving {

/// The parts of one run's cost.
struct Point {
  /// Seconds at the units and at the memories, of which the longer one counts, of what comes
  /// beside both, and of the start; operations; bytes; joules.
  enum Part : uint8_t { Compute, Memory, Rest, Launch, Flops, Bytes, Energy };
  static constexpr size_t partCount = Energy + 1;
  std::array<double, partCount> parts{};

  double seconds() const {
    return (parts[Compute] > parts[Memory] ? parts[Compute] : parts[Memory]) + parts[Rest] +
           parts[Launch];
  }
  void add(const Point &other, double times = 1) {
    for (size_t i = 0; i < partCount; ++i)
      parts[i] += other.parts[i] * times;
  }
};

/// Sizes in rising order along one axis, and where a value stands among them.
class Axis {
public:
  struct Weight {
    size_t index;
    double share;
  };

  void add(int64_t size);
  size_t indexOf(int64_t size) const;
  size_t count() const { return sizes.size(); }
  /// Shares of two neighbours that add up to 1; outside of the sizes the line goes on.
  std::array<Weight, 2> linear(double value) const;
  /// Shares of three neighbours of a parabola; of two where there are no more.
  std::array<Weight, 3> quadratic(double value) const;

private:
  std::vector<double> sizes;
};

/// Points of a grid with the shares that a place between them has of each: of rows and columns.
class Cells {
public:
  Cells() = default;
  template <typename Rows, typename Columns>
  Cells(const Rows &rows, const Columns &columns, size_t width) {
    for (Axis::Weight row : rows)
      for (Axis::Weight column : columns)
        if (double share = row.share * column.share; share != 0)
          list[count++] = {row.index * width + column.index, share};
  }

  bool empty() const { return count == 0; }
  const Axis::Weight *begin() const { return list.data(); }
  const Axis::Weight *end() const { return list.data() + count; }

private:
  std::array<Axis::Weight, 6> list{};
  size_t count = 0;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_CURVE_H
