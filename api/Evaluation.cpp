// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"

#include "api/Reports.h"
#include "api/fit/ChipFit.h"
#include "api/statements/Statements.h"
#include "backends/gpu/TileSearch.h"
#include "frontend/sema/Words.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/phase/PhaseOps.h"
#include "ir/study/AllOps.h"
#include "ir/study/ServeOps.h"
#include "ir/study/TrainOps.h"
#include "passes/PassManager.h"
#include "passes/training/Strategy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::mapper;

bool api::lower(ir::Module &module, llvm::StringRef level, DiagnosticEngine &diagnostics) {
  passes::PassContext context{diagnostics, allOps()};
  passes::PassManager manager(*passes::pipelineTo(level));
  return manager.run(module, context) && gpu::chooseTiles(module, diagnostics);
}

const ir::Operation *api::pointOf(const ir::Module &module) {
  for (const ir::Operation &op : module.body())
    if (op.is(study::PointOp::opName))
      return &op;
  return nullptr;
}

bool api::isRow(const ir::Operation *point) {
  return point && !ir::as<study::PointOp>(*point).table().empty();
}

Evaluation::Evaluation(Context context, ProviderSet &perfcs, RunOptions options)
    : context(context), perfcs(perfcs), options(std::move(options)), tools(context) {}

llvm::Optional<Answerer> Evaluation::answererOf(const StatementContext &statement) {
  bool isCompared = statement.around && statement.around->is(study::CompareOp::opName);
  llvm::StringRef named = statement.op.stringAttr("tool");
  if (named.empty() && !options.tool)
    return Answerer{perfcs};
  AskedTool *by =
      named.empty() ? &tools.add(*options.tool) : tools.find(named, statement.op.range());
  if (!by)
    return llvm::None;
  return Answerer{by->asked, by, named.empty() ? options.asksModel : isCompared};
}

std::vector<const emit::Result *> Evaluation::named(llvm::StringRef name) const {
  std::vector<const emit::Result *> results;
  for (const emit::Result &result : found)
    if (result.name == name)
      results.push_back(&result);
  return results;
}

MetricNames Evaluation::names(const ir::Module &module, const Outcome *outcome) const {
  return {outcome, [this](llvm::StringRef name) { return named(name); }, &module};
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
  study::walk(module, [&](ir::Operation &op) {
    if (op.is(study::UnsupportedOp::opName))
      parts.push_back(&op);
  });
  for (ir::Operation *part : parts) {
    std::string what = ir::as<study::UnsupportedOp>(part).what().str();
    if (reported.insert({part->range().begin, what}).second)
      context.diagnostics.report(part->range(), diag::NotSupportedYet, what);
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
    context.watcher.best(Watcher::Level::Sweep, "");
  }
  context.watcher.count(Watcher::Level::Sweep, number, static_cast<int64_t>(pointCount));
  pointRows.clear();
  errorsBefore = context.diagnostics.errorCount();
  if (number % options.sweep.shards != options.sweep.shard - 1)
    return true;
  return options.sharing ? !options.sharing->takes(statement, number)
                         : store && store->has(statement, number);
}

/// Of a sweep with `pareto` the least so far of what that names first.
void Evaluation::showBest(const GoalValues &goal) {
  if (goal.values.empty())
    return;
  double value = goal.values.front().toDouble();
  if (leastOfSweep && *leastOfSweep <= value)
    return;
  leastOfSweep = value;
  emit::ExpressionValue best;
  best.number = goal.values.front();
  context.watcher.best(Watcher::Level::Sweep, goal.metrics.front() + " " + emit::describe(best));
}

void Evaluation::finishPoint(const ir::Operation &point) {
  unsigned statement = statementIndex(point.range());
  int64_t number = points[statement] - 1;
  for (size_t i = 0; i < pointRows.size(); ++i) {
    pointRows[i].point = number;
    pointRows[i].row = static_cast<int64_t>(i);
  }
  if (options.sharing)
    options.sharing->finished(pointRows);
  else if (store)
    store->add(statement, number, pointRows, context.diagnostics.errorCount() == errorsBefore,
               context.diagnostics);
}

/// Lets go of what a point has found, unless some of it is needed later.
void Evaluation::drop(size_t firstResult, size_t firstSearch) {
  if (!options.isNeededLater ||
      std::any_of(found.begin() + static_cast<ptrdiff_t>(firstResult), found.end(),
                  [&](const emit::Result &result) { return options.isNeededLater(result.name); }))
    return;
  found.erase(found.begin() + static_cast<ptrdiff_t>(firstResult), found.end());
  searched.erase(searched.begin() + static_cast<ptrdiff_t>(firstSearch), searched.end());
}

SweepFindings Evaluation::sweepFindings() const {
  return store ? findingsOf(store->rows()) : findings;
}

