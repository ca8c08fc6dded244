// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of a program, statement by statement: each is built as a module of its own, lowered
// through all levels and costed; then what it expects is checked, and a listener is told. What
// cannot be evaluated yet is reported at its place, and the other statements go on.
#ifndef PERFC_API_EVALUATION_H
#define PERFC_API_EVALUATION_H

#include "api/Agreement.h"
#include "api/Context.h"
#include "api/PointProblems.h"
#include "api/ReportTable.h"
#include "api/RunOptions.h"
#include "api/tools/AskedTools.h"
#include "backends/core/Evaluate.h"
#include "backends/emit/MetricExpression.h"
#include "frontend/build/Compilation.h"
#include <deque>
#include <set>

namespace perfc::api {

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
  /// Of a `report` at file level.
  std::vector<ReportTable> tables = {};
  /// Of a point that is a sum: how many points of its sweep were evaluated to know it; else 0.
  size_t summedFrom = 0;
};

/// A search and the result that it led to.
struct Searched {
  mapper::SearchSummary summary;
  const emit::Result *result;
};

/// What `validate` has predicted of a table of measurements.
struct PredictedTable {
  std::string path;  ///< as written
  SourceRange place; ///< of the statement
  std::vector<ValidationRow> rows;
};

/// What a result says of itself: its line, what was evaluated and where, and the elements of the
/// weights of its subject.
struct ResultLabels {
  std::string label, subject, on;
  llvm::Optional<int64_t> parameters;
};

/// What the evaluator of one statement sees (api/statements/Statements.h).
struct StatementContext {
  ir::Module &module; ///< lowered to all levels; a search changes it
  ir::Operation &op;
  const ir::Operation *point; ///< the study.point around it, or null
  /// The statement that `op`, an evaluation, is a part of, and whose name its result has; or null.
  const ir::Operation *around = nullptr;
  RanKernels *ran = nullptr; ///< gets the kernels of an evaluation; or null
};

/// Who answers a statement: `providers`, with a tool among them where one is asked.
struct Answerer {
  ProviderSet &providers;
  AskedTool *by = nullptr; ///< the tool; null for perfc alone
  /// Whether its result is to have what perfc's own model of the tool says.
  bool asksModel = false;
};

class Evaluation {
public:
  using Listener = std::function<void(const Evaluated &)>;

  /// Answers of `perfcs` stay with them: what a later evaluation asks again is known.
  Evaluation(Context context, ProviderSet &perfcs, RunOptions options = {});

  /// Loads and checks `root` with all that it imports, and evaluates its statements. Mistakes go to
  /// the diagnostics of the context.
  void run(FileId root, Compilation::Defines defines, const Listener &listener);
  /// Evaluates the statements of a program that is loaded and checked.
  void run(Compilation &program, const Listener &listener);
  /// Evaluates the modules of a text of the IR (api/ModuleFile.h), each as one that was built: the
  /// passes leave alone what they have done before.
  void runModules(FileId text, const Listener &listener);

  const std::deque<emit::Result> &results() const { return found; }
  /// The searches so far, in order.
  const std::deque<Searched> &searches() const { return searched; }
  /// The search that led to `result`; null for others.
  const mapper::SearchSummary *searchOf(const emit::Result &result) const;
  /// The mappings that a search has found for `result`, as a program has them; "" of other results.
  std::string mappingText(const emit::Result &result) const;
  /// Reports where `file`, which was evaluated, has no statement that the options are for: one of
  /// those that were to be evaluated alone, a `replay` for a cluster.
  void checkAsked(FileId file);
  /// What all sweeps have come to, with the points that a file of results had.
  mapper::SweepFindings sweepFindings() const;
  /// The tables of measurements, in file order.
  const std::deque<PredictedTable> &tables() const { return predicted; }
  /// What `report` at file level asks for, in file order.
  llvm::ArrayRef<ReportTable> reports() const { return fileReports; }
  /// Outcomes of `expect` at file level.
  llvm::ArrayRef<emit::Expectation> expectations() const { return fileExpectations; }
  /// The results of that name: one for each row of its statement and point of its sweep.
  std::vector<const emit::Result *> named(llvm::StringRef name) const;
  /// True for the name of a result that a statement which is not supported yet would have had.
  bool isUnsupported(llvm::StringRef name) const { return removed.count(name.str()) != 0; }
  /// How the expressions of a statement are read; `outcome` may be null.
  MetricNames names(const ir::Module &module, const Outcome *outcome) const;

