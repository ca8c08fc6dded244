// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind train_torchtitan: Llama 3.1 with PyTorch's FSDP 2, tensor, context and pipeline parallelism.
// Selective recomputation there keeps products and attention and makes the rest again.
#include "tools/driver/validate/TrainRow.h"

using namespace perfc;
using namespace perfc::driver;

static TrainRow torchtitanRow(const CsvTable &table, const CsvTable::Row &line) {
  TrainRow row;
  llvm::StringRef model = table.cell(line, "model");
  const char *name = model.contains("405B")  ? "llama3_405b"
                     : model.contains("70B") ? "llama3_70b"
                                             : "llama3_8b";
  row.chips = cellCount(table, line, "n_gpus");
  row.tensor = cellCount(table, line, "tp");
  row.pipeline = cellCount(table, line, "pp");
  row.context = cellCount(table, line, "cp");
  row.batch = cellCount(table, line, "global_batch_seqs");
  // Without a pipeline the local batch runs at once.
  row.microbatch = row.pipeline == 1 ? cellCount(table, line, "local_batch") : 1;
  row.model = fmt::format("{}(T = {}, batch = {})", name, cellCount(table, line, "seq_len"),
                          row.microbatch);
  row.sequence = row.tensor > 1;
  row.shard = "parameters";
  row.recompute = table.cell(line, "act_ckpt") == "full" ? "full" : "cheap";
  row.products = table.cell(line, "precision").startswith("float8") ? "fp8" : "";
  row.chip = table.cell(line, "gpu").startswith("H200") ? "h200_sxm" : "h100_sxm_hbm2e";
  row.nodeNetwork = "nvswitch { bandwidth 450GB/s/chip }";
  row.network = "infiniband { bandwidth 50GB/s/chip }";
  row.runtime = table.cell(line, "async_tp") == "yes" ? "torchtitan_async" : "torchtitan";
  if (table.cell(line, "precision") == "float8-rowwise")
    row.runtime = "torchtitan_rowwise";
  return row;
}

bool driver::predictTorchtitan(Session &session, llvm::StringRef path, const TrainOptions &options,
                               std::vector<ValidationRow> &rows) {
  auto table =
      CsvTable::load(session, path, "train_torchtitan",
                     {"model", "gpu", "n_gpus", "local_batch", "global_batch_seqs", "seq_len", "tp",
                      "pp", "cp", "act_ckpt", "precision", "tokens_per_s_per_gpu"});
  if (!table)
    return false;
  std::vector<TrainCase> cases;
  for (const CsvTable::Row &line : table->rows()) {
    TrainRow row = torchtitanRow(*table, line);
    ValidationRow entry;
    entry.name = fmt::format("{} {} x {} at {}", table->cell(line, "model").str(), row.chips,
                             row.chip, table->cell(line, "seq_len").str());
    entry.labels = {
        {"precision", table->cell(line, "precision").startswith("float8") ? "fp8" : "bf16"}};
    double rate = cellNumber(*table, line, "tokens_per_s_per_gpu") * static_cast<double>(row.chips);
    double tokens = static_cast<double>(row.batch) * cellNumber(*table, line, "seq_len");
    cases.push_back({std::move(entry), row, tokens / rate, ""});
  }
  predictCases(std::move(cases), options, rows);
  return true;
}
