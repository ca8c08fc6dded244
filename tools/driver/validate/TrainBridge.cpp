// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind train_nemo_megatron_bridge: Llama 3, Qwen3, DeepSeek-V3, Kimi K2, gpt-oss and Nemotron 3
// with NeMo's Megatron-Bridge, in fp8, nvfp4 or bf16, with balanced experts as the runs force them.
// Models with experts have runtimes of their own, by release and by how they exchange tokens.
#include "tools/driver/validate/TrainRow.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

/// A model of the table.
struct BridgeModel {
  llvm::StringLiteral prefix, workload;
  int64_t layers;
  /// "dense", "experts", or "hybrid" with state-space layers besides experts.
  llvm::StringLiteral kind;
};

} // namespace

static constexpr BridgeModel models[] = {
    {"LLAMA3.1_405B", "llama3_405b", 126, "dense"},
    {"LLAMA3_70B", "llama3_70b", 80, "dense"},
    {"LLAMA3_8B", "llama3_8b", 32, "dense"},
    {"Qwen3_30B", "qwen3_30b_a3b", 48, "experts"},
    {"Qwen3_235B", "qwen3_235b_a22b", 94, "experts"},
    {"DeepSeekV3", "deepseek_v3", 61, "experts"},
    {"Kimi_K2", "kimi_k2", 61, "experts"},
    {"GPT OSS 120B", "gpt_oss_120b", 18, "experts"}, // pairs of layers
    {"Nemotron_3_Nano", "nemotron_3_nano", 23, "hybrid"},
    {"Nemotron_3_Super", "nemotron_3_super", 40, "hybrid"},
};

static const BridgeModel *modelOf(llvm::StringRef name) {
  for (const BridgeModel &model : models)
    if (name.startswith(model.prefix))
      return &model;
  return nullptr;
}

/// Why a row has no prediction; "" when it has one.
static std::string reasonAgainst(const CsvTable &table, const CsvTable::Row &line) {
  llvm::StringRef model = table.cell(line, "model");
  if (!modelOf(model))
    return "std.workloads does not have the model";
  if (model.contains("MTP"))
    return "DeepSeek-V3 of std predicts one token";
  for (const char *column : {"tp", "pp", "cp", "vp", "fsdp", "ep"})
    if (table.cell(line, column).contains('('))
      return "two strategies in one row";
  return "";
}

static void setSystem(llvm::StringRef system, TrainRow &row) {
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

/// True for runs whose recipes exchange tokens by the plain all_to_all of Megatron-LM: of 2025 all
/// but DeepSeek-V3, Qwen3 on B200 and in pipelines on H100, gpt-oss but on B300 with 8 ranks.
static bool usesAllToAll(const CsvTable &table, const CsvTable::Row &line) {
  llvm::StringRef model = table.cell(line, "model"), system = table.cell(line, "system");
  bool isOss = model.startswith("GPT OSS");
  if (!isOss && !model.startswith("Qwen3"))
    return false;
  if (table.cell(line, "container") < llvm::StringRef("26"))
    return true;
  if (isOss)
    return system != "DGX-B300" || cellCount(table, line, "ep") > 8;
  return system == "DGX-B200" || (system == "DGX-H100" && cellCount(table, line, "pp") > 1);
}

/// Experts ran without fused kernels until release 26.04; from 26.06 on the recipes of MXFP8 take
/// one grouped kernel per layer of experts, and CUDA graphs of whole steps.
static std::string runtimeOf(const CsvTable &table, const CsvTable::Row &line,
                             llvm::StringRef kind) {
  std::string chip = table.cell(line, "system") == "DGX-H100" ? "_h100" : "";
  if (kind == "dense")
    return "nemo" + chip;
  if (kind == "hybrid")
    return "nemo_hybrid";
  llvm::StringRef release = table.cell(line, "container").split(' ').first;
  bool isFused = release >= llvm::StringRef("26.06") && table.cell(line, "precision") == "MXFP8";
  if (isFused)
    return table.cell(line, "model").startswith("GPT OSS") ? "nemo_experts_fused_sinks"
                                                           : "nemo_experts_fused";
  return (usesAllToAll(table, line) ? "nemo_experts_alltoall" : "nemo_experts") + chip;
}

static TrainRow bridgeRow(const CsvTable &table, const CsvTable::Row &line) {
  TrainRow row;
  llvm::StringRef model = table.cell(line, "model");
  const BridgeModel *known = modelOf(model);
  setSystem(table.cell(line, "system"), row);
  if (known) {
    row.model = fmt::format("{}(T = {})", known->workload.str(), cellCount(table, line, "seq_len"));
    row.layers = known->layers;
  }
  if (known && known->kind != "dense")
    row.expert = cellCount(table, line, "ep");
  if (model.contains("tokendrop")) // dropped and padded to what a balanced expert gets
    row.experts = "capacity 1x";
  if (table.cell(line, "phase").startswith("LoRA"))
    row.adapters = "lora(rank = 16, attention_inputs = true)"; // as the recipes have it
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
  row.products = precision == "BF16"                                   ? ""
                 : precision == "NVFP4"                                ? "nvfp4"
                 : precision.startswith("MX") || precision == "FP8-MX" ? "mxfp8"
                                                                       : "fp8";
  row.runtime = runtimeOf(table, line, known ? known->kind : "dense");
  bool isFused = llvm::StringRef(row.runtime).startswith("nemo_experts_fused");
  if (model.startswith("GPT OSS") && !isFused)
    row.model.insert(row.model.size() - 1, ", fused = false");
  // Recipes of gpt-oss compute norms and activation functions again where memory is small.
  bool isLarge = table.cell(line, "system").endswith("300");
  if (model.startswith("GPT OSS") && !isFused && !isLarge)
    row.recompute = "cheap";
  return row;
}

bool driver::predictMegatronBridge(Session &session, llvm::StringRef path,
                                   const TrainOptions &options, std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "train_nemo_megatron_bridge",
                              {"container", "phase", "model", "system", "n_gpus", "precision",
                               "global_batch", "microbatch", "seq_len", "fsdp", "tp", "pp", "cp",
                               "vp", "tokens_per_s_per_gpu"});
  if (!table)
    return false;
  std::vector<TrainCase> cases;
  for (const CsvTable::Row &line : table->rows()) {
    TrainRow row = bridgeRow(*table, line);
    ValidationRow entry;
    entry.name =
        fmt::format("{} {} x {} {}", table->cell(line, "model").str(), row.chips,
                    table->cell(line, "system").str(), table->cell(line, "precision").str());
    const BridgeModel *known = modelOf(table->cell(line, "model"));
    entry.labels = {{"kind", known ? known->kind.str() : "dense"},
                    {"system", table->cell(line, "system").str()},
                    {"model", table->cell(line, "model").str()}};
    double rate = cellNumber(*table, line, "tokens_per_s_per_gpu") * static_cast<double>(row.chips);
    double tokens = static_cast<double>(row.batch) * cellNumber(*table, line, "seq_len");
    cases.push_back({std::move(entry), row, tokens / rate, reasonAgainst(*table, line)});
  }
  predictCases(std::move(cases), options, rows);
  return true;
}
