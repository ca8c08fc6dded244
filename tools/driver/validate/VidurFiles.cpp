// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/VidurFiles.h"

#include "backends/serving/vidur/Schedulers.h"
#include "frontend/build/OpTableFile.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace perfc;
using namespace perfc::driver;
using namespace perfc::serving;
using llvm::StringRef;

llvm::Optional<CsvTable> VidurFiles::readResults() {
  return CsvTable::load(session, path + "/results.csv", kindName,
                        {"run_id", "model", "device", "tp", "pp", "replicas", "global_sched",
                         "scheduler", "chunk_size", "batch_size_cap", "max_tokens", "arrival",
                         "lengths", "seed", "optable"});
}

bool VidurFiles::readModels() {
  std::string file = path + "/ops/models.csv";
  if (!llvm::sys::fs::exists(file))
    return true;
  auto table = CsvTable::load(
      session, file, kindName,
      {"model", "layers", "hidden", "q_heads", "kv_heads", "head_dim", "ffn", "gated_mlp"});
  if (!table)
    return false;
  for (const CsvRow &line : table->rows()) {
    vidur::Model model;
    for (auto [column, into] :
         {std::make_pair("layers", &model.layers), std::make_pair("hidden", &model.hidden),
          std::make_pair("q_heads", &model.heads), std::make_pair("kv_heads", &model.cacheHeads),
          std::make_pair("head_dim", &model.headSize), std::make_pair("ffn", &model.feedForward)}) {
      auto value = table->count(session, line, column, 1);
      if (!value)
        return false;
      *into = *value;
    }
    model.isGated = table->cell(line, "gated_mlp") != "0";
    models[vidur::shortName(table->cell(line, "model"))] = model;
  }
  return true;
}

bool VidurFiles::readRun(const CsvTable &table, const CsvRow &line, VidurRun &run,
                         std::string &problem) {
  auto count = [&](StringRef column, int64_t &into, int64_t least = 1) {
    auto value = table.count(session, line, column, least);
    into = value.getValueOr(least);
    return value.hasValue();
  };
  int64_t copies = 1, chunk = 512;
  if (!count("tp", run.tensor) || !count("pp", run.stages) || !count("replicas", copies) ||
      !count("max_tokens", run.mostTokens) || !count("batch_size_cap", run.cap) ||
      (!table.cell(line, "chunk_size").empty() && !count("chunk_size", chunk)))
    return false;
  run.table = table.cell(line, "optable").str();
  run.scheduler = table.cell(line, "scheduler").str();
  if (run.scheduler == "faster_transformer")
    run.scheduler = "static";
  std::string name = vidur::shortName(table.cell(line, "model"));
  auto known = vidur::modelNamed(name);
  if (models.count(name))
    known = models[name];
  auto memory = vidur::deviceMemory(table.cell(line, "device"));
  StringRef router = table.cell(line, "global_sched");
  if (!known)
    problem = "no model is known as " + name;
  else if (!memory)
    problem = "no device is known as " + table.cell(line, "device").str();
  else if (!vidur::hasScheduler(run.scheduler))
    problem = "no scheduler is known as " + run.scheduler;
  else if (router != "round_robin" && router != "lor" && copies > 1)
    problem = "requests go to copies by " + router.str();
  else if (run.stages > known->layers)
    problem = "there are more stages than layers";
  if (!problem.empty())
    return true;
  run.model = *known;
  run.memory = *memory;
  run.pool = vidur::poolOf(*memory, run.model.weightBytes(run.tensor, run.stages),
                           run.model.cacheBytes(run.tensor), run.mostTokens,
                           vidur::blockOf(run.scheduler), run.stages);
  run.setup = {vidur::schedulerOf(run.scheduler),
               vidur::limitsOf(run.scheduler, run.pool, run.mostTokens, run.cap, chunk, run.stages),
               static_cast<size_t>(copies), router == "lor" ? leastQueued() : roundRobin()};
  if (run.pool.blocks == 0)
    problem = "the weights leave no room for a request";
  return true;
}

llvm::Optional<std::vector<ListedRequest>> VidurFiles::readRequests(StringRef run) {
  auto table = CsvTable::load(session, path + "/runs/" + run.str() + ".csv", kindName,
                              {"arrival_s", "prefill_tokens", "decode_tokens", "restarts"});
  if (!table)
    return llvm::None;
  std::vector<ListedRequest> list;
  double last = 0;
  for (const CsvRow &line : table->rows()) {
    auto arrival = table->number(line, "arrival_s");
    auto prompt = table->count(session, line, "prefill_tokens", 1);
    auto answer = table->count(session, line, "decode_tokens", 1);
    auto restarts = table->count(session, line, "restarts", 0);
    if (!prompt || !answer || !restarts)
      return llvm::None;
    if (!arrival || !(arrival->real >= last)) {
      session.diagnostics.report(line.place, diag::BadCsv,
                                 "arrivals are numbers from 0, in rising order");
      return llvm::None;
    }
    last = arrival->real;
    ListedRequest entry{{}, *restarts};
    entry.request.arrival = last;
    entry.request.prompt = *prompt;
    entry.request.answer = *answer;
    list.push_back(std::move(entry));
  }
  return list;
}

