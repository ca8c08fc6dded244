// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Evaluation.h"

#include "frontend/sema/Words.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/study/AllOps.h"
#include "passes/PassManager.h"
#include "tools/driver/ReportAgain.h"
#include "tools/driver/UnusedWords.h"
#include "tools/driver/search/Interrupt.h"
#include "tools/driver/sweep/PointProblems.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace perfc;
using namespace perfc::driver;
using namespace perfc::mapper;

bool driver::lower(ir::Module &module, llvm::StringRef level, DiagnosticEngine &diagnostics) {
  passes::PassContext context{diagnostics, allOps()};
  passes::PassManager manager(*passes::pipelineTo(level));
  return manager.run(module, context);
}

/// Where the statement stands that `module` was made for.
static SourceRange statementPlace(const ir::Module &module) {
  for (const ir::Operation &op : module.body())
    if (op.name().startswith("study."))
      return op.range();
  return {};
}

/// The point of a sweep that `module` is; null for other statements.
static const ir::Operation *pointOf(const ir::Module &module) {
  for (const ir::Operation &op : module.body())
    if (op.is(study::PointOp::opName))
      return &op;
  return nullptr;
}

/// What a file of results is of: the program with all that it imports and reads, the library
/// included, and its parameters.
static std::string programHash(const SourceManager &sources, Compilation::Defines defines) {
  std::string all;
  for (FileId file : sources.all())
    all += fmt::format("{}:{}", sources.text(file).size(), sources.text(file));
  for (const auto &[name, value] : defines)
    all += "\n-D " + name + "=" + value;
  return llvm::utohexstr(llvm::xxHash64(all));
}

Evaluation::Evaluation(Session &session, ProviderSet providers)
    : session(session), providers(std::move(providers)) {}

void Evaluation::run(FileId root, Compilation::Defines defines, const Listener &listener) {
  Compilation compilation(session.sources, session.diagnostics, allOps());
  if (!compilation.load(root, defines) && !compilation.canRun())
    return;
  if (!sweepSettings.database.empty() && (!sharing || sharing->handsOut())) {
    store = ResultStore::open(sweepSettings.database, programHash(session.sources, defines),
                              session.diagnostics);
    if (!store)
      return;
  }
  compilation.check(); // a mistake in a part that no statement uses is a mistake all the same
  if (sharing && sharing->handsOut()) {
    serve();
    // What cannot be built is no point: it is reported here, once for all processes.
    compilation.forEachUnit([&](ir::Module &module) {
      hasSwept |= pointOf(module) != nullptr;
      return !Interrupt::flag();
    });
    return;
  }
  PointProblems problems(session.diagnostics);
  compilation.forEachUnit([&](ir::Module &module) {
    SourceRange place = statementPlace(module);
    const ir::Operation *point = pointOf(module);
    std::string bindings = point ? bindingsText(ir::as<study::PointOp>(*point).bindings()) : "";
    problems.begin(point ? place : SourceRange());
    size_t before = session.diagnostics.all().size();
    pointCount = compilation.pointCount();
    unit(module, listener);
    session.diagnostics.blame(before, place);
    session.diagnostics.noteSince(before, place, "for this statement");
    if (!bindings.empty() && !sharing)
      problems.take(before, bindings);
    if (sharing)
      sharing->send(before, takePrinted());
    return !Interrupt::flag();
  });
}

/// Hands points out, and takes over what the other processes find.
void Evaluation::serve() {
  sharing->serve(store.get(), [&](const PointOutcome &outcome) {
    for (const Diagnostic &problem : outcome.problems) {
      // What is about a place, not about a point, is reported once, whoever meets it.
      bool isOfPlace = problem.kind->code == diag::NotSupportedYet.code ||
                       problem.kind->code == diag::WordWithoutEffect.code;
      if (isOfPlace && !reported.insert({problem.range.begin, problem.message}).second)
        continue;
      reportAgain(session.diagnostics, problem);
    }
    if (!store && outcome.isComplete)
      llvm::append_range(rows, outcome.rows);
    onOutcome(outcome);
  });
}

std::vector<const emit::Result *> Evaluation::named(llvm::StringRef name) const {
  std::vector<const emit::Result *> results;
  for (const emit::Result &result : found)
    if (result.name == name)
      results.push_back(&result);
  return results;
}

MetricNames Evaluation::names(const ir::Module &module, const Cost *cost) const {
  return {cost, [this](llvm::StringRef name) { return named(name); }, &module};
}

unsigned Evaluation::statementIndex(SourceRange place) {
  auto known = llvm::find(statements, place);
  if (known == statements.end()) {
    statements.push_back(place);
    return statements.size() - 1;
  }
  return known - statements.begin();
}

