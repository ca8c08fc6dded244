// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/import/RunTraces.h"

#include "api/astra/ClusterTexts.h"
#include "api/traces/ChakraFiles.h"
#include "backends/emit/Json.h"
#include "ir/common/diagnostics/Cluster.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Table.h"
#include "tools/driver/astra/ClusterFiles.h"

#include <cmath>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static constexpr llvm::StringLiteral aware = "congestion_aware", unaware = "congestion_unaware";

static int64_t wallTime(const astra::SimulationResult &result) {
  int64_t wall = 0;
  for (const astra::RankResult &rank : result.ranks)
    wall = std::max(wall, rank.finish);
  return wall;
}

static void printJson(Session &session, llvm::StringRef prefix, bool isAware,
                      const astra::SimulationResult &result) {
  emit::Json ranks = emit::Json::array();
  for (size_t rank = 0; rank < result.ranks.size(); ++rank)
    ranks.push(emit::Json::object()
                   .set("rank", rank)
                   .set("cycles", result.ranks[rank].finish)
                   .set("exposed", result.ranks[rank].exposed())
                   .set("comm_busy", result.ranks[rank].communicationBusy));
  emit::Json::object()
      .set("schema", 1)
      .set("file", prefix)
      .set("mode", "astra_sim")
      .set("backend", isAware ? aware : unaware)
      .set("cycles", wallTime(result))
      .set("events", result.events)
      .set("ranks", std::move(ranks))
      .print(session.out);
  session.out << '\n';
}

static void printTable(Session &session, llvm::StringRef prefix, bool isAware,
                       const astra::SimulationResult &result) {
  session.out << prefix << ": " << counted(result.ranks.size(), "rank") << ", " << wallTime(result)
              << " cycles of 1 ns, " << (isAware ? aware : unaware) << '\n';
  Table table({{"rank"}, {"cycles"}, {"exposed"}, {"comm busy"}});
  auto cells = [](std::string rank, const astra::RankResult &figures) {
    return std::vector<std::string>{std::move(rank), std::to_string(figures.finish),
                                    std::to_string(figures.exposed()),
                                    std::to_string(figures.communicationBusy)};
  };
  auto same = [&](size_t a, size_t b) { return result.ranks[a] == result.ranks[b]; };
  for (size_t rank = 0, last; rank < result.ranks.size(); rank = last + 1) {
    for (last = rank; last + 1 < result.ranks.size() && same(rank, last + 1);)
      ++last;
    table.addRow(cells(last == rank ? std::to_string(rank) : fmt::format("{}-{}", rank, last),
                       result.ranks[rank]));
  }
  table.print(session.out, session.tableWidth(), session.colorOut);
}

/// The value of `option`, which must be given; "" when it is not (reported).
static std::string required(Session &session, const Arguments &arguments, llvm::StringRef command,
                            llvm::StringRef option) {
  if (!arguments.has(option))
    session.diagnostics.report({}, diag::MissingOption, command.str(), option.str());
  return arguments.value(option).str();
}

/// The value of `option`, which is at least `least` and at most `most`; `otherwise` when it is not
/// given, or is no such number (reported).
static double numberOf(Session &session, const Arguments &arguments, llvm::StringRef option,
                       double least, double most, double otherwise) {
  double number = 0;
  llvm::StringRef text = arguments.value(option);
  if (!arguments.has(option))
    return otherwise;
  if (!text.getAsDouble(number) && number >= least && number <= most)
    return number;
  session.diagnostics.report({}, diag::BadOptionValue, "--" + option.str(), text.str())
      .help(fmt::format("it is a number from {} to {}", least, most));
  return otherwise;
}

/// What ASTRA-sim takes from its command line, not from its files.
static void readLaunch(Session &session, const Arguments &arguments, astra::System &system) {
  double queues =
      numberOf(session, arguments, "num-queues-per-dim", 1, astra::mostQueues, system.queues);
  if (queues != std::floor(queues))
    session.diagnostics
        .report({}, diag::BadOptionValue, "--num-queues-per-dim",
                arguments.value("num-queues-per-dim").str())
        .help("it is a whole number");
  system.queues = static_cast<uint32_t>(queues);
  double scale = numberOf(session, arguments, "injection-scale", 0, 1e6, 1);
  system.endpointDelay = static_cast<int64_t>(static_cast<double>(system.endpointDelay) * scale);
}

bool driver::readCluster(Session &session, const Arguments &arguments, llvm::StringRef command,
                         astra::Cluster &cluster) {
  ClusterFiles files{required(session, arguments, command, "network"),
                     required(session, arguments, command, "system"),
                     arguments.value("groups").str(), arguments.value("memory").str()};
  llvm::StringRef backend = arguments.value("backend", unaware);
  if (backend != aware && backend != unaware)
    session.diagnostics.report({}, diag::BadOptionValue, "--backend", backend.str())
        .help("it is " + unaware.str() + " or " + aware.str());
  if (arguments.value("mode", "astra_sim") != "astra_sim")
    session.diagnostics.report({}, diag::NotSupportedYet, "traces in another mode than astra_sim");
  cluster.aware = backend == aware;
  if (session.diagnostics.hasErrors() || !readCluster(session, files, cluster))
    return false;
  readLaunch(session, arguments, cluster.system);
  return !session.diagnostics.hasErrors();
}

/// The record of `node` in its file, or the file.
static SourceRange placeOf(Session &session, const TraceFiles &traces,
                           const astra::NodeName &node) {
  const chakra::Trace &trace = *traces.ranks[traces.ranks.size() == 1 ? 0 : node.rank];
  if (!node.id)
    return bytePlace(session.sources, trace.path, 0);
  auto isBefore = [](const chakra::Node &each, uint64_t id) { return each.id < id; };
  auto found = std::lower_bound(trace.nodes.begin(), trace.nodes.end(), *node.id, isBefore);
  if (found == trace.nodes.end() || found->id != *node.id)
    return {};
  return recordPlace(session.sources, trace, *found);
}

bool driver::runTraces(Session &session, const Arguments &arguments) {
  astra::Cluster cluster;
  TraceFiles traces;
  llvm::StringRef prefix = arguments.files().front();
  if (!readCluster(session, arguments, "run --from chakra", cluster) ||
      !readTraces(session, prefix, astra::rankCount(cluster.network), traces))
    return true;
  if (arguments.has("drop-missing"))
    for (size_t rank = 0; rank < traces.owned.size(); ++rank)
      dropMissing(session.context(), *traces.owned[rank], static_cast<uint32_t>(rank));
  astra::SimulationResult result = astra::simulate(cluster, traces.ranks);
  reportFindings(session.diagnostics, result.findings,
                 [&](const llvm::Optional<astra::NodeName> &node) {
                   return node ? placeOf(session, traces, *node) : SourceRange();
                 });
  if (session.diagnostics.hasErrors())
    return true;
  if (arguments.has("json"))
    printJson(session, prefix, cluster.aware, result);
  else if (!session.isQuiet())
    printTable(session, prefix, cluster.aware, result);
  return true;
}
