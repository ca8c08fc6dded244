// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind maestro: layers under dataflows on hardware points, with what MAESTRO prints for each
// (columns as in the tables of its results: counts in elements, times in cycles). Rows on which the
// tool itself errs (valid is not 1) have no prediction.
#include "backends/loopnest/maestro/Model.h"
#include "tools/driver/validate/Csv.h"
#include "tools/driver/validate/MaestroInputs.h"

using namespace perfc;
using namespace perfc::driver;
using maestro::Figures;

using Columns = std::vector<std::pair<std::string, Number>>;

/// The tool prints what is no count with six digits.
static Number sixDigits(double value) {
  double rounded = value;
  llvm::StringRef(fmt::format("{:.6g}", value)).getAsDouble(rounded);
  return Number::fromReal(rounded);
}

static void addTensor(Columns &columns, const std::string &name,
                      const maestro::TensorAccesses &tensor) {
  columns.emplace_back(name + "_l1_read", tensor.l1Read);
  columns.emplace_back(name + "_l1_write", tensor.l1Write);
  columns.emplace_back(name + "_l2_read", tensor.l2Read);
  columns.emplace_back(name + "_l2_write", tensor.l2Write);
}

static void addDelay(Columns &columns, const std::string &name, const maestro::Delay &delay) {
  columns.emplace_back(name + "_min", delay.smallest);
  columns.emplace_back(name + "_max", delay.largest);
  columns.emplace_back(name + "_avg", delay.average);
}

/// The figures by the names of the columns.
static Columns columnsOf(const dataflow::Layer &layer, const dataflow::Hardware &hardware,
                         const Figures &figures) {
  Columns columns;
  if (llvm::Optional<int64_t> macs = maestro::exactMacs(layer))
    columns.emplace_back("true_macs", *macs);
  columns.emplace_back("maestro_macs", figures.macs);
  columns.emplace_back("runtime_cycles", figures.runtime);
  columns.emplace_back("avg_util_pes", sixDigits(figures.activePes));
  columns.emplace_back("noc_bw_req_peak", figures.peakNocBandwidth);
  columns.emplace_back("noc_bw_req_avg", sixDigits(figures.averageNocBandwidth));
  columns.emplace_back("offchip_bw_req", figures.offchipBandwidth);
  columns.emplace_back("l2_req_elems", figures.l2Elements);
  columns.emplace_back("l1_req_elems", figures.l1Elements);
  addTensor(columns, "input", figures.input);
  addTensor(columns, "filter", figures.filter);
  addTensor(columns, "output", figures.output);
  addDelay(columns, "ingress", figures.ingress);
  addDelay(columns, "egress", figures.egress);
  addDelay(columns, "compute", figures.compute);
  auto addIfAny = [&](const char *name, llvm::Optional<double> value) {
    if (value)
      columns.emplace_back(name, sixDigits(*value));
  };
  addIfAny("multicast_w", Figures::multicast(figures.filter));
  addIfAny("multicast_i", Figures::multicast(figures.input));
  addIfAny("arith_intensity", figures.intensity);
  maestro::Floorplan chip = maestro::floorplan(figures, hardware);
  columns.emplace_back("area_um2", sixDigits(chip.area));
  columns.emplace_back("power_mW", sixDigits(chip.power));
  columns.emplace_back("energy_xmac_screen", sixDigits(figures.energy()));
  columns.emplace_back("energy_xmac", Number::fromReal(figures.energy()));
  return columns;
}

static bool readHardware(Session &session, const CsvTable &table, const CsvTable::Row &row,
                         dataflow::Hardware &hardware) {
  struct Field {
    llvm::StringLiteral column;
    int64_t dataflow::Hardware::*member;
    int64_t least;
  };
  static const Field fields[] = {{"num_pes", &dataflow::Hardware::pes, 1},
                                 {"simd", &dataflow::Hardware::simd, 1},
                                 {"noc_bw", &dataflow::Hardware::nocBandwidth, 1},
                                 {"noc_hops", &dataflow::Hardware::nocHops, 0},
                                 {"noc_hop_latency", &dataflow::Hardware::hopLatency, 0},
                                 {"offchip_bw", &dataflow::Hardware::offchipBandwidth, 1}};
  for (const Field &field : fields) {
    auto value = table.count(session, row, field.column, field.least);
    if (!value)
      return false;
    hardware.*field.member = *value;
  }
  return true;
}

/// The figures of a row; empty with a reason in `problem`.
static Columns evaluateRow(MaestroInputs &inputs, const CsvTable &table, const CsvTable::Row &row,
                           const dataflow::Hardware &hardware, std::string &problem) {
  const dataflow::Layer *layer =
      inputs.find(table.cell(row, "dataflow"), table.cell(row, "layer"), problem);
  if (!layer)
    return {};
  llvm::Optional<Figures> figures = maestro::evaluate(*layer, hardware, inputs.diagnostics());
  if (figures)
    return columnsOf(*layer, hardware, *figures);
  problem = inputs.lastReport();
  return {};
}

bool driver::predictMaestro(Session &session, llvm::StringRef path,
                            std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "maestro",
                              {"case_id", "layer", "type", "dataflow", "num_pes", "simd", "noc_bw",
                               "noc_hops", "noc_hop_latency", "offchip_bw", "valid"});
  if (!table)
    return false;
  MaestroInputs inputs(path);
  for (const CsvTable::Row &row : table->rows()) {
    ValidationRow result{table->cell(row, "case_id").str(), {}, {}};
    result.labels = {{"type", table->cell(row, "type").str()}};
    dataflow::Hardware hardware;
    if (!readHardware(session, *table, row, hardware))
      return false;
    std::string problem;
    Columns columns;
    if (table->cell(row, "valid") != "1")
      problem = "the tool's own figures are wrong (valid is not 1)";
    else
      columns = evaluateRow(inputs, *table, row, hardware, problem);
    for (const auto &[name, value] : columns)
      if (llvm::Optional<Number> reference = table->number(row, name))
        result.predictions.push_back({name, value, reference, "", {}});
    if (columns.empty())
      result.predictions.push_back(
          {"runtime_cycles", llvm::None, table->number(row, "runtime_cycles"), problem, {}});
    rows.push_back(std::move(result));
  }
  return true;
}
