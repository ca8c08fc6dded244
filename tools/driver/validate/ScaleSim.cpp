// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind scalesim: layers on systolic arrays with what SCALE-Sim v2 reports for them. Cycles are
// indices of the last cycle, one less than their number; the tool counts (rows + columns) output
// writes too many per fold of stationary outputs. Rows with estimated bandwidth (CALC) never stall;
// those with a given one (USER) are replayed cycle by cycle, and `total_cycles_bound` is the closed
// form of the same. Percentages are compared as the table prints them, with four decimals.
#include "ir/common/diagnostics/ScaleSim.h"
#include "backends/loopnest/systolic/Buffers.h"
#include "backends/loopnest/systolic/Replay.h"
#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/validate/Kind.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;
using namespace perfc::driver;
using namespace perfc::loopnest;

static constexpr llvm::StringLiteral scaleSimKind = "scalesim";
/// Demands that a replay takes at most: some seconds.
static constexpr int64_t mostDemands = int64_t(1) << 31;
static constexpr llvm::StringLiteral columns[] = {"case_id",  "dims",     "rows",      "cols",
                                                  "dataflow", "ifmap_kb", "filter_kb", "ofmap_kb",
                                                  "bwmode",   "bw",       "status"};

namespace {

/// What a row describes.
struct Case {
  Layer layer;
  Gemm gemm;
  SystolicArray array;
  Scratchpads pads;
  bool isTimed = false; ///< USER
  int64_t bandwidth = 1;
};

/// Reads the rows of a table and predicts them.
class ScaleSimTable {
public:
  ScaleSimTable(Session &session, const LocatedCsv &table)
      : table(table), diagnostics(session.diagnostics) {}

  /// Nothing when the row is malformed (reported).
  llvm::Optional<ValidationRow> predict(const CsvRow &row);

private:
  const std::string &text(const CsvRow &row, llvm::StringRef title) const {
    return table.find(row, title)->text;
  }
  llvm::Optional<int64_t> whole(const CsvRow &row, llvm::StringRef title, int64_t most) {
    return wholeNumber(*table.find(row, title), 1, most, title, diagnostics);
  }
  bool readLayer(const CsvCell &cell, Case &result);
  bool readPads(const CsvRow &row, Case &result);
  bool read(const CsvRow &row, Case &result);
  void add(const CsvRow &row, llvm::StringRef title, llvm::Optional<Number> predicted,
           ValidationRow &into, std::string skipped = "");
  void addCounts(const CsvRow &row, const Case &description, const FoldPlan &plan,
                 ValidationRow &into);

  void addRun(const CsvRow &row, const Case &description, const FoldPlan &plan,
              ValidationRow &into);

  const LocatedCsv &table;
  DiagnosticEngine &diagnostics;
};

} // namespace

/// A share in percent with the four decimals of the table; halves go to the even neighbour.
static Number percent(double part, double whole) {
  return Number::fromReal(std::stod(fmt::format("{:.4f}", 100 * part / whole)));
}

/// Multiply-accumulates of a row, and what the array could do in `cycles`.
static double usefulMacs(const Gemm &gemm) {
  return static_cast<double>(gemm.m) * static_cast<double>(gemm.n) * static_cast<double>(gemm.k);
}
static double possibleMacs(const SystolicArray &array, double cycles) {
  return cycles * static_cast<double>(array.rows) * static_cast<double>(array.columns);
}

bool ScaleSimTable::readLayer(const CsvCell &cell, Case &result) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(cell.text).split(parts, 'x');
  llvm::SmallVector<int64_t, 8> sizes;
  for (llvm::StringRef part : parts)
    if (int64_t size; !part.getAsInteger(10, size) && size > 0)
      sizes.push_back(size);
  llvm::Optional<Gemm> gemm;
  if (sizes.size() == parts.size() && sizes.size() == 3)
    result.layer = Layer::ofGemm({sizes[0], sizes[1], sizes[2]});
  else if (sizes.size() == parts.size() && sizes.size() == 7)
    result.layer = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], sizes[6]};
  else
    sizes.clear();
  if (!sizes.empty())
    gemm = result.layer.gemm();
  if (gemm)
    result.gemm = *gemm;
  else
    diagnostics.report(cell.place, diag::BadCsv,
                       "dims are MxNxK, or HxWxRxSxCHANNELSxFILTERSxSTRIDE with a filter that is "
                       "not larger than its input, and whose products fit 64 bits");
  return gemm.hasValue();
}

