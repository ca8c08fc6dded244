// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds collective and collectives_busbw: collectives measured on real machines. A row becomes a
// statement on the network of its chips with the library that ran it; nothing of its figures is
// used. Which library a row's `impl`, `algo` and `source` mean is listed here and in
// docs/accuracy.md.
#include "api/Evaluation.h"
#include "api/Providers.h"
#include "tools/driver/validate/Csv.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

namespace {

/// What a row asks.
struct Query {
  std::string network; ///< of std.interconnects; "" when there is none for the chips
  std::string library; ///< "" for the closed form
  std::string collective;
  int64_t ranks = 0, nodes = 1, bytes = 0;
  std::string problem; ///< why it cannot be asked, "" when it can
};

/// Answers of one table: one program, a statement per row.
class CollectiveProgram {
public:
  /// What a statement came to: a cost, or why there is none.
  struct Answer {
    llvm::Optional<Cost> cost;
    std::string problem;
  };

  /// The number of the statement that asks `query`.
  size_t add(const Query &query);
  /// Runs all.
  void run();
  const Answer &answer(size_t statement) const { return answers[statement]; }

private:
  std::string systemFor(const Query &query);

  std::string systems, statements;
  llvm::StringMap<size_t> known;
  std::vector<size_t> ends; ///< of each statement, in `statements`
  std::vector<Answer> answers;
};

} // namespace

static constexpr llvm::StringLiteral head = R"(import std.networks
import std.interconnects.nvlink3
import std.interconnects.nvlink4
import std.interconnects.nvlink5
import std.interconnects.nvl72
import std.interconnects.pcie
hardware gpu { clock 1GHz; memory HBM { off_chip; bandwidth 1TB/s } }
)";

/// One node, or nodes with one adapter of 12.5 GB/s per chip: the only multi-node runs of the
/// tables do not name their network, but level off at 8 * 12.5 GB/s.
std::string CollectiveProgram::systemFor(const Query &query) {
  std::string name = fmt::format("{}_{}_{}", query.network, query.ranks, query.nodes);
  if (!known.try_emplace(name, 0).second)
    return name;
  if (query.nodes == 1)
    systems +=
        fmt::format("system {} {{ node = {} * gpu over {} }}\n", name, query.ranks, query.network);
  else
    systems += fmt::format("system {} {{\n  node = {} * gpu over {}\n"
                           "  all = {} * node over infiniband {{ bandwidth 12.5GB/s/chip }}\n}}\n",
                           name, query.ranks / query.nodes, query.network, query.nodes);
  return name;
}

size_t CollectiveProgram::add(const Query &query) {
  std::string statement =
      fmt::format("evaluate {}({}B) on {}{}\n", query.collective, query.bytes, systemFor(query),
                  query.library.empty() ? "" : " with " + query.library);
  auto [entry, isNew] = known.try_emplace(statement, ends.size());
  if (isNew) {
    statements += statement;
    ends.push_back(statements.size());
  }
  return entry->second;
}

void CollectiveProgram::run() {
  Session inner(llvm::nulls(), llvm::nulls());
  size_t before = head.size() + systems.size();
  FileId file = inner.sources.add("<rows>", head.str() + systems + statements);
  Evaluation evaluation(inner.context(), defaultProviders());
  evaluation.run(file, {}, [](const Evaluated &) {});
  answers.resize(ends.size());
  // The statement that a place lies in; null for places elsewhere.
  auto answerAt = [&](SourceRange place) -> Answer * {
    if (place.file != file || place.begin < before)
      return nullptr;
    size_t index = llvm::upper_bound(ends, place.begin - before) - ends.begin();
    return index < answers.size() ? &answers[index] : nullptr;
  };
  for (const emit::Result &result : evaluation.results())
    if (Answer *answer = answerAt(result.place))
      answer->cost = result.cost;
  std::string elsewhere = "no result"; // what is wrong outside of the statements
  for (const Diagnostic &one : llvm::reverse(inner.diagnostics.all()))
    if (one.kind->severity == Severity::Error) {
      Answer *answer = answerAt(one.range);
      (answer ? answer->problem : elsewhere) = one.message;
    }
  for (Answer &answer : answers)
    if (!answer.cost && answer.problem.empty())
      answer.problem = elsewhere;
}