/// Chips with tables of measurements get the figures that these tell; false where one has none.
bool Evaluation::calibrateChips(ir::Module &module) {
  for (ir::Operation &op : module.body()) {
    if (!op.is(target::ChipOp::opName) || !op.hasAttr("calibrate"))
      continue;
    const ir::AttrDict &what = op.dictAttr("calibrate");
    CalibratedChip chip{what.find("chip")->asString().str(), what.find("table")->asString().str(),
                        op.range(), ""};
    auto [known, isNew] = calibrated.try_emplace({chip.label, chip.table});
    if (ChipFit fit; isNew && fit.fit(context, rootFile, defines, chip))
      known->second = fit.layers(op.dictAttr("layers"));
    if (!known->second)
      return false;
    op.setAttr("layers", *known->second);
  }
  return true;
}

/// Sets what the options say, and takes down what is known of the module before it is lowered;
/// false after a report.
bool Evaluation::prepare(ir::Module &module) {
  parameters.clear();
  if (options.calibrates && !calibrateChips(module))
    return false;
  if (options.adjust)
    options.adjust(module);
  study::walk(module, [&](ir::Operation &op) {
    kinds.insert(op.name());
    if (!options.provider.empty() && op.is(study::EvaluateOp::opName) && !op.hasAttr("using"))
      op.setAttr("using", options.provider);
    if (options.servesAsVidur && op.is(study::ServeOp::opName))
      op.setAttr("vidur", ir::Attribute::unit());
    if (op.is(study::EvaluateOp::opName) || op.is(study::TrainOp::opName) ||
        op.is(study::ServeOp::opName)) {
      std::string subject = op.symbolAttr(op.hasAttr("whole") ? "whole" : "subject").str();
      parameters[subject] = countParameters(module, subject);
    }
  });
  keepAsBuilt(module);
  return true;
}

/// Strategies of training that are tried divide the model anew for each: from what was built.
void Evaluation::keepAsBuilt(ir::Module &module) {
  llvm::StringSet<> derived; // by a strategy, where the module was read after `autodiff`
  study::walk(module, [&](const ir::Operation &op) {
    if (op.is(study::TrainOp::opName)) {
      derived.insert(passes::forwardSymbol(op.symbol()));
      derived.insert(passes::backwardSymbol(op.symbol()));
      derived.insert(passes::stepSymbol(op.symbol()));
    }
  });
  asBuilt.reset();
  if (derived.empty())
    return;
  asBuilt = std::make_unique<ir::Module>();
  ir::ValueMap map;
  for (const ir::Operation &op : module.body()) {
    auto sequence = ir::as<phase::SequenceOp>(op);
    if (derived.count(op.symbol()) || (sequence && derived.count(sequence.of())))
      continue;
    if (!op.is(study::PointOp::opName) && !op.is(study::CompareOp::opName)) {
      op.clone(asBuilt->body(), map);
      continue;
    }
    op.walk([&](const ir::Operation &inner) {
      if (inner.is(study::TrainOp::opName))
        inner.clone(asBuilt->body(), map);
    });
  }
}

void Evaluation::unit(ir::Module &module, const Listener &listener) {
  const ir::Operation *point = pointOf(module);
  if (isRow(point)) {
    if (options.which == RunOptions::Which::All || options.which == RunOptions::Which::Tables)
      tableRow(module, *point);
    return;
  }
  if (options.which == RunOptions::Which::Tables)
    return;
  if (point)
    kinds.insert(study::PointOp::opName);
  if (point ? isDone(*point) : options.which == RunOptions::Which::Sweeps)
    return;
  if (!removeUnsupported(module))
    return;
  perfcs.forgetSome();
  tools.forgetSome();
  if (!prepare(module) || !lower(module, "collective", context.diagnostics))
    return;
  std::vector<ir::Operation *> statements; // a search changes the module around it
  for (ir::Operation &op : module.body())
    statements.push_back(&op);
  for (ir::Operation *op : statements) {
    if (op->is(study::PointOp::opName)) {
      size_t firstResult = found.size(), firstSearch = searched.size();
      for (ir::Operation &inner : op->body())
        statement({module, inner, op}, listener);
      if (!context.watcher.isCancelled()) // a search that was cut short is no result of the sweep
        finishPoint(*op);
      drop(firstResult, firstSearch);
    } else if (op->name().startswith("study.")) {
      statement({module, *op, nullptr}, listener);
    }
  }
}

/// Takes out the results that do not fulfil what the sweep requires, and keeps what it finds of
/// all: as rows where others are to read them.
void Evaluation::keepRows(Evaluated &evaluated) {
  std::vector<size_t> met; // of the rows
  const ir::Operation &point = *evaluated.point;
  bool hasRows = store || options.sharing;
  llvm::erase_if(evaluated.results, [&](const emit::Result *result) {
    MetricNames ofResult = names(evaluated.module, result);
    std::string unmet = unmetRequirement(point, ofResult);
    GoalValues goal = unmet.empty() ? goalValues(point, ofResult) : GoalValues();
    auto bare = [&] { return bareRow(*result, point); };
    if (unmet.empty())
      showBest(goal);
    if (hasRows) {
      if (unmet.empty())
        met.push_back(pointRows.size());
      pointRows.push_back(unmet.empty() ? sweepRow(*result, point, goal)
                                        : leftOutRow(*result, point, unmet));
    } else if (context.watcher.isCancelled()) {
      return !unmet.empty(); // cut short, it is no result of the sweep
    } else if (unmet.empty()) {
      findings.add(result->statement, goal, bare);
    } else {
      findings.leaveOut(result->statement, unmet, bare);
    }
    return !unmet.empty();
  });
  if (!options.keepWith || met.empty())
    return;
  std::vector<StoredRow *> kept;
  for (size_t i : met)
    kept.push_back(&pointRows[i]);
  options.keepWith(*this, evaluated, kept);
}

