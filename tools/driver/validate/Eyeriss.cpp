// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind eyeriss: the layers of AlexNet and VGG16 that were measured on the Eyeriss chip (Chen et
// al., JSSC 52(1), 2017), a table of layers and, beside it, one of row-stationary mappings. Each
// layer runs on std.hardware.eyeriss with the energy of a 16-bit multiply-accumulate at 65 nm and
// 1.0 V from std.hardware.energy; layers without a published mapping take the library's.
// Energies are those of the chip, without DRAM; buffer and DRAM traffic is not compressed. The chip
// neither multiplies zeros of the input nor reads weights and sums for them: `gated_energy_mJ`
// takes the table's share of zeros off the energy of the multiplier and of those scratchpads.
// `calibrated_energy_mJ` multiplies that by one factor, the geometric mean over AlexNet of measured
// / predicted, and is there for the other layers only.
#include "api/Evaluation.h"
#include "api/Providers.h"
#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "tools/driver/validate/Kind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static constexpr llvm::StringLiteral layerFile = "eyeriss_jssc2017_layers.csv";
static constexpr llvm::StringLiteral mappingFile = "eyeriss_alexnet_mapping.csv";
static constexpr llvm::StringLiteral layerColumns[] = {
    "network", "layer", "batch", "C",      "M",        "R",
    "S",       "P",     "Q",     "stride", "power_mW", "total_latency_ms"};
static constexpr llvm::StringLiteral mappingColumns[] = {"layer",
                                                         "m_filters_in_gb",
                                                         "n_ifmaps",
                                                         "e_pe_set_width",
                                                         "p_filters_per_pe",
                                                         "q_channels_per_pe",
                                                         "r_pe_sets_over_channels",
                                                         "t_pe_sets_over_filters"};
static constexpr int64_t arrayWidth = 14; ///< of the chip: 14 by 12 elements

namespace {

/// What perfc says of a layer, in the units of the table.
struct LayerFigures {
  double processing = 0, latency = 0; ///< ms
  double energy = 0;                  ///< mJ
  double gateable = 0;                ///< mJ of it that zeros do not take
  double buffer = 0, dram = 0;        ///< MB
};

class EyerissTable {
public:
  EyerissTable(Session &session, const LocatedCsv &layers,
               const llvm::Optional<LocatedCsv> &mappings)
      : layers(layers), mappings(mappings), diagnostics(session.diagnostics) {}

  bool predict(std::vector<ValidationRow> &rows);

private:
  bool hasColumns(const LocatedCsv &table, llvm::ArrayRef<llvm::StringLiteral> columns);
  llvm::Optional<int64_t> whole(const LocatedCsv &table, const CsvRow &row, llvm::StringRef title);
  bool readAll(const LocatedCsv &table, const CsvRow &row,
               llvm::ArrayRef<llvm::StringLiteral> titles, llvm::SmallVectorImpl<int64_t> &into);
  const CsvRow *mappingOf(const CsvRow &layer) const;
  llvm::Optional<std::string> mappingText(const CsvRow &row, int64_t filterHeight);
  llvm::Optional<std::string> program(const CsvRow &layer);
  llvm::Optional<ValidationRow> row(const CsvRow &layer);
  void calibrate(std::vector<ValidationRow> &rows);

  const LocatedCsv &layers;
  const llvm::Optional<LocatedCsv> &mappings;
  DiagnosticEngine &diagnostics;
};

} // namespace

bool EyerissTable::hasColumns(const LocatedCsv &table,
                              llvm::ArrayRef<llvm::StringLiteral> columns) {
  for (llvm::StringRef title : columns)
    if (!table.column(title)) {
      diagnostics.report(table.titleRow().place, diag::BadCsv, "there is no column " + title.str());
      return false;
    }
  return true;
}

llvm::Optional<int64_t> EyerissTable::whole(const LocatedCsv &table, const CsvRow &row,
                                            llvm::StringRef title) {
  if (const CsvCell *cell = table.find(row, title))
    return wholeNumber(*cell, 1, 1 << 20, title, diagnostics);
  diagnostics.report(row.place, diag::BadCsv, "the row has no cell under " + title.str());
  return llvm::None;
}

bool EyerissTable::readAll(const LocatedCsv &table, const CsvRow &row,
                           llvm::ArrayRef<llvm::StringLiteral> titles,
                           llvm::SmallVectorImpl<int64_t> &into) {
  for (llvm::StringRef title : titles) {
    auto value = whole(table, row, title);
    if (!value)
      return false;
    into.push_back(*value);
  }
  return true;
}

