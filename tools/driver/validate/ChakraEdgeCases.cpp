// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind chakra_edge_cases: small traces as hexadecimal text, many of them malformed, on a ring of 50
// GB/s and 500 ns, with what ASTRA-sim did. Where it finishes ranks, their cycles and exposed
// cycles are compared; where it aborts or leaves ranks unfinished, `diagnosed` is 1 when perfc says
// why.
#include "api/astra/ClusterReader.h"
#include "api/astra/ClusterTexts.h"
#include "tools/driver/validate/AstraCase.h"
#include "tools/driver/validate/JsonFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// What perfc makes of a case.
struct CaseOutcome {
  astra::SimulationResult result;
  std::string problem; ///< the first error, "" when there is none
  bool aborted = false;
};

} // namespace

/// "" or why the case cannot be tried.
static std::string whyNot(const Object &entry) {
  const Array *files = entry.getArray("et_hex");
  if (!files || files->empty())
    return "the case has no traces";
  for (const llvm::json::Value &file : *files)
    if (!file.getAsString())
      return "the trace is not in the table";
  const Array *options = entry.getArray("options");
  return options && !options->empty()
             ? "not modelled: the option " + options->front().getAsString().getValueOr("?").str()
             : "";
}

/// The error that `engine` holds last, as text.
static std::string lastReport(const DiagnosticEngine &engine) {
  return engine.all().empty() ? "" : engine.all().back().message;
}

static bool readCaseCluster(DiagnosticEngine &diagnostics, const Object &entry,
                            astra::Cluster &cluster) {
  astra::Dimension dim;
  dim.npus = static_cast<uint32_t>(
      std::min<int64_t>(1 << 16, std::max<int64_t>(2, entry.getInteger("npus").getValueOr(4))));
  dim.bandwidth = 50;
  dim.latency = 500;
  cluster.network = {dim};
  cluster.system = defaultSystem(1);
  ClusterReader reader(diagnostics, 0, "the case");
  const Object *system = entry.getObject("system_overrides");
  const Object *groups = entry.getObject("comm_groups"), *memory = entry.getObject("memory");
  return (!system || reader.readSystem(*system, cluster.system)) &&
         (!groups || reader.readGroups(*groups, dim.npus, cluster.groups)) &&
         (!memory || reader.readMemory(*memory, cluster.memory));
}

static bool readCaseTraces(const Object &entry, TraceFiles &traces, std::string &problem) {
  uint64_t rank = 0;
  for (const llvm::json::Value &file : *entry.getArray("et_hex")) {
    std::string bytes;
    if (!llvm::tryGetFromHex(*file.getAsString(), bytes)) {
      problem = "the trace is no hexadecimal text";
      return false;
    }
    WireError error;
    auto trace = chakra::readTrace(bytes, fmt::format("case.{}.et", rank++), error);
    if (!trace) {
      problem = fmt::format("byte {}: {}", error.offset, error.reason);
      return false;
    }
    traces.owned.push_back(std::make_unique<chakra::Trace>(std::move(*trace)));
    traces.ranks.push_back(traces.owned.back().get());
  }
  return true;
}

static CaseOutcome tryCase(const Object &entry) {
  CaseOutcome outcome;
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  astra::Cluster cluster;
  TraceFiles traces;
  outcome.aborted = !readCaseCluster(diagnostics, entry, cluster) ||
                    !readCaseTraces(entry, traces, outcome.problem);
  if (outcome.aborted) {
    if (outcome.problem.empty())
      outcome.problem = lastReport(diagnostics);
    return outcome;
  }
  if (traces.ranks.size() != 1 && traces.ranks.size() != cluster.network.front().npus) {
    outcome.problem = "there is not one trace per rank";
    outcome.aborted = true;
    return outcome;
  }
  outcome.result = astra::simulate(cluster, traces.ranks);
  outcome.aborted = outcome.result.aborted();
  outcome.problem = firstProblem(outcome.result.findings);
  return outcome;
}

/// Compares what finished; the table lists finished ranks only.
static void compareRanks(ValidationRow &row, const CaseOutcome &outcome, const Object &expected) {
  std::vector<int64_t> cycles, exposed;
  for (const astra::RankResult &rank : outcome.result.ranks)
    if (rank.finished()) {
      cycles.push_back(rank.finish);
      exposed.push_back(rank.exposed());
    }
  addFigures(row, "finished_npus", static_cast<int64_t>(cycles.size()),
             llvm::Optional<Number>(Number(expected.getInteger("finished_npus").getValueOr(0))));
  addFigures(row, "cycles", cycles, numbersAt(expected, "cycles"));
  addFigures(row, "exposed", exposed, numbersAt(expected, "exposed"));
}

static ValidationRow predictEdgeCase(const Object &entry) {
  ValidationRow row{entry.getString("name").getValueOr("").str(), {}, {}};
  const Object *expected = entry.getObject("outcome");
  std::string reason = expected ? whyNot(entry) : "the case has no outcome";
  if (!reason.empty()) {
    row.predictions.push_back({"cycles", {}, {}, reason, {}, ""});
    return row;
  }
  CaseOutcome outcome = tryCase(entry);
  bool isClean = expected->getString("exit").getValueOr("") == "0";
  int64_t finished = expected->getInteger("finished_npus").getValueOr(0);
  row.labels.emplace_back("exit", isClean ? "0" : "abort");
  if (!isClean || finished < entry.getInteger("npus").getValueOr(4))
    addFigures(row, "diagnosed", int64_t(!outcome.problem.empty()),
               llvm::Optional<Number>(Number(1)));
  if (!isClean)
    return row;
  if (outcome.aborted)
    row.predictions.push_back({"cycles", {}, {}, outcome.problem, {}, ""});
  else
    compareRanks(row, outcome, *expected);
  return row;
}

bool driver::predictChakraEdgeCases(Session &session, llvm::StringRef path,
                                    std::vector<ValidationRow> &rows) {
  auto document = readJsonFile(session, path, "chakra_edge_cases");
  const Array *cases = document ? document->getAsArray() : nullptr;
  if (document && !cases)
    reportBadTable(session, path, "chakra_edge_cases", "it is no list of cases");
  if (!cases)
    return false;
  for (const llvm::json::Value &entry : *cases) {
    const Object *object = entry.getAsObject();
    if (!object) {
      reportBadTable(session, path, "chakra_edge_cases", "a case is no JSON object");
      return false;
    }
    rows.push_back(predictEdgeCase(*object));
  }
  return true;
}
