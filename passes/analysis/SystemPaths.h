// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where chips stand in a system of unlike members. Chips are numbered in the order in which the
// system lists its members; a set of them has paths: the groups from a chip outwards. Chips with
// equal groups and of the same kind share a path, so a set of a million chips has few.
#ifndef PERFC_PASSES_ANALYSIS_SYSTEMPATHS_H
#define PERFC_PASSES_ANALYSIS_SYSTEMPATHS_H

#include "ir/common/Diagnostics.h"
#include "ir/core/Module.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace perfc::passes {

/// The groups around a chip, the nearest first.
struct SystemPath {
  struct Level {
    const ir::Operation *group;
    int64_t chips; ///< in one such group
    bool operator==(const Level &other) const { return group == other.group; }
  };
  const ir::Operation *chip = nullptr;
  std::vector<Level> levels;
  bool operator==(const SystemPath &other) const {
    return chip == other.chip && levels == other.levels;
  }
};

/// Chips `first` to `first + count - 1`, and those whole steps behind them.
struct ChipSet {
  int64_t first = 0, count = 1, step = 1; ///< first + count is at most step

  /// The number of the first stretch that ends at chip `from` or behind it; that of the last one
  /// that begins before chip `end`, -1 for none.
  int64_t stretchFrom(int64_t from) const {
    return std::max<int64_t>(0, (from - first - count + step) / step);
  }
  int64_t lastBefore(int64_t end) const { return end > first ? (end - 1 - first) / step : -1; }
  /// True when some of chips `from` to `from + chips - 1` are in it.
  bool meets(int64_t from, int64_t chips) const {
    return stretchFrom(from) <= lastBefore(from + chips);
  }
  bool operator<(const ChipSet &other) const {
    return std::tie(first, count, step) < std::tie(other.first, other.count, other.step);
  }
};

/// A group of the system, or a dimension of a torus or mesh: `below` chips are in one of its
/// members, `chips` in all.
struct NetworkRange {
  int64_t below = 1, chips = 1;
};

class SystemPaths {
public:
  /// `system` is a target.system or a target.chip.
  explicit SystemPaths(const ir::Operation &system);

  int64_t chips() const { return total; }
  /// All chips.
  ChipSet all() const { return {0, total, total}; }
  /// The numbers of the paths of `chips`.
  const std::vector<unsigned> &of(const ChipSet &chips);
  const SystemPath &path(unsigned number) const { return known[number]; }
  /// The group, network or dimension called `name`. An axis over a group may also use the groups
  /// inside it (`below` is 1), one over a dimension nothing else.
  llvm::Optional<NetworkRange> rangeOf(llvm::StringRef name);
  /// Chips of each kind, in the order of the system.
  std::vector<std::pair<const ir::Operation *, int64_t>> kinds() const;

  /// How many times slower than sound ones the slowest of these chips is, by the system's faults.
  double slowdown(const ChipSet &chips) const;
  bool hasSlowChips() const { return !slow.empty(); }
  /// Reads the faults of chips; false, reported, where one names no chip or breaks it.
  bool readFaults(SourceRange where, DiagnosticEngine &diagnostics);

private:
  struct Slow {
    int64_t chip;
    double factor;
  };
  int64_t sizeOf(const ir::Operation &part) const;
  void visit(const ir::Operation &part, int64_t base, const ChipSet &chips,
             std::vector<SystemPath::Level> &outside, std::vector<unsigned> &into);
  void countKinds(const ir::Operation &part, int64_t times,
                  std::vector<std::pair<const ir::Operation *, int64_t>> &into) const;

  const ir::Operation &system;
  int64_t total = 1;
  std::vector<SystemPath> known;
  std::map<ChipSet, std::vector<unsigned>> sets;
  std::vector<Slow> slow;
};

} // namespace perfc::passes

#endif // PERFC_PASSES_ANALYSIS_SYSTEMPATHS_H
