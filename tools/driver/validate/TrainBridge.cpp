// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind train_nemo_megatron_bridge: Llama 3 with NeMo's Megatron-Bridge, in fp8 or bf16. Models with
// experts and runs in NVFP4 have no prediction yet.
#include "tools/driver/validate/TrainRow.h"

using namespace perfc;
using namespace perfc::driver;

/// Why a row has no prediction; "" when it has one.
static std::string reasonAgainst(const CsvTable &table, const CsvTable::Row &line) {
  llvm::StringRef model = table.cell(line, "model"), precision = table.cell(line, "precision");
  if (!model.startswith("LLAMA3"))
    return "a model with experts or state-space layers that std.workloads does not have";
  if (precision == "NVFP4")
    return "no chip has a rate for NVFP4";
  for (const char *column : {"tp", "pp", "cp", "vp", "fsdp"})
    if (table.cell(line, column).contains('('))
      return "two strategies in one row";
  if (table.cell(line, "phase").startswith("LoRA"))
    return "no adapters";
  return "";
}

static void setHardware(llvm::StringRef system, TrainRow &row) {
  row.perNode = 8;
  row.nodeNetwork = "nvswitch { bandwidth 900GB/s/chip }";
  row.network = "infiniband { bandwidth 50GB/s/chip }";
  if (system == "DGX-H100") {
    row.chip = "h100_sxm";
    row.nodeNetwork = "nvswitch { bandwidth 450GB/s/chip }";
  } else if (system == "DGX-B200") {
    row.chip = "b200_sxm";
  } else if (system == "DGX-B300") {
    row.chip = "b300_sxm";
    row.network = "infiniband { bandwidth 100GB/s/chip }";
  } else { // 72 chips over NVLink; runs take 64 of a rack
    row.chip = system == "DGX-GB300" ? "gb300" : "gb200";
    row.perNode = 64;
    row.network = system == "DGX-GB300" ? "infiniband { bandwidth 100GB/s/chip }" : row.network;
  }
}

static TrainRow rowOf(const CsvTable &table, const CsvTable::Row &line) {
  TrainRow row;
  llvm::StringRef model = table.cell(line, "model");
  const char *name = model.contains("405B")  ? "llama3_405b"
                     : model.contains("70B") ? "llama3_70b"
                                             : "llama3_8b";
  setHardware(table.cell(line, "system"), row);
  row.model = fmt::format("{}(T = {})", name, cellCount(table, line, "seq_len"));
  row.chips = cellCount(table, line, "n_gpus");
  row.tensor = cellCount(table, line, "tp");
  row.pipeline = cellCount(table, line, "pp");
  row.context = cellCount(table, line, "cp");
  row.chunks = row.pipeline > 1 ? cellCount(table, line, "vp") : 1;
  row.batch = cellCount(table, line, "global_batch");
  row.microbatch = cellCount(table, line, "microbatch");
  row.sequence = row.tensor > 1;
  row.shard = cellCount(table, line, "fsdp", 0) > 1 ? "parameters" : "optimizer";
  llvm::StringRef precision = table.cell(line, "precision");
  row.products = precision == "BF16" ? "" : "fp8"; // without a column: the release's default
  row.runtime = "nemo";
  return row;
}

bool driver::predictMegatronBridge(Session &session, llvm::StringRef path,
                                   const TrainOptions &options, std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "train_nemo_megatron_bridge",
                              {"phase", "model", "system", "n_gpus", "precision", "global_batch",
                               "microbatch", "seq_len", "fsdp", "tp", "pp", "cp", "vp",
                               "tokens_per_s_per_gpu"});
  if (!table)
    return false;
  std::vector<TrainCase> cases;
  for (const CsvTable::Row &line : table->rows()) {
    TrainRow row = rowOf(*table, line);
    ValidationRow entry;
    entry.name =
        fmt::format("{} {} x {} {}", table->cell(line, "model").str(), row.chips,
                    table->cell(line, "system").str(), table->cell(line, "precision").str());
    entry.labels = {{"system", table->cell(line, "system").str()},
                    {"model", table->cell(line, "model").str()}};
    double rate = cellNumber(*table, line, "tokens_per_s_per_gpu") * static_cast<double>(row.chips);
    double tokens = static_cast<double>(row.batch) * cellNumber(*table, line, "seq_len");
    cases.push_back({std::move(entry), row, tokens / rate, reasonAgainst(*table, line)});
  }
  predictCases(std::move(cases), options, rows);
  return true;
}
