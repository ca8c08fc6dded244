// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/Format.h"

#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

/// Bits of a run, and the zeros that one entry can stand for.
static constexpr double runBits = 5, longestRun = 32;

llvm::Optional<Format> loopnest::parseFormat(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::Optional<Format>>(name)
      .Case("uncompressed", Format::Uncompressed)
      .Case("bitmask", Format::Bitmask)
      .Case("rle", Format::Rle)
      .Case("coordinate", Format::Coordinate)
      .Case("csr", Format::Csr)
      .Default(llvm::None);
}

static double bitsFor(double values) { return values <= 1 ? 0 : std::ceil(std::log2(values)); }

StoredTile loopnest::storedTile(Format format, Extents tile, double share) {
  double all = elements(tile), nonzeros = all * share;
  switch (format) {
  case Format::Uncompressed:
    return {all, 0};
  case Format::Bitmask:
    return {nonzeros, all};
  case Format::Rle: {
    double entries =
        nonzeros == 0 ? all / longestRun : nonzeros / (1 - std::pow(1 - share, longestRun));
    return {entries, entries * runBits};
  }
  case Format::Coordinate: {
    double bits = 0;
    for (int64_t extent : tile)
      bits += bitsFor(static_cast<double>(extent));
    return {nonzeros, nonzeros * bits};
  }
  case Format::Csr: {
    double columns = tile.empty() ? 1 : static_cast<double>(tile.back());
    double rows = columns == 0 ? 0 : all / columns;
    return {nonzeros, nonzeros * bitsFor(columns) + (rows + 1) * bitsFor(nonzeros + 1)};
  }
  }
  return {all, 0};
}