void Evaluation::statement(const StatementContext &statement, const Listener &listener,
                           Summed *summed) {
  const ir::Operation &op = statement.op;
  if (options.which == RunOptions::Which::Searches && !op.is(study::SearchStatement::opName))
    return;
  Evaluated evaluated{statement.module, op, statement.point, {}};
  evaluated.summedFrom = summed ? summed->from : 0;
  size_t errors = context.diagnostics.errorCount(), first = found.size();
  bool isRequest = op.hasAttr("of"); // about results that are there
  if (isRequest) {
    for (const std::string &name : op.stringsAttr("of"))
      llvm::append_range(evaluated.results, named(name));
  } else if (const StatementKind *kind = findStatementKind(op)) {
    if (summed)
      keep(std::move(summed->outcome), statement, std::move(summed->labels));
    else
      kind->evaluate(*this, statement);
    for (size_t i = first; i < found.size(); ++i)
      evaluated.results.push_back(&found[i]);
    if (statement.point)
      keepRows(evaluated);
    if (context.diagnostics.errorCount() != errors) // of one row of several
      return;
    for (const emit::Result *result : evaluated.results)
      const_cast<emit::Result *>(result)->own = emit::ownMetrics(names(statement.module, result));
  } else if (op.is(study::MetricOp::opName) || op.is(study::GoalOp::opName)) {
    return;
  }
  // Without results a statement, or those that a request is about, failed, which is reported.
  bool needsResults = isRequest || findStatementKind(op);
  if (needsResults && evaluated.results.empty())
    return;
  checkExpectations(evaluated);
  if (!checkReports(*this, evaluated))
    return;
  if (op.is(study::ReportOp::opName))
    evaluated.tables = fileTables(*this, evaluated);
  listener(evaluated);
  llvm::move(evaluated.tables, std::back_inserter(fileReports));
}

void Evaluation::checkAsked(FileId file) {
  DiagnosticEngine &diagnostics = context.diagnostics;
  if (options.replayOn && !kinds.count(study::ReplayOp::opName) && !diagnostics.hasErrors())
    diagnostics
        .report({file, 0, 0}, diag::NotSupportedYet, "a cluster for a program without `replay`")
        .help("--network and --system say on which cluster a trace runs");
  static const std::pair<RunOptions::Which, std::pair<llvm::StringRef, llvm::StringRef>> alone[] = {
      {RunOptions::Which::Searches, {"search", study::SearchStatement::opName}},
      {RunOptions::Which::Sweeps, {"sweep", study::PointOp::opName}}};
  for (const auto &[which, statement] : alone)
    if (which == options.which && !kinds.count(statement.second) && !diagnostics.hasErrors())
      diagnostics.report({}, diag::NoSuchStatement, statement.first, context.sources.path(file));
}

void Evaluation::keep(Outcome outcome, const StatementContext &statement, ResultLabels labels) {
  const ir::Operation &op = statement.op;
  emit::Result result{std::move(outcome)};
  result.form = &findStatementKind(op)->form();
  const ir::Operation &whole = statement.around ? *statement.around : op;
  result.name = study::resultName(whole).str();
  result.label = std::move(labels.label);
  result.subject = std::move(labels.subject);
  result.on = std::move(labels.on);
  result.parameters = labels.parameters;
  result.place = op.range();
  result.statement = statementIndex((statement.point ? *statement.point : whole).range());
  if (statement.point)
    result.point = ir::as<study::PointOp>(*statement.point).bindings();
  if (options.verifier)
    result.verified = perfcs.takeVerified();
  if (std::string note = result.cost.errors.note(); !note.empty())
    result.cost.addNote(std::move(note));
  found.push_back(std::move(result));
}

void Evaluation::keep(SearchSummary summary, llvm::ArrayRef<std::string> notes) {
  llvm::append_range(found.back().cost.notes, notes);
  searched.push_back({std::move(summary), &found.back()});
}

const SearchSummary *Evaluation::searchOf(const emit::Result &result) const {
  for (const Searched &entry : searched)
    if (entry.result == &result)
      return &entry.summary;
  return nullptr;
}

std::string Evaluation::mappingText(const emit::Result &result) const {
  llvm::StringSet<> names;
  const SearchSummary *summary = searchOf(result);
  return summary ? printMappings(summary->mappings, names) : "";
}