bool ScaleSimTable::readPads(const CsvRow &row, Case &result) {
  auto bytes = [&](llvm::StringRef title, int64_t &into) {
    auto size = realNumber(*table.find(row, title), title, diagnostics);
    bool isFine = size && *size * 1024 >= 1 && *size < 1e12;
    if (isFine)
      into = static_cast<int64_t>(*size * 1024);
    else if (size)
      diagnostics.report(table.find(row, title)->place, diag::BadCsv,
                         title.str() + " is a positive size in KiB");
    return isFine;
  };
  return bytes("ifmap_kb", result.pads.input) && bytes("filter_kb", result.pads.weight) &&
         bytes("ofmap_kb", result.pads.output);
}

bool ScaleSimTable::read(const CsvRow &row, Case &result) {
  constexpr int64_t largest = 1 << 20;
  auto rows = whole(row, "rows", largest), cols = whole(row, "cols", largest);
  llvm::Optional<Stationary> stationary = parseStationary(text(row, "dataflow"));
  if (!stationary)
    diagnostics.report(table.find(row, "dataflow")->place, diag::BadCsv,
                       "the dataflow is os, ws or is");
  const std::string &mode = text(row, "bwmode");
  if (mode != "CALC" && mode != "USER") {
    diagnostics.report(table.find(row, "bwmode")->place, diag::BadCsv,
                       "the bandwidth mode is CALC or USER");
    return false;
  }
  result.isTimed = mode == "USER";
  auto bandwidth = result.isTimed ? whole(row, "bw", largest) : llvm::Optional<int64_t>(1);
  if (!readLayer(*table.find(row, "dims"), result) || !readPads(row, result) || !rows || !cols ||
      !stationary || !bandwidth)
    return false;
  result.array = {*rows, *cols, *stationary, false};
  result.bandwidth = *bandwidth;
  return true;
}

void ScaleSimTable::add(const CsvRow &row, llvm::StringRef title, llvm::Optional<Number> predicted,
                        ValidationRow &into, std::string skipped) {
  const CsvCell *cell = table.find(row, title);
  double reference;
  if (!cell || llvm::StringRef(cell->text).getAsDouble(reference))
    return;
  into.predictions.push_back(
      {title.str(), predicted, Number::fromReal(reference), std::move(skipped), {}});
}

/// What needs no replay.
void ScaleSimTable::addCounts(const CsvRow &row, const Case &description, const FoldPlan &plan,
                              ValidationRow &into) {
  const SystolicArray &array = description.array;
  bool isOutput = array.stationary == Stationary::Output;
  // The tool divides by the length of the operand's skewed matrix, which for a stationary weight
  // or input is longer than the fold.
  double length = static_cast<double>(plan.foldCycles) +
                  (isOutput ? 0 : static_cast<double>(array.columns - 1));
  int64_t folds = plan.rowFolds * plan.columnFolds;
  add(row, "mapping_eff_pct", percent(plan.mappingEfficiency, 1), into);
  add(row, "compute_util_pct",
      percent(plan.mappingEfficiency * static_cast<double>(plan.stream), length), into);
  add(row, "sram_ifmap_reads", Number(plan.inputReads), into);
  add(row, "sram_filter_reads", Number(plan.weightReads), into);
  add(row, "sram_ofmap_writes",
      Number(plan.outputWrites + (isOutput ? folds * (array.rows + array.columns) : 0)), into);
}