//===-- Rows
//------------------------------------------------------------------------------------===//

/// The network of a chip's generation, by the beginning of its name.
static std::string networkOf(llvm::StringRef chip) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> generations[] = {
      {"A100", "nvlink3"},
      {"H100", "nvlink4"},
      {"H200", "nvlink4"},
      {"H800", "nvlink4"},
      {"B200", "nvlink5"},
      {"B300", "nvlink5"},
      {"GB200", "nvl72"},
      {"GB300", "nvl72"},
      {"L40S", "pcie4"},
      {"RTX-6000-Ada", "pcie4"},
      {"RTX-PRO-6000", "pcie5"},
      {"MI300X", ""},
      {"unknown (Hopper", "nvlink4"},
      {"not stated", "nvlink3"}};
  for (const auto &[prefix, network] : generations)
    if (chip.startswith(prefix))
      return network.str();
  return "";
}

/// "nccl-2.27.3" is the library `nccl`, "vllm_graph-0.24.0" `vllm_graph`.
static std::string libraryOf(llvm::StringRef impl) {
  if (impl == "nccl")
    return "nccl_2023";
  if (impl.startswith("nccl-profiled"))
    return "nccl_profiled";
  return impl.split('-').first.str();
}

static std::string libraryOfRun(llvm::StringRef source, llvm::StringRef algo) {
  if (algo.contains("RCCL"))
    return "";
  if (algo.contains("NVLS off"))
    return "nccl_tests_ring";
  return source.contains("Mooncake") ? "nccl" : "nccl_tests";
}

static std::string collectiveOf(llvm::StringRef op) {
  return llvm::StringSwitch<std::string>(op)
      .Case("alltoall", "all_to_all")
      .Case("send_recv", "send")
      .Default(op.str());
}

static std::string sizeClass(int64_t bytes) { return bytes >= 1 << 20 ? ">=1MiB" : "<1MiB"; }

/// Groups of a row: what it ran on, with what, and whether its size is large; each pair beside.
static void setLabels(ValidationRow &row, const Query &query, bool isGated) {
  std::string size = sizeClass(query.bytes), gate = isGated ? "NVLink" : "other";
  row.labels = {{"class", gate + " " + size},
                {"network", query.network + " " + size},
                {"library", query.network + " " + query.library + " " + size},
                {"collective", query.collective + " " + size},
                {"ranks", std::to_string(query.ranks) + " ranks " + size}};
}

namespace {
/// The halves of tools/fit/collectives.py: of the rows of each library on each network every second
/// one, from the first on, is fitted.
class Halves {
public:
  void label(ValidationRow &row, const Query &query) {
    bool isFitted = seen[query.network + " " + query.library]++ % 2 == 0;
    row.labels.emplace_back("half", isFitted ? "fit" : "test");
  }

private:
  llvm::StringMap<size_t> seen;
};
} // namespace

static bool isKnown(llvm::StringRef collective) {
  static constexpr llvm::StringLiteral names[] = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "send"};
  return llvm::is_contained(names, collective);
}

static void checkQuery(Query &query) {
  if (query.network.empty())
    query.problem = "there is no network for these chips";
  else if (!isKnown(query.collective))
    query.problem = "it is no collective of a size";
  else if (query.nodes < 1 || query.ranks % query.nodes != 0)
    query.problem = "the ranks do not divide among the nodes";
}

static void addPrediction(ValidationRow &row, std::string metric,
                          const llvm::Optional<Uncertain> &predicted,
                          llvm::Optional<Number> reference, const std::string &problem) {
  Prediction prediction{std::move(metric), llvm::None, reference, problem, {}};
  if (predicted) {
    prediction.predicted = Number::fromReal(predicted->central());
    prediction.halfWidth = predicted->halfWidth();
  }
  row.predictions.push_back(std::move(prediction));
}

