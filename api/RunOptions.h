// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program is evaluated, beside what it says itself.
#ifndef PERFC_API_RUNOPTIONS_H
#define PERFC_API_RUNOPTIONS_H

#include "backends/loopnest/exact/CountVerifier.h"
#include "backends/mapper/StudySearch.h"
#include "backends/mapper/SweepRows.h"
#include <functional>

namespace perfc::astra {
struct Cluster;
}

namespace perfc::api {

class Evaluation;
class LoweredRows;
struct Tool;
struct Evaluated;

/// A point of a sweep that another process has evaluated.
struct SharedPoint {
  bool isComplete = false; ///< false for one that was cut short: it is evaluated again next time
  std::vector<mapper::StoredRow> rows;
  std::vector<Diagnostic> problems;
};

/// Processes that share the points of sweeps. Each builds the points of the program in order, so
/// that a point has the same number everywhere.
class PointShare {
public:
  virtual ~PointShare() = default;
  /// True for the process that evaluates none but hands them out.
  virtual bool handsOut() const = 0;
  /// There: until all points are done; `each` in their order. What is complete is in `store`, if
  /// that is given, before.
  virtual void serve(mapper::ResultStore *store,
                     llvm::function_ref<void(const SharedPoint &)> each) = 0;
  /// At the others: true when this process evaluates the point.
  virtual bool takes(int64_t statement, int64_t point) = 0;
  /// The rows of the point at hand.
  virtual void finished(std::vector<mapper::StoredRow> rows) = 0;
  /// After the point, or whatever was built: the diagnostics from the `first`-th on are of it.
  virtual void send(size_t first) = 0;
};

struct RunOptions {
  /// Which statements are evaluated: all, `search` with the sweeps that hold them, sweeps, or
  /// `validate`.
  enum class Which : uint8_t { All, Searches, Sweeps, Tables } which = Which::All;
  /// What answers statements that do not say `using`; "" for what fits their chip.
  std::string provider;
  /// Statements `serve` run by VIDUR's rules.
  bool servesAsVidur = false;
  /// Who is asked in the place of a provider of costs, or instead of serving requests, by
  /// statements that do not say `using`; null for nobody.
  const Tool *tool = nullptr;
  /// Results of that tool have what perfc's own model of it says.
  bool asksModel = false;
  mapper::SearchSettings search;
  /// Where the points of sweeps are kept, and which of them are evaluated.
  mapper::SweepSettings sweep;
  PointShare *sharing = nullptr; ///< null when this process is alone
  /// Called before all points with the rows of those that the file of results has; or null.
  std::function<void(llvm::ArrayRef<mapper::StoredRow>)> onKept;
  /// Adds to the rows of a point, one for each result of `evaluated`, what else a file of results
  /// is to keep of them; or null.
  std::function<void(const Evaluation &, const Evaluated &evaluated,
                     llvm::ArrayRef<mapper::StoredRow *> rows)>
      keepWith;
  /// Whether the results of a point by that name are needed after the listener was told of them;
  /// null when all are. What goes leaves no row, either.
  std::function<bool(llvm::StringRef name)> isNeededLater;
  /// Chips with tables of measurements have the figures that these tell.
  bool calibrates = true;
  /// Changes modules before they are lowered; or null.
  std::function<void(ir::Module &)> adjust;
  /// Counts nests again for the providers; null for nothing.
  loopnest::CountVerifier *verifier = nullptr;
  /// What `replay` runs on instead of its system; null for that.
  const astra::Cluster *replayOn = nullptr;
  /// Rows of tables that stay lowered from one run to the next; null for none.
  LoweredRows *lowered = nullptr;
  /// Results have intervals, also those that are played or simulated, once for each end of each.
  bool findsIntervals = true;
  /// A training step that does not fit into the memory is a result all the same.
  bool trainsBeyondMemory = false;
};

} // namespace perfc::api

#endif // PERFC_API_RUNOPTIONS_H
