// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds collectives_1d, collectives_1d_random, collectives_multidim and comm_groups: one collective
// on all ranks, or one in each communicator group, with ASTRA-sim's finish times.
#include "api/astra/ClusterReader.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/validate/AstraCase.h"
#include "tools/driver/validate/JsonFile.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static const llvm::StringRef collectiveMetrics[] = {"finished_npus", "cycles_max", "cycles_min",
                                                    "exposed_npu0"};

static bool predictCollective(Session &session, const CsvTable &table, const CsvTable::Row &line,
                              llvm::StringRef kind, ValidationRow &row) {
  std::string problem;
  auto cluster = clusterOfRow(table, line, problem);
  auto op = collectiveNamed(session, line.place, kind, table.cell(line, "collective"));
  auto size = table.count(session, line, "size_bytes", 0);
  if (!op || !size)
    return false;
  if (!cluster) {
    skipRow(row, collectiveMetrics, problem);
    return true;
  }
  chakra::Trace trace = astra::collectiveTrace(*op, *size);
  astra::SimulationResult result = astra::simulate(*cluster, {&trace});
  if (skipFailedRow(row, table.cell(line, "status"), result, collectiveMetrics) ||
      skipRefusedRow(row, result, collectiveMetrics))
    return true;
  int64_t finished = 0, latest = -1, earliest = -1;
  for (const astra::RankResult &rank : result.ranks)
    if (rank.finished()) {
      ++finished;
      latest = std::max(latest, rank.finish);
      earliest = earliest < 0 ? rank.finish : std::min(earliest, rank.finish);
    }
  int64_t predicted[] = {finished, latest, earliest,
                         result.ranks[0].finished() ? result.ranks[0].exposed() : -1};
  for (size_t at = 0; at < std::size(collectiveMetrics); ++at)
    addFigures(row, collectiveMetrics[at], predicted[at],
               table.number(line, collectiveMetrics[at]));
  return true;
}

static bool predictCollectives(Session &session, llvm::StringRef path, llvm::StringRef kind,
                               std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, kind,
                              {"backend", "collective", "size_bytes", "topology", "npus_per_dim",
                               "bandwidth_GBps", "latency_ns", "algorithm", "status"});
  if (!table)
    return false;
  for (const CsvTable::Row &line : table->rows()) {
    std::string name =
        table->hasColumn("id") ? table->cell(line, "id").str() : std::to_string(rows.size());
    ValidationRow row{std::move(name), {}, {}};
    for (llvm::StringRef column : {"backend", "collective"})
      row.labels.emplace_back(column.str(), table->cell(line, column).str());
    if (kind != "collectives_multidim")
      row.labels.emplace_back("algorithm", table->cell(line, "algorithm").str());
    if (!predictCollective(session, *table, line, kind, row))
      return false;
    rows.push_back(std::move(row));
  }
  return true;
}

bool driver::predictCollectives1d(Session &session, llvm::StringRef path,
                                  std::vector<ValidationRow> &rows) {
  return predictCollectives(session, path, "collectives_1d", rows);
}

bool driver::predictCollectives1dRandom(Session &session, llvm::StringRef path,
                                        std::vector<ValidationRow> &rows) {
  return predictCollectives(session, path, "collectives_1d_random", rows);
}

bool driver::predictCollectivesMultidim(Session &session, llvm::StringRef path,
                                        std::vector<ValidationRow> &rows) {
  return predictCollectives(session, path, "collectives_multidim", rows);
}

/// One trace per rank: the collective in the group that holds the rank, or 1 us of compute.
static std::vector<chakra::Trace> groupTraces(const astra::Cluster &cluster, astra::Collective op,
                                              int64_t size) {
  std::vector<chakra::Trace> traces(astra::rankCount(cluster.network));
  for (uint32_t rank = 0; rank < traces.size(); ++rank) {
    auto group = llvm::find_if(
        cluster.groups, [&](const auto &entry) { return llvm::is_contained(entry.second, rank); });
    traces[rank] = astra::collectiveTrace(op, size);
    traces[rank].path = "row";
    if (group == cluster.groups.end()) {
      traces[rank].nodes[0] = NodeMaker(chakra::NodeType::Compute).micros(1).node;
      continue;
    }
    traces[rank].groupNames.push_back(std::to_string(group->first));
    traces[rank].nodes[0].group = 1;
  }
  return traces;
}

static bool predictGroups(Session &session, const CsvTable &table, const CsvTable::Row &line,
                          ValidationRow &row) {
  std::string problem;
  auto cluster = clusterOfRow(table, line, problem);
  auto op = collectiveNamed(session, line.place, "comm_groups", table.cell(line, "collective"));
  auto size = table.count(session, line, "size_bytes", 0);
  if (!op || !size)
    return false;
  if (!cluster) {
    skipRow(row, {"cycles"}, problem);
    return true;
  }
  JsonProblem wrong;
  auto document = parseJson(table.cell(line, "comm_groups"), wrong);
  const llvm::json::Object *groups = document ? document->getAsObject() : nullptr;
  if (!groups) {
    session.diagnostics.report(line.place, diag::BadTable,
                               session.sources.path(line.place.file).str(), "comm_groups",
                               "comm_groups is no JSON object");
    return false;
  }
  ClusterReader reader(session.diagnostics, line.place.file, "comm_groups");
  if (!reader.readGroups(*groups, astra::rankCount(cluster->network), cluster->groups))
    return false;
  std::vector<chakra::Trace> traces = groupTraces(*cluster, *op, *size);
  std::vector<const chakra::Trace *> pointers;
  for (const chakra::Trace &trace : traces)
    pointers.push_back(&trace);
  astra::SimulationResult result = astra::simulate(*cluster, pointers);
  if (!skipFailedRow(row, table.cell(line, "status"), result, {"cycles"}) &&
      !skipRefusedRow(row, result, {"cycles"}))
    addFigures(row, "cycles", finishTimes(result), figuresOf(table.cell(line, "cycles_per_npu")));
  return true;
}

bool driver::predictCommGroups(Session &session, llvm::StringRef path,
                               std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "comm_groups",
                              {"backend", "topology", "npus_per_dim", "bandwidth_GBps",
                               "latency_ns", "collective", "size_bytes", "algorithm", "comm_groups",
                               "status", "cycles_per_npu"});
  if (!table)
    return false;
  for (const CsvTable::Row &line : table->rows()) {
    ValidationRow row{std::to_string(rows.size() + 1), {}, {}};
    for (llvm::StringRef column : {"backend", "collective", "algorithm"})
      row.labels.emplace_back(column.str(), table->cell(line, column).str());
    if (!predictGroups(session, *table, line, row))
      return false;
    rows.push_back(std::move(row));
  }
  return true;
}