//===-- What cannot be evaluated yet
//-----------------------------------------------------------===//

/// Reports every study.unsupported of `module` and takes out the statements that hold them; false
/// when nothing is left.
bool Evaluation::removeUnsupported(ir::Module &module) {
  std::vector<ir::Operation *> parts, holders;
  module.walk([&](ir::Operation &op) {
    if (op.is(study::UnsupportedOp::opName))
      parts.push_back(&op);
  });
  for (ir::Operation *part : parts) {
    std::string what = ir::as<study::UnsupportedOp>(part).what().str();
    if (reported.insert({part->range().begin, what}).second)
      session.diagnostics.report(part->range(), diag::NotSupportedYet, what);
    ir::Operation *holder = part->parentOp() ? part->parentOp() : part;
    if (!llvm::is_contained(holders, holder))
      holders.push_back(holder);
    removed.insert(study::resultName(*holder).str());
  }
  // Inner statements stand after the outer ones that hold them.
  for (ir::Operation *holder : llvm::reverse(holders))
    holder->erase();
  auto isStudy = [](const ir::Operation &op) { return op.name().startswith("study."); };
  return llvm::any_of(module.body(), isStudy);
}

//===-- Statements
//-----------------------------------------------------------------------------===//

/// The number of a point decides about its shard; a store may have it already.
bool Evaluation::isDone(const ir::Operation &point) {
  unsigned statement = statementIndex(point.range());
  int64_t number = points[statement]++;
  if (number == 0) {
    leastOfSweep = llvm::None;
    session.progress.best(Progress::Level::Sweep, "");
  }
  session.progress.count(Progress::Level::Sweep, number, static_cast<int64_t>(pointCount));
  pointRows.clear();
  errorsBefore = session.diagnostics.errorCount();
  if (number % sweepSettings.shards != sweepSettings.shard - 1)
    return true;
  return sharing ? !sharing->takes(statement, number) : store && store->has(statement, number);
}

/// Of a sweep with `pareto` the least so far of what that names first.
void Evaluation::showBest(const ir::Operation &point, const MetricNames &names) {
  std::vector<std::string> texts = point.stringsAttr("pareto_text");
  if (texts.empty())
    return;
  ExpressionValue value = emit::evaluateExpression(point.listAttr("pareto")[0], names);
  if (!value.number || (leastOfSweep && *leastOfSweep <= value.number->toDouble()))
    return;
  leastOfSweep = value.number->toDouble();
  session.progress.best(Progress::Level::Sweep, texts[0] + " " + emit::describe(value));
}

void Evaluation::finishPoint(const ir::Operation &point) {
  unsigned statement = statementIndex(point.range());
  int64_t number = points[statement] - 1;
  for (size_t i = 0; i < pointRows.size(); ++i) {
    pointRows[i].point = number;
    pointRows[i].row = static_cast<int64_t>(i);
  }
  if (sharing)
    sharing->finished(pointRows);
  else if (store)
    store->add(statement, number, pointRows, session.diagnostics.errorCount() == errorsBefore,
               session.diagnostics);
  else
    llvm::append_range(rows, pointRows);
}

std::vector<StoredRow> Evaluation::sweepRows() const { return store ? store->rows() : rows; }

void Evaluation::unit(ir::Module &module, const Listener &listener) {
  const ir::Operation *point = pointOf(module);
  hasSwept |= point != nullptr;
  if (point ? isDone(*point) : onlySweeps)
    return;
  if (!removeUnsupported(module))
    return;
  if (!defaultProvider.empty())
    module.walk([&](ir::Operation &op) {
      if (op.is(study::EvaluateOp::opName) && !op.hasAttr("using"))
        op.setAttr("using", defaultProvider);
    });
  module.walk([&](const ir::Operation &op) {
    if (auto evaluate = ir::as<study::EvaluateOp>(op))
      session.progress.at(evaluate.label());
  });
  // Counted before lowering, while the graphs are as they were built.
  parameters.clear();
  module.walk([&](const ir::Operation &op) {
    if (auto evaluate = ir::as<study::EvaluateOp>(op))
      parameters[evaluate.subject()] = countParameters(module, evaluate.subject());
    if (auto train = ir::as<study::TrainOp>(op))
      parameters[train.subject()] = countParameters(module, train.subject());
    if (auto serve = ir::as<study::ServeOp>(op))
      parameters[serve.subject()] = countParameters(module, serve.subject());
  });
  keepAsBuilt(module);
  if (!lower(module, "collective", session.diagnostics))
    return;
  std::vector<ir::Operation *> statements; // a search changes the module around it
  for (ir::Operation &op : module.body())
    statements.push_back(&op);
  for (ir::Operation *entry : statements) {
    ir::Operation &op = *entry;
    if (op.is(study::PointOp::opName)) {
      for (ir::Operation &inner : op.body())
        statement(module, inner, &op, listener);
      if (!Interrupt::flag()) // a search that was cut short is no result of the sweep
        finishPoint(op);
    } else if (op.name().startswith("study.")) {
      statement(module, op, nullptr, listener);
    }
  }
}

