// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind train_selective_recompute: Table 5 and Figures 1 and 7 of Korthikanti et al., MLSys 2023:
// times and memory of GPT on A100, with attention in parts and dropout. Activation memory is that
// of the first stage; relative ones are shares of the same without recomputation.
#include "tools/driver/validate/TrainRow.h"

using namespace perfc;
using namespace perfc::driver;

static TrainRow recomputeRow(const CsvTable &table, const CsvTable::Row &line) {
  TrainRow row;
  row.microbatch = cellCount(table, line, "microbatch");
  row.model = fmt::format(
      "megatron_gpt(layers = {}, hidden = {}, heads = {}, vocab = {}, T = {}, positions = {})",
      cellCount(table, line, "layers"), cellCount(table, line, "hidden"),
      cellCount(table, line, "heads"), cellCount(table, line, "vocab"),
      cellCount(table, line, "seq_len"), cellCount(table, line, "seq_len"));
  row.chip = "a100_sxm_80gb";
  row.tensor = cellCount(table, line, "tp");
  row.pipeline = cellCount(table, line, "pp");
  row.chunks = row.pipeline > 1 ? cellCount(table, line, "interleave") : 1;
  row.chips = cellCount(table, line, "n_gpus");
  row.batch = cellCount(table, line, "global_batch");
  row.dtype = "fp16";
  llvm::StringRef recompute = table.cell(line, "recompute");
  row.recompute = recompute == "full"                 ? "full"
                  : recompute.startswith("selective") ? "selective"
                                                      : "none";
  row.sequence = recompute.contains("sequence-parallel");
  row.runtime = "megatron_2021";
  return row;
}

static constexpr double gibi = 1024.0 * 1024 * 1024;

/// The value of the row's metric with a runtime or without.
static llvm::Optional<double> valueOf(const TrainRow &row, llvm::StringRef metric, bool withRuntime,
                                      const TrainOptions &options, std::string &problem) {
  auto found = evaluateTrainRow(row, withRuntime, options, problem);
  if (!found)
    return llvm::None;
  const TrainingSummary *summary = found->training.get();
  const StageMemory &first = summary->stages.front();
  if (metric == "iteration_time")
    return summary->stepTime;
  if (metric == "mfu")
    return summary->mfu() * 100;
  if (metric == "hfu")
    return summary->hfu() * 100;
  if (metric == "activation_memory_per_gpu")
    return first.activations / gibi;
  if (metric == "param_and_optimizer_memory_per_gpu")
    return (first.parameters + first.gradients + first.optimizer) / gibi;
  if (metric == "activation_memory_relative_to_none") {
    TrainRow whole = row;
    whole.recompute = "none";
    whole.sequence = false;
    auto all = evaluateTrainRow(whole, withRuntime, options, problem);
    if (!all)
      return llvm::None;
    return 100 * first.activations / all->training->stages.front().activations;
  }
  problem = "perfc has no metric `" + metric.str() + "`";
  return llvm::None;
}

bool driver::predictSelectiveRecompute(Session &session, llvm::StringRef path,
                                       const TrainOptions &options,
                                       std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "train_selective_recompute",
                              {"model", "hidden", "heads", "layers", "seq_len", "vocab", "tp", "pp",
                               "interleave", "n_gpus", "global_batch", "microbatch", "recompute",
                               "metric", "value"});
  if (!table)
    return false;
  for (const CsvTable::Row &line : table->rows()) {
    TrainRow row = recomputeRow(*table, line);
    std::string metric = table->cell(line, "metric").str();
    ValidationRow entry;
    entry.name = fmt::format("{} {} on {}", table->cell(line, "model").str(),
                             table->cell(line, "recompute").str(), row.chips);
    entry.labels = {{"model", table->cell(line, "model").str()}};
    bool isTime = metric == "iteration_time" || metric == "mfu" || metric == "hfu";
    for (bool withRuntime : {true, false}) {
      if (!withRuntime && !isTime)
        continue;
      std::string problem;
      auto value = valueOf(row, metric, withRuntime, options, problem);
      Prediction prediction;
      prediction.metric = metric + (withRuntime ? "" : "_ideal");
      prediction.reference = Number::fromReal(cellNumber(*table, line, "value"));
      if (value)
        prediction.predicted = Number::fromReal(*value);
      else
        prediction.skipped = problem;
      entry.predictions.push_back(std::move(prediction));
    }
    rows.push_back(std::move(entry));
  }
  return true;
}
