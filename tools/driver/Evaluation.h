// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of a file, statement by statement: each is built as a module of its own, lowered
// through all levels and costed; then what it expects is checked, and a listener prints. What
// cannot be evaluated yet is reported at its place, and the other statements go on.
#ifndef PERFC_TOOLS_DRIVER_EVALUATION_H
#define PERFC_TOOLS_DRIVER_EVALUATION_H

#include "backends/core/Evaluate.h"
#include "backends/loopnest/exact/CountVerifier.h"
#include "backends/mapper/StudySearch.h"
#include "backends/mapper/SweepRows.h"
#include "frontend/build/Compilation.h"
#include "tools/driver/Session.h"
#include "tools/driver/sweep/PointSharing.h"
#include <deque>
#include <set>

namespace perfc::astra {
struct Cluster;
}

namespace perfc::driver {

using emit::ExpressionValue;
using emit::MetricNames;

/// One statement that has been evaluated, while its module exists.
struct Evaluated {
  const ir::Module &module;
  /// study.evaluate, study.compare, or a request at the top (report, expect, emit).
  const ir::Operation &op;
  /// The study.point around it, or null.
  const ir::Operation *point = nullptr;
  /// One for an evaluation, one per row of a comparison.
  std::vector<const emit::Result *> results;
};

class Evaluation {
public:
  using Listener = std::function<void(const Evaluated &)>;
  /// A search and the result that it led to.
  struct Searched {
    mapper::SearchSummary summary;
    const emit::Result *result;
  };

  Evaluation(Session &session, ProviderSet providers);

  /// What answers statements that do not say `using`, instead of what fits their chip.
  void useByDefault(llvm::StringRef provider) { defaultProvider = provider.str(); }
  /// Evaluates the statements of `root`. Mistakes go to the session's diagnostics.
  void run(FileId root, Compilation::Defines defines, const Listener &listener);

  const std::deque<emit::Result> &results() const { return found; }
  /// The searches so far, in order.
  const std::deque<Searched> &searches() const { return searched; }
  /// The mappings that a search has found for `result`, as a program has them; "" of other results.
  std::string mappingText(const emit::Result &result) const;
  /// How `search` statements are searched; to be set before `run`.
  mapper::SearchSettings searchSettings;
  /// Only `search` statements, and the sweeps that hold them, are evaluated; or only sweeps.
  bool onlySearches = false;
  bool onlySweeps = false;
  /// What counts nests again for the providers; null for nothing.
  loopnest::CountVerifier *verifier = nullptr;
  /// What `replay` runs on instead of its system; null for that.
  const astra::Cluster *replayOn = nullptr;
  bool hasReplayed = false; ///< whether the program has a `replay`
  bool hasSearched = false; ///< a `search`
  bool hasSwept = false;    ///< a `sweep`
  /// A training step that does not fit into the memory is a result all the same.
  bool trainsBeyondMemory = false;
  /// Where the points of sweeps are kept, and which of them are evaluated.
  mapper::SweepSettings sweepSettings;
  /// The processes that share the points of sweeps; null when this one is alone.
  PointSharing *sharing = nullptr;
  /// What the process that hands points out does with their results, in order; what the others have
  /// printed of the point at hand.
  std::function<void(const PointOutcome &)> onOutcome;
  std::function<PointTexts()> takePrinted;
  /// The rows of all sweeps, also those that a file of results had.
  std::vector<mapper::StoredRow> sweepRows() const;
  /// Outcomes of `expect` at file level.
  llvm::ArrayRef<emit::Expectation> expectations() const { return fileExpectations; }
  /// The results of that name: one for each row of its statement and point of its sweep.
  std::vector<const emit::Result *> named(llvm::StringRef name) const;
  /// True for the name of a result that a statement which is not supported yet would have had.
  bool isUnsupported(llvm::StringRef name) const { return removed.count(name.str()) != 0; }
  /// How the expressions of a statement are read; `cost` may be null.
  MetricNames names(const ir::Module &module, const Cost *cost) const;

private:
  void serve();
  void unit(ir::Module &module, const Listener &listener);
  bool removeUnsupported(ir::Module &module);
  bool isDone(const ir::Operation &point);
  void finishPoint(const ir::Operation &point);
  void showBest(const ir::Operation &point, const MetricNames &names);
  void statement(ir::Module &module, ir::Operation &op, const ir::Operation *point,
                 const Listener &listener);
  /// What a result says of itself: its line, what was evaluated and where, and the elements of the
  /// weights of its subject.
  struct ResultLabels {
    std::string label, subject, on;
    llvm::Optional<int64_t> parameters;
  };
  ResultLabels labelsIn(const ir::Operation &op) const;
  const emit::Result *add(Cost cost, const ir::Operation &op, const ir::Operation *point,
                          ResultLabels labels);
  const emit::Result *evaluate(const ir::Module &module, const ir::Operation &op,
                               const ir::Operation *point);
  void keepAsBuilt(const ir::Module &module);
  const emit::Result *train(ir::Module &module, ir::Operation &op, const ir::Operation *point);
  const emit::Result *replay(const ir::Module &module, const ir::Operation &op,
                             const ir::Operation *point);
  const emit::Result *serveRequests(ir::Module &module, ir::Operation &op,
                                    const ir::Operation *point);
  const emit::Result *search(ir::Module &module, ir::Operation &op, const ir::Operation *point);
  void checkExpectations(const Evaluated &evaluated);
  void reportUnknown(llvm::StringRef name, SourceRange place);
  bool checkExpectation(const ir::Module &module, study::ExpectOp expect, emit::Result *result,
                        llvm::StringRef about);
  llvm::Optional<emit::Expectation> checkCase(study::ExpectOp expect, const MetricNames &context,
                                              llvm::StringRef about);
  unsigned statementIndex(SourceRange place);

  Session &session;
  ProviderSet providers;
  std::unique_ptr<ir::Module> asBuilt; ///< the module before it was lowered; null without `train`
  std::string defaultProvider;         ///< "" for what fits the chip
  std::deque<emit::Result> found;
  std::deque<Searched> searched;
  std::unique_ptr<mapper::ResultStore> store;
  std::vector<mapper::StoredRow> rows;      ///< without a store
  std::vector<mapper::StoredRow> pointRows; ///< of the point at hand
  size_t errorsBefore = 0;                  ///< of the point at hand: those of what was before it
  std::map<unsigned, int64_t> points;       ///< by statement: points so far
  size_t pointCount = 0;                    ///< of the sweep at hand
  llvm::Optional<double> leastOfSweep;      ///< of what its `pareto` names first
  std::vector<emit::Expectation> fileExpectations;
  std::set<std::pair<uint32_t, std::string>> reported; ///< unsupported parts, by place and text
  std::set<std::pair<uint32_t, uint32_t>> warned;      ///< places with words that nothing reads
  std::set<std::string> removed;                       ///< names of results that there will not be
  std::vector<SourceRange> statements;
  llvm::StringMap<llvm::Optional<int64_t>> parameters; ///< of the subjects of the current module
};

/// Runs the passes that lead to `level`; false after a report.
bool lower(ir::Module &module, llvm::StringRef level, DiagnosticEngine &diagnostics);

/// Elements of the weights of graph @subject, with those of the graphs that it calls; nothing where
/// they do not fit 64 bits.
llvm::Optional<int64_t> countParameters(const ir::Module &module, llvm::StringRef subject);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_EVALUATION_H