/// Published mappings are those of AlexNet.
const CsvRow *EyerissTable::mappingOf(const CsvRow &layer) const {
  if (!mappings || layers.find(layer, "network")->text != "AlexNet")
    return nullptr;
  for (const CsvRow &row : mappings->rows())
    if (const CsvCell *name = mappings->find(row, "layer");
        name && name->text == layers.find(layer, "layer")->text)
      return &row;
  return nullptr;
}

/// A set of PEs has a row for each row of the filter and a column for each of e output rows; sets
/// stand side by side as far as the array is wide, one that is wider is cut and stacked. An element
/// slides one row of p filters and q channels over an output row.
llvm::Optional<std::string> EyerissTable::mappingText(const CsvRow &row, int64_t filterHeight) {
  llvm::SmallVector<int64_t, 8> n;
  if (!readAll(*mappings, row, llvm::makeArrayRef(mappingColumns).drop_front(), n))
    return llvm::None;
  int64_t filters = n[0], images = n[1], e = n[2], p = n[3], q = n[4], r = n[5], t = n[6];
  int64_t width = std::min(e, arrayWidth), cut = (e + arrayWidth - 1) / arrayWidth;
  int64_t beside = std::min(t, arrayWidth / width), above = (t + beside - 1) / beside;
  return fmt::format("mapping published for conv2d on eyeriss {{\n"
                     "  at DRAM for n = rest, p = rest, m = rest, c = rest\n"
                     "  at GLB for m = {}, n = {}, q = rest\n"
                     "  at PE.x parallel p = {}, m = {}\n"
                     "  at PE.y parallel p = {}, m = {}, c = {}, r = {}\n"
                     "  at PSpad for m = {}, c = {}, s = rest\n}}\n",
                     std::max<int64_t>(1, filters / (p * t)), images, width, beside, cut, above, r,
                     filterHeight, p, q);
}

/// The program that evaluates one layer.
llvm::Optional<std::string> EyerissTable::program(const CsvRow &layer) {
  static constexpr llvm::StringLiteral titles[] = {"batch", "M", "C", "P", "Q", "R", "S", "stride"};
  llvm::SmallVector<int64_t, 8> n;
  if (!readAll(layers, layer, titles, n))
    return llvm::None;
  std::string text = "import std.hardware.energy\nimport std.hardware.eyeriss\n"
                     "import std.ops.conv2d\n";
  const CsvRow *published = mappingOf(layer);
  if (published) {
    auto mapping = mappingText(*published, n[5]);
    if (!mapping)
      return llvm::None;
    text += *mapping;
  }
  text += fmt::format("evaluate conv2d(N = {}, M = {}, C = {}, P = {}, Q = {}, R = {}, S = {}, "
                      "stride = {}) on eyeriss(mac = mac_energy(int16, node = 65nm, volts = 1.0)) "
                      "with {}\n",
                      n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7],
                      published ? "published" : "row_stationary");
  return text;
}

static llvm::Optional<LayerFigures> evaluateText(const std::string &text, std::string &problem) {
  Session inner(llvm::nulls(), llvm::nulls());
  FileId file = inner.sources.add("<layer>", text);
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(inner.context(), providers);
  evaluation.run(file, {}, [](const Evaluated &) {});
  for (const Diagnostic &one : inner.diagnostics.all())
    if (one.kind->severity == Severity::Error)
      problem = problem.empty() ? one.message : problem;
  if (!problem.empty() || evaluation.results().empty())
    return llvm::None;
  const Cost &cost = evaluation.results().front().cost;
  LayerFigures figures;
  figures.latency = cost.latency.central() * 1e3;
  figures.energy = cost.energy.known.central() * 1e3;
  for (const MemoryTraffic &memory : cost.traffic) {
    if (memory.isOffChip) {
      figures.energy -= memory.energy.known.central() * 1e3;
      figures.dram += memory.bytes() / 1e6;
    } else if (memory.memory == "GLB") {
      figures.buffer += memory.bytes() / 1e6;
    } else if (memory.memory == "WSpad" || memory.memory == "PSpad") {
      figures.gateable += memory.energy.known.central() * 1e3;
    }
  }
  if (cost.work) {
    figures.processing = cost.work->compute.central() * 1e3;
    figures.gateable += cost.work->computeEnergy.known.central() * 1e3;
  }
  return figures;
}