bool VidurFiles::hasTrace(StringRef run) const {
  return llvm::sys::fs::exists(path + "/batches/" + run.str() + ".csv");
}

/// Some traces write numbers of tokens as 374.0.
static std::string withoutPoints(StringRef text) {
  llvm::SmallVector<StringRef, 16> parts;
  text.split(parts, ' ');
  for (StringRef &part : parts)
    part.consume_back(".0");
  return llvm::join(parts, " ");
}

llvm::Optional<VidurTrace> VidurFiles::readTrace(StringRef run) {
  auto table = CsvTable::load(session, path + "/batches/" + run.str() + ".csv", kindName,
                              {"batch", "stage", "exec_s", "reqs"});
  if (!table)
    return llvm::None;
  VidurTrace trace;
  for (const CsvRow &line : table->rows()) {
    auto batch = table->count(session, line, "batch", 0);
    auto stage = table->count(session, line, "stage", 0);
    auto seconds = table->number(line, "exec_s");
    if (!batch || !stage)
      return llvm::None;
    if (!seconds || !(seconds->real >= 0)) {
      session.diagnostics.report(line.place, diag::BadCsv, "exec_s is a time from 0");
      return llvm::None;
    }
    trace[{*batch, *stage}] = {seconds->real, withoutPoints(table->cell(line, "reqs"))};
  }
  return trace;
}

const study::OpTable *VidurFiles::tableOf(const VidurRun &run, SourceRange place) {
  std::string key = fmt::format("{} {}", run.table, run.stages);
  if (auto found = tables.find(key); found != tables.end())
    return &found->second;
  auto table = readOpTable(session.sources, path + "/optables/" + run.table, run.stages, place,
                           session.diagnostics);
  if (!table)
    return nullptr;
  if (run.tensor > 1 && !llvm::is_contained(table->kernels, "all_reduce")) {
    session.diagnostics.report(place, diag::BadTable, run.table, kindName.str(),
                               "it has no column all_reduce_ms for several tensor-parallel ranks");
    return nullptr;
  }
  return &tables.emplace(key, std::move(*table)).first->second;
}

//===-- Streams
//-------------------------------------------------------------------------------------===//

bool VidurFiles::readStream(const CsvTable &table, const CsvRow &line, int64_t mostTokens,
                            vidur::StreamSpec &spec) {
  auto [kind, text] = table.cell(line, "lengths").split(':');
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, ',');
  std::vector<double> values;
  for (StringRef part : parts) {
    double value = 0;
    if (part.getAsDouble(value))
      return false;
    values.push_back(value);
  }
  auto number = [&](StringRef column, double &into) {
    auto value = table.number(line, column);
    into = value ? value->real : 0;
    return value.hasValue();
  };
  double seed = 0;
  spec.arrival = table.cell(line, "arrival").str();
  spec.lengths = kind.str();
  bool isTimed = spec.arrival == "poisson" || spec.arrival == "gamma";
  if (!number("seed", seed) || !(seed >= 0 && seed < 4294967296.0) ||
      (isTimed && (!number("qps", spec.rate) || !(spec.rate > 0))) ||
      (spec.arrival == "gamma" && (!number("gamma_cv", spec.deviation) || !(spec.deviation > 0))) ||
      !(isTimed || spec.arrival == "static"))
    return false;
  spec.seed = static_cast<int64_t>(seed);
  spec.most = mostTokens;
  if (kind == "fixed" && values.size() == 2) {
    spec.prompt = static_cast<int64_t>(values[0]);
    spec.answer = static_cast<int64_t>(values[1]);
    return true;
  }
  size_t wanted = kind == "uniform" ? 2 : kind == "zipf" ? 3 : 0;
  if (wanted == 0 || values.size() != wanted || !(values[0] >= 1 && values[0] <= 1e9))
    return false;
  spec.least = static_cast<int64_t>(values[0]);
  spec.promptToAnswer = values[1];
  spec.theta = wanted == 3 ? values[2] : 0;
  return spec.least <= spec.most && spec.theta >= 0 && spec.theta < 1 && spec.promptToAnswer > 0;
}
