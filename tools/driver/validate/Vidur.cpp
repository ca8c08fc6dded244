// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind vidur: a folder of runs of VIDUR. results.csv has a deployment and mean times a line,
// runs/ID.csv its requests with what became of each, optables/ the times of kernels that it used,
// batches/ID.csv what some batches held and took, ops/models.csv dimensions of models that VIDUR
// does not have itself. Each run is served again in VIDUR's mode, from its stream where that
// follows from the line, else from the requests as they are listed.
//   stream    requests of the stream that are those of the list
//   restarts  requests that restart as often
//   blocks    of the pool, and requests of a batch at most
//   batches   with the times of batches/: stages that run the same requests and tokens
//   e2e, ttft, tpot  mean times of a run
#include "backends/serving/vidur/Costs.h"
#include "tools/driver/validate/VidurFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;
using namespace perfc::serving;
using llvm::StringRef;

namespace {

/// The comparison of a run with its line of results.csv.
class VidurComparison {
public:
  VidurComparison(VidurFiles &files, const CsvTable &table, const CsvRow &line)
      : files(files), table(table), line(line), row{table.cell(line, "run_id").str(), {}, {}} {}

  /// False after a report.
  bool predict();

private:
  std::vector<RequestSpec> requestsOf(llvm::ArrayRef<ListedRequest> list);
  void compareRequests(const SimulationResult &result, llvm::ArrayRef<ListedRequest> list);
  bool compareBatches(const vidur::Costs &costs, std::vector<RequestSpec> requests);
  void compareTimes(const SimulationResult &result);
  void add(StringRef metric, Number predicted, Number reference, StringRef part = "") {
    row.predictions.push_back({metric.str(), predicted, reference, "", {}, part.str()});
  }
  void skip(StringRef metric, const std::string &why) {
    row.predictions.push_back({metric.str(), llvm::None, llvm::None, why, {}});
  }

  VidurFiles &files;
  const CsvTable &table;
  const CsvRow &line;
  VidurRun run;

public:
  ValidationRow row;
};

} // namespace

/// The requests to serve: the stream that the line gives, where it is the list's.
std::vector<RequestSpec> VidurComparison::requestsOf(llvm::ArrayRef<ListedRequest> list) {
  std::vector<RequestSpec> listed;
  for (const ListedRequest &entry : list)
    listed.push_back(entry.request);
  vidur::StreamSpec spec;
  spec.count = static_cast<int64_t>(list.size());
  if (!VidurFiles::readStream(table, line, run.mostTokens, spec))
    return listed;
  std::vector<RequestSpec> made = vidur::makeStream(spec);
  int64_t equal = 0;
  for (size_t i = 0; i < made.size(); ++i)
    equal += fmt::format("{:.9g}", made[i].arrival) == fmt::format("{:.9g}", listed[i].arrival) &&
             made[i].prompt == listed[i].prompt && made[i].answer == listed[i].answer;
  add("stream", equal, spec.count);
  return equal == spec.count ? made : listed;
}

void VidurComparison::compareRequests(const SimulationResult &result,
                                      llvm::ArrayRef<ListedRequest> list) {
  int64_t equal = 0;
  for (size_t i = 0; i < list.size(); ++i)
    equal += result.requests[i].restarts == list[i].restarts;
  add("restarts", equal, static_cast<int64_t>(list.size()));
  for (auto [column, part, value] :
       {std::make_tuple("num_kv_blocks", "pool", run.pool.blocks),
        std::make_tuple("max_batch_size", "batch", std::min(run.pool.slots, run.cap))})
    if (auto reference = table.number(line, column))
      add("blocks", value, *reference, part);
}

bool VidurComparison::compareBatches(const vidur::Costs &costs, std::vector<RequestSpec> requests) {
  if (!files.hasTrace(row.name))
    return true;
  auto trace = files.readTrace(row.name);
  if (!trace)
    return false;
  if (trace->empty() || trace->begin()->first.first > 0) {
    skip("batches", "its batches begin in the middle of the run");
    return true;
  }
  std::vector<std::string> contents;
  int64_t batch = 0;
  simulate(
      std::move(requests), run.setup,
      [&](const BatchShape &shape, std::vector<double> &seconds) {
        costs.run(shape, seconds);
        for (size_t stage = 0; stage < seconds.size(); ++stage)
          if (auto found = trace->find({batch, static_cast<int64_t>(stage)}); found != trace->end())
            seconds[stage] = found->second.seconds;
        ++batch;
      },
      [&](const Batch &made) { contents.push_back(textOf(made)); });
  int64_t equal = 0;
  for (const auto &[place, recorded] : *trace)
    equal += static_cast<size_t>(place.first) < contents.size() &&
             contents[static_cast<size_t>(place.first)] == recorded.content;
  add("batches", equal, static_cast<int64_t>(trace->size()));
  return true;
}

void VidurComparison::compareTimes(const SimulationResult &result) {
  double latency = 0, first = 0, token = 0;
  for (const Request &request : result.requests) {
    latency += request.done - request.arrival;
    first += request.first - request.arrival;
    token += (request.done - request.first) / static_cast<double>(request.answer);
  }
  auto count = static_cast<double>(result.requests.size());
  for (auto [metric, column, sum] :
       {std::make_tuple("e2e", "e2e_avg", latency), std::make_tuple("ttft", "ttft_avg", first),
        std::make_tuple("tpot", "tpot_avg", token)})
    if (auto reference = table.number(line, column))
      add(metric, Number::fromReal(sum / count), *reference);
}

bool VidurComparison::predict() {
  std::string problem;
  if (!files.readRun(table, line, run, problem))
    return false;
  row.labels = {{"stages", run.stages > 1 ? "several stages" : "one stage"}};
  if (!problem.empty()) {
    skip("e2e", problem);
    return true;
  }
  auto list = files.readRequests(row.name);
  const study::OpTable *times = list ? files.tableOf(run, line.place) : nullptr;
  if (!times)
    return false;
  std::vector<RequestSpec> requests = requestsOf(*list);
  vidur::Costs costs(*times, run.model.layers, run.model.isGrouped(), run.tensor, run.stages);
  SimulationResult result =
      simulate(requests, run.setup, [&](const BatchShape &shape, std::vector<double> &seconds) {
        costs.run(shape, seconds);
      });
  if (!result.failure.empty()) {
    skip("e2e", result.failure);
    return true;
  }
  compareRequests(result, *list);
  compareTimes(result);
  return compareBatches(costs, std::move(requests));
}

bool driver::predictVidur(Session &session, StringRef path, std::vector<ValidationRow> &rows) {
  VidurFiles files(session, path);
  auto table = files.readResults();
  if (!table || !files.readModels())
    return false;
  for (const CsvRow &line : table->rows()) {
    VidurComparison comparison(files, *table, line);
    if (!comparison.predict())
      return false;
    rows.push_back(std::move(comparison.row));
  }
  return true;
}
