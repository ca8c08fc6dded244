// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds traces and table8. A case folder holds case.json (network, system, groups, and per backend
// the cycles and exposed cycles of each rank) and et/NAME.RANK.et, one file when all ranks run the
// same. A row of table8 is a collective of the size that its experiment names, or names a case
// folder below traces/; the system stands beside the table.
#include "api/astra/ClusterReader.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/validate/AstraCase.h"
#include "tools/driver/validate/JsonFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using llvm::json::Object;

static std::string joined(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// The files of one case: all ranks', or the one that all run.
static bool readCaseTraces(Session &session, llvm::StringRef folder, bool isShared, uint64_t ranks,
                           TraceFiles &traces) {
  std::string name = llvm::sys::path::filename(folder).str();
  std::string inner = joined(folder, "et");
  std::string prefix = joined(llvm::sys::fs::is_directory(inner) ? inner : folder.str(), name);
  return readTraces(session, prefix, isShared ? 1 : ranks, traces);
}

/// Network, system and groups of a case; false when they are malformed (reported).
static bool readCase(Session &session, const std::string &path, const Object &document,
                     astra::Cluster &cluster) {
  ClusterReader reader(session.diagnostics, session.sources.find(path), path);
  const Object *network = document.getObject("network"), *system = document.getObject("system");
  if (!network || !system) {
    reportBadTable(session, path, "traces", "it has no network and system");
    return false;
  }
  if (!reader.readNetwork(*network, cluster.network) || !reader.readSystem(*system, cluster.system))
    return false;
  const Object *groups = document.getObject("comm_groups");
  if (groups && !reader.readGroups(*groups, astra::rankCount(cluster.network), cluster.groups))
    return false;
  const Object *memory = document.getObject("memory");
  return !memory || reader.readMemory(*memory, cluster.memory);
}

/// The recorded communication time is that of the rank that finishes first.
static int64_t firstCommunication(const astra::SimulationResult &result) {
  const astra::RankResult *first = &result.ranks.front();
  for (const astra::RankResult &rank : result.ranks)
    if (rank.finish < first->finish)
      first = &rank;
  return first->communicationBusy;
}

static void predictBackend(const std::string &name, astra::Cluster cluster,
                           const TraceFiles &traces, llvm::StringRef backend,
                           const Object &expected, std::vector<ValidationRow> &rows) {
  cluster.aware = backend == "aware";
  ValidationRow row{name + "/" + backend.str(), {{"backend", backend.str()}}, {}};
  astra::SimulationResult result = astra::simulate(cluster, traces.ranks);
  if (!skipRefusedRow(row, result, {"cycles", "exposed", "comm_busy"})) {
    std::vector<int64_t> exposed;
    for (const astra::RankResult &rank : result.ranks)
      exposed.push_back(rank.exposed());
    addFigures(row, "cycles", finishTimes(result), numbersAt(expected, "cycles"));
    addFigures(row, "exposed", exposed, numbersAt(expected, "exposed"));
    std::vector<llvm::Optional<Number>> busy = numbersAt(expected, "comm_time");
    if (!busy.empty())
      addFigures(row, "comm_busy", firstCommunication(result), busy);
  }
  rows.push_back(std::move(row));
}

static bool predictCase(Session &session, llvm::StringRef folder,
                        std::vector<ValidationRow> &rows) {
  std::string path = joined(folder, "case.json"), name = llvm::sys::path::filename(folder).str();
  auto document = readJsonFile(session, path, "traces");
  const Object *object = document ? document->getAsObject() : nullptr;
  if (!object) {
    if (document)
      reportBadTable(session, path, "traces", "it is no JSON object");
    return false;
  }
  const Object *results = object->getObject("result");
  if (!results || !object->getObject("network")) {
    Prediction skipped{"cycles", {}, {}, "the case has no network or result", {}, ""};
    rows.push_back({name, {}, {skipped}});
    return true;
  }
  astra::Cluster cluster;
  TraceFiles traces;
  if (!readCase(session, path, *object, cluster) ||
      !readCaseTraces(session, folder, object->getBoolean("spmd").getValueOr(false),
                      astra::rankCount(cluster.network), traces))
    return false;
  for (llvm::StringRef backend : {"unaware", "aware"})
    if (const Object *expected = results->getObject(backend))
      predictBackend(name, cluster, traces, backend, *expected, rows);
  return true;
}

bool driver::predictTraces(Session &session, llvm::StringRef path,
                           std::vector<ValidationRow> &rows) {
  std::string folder = path.rtrim('/').str();
  if (llvm::sys::fs::exists(joined(folder, "case.json")))
    return predictCase(session, folder, rows);
  std::vector<std::string> folders;
  std::error_code error;
  llvm::sys::fs::directory_iterator end;
  for (llvm::sys::fs::directory_iterator it(folder, error); !error && it != end;
       it.increment(error))
    if (llvm::sys::fs::exists(joined(it->path(), "case.json")))
      folders.push_back(it->path());
  llvm::sort(folders);
  if (folders.empty())
    reportBadTable(session, path, "traces", "the folder has no folder with a case.json");
  return !folders.empty() && llvm::all_of(folders, [&](const std::string &entry) {
    return predictCase(session, entry, rows);
  });
}

/// `1MB` in bytes; 0 for something else.
static int64_t bytesOf(llvm::StringRef text) {
  unsigned shift = text.endswith("KB")   ? 10
                   : text.endswith("MB") ? 20
                   : text.endswith("GB") ? 30
                                         : 0;
  int64_t count = 0;
  if (shift == 0 || text.drop_back(2).getAsInteger(10, count) || count < 1 || count > 1 << 20)
    return 0;
  return count << shift;
}

/// The trace of a row: a collective, or the case of that name below traces/.
static bool readExperiment(Session &session, llvm::StringRef folder, const CsvTable &table,
                           const CsvTable::Row &line, TraceFiles &traces) {
  llvm::StringRef experiment = table.cell(line, "experiment");
  llvm::StringRef size = experiment;
  if (!size.consume_front("collective_"))
    return readCaseTraces(session, joined(joined(folder, "traces"), experiment), true, 1, traces);
  auto op = collectiveNamed(session, line.place, "table8", table.cell(line, "collective"));
  if (!op || bytesOf(size) == 0) {
    if (op)
      session.diagnostics.report(line.place, diag::BadTable,
                                 session.sources.path(line.place.file).str(), "table8",
                                 "no size in experiment `" + experiment.str() + "`");
    return false;
  }
  traces.owned.push_back(
      std::make_unique<chakra::Trace>(astra::collectiveTrace(*op, bytesOf(size))));
  traces.ranks.push_back(traces.owned.back().get());
  return true;
}

bool driver::predictTable8(Session &session, llvm::StringRef path,
                           std::vector<ValidationRow> &rows) {
  static const llvm::StringRef metrics[] = {"wall_cycles", "exposed_comm_cycles",
                                            "comm_busy_cycles"};
  auto table = CsvTable::load(
      session, path, "table8",
      {"experiment", "collective", "npus", "backend", "topology", "bandwidth_GBps", "latency_ns"});
  std::string folder = llvm::sys::path::parent_path(path).str();
  std::string systemPath = joined(folder, "hgx_h100_validated_system.json");
  auto document = table ? readJsonFile(session, systemPath, "table8") : llvm::None;
  const Object *system = document ? document->getAsObject() : nullptr;
  if (!system)
    return false;
  for (const CsvTable::Row &line : table->rows()) {
    ValidationRow row{fmt::format("{}/{}/{}", table->cell(line, "experiment"),
                                  table->cell(line, "collective"), table->cell(line, "npus")),
                      {{"backend", table->cell(line, "backend").str()}},
                      {}};
    std::string problem;
    auto cluster = clusterOfRow(*table, line, problem);
    if (!cluster) {
      skipRow(row, metrics, problem);
      rows.push_back(std::move(row));
      continue;
    }
    TraceFiles traces;
    ClusterReader reader(session.diagnostics, session.sources.find(systemPath), systemPath);
    if (!reader.readSystem(*system, cluster->system) ||
        !readExperiment(session, folder, *table, line, traces))
      return false;
    astra::SimulationResult result = astra::simulate(*cluster, traces.ranks);
    if (!skipRefusedRow(row, result, metrics)) {
      const astra::RankResult &rank = result.ranks.front();
      int64_t predicted[] = {rank.finish, rank.exposed(), rank.communicationBusy};
      for (size_t at = 0; at < std::size(metrics); ++at)
        addFigures(row, metrics[at], predicted[at], table->number(line, metrics[at]));
    }
    rows.push_back(std::move(row));
  }
  return true;
}
