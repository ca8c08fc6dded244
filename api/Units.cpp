// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the modules of an evaluation come from, one for each statement and point: a program, a text
// of the IR, or other processes.
#include "api/Evaluation.h"
#include "api/ModuleFile.h"
#include "api/PointProblems.h"
#include "api/ReportAgain.h"
#include "api/SeparableSweep.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/study/AllOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::mapper;

/// Where the statement stands that `module` was made for.
static SourceRange statementPlace(const ir::Module &module) {
  for (const ir::Operation &op : module.body())
    if (op.name().startswith("study."))
      return op.range();
  return {};
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

/// Opens the file of results, where there is to be one; false after a report.
bool Evaluation::openStore(Compilation::Defines defines) {
  if (options.sweep.database.empty() || (options.sharing && !options.sharing->handsOut()))
    return true;
  store = ResultStore::open(options.sweep.database, programHash(context.sources, defines),
                            context.diagnostics);
  if (store && options.onKept)
    options.onKept(store->finishedRows());
  return store != nullptr;
}

void Evaluation::run(FileId root, Compilation::Defines defines, const Listener &listener) {
  Compilation compilation(context.sources, context.diagnostics, allOps());
  this->defines.assign(defines.begin(), defines.end());
  if ((!compilation.load(root, defines) && !compilation.canRun()) || !openStore(defines))
    return;
  compilation.check(); // a mistake in a part that no statement uses is a mistake all the same
  run(compilation, listener);
}

void Evaluation::run(Compilation &compilation, const Listener &listener) {
  rootFile = compilation.rootModule().file;
  compilation.onSeparable(
      [&](SweepSpace &space) { return SeparableSweep(*this, space).run(listener); });
  runUnits(
      [&](UnitVisitor each) {
        compilation.forEachUnit(
            [&](ir::Module &module) { return each(module, compilation.pointCount()); });
      },
      listener);
  compilation.onSeparable(nullptr);
}

void Evaluation::runModules(FileId text, const Listener &listener) {
  Modules modules = readModules(text, context.sources, context.diagnostics);
  if (modules.empty() || !haveStatements(modules, text, context.diagnostics) || !openStore({}))
    return;
  runUnits(
      [&](UnitVisitor each) {
        std::map<std::pair<FileId, uint32_t>, size_t> points; // by the place of their statement
        auto pointsAt = [&](const ir::Module &module) -> size_t & {
          SourceRange place = statementPlace(module);
          return points[{place.file, place.begin}];
        };
        for (const std::unique_ptr<ir::Module> &module : modules)
          ++pointsAt(*module);
        for (std::unique_ptr<ir::Module> &module : modules)
          if (!each(*module, pointsAt(*module)))
            return;
      },
      listener);
}

void Evaluation::runUnits(llvm::function_ref<void(UnitVisitor)> forEachUnit,
                          const Listener &listener) {
  if (options.sharing && options.sharing->handsOut()) {
    serve();
    // What cannot be built is no point: it is reported here, once for all processes.
    forEachUnit([&](ir::Module &module, size_t) {
      if (const ir::Operation *point = pointOf(module); point && !isRow(point))
        kinds.insert(study::PointOp::opName);
      return !context.watcher.isCancelled();
    });
    return;
  }
  forEachUnit([&](ir::Module &module, size_t pointsOfSweep) {
    const ir::Operation *point = pointOf(module);
    pointCount = pointsOfSweep;
    blaming(statementPlace(module), point, [&] { unit(module, listener); });
    return !context.watcher.isCancelled();
  });
  problems.report();
}

/// What `evaluate` reports is of the statement at `place`, and of `point`, which may be null.
void Evaluation::blaming(SourceRange place, const ir::Operation *point,
                         llvm::function_ref<void()> evaluate) {
  problems.begin(point ? place : SourceRange());
  size_t before = context.diagnostics.all().size();
  evaluate();
  if (context.diagnostics.all().size() > before) {
    context.diagnostics.blame(before, place);
    context.diagnostics.noteSince(before, place, "for this statement");
    std::string bindings = point ? bindingsText(ir::as<study::PointOp>(*point).bindings()) : "";
    if (!bindings.empty() && !options.sharing)
      problems.take(before, bindings);
  }
  if (options.sharing)
    options.sharing->send(before);
}

/// Hands points out, and takes over what the other processes find.
void Evaluation::serve() {
  options.sharing->serve(store.get(), [&](const SharedPoint &outcome) {
    for (const Diagnostic &problem : outcome.problems) {
      // What is about a place, not about a point, is reported once, whoever meets it.
      bool isOfPlace = problem.kind->code == diag::NotSupportedYet.code ||
                       problem.kind->code == diag::WordWithoutEffect.code;
      if (isOfPlace && !reported.insert({problem.range.begin, problem.message}).second)
        continue;
      reportAgain(context.diagnostics, problem);
    }
    if (!store && outcome.isComplete)
      for (const StoredRow &row : outcome.rows)
        findings.add(row);
  });
}