  // For the evaluators of statements.
  Context context;
  ProviderSet &perfcs; ///< the providers without tools
  const RunOptions options;
  /// Who answers `statement`; nothing when the tool that it names cannot be run here (reported).
  llvm::Optional<Answerer> answererOf(const StatementContext &statement);
  /// The module before it was lowered; null without `train`.
  const ir::Module *builtModule() const { return asBuilt.get(); }
  /// Elements of the weights of a subject of the module at hand.
  llvm::Optional<int64_t> parametersOf(llvm::StringRef subject) const {
    return parameters.lookup(subject);
  }
  /// Keeps `outcome` as the result of the statement; what identifies it is what `labels` says.
  void keep(Outcome outcome, const StatementContext &statement, ResultLabels labels);
  /// Keeps what a search has found with its result, the last one, which `notes` are added to.
  void keep(mapper::SearchSummary summary, llvm::ArrayRef<std::string> notes);
  std::set<std::pair<uint32_t, uint32_t>> warned; ///< places with words that nothing reads

private:
  /// Takes a module and how many points its sweep has; false to see no more of them.
  using UnitVisitor = llvm::function_ref<bool(ir::Module &, size_t)>;
  void runUnits(llvm::function_ref<void(UnitVisitor)> forEachUnit, const Listener &listener);
  bool openStore(Compilation::Defines defines);
  void serve();
  void unit(ir::Module &module, const Listener &listener);
  /// What a statement has found without being evaluated.
  struct Summed {
    Outcome outcome;
    ResultLabels labels;
    size_t from; ///< points that were evaluated
  };
  friend class SeparableSweep;
  bool removeUnsupported(ir::Module &module);
  bool isDone(const ir::Operation &point);
  void finishPoint(const ir::Operation &point);
  void drop(size_t firstResult, size_t firstSearch);
  void showBest(const mapper::GoalValues &goal);
  bool prepare(ir::Module &module);
  bool calibrateChips(ir::Module &module);
  void keepAsBuilt(ir::Module &module);
  void statement(const StatementContext &statement, const Listener &listener,
                 Summed *summed = nullptr);
  void blaming(SourceRange place, const ir::Operation *point, llvm::function_ref<void()> evaluate);
  void tableRow(ir::Module &module, const ir::Operation &point);
  std::string evaluateRow(ir::Module &module);
  ir::Module *loweredRow(ir::Module &module);
  std::vector<const emit::Result *> namedInRow(llvm::StringRef name) const;
  void keepRows(Evaluated &evaluated);
  void checkExpectations(const Evaluated &evaluated);
  void reportUnknown(llvm::StringRef name, SourceRange place);
  bool checkExpectation(const ir::Module &module, study::ExpectOp expect, emit::Result *result,
                        llvm::StringRef about);
  llvm::Optional<emit::Expectation> checkCase(study::ExpectOp expect, const MetricNames &names,
                                              llvm::StringRef about);
  unsigned statementIndex(SourceRange place);

  FileId rootFile = 0;                                      ///< of a program
  std::vector<std::pair<std::string, std::string>> defines; ///< of it
  std::map<std::pair<std::string, std::string>, llvm::Optional<ir::AttrDict>>
      calibrated; ///< `layers` of chips with tables, by these; nothing after a report
  AskedTools tools;
  PointProblems problems{context.diagnostics};
  std::unique_ptr<ir::Module> asBuilt;
  std::deque<emit::Result> found;
  std::deque<Searched> searched;
  std::deque<PredictedTable> predicted;
  std::vector<ReportTable> fileReports;
  /// The row of a table at hand.
  struct {
    size_t firstResult = 0, firstSearch = 0;
    llvm::StringMap<std::string> problems; ///< why results are missing, by their names
    int64_t statements = 0;                ///< modules with statements so far
    bool isOpen = false;                   ///< more of it follows
  } row;
  std::unique_ptr<mapper::ResultStore> store;
  mapper::SweepFindings findings;           ///< without a store
  std::vector<mapper::StoredRow> pointRows; ///< of the point at hand
  size_t errorsBefore = 0;                  ///< of the point at hand: those of what was before it
  std::map<unsigned, int64_t> points;       ///< by statement: points so far
  size_t pointCount = 0;                    ///< of the sweep at hand
  llvm::Optional<double> leastOfSweep;      ///< of what its `pareto` names first
  std::vector<emit::Expectation> fileExpectations;
  std::set<std::pair<uint32_t, std::string>> reported; ///< unsupported parts, by place and text
  std::set<std::string> removed;                       ///< names of results that there will not be
  std::vector<SourceRange> statements;
  llvm::StringSet<> kinds;                             ///< of operations of the study level
  llvm::StringMap<llvm::Optional<int64_t>> parameters; ///< of the subjects of the current module
};

/// Runs the passes that lead to `level`; false after a report.
bool lower(ir::Module &module, llvm::StringRef level, DiagnosticEngine &diagnostics);

/// The study.point that `module` is of; null for other statements.
const ir::Operation *pointOf(const ir::Module &module);
/// Whether `point`, which may be null, is a row of a table of measurements.
bool isRow(const ir::Operation *point);

/// Elements of the weights of graph @subject, with those of the graphs that it calls; nothing where
/// they do not fit 64 bits.
llvm::Optional<int64_t> countParameters(const ir::Module &module, llvm::StringRef subject);
/// Those of them that belong to experts which no token of the pass is expected to choose.
llvm::Optional<int64_t> countUnchosen(const ir::Module &module, llvm::StringRef subject);

} // namespace perfc::api

#endif // PERFC_API_EVALUATION_H
