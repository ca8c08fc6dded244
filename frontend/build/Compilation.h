// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compilation: a root file with its imports, checked, and turned into IR statement by statement.
// A sweep is a generator: each point is a module of its own, built when it is asked for; so is a
// table of measurements, whose rows are points.
#ifndef PERFC_FRONTEND_BUILD_COMPILATION_H
#define PERFC_FRONTEND_BUILD_COMPILATION_H

#include "frontend/build/BuildContext.h"
#include "frontend/build/Fit.h"
#include "frontend/sema/Evaluator.h"
#include "ir/core/Module.h"
#include <functional>

namespace perfc {

class Elaborator;
class SweepSpace;
class TableBuilder;
struct KeptTable;

class Compilation {
public:
  Compilation(SourceManager &sources, DiagnosticEngine &diagnostics,
              const ir::OpRegistry &registry);
  ~Compilation();

  using Defines = llvm::ArrayRef<std::pair<std::string, std::string>>;
  /// Parses the root and its imports, loads the tables that it names and sets its parameters; false
  /// if anything was reported.
  bool load(FileId file, Defines defines);
  /// After `load`: true where all of the root was read and every parameter set, so that statements
  /// without a mistake mean what they say.
  bool canRun() const { return allSet && !root->syntax->isIncomplete; }
  /// Sets parameter `name` of the root for the units that are built from now on, in place of what
  /// `load` set; a number is in base units of what the parameter is by default. False when there is
  /// no such parameter or the text is no value of it (reported); it is then as
  /// it was.
  bool setParameter(llvm::StringRef name, const std::string &text);
  bool setParameter(llvm::StringRef name, double value);
  /// Gives parameter `name` the value again that it had after `load`; false when there is none.
  bool resetParameter(llvm::StringRef name);
  /// The value of a constant or parameter of a file; unknown where it has none.
  Value valueOf(const Decl &decl);
  /// The values that a parameter may take; none where all of a kind.
  std::vector<Value> domainOf(const Decl &parameter);
  /// Checks every declaration of the root, also those that no statement uses; false after a report.
  bool check();
  /// Builds every statement into one module; a sweep or table becomes one study.point per point or
  /// row, at most `pointLimit` of them. A row that cannot be built says why in its study.point.
  bool buildAll(ir::Module &module, size_t pointLimit = SIZE_MAX);
  /// Builds a module per statement, and per point of each sweep, in file order, and hands it to
  /// `each` until that returns false; `pointLimit` bounds the points of each sweep. False if a
  /// statement could not be built (the others are).
  bool forEachUnit(llvm::function_ref<bool(ir::Module &)> each, size_t pointLimit = SIZE_MAX);

  /// From now on a sweep that says `separable` is handed to `take` as a whole; where that returns
  /// false, its points are built one after the other as those of any other sweep.
  void onSeparable(std::function<bool(SweepSpace &)> take) { onSpace = std::move(take); }

  /// The fits of the root, in file order: those that are sound. Mistakes are reported.
  std::vector<Fit> fits();
  /// From now on the `validate` statements of `module` come after those of the root; its parameter
  /// `table` is that of the root.
  void addTables(const Module &module);
  /// Puts values in place of constants, in base units, for the units that are built from now on.
  using Constants = llvm::ArrayRef<std::pair<const FitConstant *, Uncertain>>;
  void setConstants(Constants values);
  /// From now on only the rows of tables are built whose number `isWanted`, from 0 and counted over
  /// all tables; each table is read once.
  void chooseRows(std::function<bool(size_t)> isWanted);
  /// From now on rows are built with or without their statements; without them they have their
  /// names, groups and what was measured.
  void buildRowStatements(bool wanted) { rowStatements = wanted; }
  /// From now on of statements of rows that have names only those are built whose name `isWanted`.
  void chooseResults(std::function<bool(llvm::StringRef)> isWanted) {
    isResultWanted = std::move(isWanted);
  }
  /// From now on rows keep graphs that no constant has a part in, or not. Where they do, who is
  /// handed their modules leaves these as they are.
  void keepGraphs(bool wanted) { keepsGraphs = wanted; }

  /// How many points the sweep or table has whose units are being built.
  size_t pointCount() const { return pointsOfSweep; }
  Program &program() { return files; }
  const Module &rootModule() const { return *root; }

private:
  using UnitCallback = llvm::function_ref<bool(ir::Module &)>;
  bool declaration(const Decl &decl);
  bool workload(BuildContext &context, const Decl &decl);
  bool mapping(Elaborator &elaborator, const Decl &decl);
  bool algorithm(Elaborator &elaborator, const Decl &decl);
  /// Where the modules go.
  struct Units {
    ir::Module *shared; ///< one for all, or null for one each
    size_t pointLimit;  ///< of each sweep
    UnitCallback each;
    bool stop = false;
  };
  bool statement(const ast::Item &item, Scope &scope, Units &units);
  void declareResults(const ast::Item &item);
  bool notAStatement(Elaborator &elaborator, const ast::Item &item, const Scope &scope);
  bool sweep(const ast::Item &item, const Scope &scope, Units &units);
  bool point(const ast::Item &item, const Scope &scope, const ir::AttrDict &about,
             ir::Module &module);
  bool table(const ast::Item &item, const Scope &scope, Units &units);
  bool addRequests(const ir::Module &module, size_t firstResult, BuildContext &context);
  bool buildUnits(Units &units);

  friend class SweepSpace;
  friend class TableBuilder; // of TableRows.cpp

  DiagnosticEngine &diagnostics;
  const ir::OpRegistry &registry;
  Program files;
  Evaluator evaluator;
  const Module *root = nullptr;
  bool allSet = false;                                             ///< each parameter of `load`
  llvm::DenseMap<const Decl *, const ast::Expr *> loadedOverrides; ///< values that `load` set
  std::vector<ResultName> results;                                 ///< names of results so far
  BuildContext *sharedContext = nullptr;                           ///< while buildAll runs
  llvm::StringMap<KeptChip> keptChips;
  size_t pointsOfSweep = 0;
  std::function<bool(SweepSpace &)> onSpace;           ///< none to build each point
  std::function<bool(size_t)> isRowWanted;             ///< none for all
  std::function<bool(llvm::StringRef)> isResultWanted; ///< none for all
  bool rowStatements = true, keepsGraphs = false;
  size_t rowCount = 0, tableCount = 0; ///< that units were asked of so far
  std::vector<std::unique_ptr<KeptTable>> keptTables;
  std::vector<const Module *> tableModules; ///< beside the root
};

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_COMPILATION_H