void Evaluation::statement(ir::Module &module, ir::Operation &op, const ir::Operation *point,
                           const Listener &listener) {
  if (onlySearches && !op.is(study::SearchStatement::opName))
    return;
  Evaluated evaluated{module, op, point, {}};
  size_t errors = session.diagnostics.errorCount();
  if (op.is(study::EvaluateOp::opName)) {
    if (const emit::Result *result = evaluate(module, op, point))
      evaluated.results.push_back(result);
    else
      return;
  } else if (op.hasAttr("of")) {
    for (const std::string &name : op.stringsAttr("of"))
      llvm::append_range(evaluated.results, named(name));
    if (evaluated.results.empty())
      return; // of statements that failed, which is reported
    checkExpectations(evaluated);
    return listener(evaluated);
  } else if (op.is(study::CompareOp::opName)) {
    for (const ir::Operation &row : op.body())
      if (row.is(study::EvaluateOp::opName))
        if (const emit::Result *result = evaluate(module, row, point))
          evaluated.results.push_back(result);
    if (evaluated.results.empty())
      return;
    for (size_t i = found.size() - evaluated.results.size(); i < found.size(); ++i)
      found[i].name = study::resultName(op).str();
  } else if (op.is(study::SearchStatement::opName)) {
    if (const emit::Result *result = search(module, op, point))
      evaluated.results.push_back(result);
    else
      return;
  } else if (op.is(study::TrainOp::opName)) {
    if (const emit::Result *result = train(module, op, point))
      evaluated.results.push_back(result);
    else
      return;
  } else if (op.is(study::ServeOp::opName)) {
    if (const emit::Result *result = serveRequests(module, op, point))
      evaluated.results.push_back(result);
    else
      return;
  } else if (op.is("study.replay")) {
    if (const emit::Result *result = replay(module, op, point))
      evaluated.results.push_back(result);
    else
      return;
  } else if (op.is(study::MetricOp::opName)) {
    return;
  }
  if (point && !evaluated.results.empty()) {
    llvm::erase_if(evaluated.results, [&](const emit::Result *result) {
      MetricNames ofResult = names(module, &result->cost);
      std::string unmet = unmetRequirement(*point, ofResult);
      if (unmet.empty())
        showBest(*point, ofResult);
      pointRows.push_back(unmet.empty() ? sweepRow(*result, *point, ofResult)
                                        : leftOutRow(*result, *point, unmet));
      return !unmet.empty();
    });
    if (evaluated.results.empty())
      return;
  }
  if (session.diagnostics.errorCount() != errors) // of one row of several
    return;
  for (const emit::Result *result : evaluated.results)
    const_cast<emit::Result *>(result)->own = emit::ownMetrics(names(module, &result->cost));
  checkExpectations(evaluated);
  listener(evaluated);
}

const emit::Result *Evaluation::evaluate(const ir::Module &module, const ir::Operation &op,
                                         const ir::Operation *point) {
  session.progress.at(op.stringAttr("label"));
  providers.takeVerified(); // of what a search has looked at
  llvm::Optional<Cost> cost = evaluateStudy(module, op, providers, session.diagnostics);
  if (!cost)
    return nullptr;
  auto view = ir::as<study::EvaluateOp>(op);
  warnOfUnusedWords(*cost, module, view.on(), warned, session.diagnostics, session.sources);
  return add(std::move(*cost), op, point,
             {view.label().str(), view.subjectLabel().str(), view.onLabel().str(),
              parameters.lookup(view.subject())});
}

/// Keeps `cost` as the result of `op`; what identifies it is what `labels` says.
const emit::Result *Evaluation::add(Cost cost, const ir::Operation &op, const ir::Operation *point,
                                    ResultLabels labels) {
  emit::Result result;
  result.name = study::resultName(op).str();
  result.label = std::move(labels.label);
  result.subject = std::move(labels.subject);
  result.on = std::move(labels.on);
  result.parameters = labels.parameters;
  result.place = op.range();
  result.statement = statementIndex(point ? point->range() : op.range());
  if (point)
    result.point = ir::as<study::PointOp>(*point).bindings();
  result.cost = std::move(cost);
  if (verifier)
    result.verified = providers.takeVerified();
  if (std::string note = result.cost.errors.note(); !note.empty())
    result.cost.addNote(std::move(note));
  found.push_back(std::move(result));
  return &found.back();
}
