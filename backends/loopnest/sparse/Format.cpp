// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/Format.h"

#include "backends/loopnest/sparse/RankUnits.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;
using timeloop::RankFormat;

/// Bits of a run, and the zeros that one entry can stand for.
static constexpr double runBits = 5, longestRun = 32;

static llvm::Optional<Format> parseFormat(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::Optional<Format>>(name)
      .Case("uncompressed", Format::Uncompressed)
      .Case("bitmask", Format::Bitmask)
      .Case("rle", Format::Rle)
      .Case("coordinate", Format::Coordinate)
      .Case("csr", Format::Csr)
      .Default(llvm::None);
}

static llvm::Optional<RankFormat> parseRank(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::Optional<RankFormat>>(name)
      .Case("UB", RankFormat::UB)
      .Case("UOP", RankFormat::UOP)
      .Case("B", RankFormat::B)
      .Case("RLE", RankFormat::RLE)
      .Case("CP", RankFormat::CP)
      .Default(llvm::None);
}

llvm::Optional<Storage> loopnest::parseStorage(llvm::StringRef text) {
  if (llvm::Optional<Format> format = parseFormat(text))
    return Storage{*format};
  Storage storage;
  llvm::SmallVector<llvm::StringRef, 4> names;
  text.split(names, ' ');
  for (llvm::StringRef name : names) {
    llvm::Optional<RankFormat> rank = parseRank(name);
    if (!rank)
      return llvm::None;
    storage.ranks.push_back(*rank);
  }
  return storage;
}

/// Whether the rank says which of its coordinates have something in them.
static bool isCompressing(RankFormat rank) {
  return rank != RankFormat::UB && rank != RankFormat::UOP;
}

bool Storage::isCompressed() const {
  return ranks.empty() ? format != Format::Uncompressed : llvm::any_of(ranks, isCompressing);
}

static double bitsFor(double values) { return values <= 1 ? 0 : std::ceil(std::log2(values)); }

/// A tile as a tree with a rank per format, outermost first.
static StoredTile storedTree(llvm::ArrayRef<RankFormat> formats, Extents shape, Extents tile,
                             const Density &density) {
  size_t count = formats.size();
  std::vector<RankFormat> inward(formats.rbegin(), formats.rend());
  std::vector<int64_t> fibers(count, 1);
  for (size_t i = 0; i < tile.size(); ++i)
    fibers[std::min(tile.size() - 1 - i, count - 1)] *= tile[i];
  auto emptyShare = [&](size_t inner) {
    llvm::SmallVector<int64_t, 4> box(tile.begin(), tile.end());
    if (inner < count)
      std::fill(box.begin(), box.end() - std::min(inner, box.size()), 1);
    return density.emptyShare(shape, box);
  };
  RankCounts units = rankUnits(inward, fibers, emptyShare);
  // Above compressed ranks of one coordinate the offsets are what tells where values are.
  auto stepping = static_cast<size_t>(
      llvm::find_if(fibers, [](int64_t fiber) { return fiber > 1; }) - fibers.begin());
  if (stepping < count && inward[stepping] == RankFormat::UOP && isCompressing(inward.front())) {
    double outer = 1;
    for (size_t rank = stepping + 1; rank < count; ++rank)
      outer *= static_cast<double>(fibers[rank]);
    units[stepping].payload =
        outer * (1 - emptyShare(stepping + 1)) * static_cast<double>(fibers[stepping] + 1);
  }
  double all = elements(tile), bits = 0;
  double below = 0;  // coordinates of the rank below with something in them
  double inside = 1; // elements that one coordinate stands for
  for (size_t rank = 0; rank < count; ++rank) {
    bool isMask = inward[rank] == RankFormat::B || inward[rank] == RankFormat::UB;
    bits += units[rank].metadata * (isMask ? 1 : bitsFor(static_cast<double>(fibers[rank]))) +
            units[rank].payload * bitsFor(below + 1);
    below = all / inside * (1 - emptyShare(rank));
    inside *= static_cast<double>(fibers[rank]);
  }
  return {isCompressing(inward.front()) ? all * density.share(shape) : all, bits};
}

StoredTile loopnest::storedTile(const Storage &storage, Extents shape, Extents tile,
                                const Density &density) {
  if (!storage.ranks.empty())
    return storedTree(storage.ranks, shape, tile, density);
  double share = density.share(shape);
  double all = elements(tile), nonzeros = all * share;
  switch (storage.format) {
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

double loopnest::leastWords(const Storage &storage, Extents shape, const Density &density,
                            double wordBits) {
  llvm::SmallVector<int64_t, 4> element(shape.size(), 1);
  StoredTile one = storedTile(storage, shape, element, density);
  bool growsWithTile = !storage.ranks.empty() || storage.format == Format::Csr;
  return one.words + (growsWithTile ? 0 : one.metadataBits / wordBits);
}
