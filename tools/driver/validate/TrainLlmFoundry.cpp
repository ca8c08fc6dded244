// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind train_llmfoundry: MPT under PyTorch's FSDP. Mode DEFAULT reduces gradients in fp32, PURE in
// bf16; A100 nodes have 1600 Gb/s, H100 nodes 3200 Gb/s between them.
#include "tools/driver/validate/TrainRow.h"

using namespace perfc;
using namespace perfc::driver;

static TrainRow llmFoundryRow(const CsvTable &table, const CsvTable::Row &line) {
  TrainRow row;
  int64_t microbatch = cellCount(table, line, "microbatch");
  row.model =
      fmt::format("mpt(layers = {}, hidden = {}, heads = {}, T = {}, batch = {})",
                  cellCount(table, line, "n_layers"), cellCount(table, line, "d_model"),
                  cellCount(table, line, "n_heads"), cellCount(table, line, "seq_len"), microbatch);
  llvm::StringRef gpu = table.cell(line, "gpu");
  row.chip = gpu == "h100_80gb"   ? "h100_sxm"
             : gpu == "a100_40gb" ? "a100_sxm_40gb"
                                  : "a100_sxm_80gb";
  if (gpu == "h100_80gb") {
    row.nodeNetwork = "nvswitch { bandwidth 450GB/s/chip }";
    row.network = "infiniband { bandwidth 50GB/s/chip }";
  }
  row.chips = cellCount(table, line, "n_gpus");
  row.batch = cellCount(table, line, "global_batch_seqs");
  row.microbatch = microbatch;
  row.shard = table.cell(line, "sharding") == "FULL_SHARD" ? "parameters" : "gradients";
  row.recompute = table.cell(line, "act_ckpt") == "True" ? "full" : "none";
  row.products = table.cell(line, "precision") == "amp_fp8" ? "fp8" : "";
  row.runtime =
      fmt::format("{}(gradients = {}B)", gpu == "h100_80gb" ? "pytorch_fsdp_h100" : "pytorch_fsdp",
                  table.cell(line, "mp_mode") == "PURE" ? 2 : 4);
  return row;
}

bool driver::predictLlmFoundry(Session &session, llvm::StringRef path, const TrainOptions &options,
                               std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "train_llmfoundry",
                              {"model", "n_layers", "d_model", "n_heads", "seq_len", "n_gpus",
                               "gpu", "precision", "mp_mode", "sharding", "act_ckpt", "microbatch",
                               "global_batch_seqs", "step_time_s"});
  if (!table)
    return false;
  std::vector<TrainCase> cases;
  for (const CsvTable::Row &line : table->rows()) {
    TrainRow row = llmFoundryRow(*table, line);
    ValidationRow entry;
    entry.name = fmt::format("{} {} x {} at {}", table->cell(line, "model").str(), row.chips,
                             table->cell(line, "gpu").str(), table->cell(line, "seq_len").str());
    entry.labels = {{"gpu", table->cell(line, "gpu").str()},
                    {"precision", table->cell(line, "precision").str()}};
    cases.push_back({std::move(entry), row, cellNumber(*table, line, "step_time_s"), ""});
  }
  predictCases(std::move(cases), options, rows);
  return true;
}