llvm::Optional<ValidationRow> EyerissTable::row(const CsvRow &layer) {
  auto text = program(layer);
  if (!text)
    return llvm::None;
  std::string network = layers.find(layer, "network")->text, problem;
  llvm::Optional<LayerFigures> figures = evaluateText(*text, problem);
  ValidationRow result{
      network + " " + layers.find(layer, "layer")->text,
      {{"network", network}, {"mapping", mappingOf(layer) ? "published" : "library"}},
      {}};
  auto add = [&](llvm::StringRef metric, llvm::Optional<double> reference, double predicted) {
    if (!reference)
      return;
    Prediction prediction{metric.str(), llvm::None, Number::fromReal(*reference), problem, {}};
    if (figures)
      prediction.predicted = Number::fromReal(predicted);
    result.predictions.push_back(std::move(prediction));
  };
  auto cell = [&](llvm::StringRef title) -> llvm::Optional<double> {
    const CsvCell *found = layers.find(layer, title);
    return found && !found->text.empty() ? realNumber(*found, title, diagnostics) : llvm::None;
  };
  LayerFigures known = figures.getValueOr(LayerFigures());
  llvm::Optional<double> power = cell("power_mW"), latency = cell("total_latency_ms"), energy;
  if (power && latency)
    energy = *power * *latency / 1e3;
  add("processing_latency_ms", cell("processing_latency_ms"), known.processing);
  add("total_latency_ms", latency, known.latency);
  add("energy_mJ", energy, known.energy);
  if (llvm::Optional<double> zeros = cell("zeros_in_ifmap_pct"))
    add("gated_energy_mJ", energy, known.energy - known.gateable * *zeros / 100);
  add("global_buffer_access_MB", cell("global_buffer_access_MB"), known.buffer);
  add("dram_access_MB", cell("dram_access_MB"), known.dram);
  return result;
}

static const Prediction *gatedEnergyOf(const ValidationRow &row) {
  auto found = llvm::find_if(row.predictions,
                             [](const Prediction &one) { return one.metric == "gated_energy_mJ"; });
  bool isKnown = found != row.predictions.end() && found->predicted && found->reference &&
                 found->predicted->real > 0 && found->reference->real > 0;
  return isKnown ? &*found : nullptr;
}

/// One factor from AlexNet, tried on everything else.
void EyerissTable::calibrate(std::vector<ValidationRow> &rows) {
  double logarithms = 0;
  unsigned count = 0;
  auto isUsed = [](const ValidationRow &row) { return row.labels.front().second == "AlexNet"; };
  for (const ValidationRow &row : rows)
    if (const Prediction *energy = gatedEnergyOf(row); energy && isUsed(row)) {
      logarithms += std::log(energy->reference->real / energy->predicted->real);
      ++count;
    }
  if (count == 0)
    return;
  double factor = std::exp(logarithms / count);
  for (ValidationRow &row : rows)
    if (const Prediction *energy = gatedEnergyOf(row); energy && !isUsed(row))
      row.predictions.push_back({"calibrated_energy_mJ",
                                 Number::fromReal(factor * energy->predicted->real),
                                 energy->reference,
                                 "",
                                 {}});
}

bool EyerissTable::predict(std::vector<ValidationRow> &rows) {
  if (!hasColumns(layers, layerColumns) || (mappings && !hasColumns(*mappings, mappingColumns)))
    return false;
  for (const CsvRow &layer : layers.rows()) {
    if (!layers.find(layer, "layer")) {
      diagnostics.report(layer.place, diag::BadCsv, "the row has no cell under layer");
      continue;
    }
    if (auto predicted = row(layer))
      rows.push_back(std::move(*predicted));
  }
  calibrate(rows);
  return true;
}

bool driver::predictEyeriss(Session &session, llvm::StringRef path,
                            std::vector<ValidationRow> &rows) {
  llvm::SmallString<128> file(path), beside;
  if (llvm::sys::fs::is_directory(path))
    llvm::sys::path::append(file, layerFile);
  beside = llvm::sys::path::parent_path(file);
  llvm::sys::path::append(beside, mappingFile);
  auto read = [&](llvm::StringRef name) -> llvm::Optional<LocatedCsv> {
    FileId id = session.load(name);
    return id ? LocatedCsv::read(session.sources, id, session.diagnostics) : llvm::None;
  };
  llvm::Optional<LocatedCsv> layers = read(file), mappings;
  if (layers && llvm::sys::fs::exists(beside))
    mappings = read(beside);
  if (session.diagnostics.hasErrors())
    return false;
  return EyerissTable(session, *layers, mappings).predict(rows);
}