/// Cycles, stalls and DRAM traffic, from a replay where the tool's order matters.
void ScaleSimTable::addRun(const CsvRow &row, const Case &description, const FoldPlan &plan,
                           ValidationRow &into) {
  const auto &[layer, gemm, array, pads, isTimed, bandwidth] = description;
  addCounts(row, description, plan, into);
  int64_t work = replayWork(layer, gemm, array, plan);
  std::string skipped = work < 0 || work > mostDemands ? "too large to be replayed" : "";
  TimedRun run{plan.cycles - 1, 0, {}};
  if (skipped.empty() && isTimed)
    run = timedRun(layer, gemm, array, plan, pads, bandwidth);
  else if (skipped.empty())
    run.traffic = estimatedTraffic(layer, gemm, array, plan, pads);
  auto known = [&](Number number, bool isReplayed) {
    return isReplayed && !skipped.empty() ? llvm::Optional<Number>() : number;
  };
  auto reason = [&](bool isReplayed) { return isReplayed ? skipped : ""; };
  add(row, "total_cycles", known(run.cycles, isTimed), into, reason(isTimed));
  add(row, "stall_cycles", known(run.stalls, isTimed), into, reason(isTimed));
  double possible = possibleMacs(array, static_cast<double>(run.cycles));
  add(row, "overall_util_pct", known(percent(usefulMacs(gemm), possible), isTimed), into,
      reason(isTimed));
  add(row, "dram_ifmap_reads", known(run.traffic.inputReads, true), into, skipped);
  add(row, "dram_filter_reads", known(run.traffic.weightReads, true), into, skipped);
  add(row, "dram_ofmap_writes", known(run.traffic.outputWrites, true), into, skipped);
  double reference = 0;
  if (!isTimed || llvm::StringRef(text(row, "total_cycles")).getAsDouble(reference))
    return;
  // Beside the replay, the closed form, and the share of rows within 5 %.
  double bound = std::round(boundedCycles(layer, gemm, plan, pads, bandwidth));
  into.predictions.push_back(
      {"total_cycles_bound", Number::fromReal(bound), Number::fromReal(reference), "", {}});
  bool isNear = std::fabs(static_cast<double>(run.cycles) - reference) <= 0.05 * reference;
  into.predictions.push_back(
      {"cycles_within_5_percent", known(Number(isNear), true), Number(1), skipped, {}});
}

llvm::Optional<ValidationRow> ScaleSimTable::predict(const CsvRow &row) {
  for (llvm::StringRef title : columns)
    if (!table.find(row, title)) {
      diagnostics.report(row.place, diag::BadCsv, "the row has no cell under " + title.str());
      return llvm::None;
    }
  Case description;
  if (!read(row, description))
    return llvm::None;
  ValidationRow result{text(row, "case_id") + " " + text(row, "dims"),
                       {{"mode", text(row, "bwmode")}, {"dataflow", text(row, "dataflow")}},
                       {}};
  if (text(row, "status") != "ok") {
    result.predictions.push_back({"total_cycles",
                                  llvm::None,
                                  llvm::None,
                                  "the tool gave no result (" + text(row, "status") + ")",
                                  {}});
    return result;
  }
  bool fits = description.layer.inputWords() <= epochWords(description.pads.input) &&
              description.gemm.k * description.gemm.n <= epochWords(description.pads.weight);
  result.labels.push_back({"operands", fits ? "operands fit" : "replayed"});
  llvm::Optional<FoldPlan> plan = planFolds(description.gemm, description.array);
  if (plan)
    addRun(row, description, *plan, result);
  else
    add(row, "total_cycles", llvm::None, result, "a count does not fit 64 bits");
  return result;
}

bool driver::predictScaleSim(Session &session, llvm::StringRef path,
                             std::vector<ValidationRow> &rows) {
  FileId file = session.load(path);
  llvm::Optional<LocatedCsv> table;
  if (file)
    table = LocatedCsv::read(session.sources, file, session.diagnostics);
  if (!table)
    return false;
  for (llvm::StringRef title : columns)
    if (!table->column(title)) {
      session.diagnostics.report(table->titleRow().place, diag::BadTable, path, scaleSimKind.str(),
                                 "it has no column " + title.str());
      return false;
    }
  ScaleSimTable reader(session, *table);
  for (const CsvRow &row : table->rows())
    if (auto predicted = reader.predict(row))
      rows.push_back(std::move(*predicted));
  return true;
}