bool driver::predictCollective(Session &session, llvm::StringRef path,
                               std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "collective",
                              {"device", "op", "gpus", "nodes", "bytes", "impl"});
  if (!table)
    return false;
  CollectiveProgram program;
  std::vector<std::pair<Query, size_t>> queries;
  for (const CsvTable::Row &line : table->rows()) {
    auto ranks = table->count(session, line, "gpus", 1),
         bytes = table->count(session, line, "bytes", 0);
    auto nodes = table->count(session, line, "nodes", 1);
    if (!ranks || !bytes || !nodes)
      return false;
    Query query{networkOf(table->cell(line, "device")),
                libraryOf(table->cell(line, "impl")),
                collectiveOf(table->cell(line, "op")),
                *ranks,
                *nodes,
                *bytes,
                ""};
    checkQuery(query);
    queries.emplace_back(query, query.problem.empty() ? program.add(query) : 0);
  }
  program.run();
  Halves halves;
  for (const auto &[query, statement] : queries) {
    const CsvTable::Row &line = table->rows()[rows.size()];
    ValidationRow row{std::to_string(rows.size() + 1), {}, {}};
    setLabels(row, query, llvm::StringRef(query.network).startswith("nvl"));
    halves.label(row, query);
    llvm::Optional<Uncertain> micros;
    std::string problem = query.problem;
    if (problem.empty()) {
      const CollectiveProgram::Answer &answer = program.answer(statement);
      problem = answer.problem;
      if (answer.cost)
        micros = answer.cost->latency * 1e6;
    }
    addPrediction(row, "latency_us", micros, table->number(line, "latency_us"), problem);
    rows.push_back(std::move(row));
  }
  return true;
}

bool driver::predictCollectivesBusbw(Session &session, llvm::StringRef path,
                                     std::vector<ValidationRow> &rows) {
  auto table =
      CsvTable::load(session, path, "collectives_busbw",
                     {"gpu", "n_gpus", "n_nodes", "collective", "algo", "message_bytes", "source"});
  if (!table)
    return false;
  CollectiveProgram program;
  std::vector<std::pair<Query, size_t>> queries;
  for (const CsvTable::Row &line : table->rows()) {
    auto ranks = table->count(session, line, "n_gpus", 1);
    auto nodes = table->count(session, line, "n_nodes", 1);
    bool hasSize = !table->cell(line, "message_bytes").empty();
    auto bytes = hasSize ? table->count(session, line, "message_bytes", 0) : int64_t(0);
    if (!ranks || !nodes || !bytes)
      return false;
    Query query{networkOf(table->cell(line, "gpu")),
                libraryOfRun(table->cell(line, "source"), table->cell(line, "algo")),
                collectiveOf(table->cell(line, "collective")),
                *ranks,
                *nodes,
                *bytes,
                ""};
    checkQuery(query);
    if (!hasSize)
      query.problem = "it has no message size";
    queries.emplace_back(query, query.problem.empty() ? program.add(query) : 0);
  }
  program.run();
  Halves halves;
  for (const auto &[query, statement] : queries) {
    const CsvTable::Row &line = table->rows()[rows.size()];
    ValidationRow row{std::to_string(rows.size() + 1), {}, {}};
    bool isStated = table->cell(line, "gpu") != "not stated";
    setLabels(row, query, isStated && llvm::StringRef(query.network).startswith("nvl"));
    // The other rows are of other systems, or of a library that has the figures of this one.
    if (isStated && query.problem.empty() && query.nodes == 1 && query.library == "nccl_tests")
      halves.label(row, query);
    llvm::Optional<Uncertain> bandwidth, micros;
    std::string problem = query.problem;
    if (problem.empty()) {
      const CollectiveProgram::Answer &answer = program.answer(statement);
      problem = answer.problem;
      if (answer.cost)
        micros = answer.cost->latency * 1e6;
      if (answer.cost && answer.cost->busBandwidth)
        bandwidth = *answer.cost->busBandwidth / 1e9;
    }
    addPrediction(row, "busbw_gbs", bandwidth, table->number(line, "busbw_gbs"), problem);
    addPrediction(row, "time_us", micros, table->number(line, "time_us"), problem);
    rows.push_back(std::move(row));
  }
  return true;
}
