// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/AstraCase.h"

#include "api/astra/ClusterReader.h"
#include "api/astra/ClusterTexts.h"
#include "ir/common/diagnostics/Files.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using llvm::json::Array;
using llvm::json::Object;

astra::System driver::defaultSystem(size_t dims) {
  astra::System system;
  system.localMemBandwidth = 1600;
  system.localBwAware = true;
  for (auto &algorithms : system.algorithms)
    algorithms.assign(dims, astra::Algorithm());
  return system;
}

/// "1|2" as a list of numbers or words.
static Array listOf(llvm::StringRef cell) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  cell.split(parts, '|');
  Array list;
  for (llvm::StringRef part : parts) {
    double number = 0;
    if (part.getAsDouble(number))
      list.push_back(part.str());
    else
      list.push_back(number);
  }
  return list;
}

static Object systemOfRow(const CsvTable &table, const CsvTable::Row &row, size_t dims) {
  Object system;
  Array names = listOf(table.hasColumn("algorithm") ? table.cell(row, "algorithm") : "ring");
  if (names.size() == 1)
    for (size_t dim = 1; dim < dims; ++dim)
      names.push_back(llvm::json::Value(names.front()));
  for (unsigned op = 0; op < astra::collectiveCount; ++op)
    system[astra::collectiveWord(static_cast<astra::Collective>(op)).str() + "-implementation"] =
        Array(names);
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> keys[] = {
      {"scheduling", "scheduling-policy"},
      {"endpoint_delay", "endpoint-delay"},
      {"active_chunks", "active-chunks-per-dimension"},
      {"splits", "preferred-dataset-splits"},
      {"queues_per_dim", "num-queues-per-dim"},
      {"collective_optimization", "collective-optimization"},
      {"local_mem_bw_GBps", "local-mem-bw"}};
  for (const auto &[column, key] : keys)
    if (table.hasColumn(column))
      system[key] = listOf(table.cell(row, column)).front();
  return system;
}

llvm::Optional<astra::Cluster> driver::clusterOfRow(const CsvTable &table, const CsvTable::Row &row,
                                                    std::string &problem) {
  astra::Cluster cluster;
  bool hasDims = table.hasColumn("npus_per_dim");
  Object network{{"topology", listOf(table.cell(row, "topology"))},
                 {"npus_count", listOf(table.cell(row, hasDims ? "npus_per_dim" : "npus"))},
                 {"bandwidth", listOf(table.cell(row, "bandwidth_GBps"))},
                 {"latency", listOf(table.cell(row, "latency_ns"))}};
  SourceManager none;
  DiagnosticEngine diagnostics(none);
  ClusterReader reader(diagnostics, 0, "the row");
  bool isRead = reader.readNetwork(network, cluster.network);
  if (isRead) {
    cluster.system = defaultSystem(cluster.network.size());
    isRead = reader.readSystem(systemOfRow(table, row, cluster.network.size()), cluster.system);
  }
  for (const Diagnostic &one : diagnostics.all())
    if (problem.empty() && one.kind->severity == Severity::Error)
      problem = one.message;
  if (!isRead)
    return llvm::None;
  cluster.aware = table.cell(row, "backend") == "aware";
  return cluster;
}

llvm::Optional<astra::Collective> driver::collectiveNamed(Session &session, SourceRange range,
                                                          llvm::StringRef kind,
                                                          llvm::StringRef name) {
  for (unsigned op = 0; op < astra::collectiveCount; ++op)
    if (astra::collectiveName(static_cast<astra::Collective>(op)) == name)
      return static_cast<astra::Collective>(op);
  session.diagnostics.report(range, diag::BadTable, session.sources.path(range.file).str(),
                             kind.str(), "there is no collective `" + name.str() + "`");
  return llvm::None;
}

std::vector<llvm::Optional<Number>> driver::figuresOf(llvm::StringRef cell) {
  std::vector<llvm::Optional<Number>> figures;
  llvm::SmallVector<llvm::StringRef, 16> parts;
  cell.split(parts, '|');
  for (llvm::StringRef part : parts) {
    int64_t whole = 0;
    figures.push_back(part.getAsInteger(10, whole) ? llvm::Optional<Number>()
                                                   : llvm::Optional<Number>(Number(whole)));
  }
  return figures;
}

void driver::addFigures(ValidationRow &row, llvm::StringRef metric,
                        llvm::ArrayRef<int64_t> predicted,
                        llvm::ArrayRef<llvm::Optional<Number>> reference) {
  for (size_t at = 0; at < std::max(predicted.size(), reference.size()); ++at) {
    Prediction prediction;
    prediction.metric = metric.str();
    if (at < predicted.size())
      prediction.predicted = Number(predicted[at]);
    if (at < reference.size())
      prediction.reference = reference[at];
    if (predicted.size() > 1 || reference.size() > 1)
      prediction.part = std::to_string(at);
    row.predictions.push_back(std::move(prediction));
  }
}

void driver::skipRow(ValidationRow &row, llvm::ArrayRef<llvm::StringRef> metrics,
                     const std::string &reason) {
  for (llvm::StringRef metric : metrics) {
    Prediction prediction;
    prediction.metric = metric.str();
    prediction.skipped = reason;
    row.predictions.push_back(std::move(prediction));
  }
}

bool driver::skipFailedRow(ValidationRow &row, llvm::StringRef status,
                           const astra::SimulationResult &result,
                           llvm::ArrayRef<llvm::StringRef> metrics) {
  if (status.empty() || status == "ok")
    return false;
  std::string problem = firstProblem(result.findings);
  for (const astra::Finding &finding : result.findings)
    if (problem.empty())
      problem = finding.subject + ": " + finding.reason;
  skipRow(row, metrics,
          fmt::format("the tool ended with {}; {}", status,
                      problem.empty() ? "perfc finds nothing wrong" : "perfc: " + problem));
  return true;
}

bool driver::skipRefusedRow(ValidationRow &row, const astra::SimulationResult &result,
                            llvm::ArrayRef<llvm::StringRef> metrics) {
  if (!result.aborted())
    return false;
  skipRow(row, metrics, firstProblem(result.findings));
  return true;
}

std::vector<int64_t> driver::finishTimes(const astra::SimulationResult &result) {
  std::vector<int64_t> times;
  for (const astra::RankResult &rank : result.ranks)
    times.push_back(rank.finish);
  return times;
}
