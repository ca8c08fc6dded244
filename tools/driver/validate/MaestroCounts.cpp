// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind maestro_counts: what the outermost level of a dataflow must move between L2 and the
// sub-clusters, by brute force over its steps. The number of PEs is a column of the table or of
// another one beside it that has the layer. Rows with box_approx = 1 count rows of the input that
// no output uses, and have no prediction.
#include "backends/loopnest/maestro/OuterCounts.h"
#include "tools/driver/validate/Csv.h"
#include "tools/driver/validate/MaestroInputs.h"

using namespace perfc;
using namespace perfc::driver;
using maestro::OuterCounts;

/// The counts of one row; nothing with a reason in `problem`.
static llvm::Optional<OuterCounts> countRow(MaestroInputs &inputs, const CsvTable &table,
                                            const CsvTable::Row &row, std::string &problem) {
  llvm::StringRef name = table.cell(row, "layer");
  if (table.cell(row, "box_approx") == "1") {
    problem = "the reference counts boxes (box_approx is 1)";
    return llvm::None;
  }
  const dataflow::Layer *layer = inputs.find(table.cell(row, "dataflow"), name, problem);
  if (!layer)
    return llvm::None;
  int64_t pes = 0;
  if (table.cell(row, "num_pes").getAsInteger(10, pes))
    pes = inputs.pesOf(name).getValueOr(0);
  if (pes < 1) {
    problem = fmt::format("no table gives the num_pes of `{}`", name);
    return llvm::None;
  }
  auto levels = maestro::translate(*layer, pes, inputs.diagnostics());
  if (!levels) {
    problem = inputs.lastReport();
    return llvm::None;
  }
  return maestro::countOuter(*layer, levels->front(), problem);
}

bool driver::predictMaestroCounts(Session &session, llvm::StringRef path,
                                  std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "maestro_counts",
                              {"layer", "type", "exact_input_l2_read", "exact_filter_l2_read",
                               "exact_output_l2_write", "box_approx"});
  if (!table)
    return false;
  MaestroInputs inputs(path);
  for (const CsvTable::Row &row : table->rows()) {
    ValidationRow result{table->cell(row, "layer").str(), {}, {}};
    result.labels = {{"type", table->cell(row, "type").str()}};
    std::string problem;
    llvm::Optional<OuterCounts> counts = countRow(inputs, *table, row, problem);
    auto add = [&](const char *column, int64_t OuterCounts::*member) {
      if (!table->hasColumn(column))
        return;
      Prediction prediction{column, llvm::None, table->number(row, column), problem, {}};
      if (counts)
        prediction.predicted = Number((*counts).*member);
      result.predictions.push_back(std::move(prediction));
    };
    add("top_level_steps", &OuterCounts::steps);
    add("exact_input_l2_read", &OuterCounts::inputReads);
    add("exact_filter_l2_read", &OuterCounts::filterReads);
    add("exact_output_l2_write", &OuterCounts::outputWrites);
    rows.push_back(std::move(result));
  }
  return true;
}
