// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the study operations of statements into one region.
#ifndef PERFC_FRONTEND_BUILD_STUDYBUILDER_H
#define PERFC_FRONTEND_BUILD_STUDYBUILDER_H

#include "frontend/build/BuildContext.h"
#include "ir/common/Metrics.h"
#include "llvm/ADT/Twine.h"
#include <map>

namespace perfc {

struct MetricScope;

class StudyBuilder {
public:
  StudyBuilder(BuildContext &context, ir::Region &region);

  /// Builds one statement and all it needs; false after a report.
  bool build(const ast::Item &item, BlockKind kind, const Scope &scope);
  /// Adds an expect, report or emit of `node` to `into`.
  bool outcome(const Node &node, ir::Region &into, bool inStatement);
  /// Adds what a line `name`, `split` or `against` of a table says to `row`, the last one's
  /// predictions to `into`; `group` is what the row was dealt by `split`. False after a report, but
  /// what is known is there all the same.
  bool rowLine(const Node &node, llvm::StringRef group, ir::Operation &row, ir::Region &into);
  /// Checks the metrics of `minimize`, `maximize`, `require` or `pareto`.
  bool goal(const Node &node);
  /// Adds the `require`, `pareto` or `keep` of a sweep to `point`.
  bool pointGoal(const Node &node, ir::Operation &point);
  /// What `outcome` and the goals that follow are about: results of `evaluate`, `train`, ….
  void setStatement(llvm::StringRef word);
  /// Notes at `range` that `what` cannot be evaluated yet.
  void markUnsupported(ir::Region &into, SourceRange range, llvm::Twine what);

private:
  /// What a statement is about: a workload, op, collective or trace, how often it runs, and on
  /// what.
  struct Subject {
    const Instance *instance = nullptr;
    int64_t count = 1;
    std::vector<NodeArg> on; ///< at least one; those of a list one by one
  };
  /// Builds a statement for one of its targets; null after a report.
  using OneTarget = ir::Operation *(StudyBuilder::*)(const Node &statement, const Subject &subject,
                                                     const NodeArg &on, ir::Region &into);

  bool buildStatement(const ast::Item &item, BlockKind kind, const Scope &scope);
  bool namesResults(const ast::Item &item) const;
  bool compareResults(const ast::Item &item, const Scope &scope);
  void declareFailed(const ast::Item &item);
  /// Nothing after a report; a missing subject and a missing `on` are both reported.
  llvm::Optional<Subject> subject(const Node &statement);
  llvm::Optional<BuiltTarget> target(const Node &statement, const NodeArg &on);
  /// Who answers after `using`: providers, tools and ensembles; null where that is not said.
  static std::vector<const WordValue *> answerers(const Node &statement);
  ir::Operation *answer(const Node &statement, const Subject &subject, const NodeArg &on,
                        llvm::ArrayRef<NodeArg> with, const WordValue *by, ir::Region &into,
                        bool &good);
  /// "tool("timeloop")", as a program says it.
  static std::string answererText(const WordValue &by);
  bool chooseAnswerer(const WordValue &by, SourceRange range, ir::Operation &evaluate);
  bool rows(const Node &statement, bool splitWith);
  bool row(const Node &statement, const Subject &subject, const NodeArg &on,
           llvm::ArrayRef<NodeArg> with, const WordValue *by, ir::Region &into,
           ir::Operation *&created);
  bool chosenMappings(llvm::ArrayRef<NodeArg> with, const Instance &subject,
                      const BuiltGraph &graph, const BuiltTarget &chip,
                      std::vector<std::string> &symbols);
  bool otherChoice(const NodeArg &choice, const Subject &subject, ir::Operation &evaluate);
  bool chosenAlgorithm(const NodeArg &choice, const Subject &subject, ir::Operation &evaluate);
  bool lineAlgorithms(ir::Operation &evaluate);
  /// False, reported, where two of `choices` would run the same collective.
  bool checkAlgorithms(llvm::ArrayRef<NodeArg> choices, const Subject &subject);
  void parallel(const Node &statement, ir::Operation &evaluate, int64_t batch);
  bool libraryWords(const Node &statement, ir::Operation &op);
  void noteUnsupported(const Node &child, ir::Region &into);
  bool against(const Node &node, ir::Operation &row, ir::Region &into);
  ir::AttrDict groups(const Node &line, llvm::StringRef word, ir::AttrDict known);
  bool report(const Node &node, const MetricScope &where, ir::Region &into);
  bool outcomes(const Node &statement, ir::Region &into);
  bool goals(const Node &statement);
  bool serveGoal(const Node &statement, ir::Operation &op);
  void declareResult(const std::string &name, SourceRange range);
  void nameResult(const Node &statement, ir::Operation &op);
  bool search(const Node &statement);
  /// Steps and batches cost each kernel on the whole chip: notes as unsupported a `target`, chip or
  /// system, with arrays that feed each other.
  void noteFeeds(const Node &statement, llvm::StringRef target);
  /// Gives `op` the study.goal that a search or a `train` with holes asks for; false after a
  /// report.
  bool buildGoal(const Node &statement, ir::Operation &op);
  /// Adds the expressions of one of its words to `goal`.
  bool addGoals(const Node &node, ir::Operation &goal);
  bool searchGoals(const Node &statement, ir::Operation &op);
  bool searchSpaces(const Subject &subject, const NodeArg &on, llvm::ArrayRef<NodeArg> spaces,
                    ir::Operation &op);
  bool onEach(const Node &statement, OneTarget build);
  ir::Operation *serve(const Node &statement, const Subject &about, const NodeArg &on,
                       ir::Region &into);
  ir::Operation *replay(const Node &statement, const Subject &about, const NodeArg &on,
                        ir::Region &into);
  ir::Operation *train(const Node &statement, const Subject &about, const NodeArg &on,
                       ir::Region &into);

  BuildContext &context;
  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  ir::Region &region;
  llvm::Optional<ResultKind> kind; ///< of the results that metrics are of; nothing at file level
};

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_STUDYBUILDER_H
