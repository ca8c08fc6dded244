// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where chips stand in a system of unlike members. Chips are numbered in the order in which the
// system lists its members; a range of them has paths: the groups from a chip outwards. Chips with
// equal groups and of the same kind share a path, so a range of a million chips has few.
#ifndef PERFC_BACKENDS_TRAINING_SYSTEMPATHS_H
#define PERFC_BACKENDS_TRAINING_SYSTEMPATHS_H

#include "ir/common/Diagnostics.h"
#include "ir/core/Module.h"
#include <map>

namespace perfc::training {

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

class SystemPaths {
public:
  /// `system` is a target.system or a target.chip.
  explicit SystemPaths(const ir::Operation &system);

  int64_t chips() const { return total; }
  /// The numbers of the paths of chips `first` to `first + count - 1`.
  const std::vector<unsigned> &of(int64_t first, int64_t count);
  const SystemPath &path(unsigned number) const { return known[number]; }
  /// Chips of each kind, in the order of the system.
  std::vector<std::pair<const ir::Operation *, int64_t>> kinds() const;

  /// How many times slower than sound ones the slowest of these chips is, by the system's faults.
  double slowdown(int64_t first, int64_t count) const;
  bool hasSlowChips() const { return !slow.empty(); }
  /// Reads the faults of chips; false, reported, where one names no chip or breaks it.
  bool readFaults(SourceRange where, DiagnosticEngine &diagnostics);

private:
  struct Slow {
    int64_t chip;
    double factor;
  };
  int64_t sizeOf(const ir::Operation &part) const;
  void visit(const ir::Operation &part, int64_t base, int64_t first, int64_t last,
             std::vector<SystemPath::Level> &outside, std::vector<unsigned> &into);
  void countKinds(const ir::Operation &part, int64_t times,
                  std::vector<std::pair<const ir::Operation *, int64_t>> &into) const;

  const ir::Operation &system;
  int64_t total = 1;
  std::vector<SystemPath> known;
  std::map<std::pair<int64_t, int64_t>, std::vector<unsigned>> ranges;
  std::vector<Slow> slow;
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_SYSTEMPATHS_H
