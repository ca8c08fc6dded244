// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where statements that run together meet, and what memories hold then. A memory at which they
// meet, and those outside it, hold the tiles of all at once: per tensor the largest, and of a
// retained halo the tile that is being made besides. A memory further in holds them all if it has
// room, else the results of all and the operands of one statement at a time.
#ifndef PERFC_BACKENDS_LOOPNEST_FUSEDCAPACITY_H
#define PERFC_BACKENDS_LOOPNEST_FUSEDCAPACITY_H

#include "backends/loopnest/FusedCounts.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {
namespace loopnest {

/// The memories at which the statements of a loopnest.fused meet.
class FusedMeetings {
public:
  FusedMeetings(FusedOp op, const passes::Chip &places);

  /// The innermost one at which `part` meets another statement; where no memory holds what they
  /// share, the one that `fuse` names.
  llvm::StringRef of(const FusedPart &part) const;

private:
  llvm::StringRef further(llvm::StringRef a, llvm::StringRef b, bool inward) const;

  FusedOp op;
  const passes::Chip &places;
  llvm::StringMap<std::string> memoryOf; ///< by fused tensor
};

class FusedCapacity {
public:
  /// `parts` are counted; where a memory takes turns, their counts change.
  FusedCapacity(FusedOp op, const passes::Chip &places, std::vector<FusedPart> &parts,
                DiagnosticEngine &diagnostics)
      : op(op), places(places), parts(parts), diagnostics(diagnostics), meetings(op, places) {}

  /// Checks that every memory has room; false after a report.
  bool check();

private:
  using Held = std::vector<std::pair<std::string, int64_t>>; ///< tensor, bits

  bool takeTurns();
  bool fits(llvm::StringRef memory, const Held &held) const;
  bool checkMemory(target::MemoryOp memory, const Held &held);
  std::string nameOf(const std::string &tensor) const;
  Held heldTogether(llvm::StringRef memory) const;
  Held heldInTurns(llvm::StringRef memory) const;

  FusedOp op;
  const passes::Chip &places;
  std::vector<FusedPart> &parts;
  DiagnosticEngine &diagnostics;
  FusedMeetings meetings;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_FUSEDCAPACITY_H
