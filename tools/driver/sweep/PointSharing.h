// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sweep over the processes that mpirun started. Each builds the points of the program in order,
// so that a point has the same number everywhere. The first process evaluates none: it hands
// numbers out to whoever asks, keeps what comes back as soon as it comes, and prints it in the
// order of the points, so that standard output has the bytes of a run alone. A process that asks
// goes forward only, since numbers that are handed out grow.
#ifndef PERFC_TOOLS_DRIVER_SWEEP_POINTSHARING_H
#define PERFC_TOOLS_DRIVER_SWEEP_POINTSHARING_H

#include "api/RunOptions.h"
#include "tools/driver/sweep/Ranks.h"
#include <map>
#include <set>

namespace perfc::driver {

/// One point as the process that hands points out prints it: as lines, or as parts of a document.
struct PointTexts {
  std::string asFirst; ///< as the first of its sweep, with titles
  std::string asNext;  ///< after another one
  std::vector<std::string> results, searches;
};

/// What a process sends of one point.
struct PointOutcome : api::SharedPoint {
  int64_t statement = 0; ///< which sweep of the file
  int64_t point = 0;     ///< which of its points
  PointTexts texts;
};

/// As bytes, and back; both processes have loaded the same files in the same order.
std::string packOutcome(const PointOutcome &outcome);
PointOutcome unpackOutcome(llvm::StringRef bytes);

class PointSharing : public api::PointShare {
public:
  using PointKey = std::pair<int64_t, int64_t>;

  PointSharing(Ranks &ranks, DiagnosticEngine &diagnostics)
      : ranks(ranks), diagnostics(diagnostics) {}

  bool handsOut() const override { return ranks.rank() == 0; }
  void serve(mapper::ResultStore *store,
             llvm::function_ref<void(const api::SharedPoint &)> each) override;
  bool takes(int64_t statement, int64_t point) override;
  void finished(std::vector<mapper::StoredRow> rows) override;
  void send(size_t first) override;

  /// What the process that hands points out does with their results, in order; what the others have
  /// printed of the point at hand.
  std::function<void(const PointOutcome &)> onOutcome;
  std::function<PointTexts()> takePrinted;
  /// When there are no more points, or when this process could not begin.
  void leave();

private:
  void askForNext();

  Ranks &ranks;
  DiagnosticEngine &diagnostics;
  std::set<PointKey> done; ///< points that the file of results had
  bool hasBegun = false;   ///< has heard of the points that are done, and has a number
  bool hasLeft = false;
  int64_t assigned = -1; ///< number of the point to evaluate, among those that are not done
  int64_t seen = 0;      ///< points so far that are not done
  llvm::Optional<PointOutcome> current;
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SWEEP_POINTSHARING_H
