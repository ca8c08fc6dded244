// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind train_megatron: runs of Megatron-LM. Rows give iteration times, tokens per second, or
// TFLOP/s by a formula: with recomputation 96 B s l h^2 (1 + s/6h + V/16lh), else the model's
// 72 B s l h^2 (1 + s/6h + V/12lh); Llama's by 6 N and causal attention. Models before 2023 run
// attention in parts (std.workloads.megatron). Where the microbatch is not given, the fastest that
// fits is taken.
#include "tools/driver/validate/TrainRow.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

/// The sizes of a row.
struct Sizes {
  double hidden, layers, heads, vocab, sequence, batch, chips;
};

} // namespace

/// Seconds of an iteration as the row reports it in one way or another.
static double secondsOf(const CsvTable &table, const CsvTable::Row &line, const Sizes &s) {
  double tokens = s.batch * s.sequence;
  if (double seconds = cellNumber(table, line, "iter_time_s"); seconds > 0)
    return seconds;
  if (double rate = cellNumber(table, line, "tokens_per_s_per_gpu"); rate > 0)
    return tokens / (rate * s.chips);
  double tflops = cellNumber(table, line, "tflops_per_gpu");
  double l = s.layers, h = s.hidden, V = s.vocab;
  double flops = 72 * tokens * l * h * h * (1 + s.sequence / (6 * h) + V / (12 * l * h));
  if (table.cell(line, "recompute") == "full")
    flops = 96 * tokens * l * h * h * (1 + s.sequence / (6 * h) + V / (16 * l * h));
  if (table.cell(line, "case").startswith("Llama3"))
    flops = tokens * (6 * cellNumber(table, line, "params_b") * 1e9 + 6 * l * h * s.sequence);
  return tflops > 0 ? flops / (tflops * 1e12 * s.chips) : 0;
}

static void setGpu(llvm::StringRef gpu, TrainRow &row) {
  if (gpu.startswith("V100")) { // DGX-2: 16 chips over NVSwitch
    row.chip = "v100_sxm3_32gb";
    row.perNode = 16;
    row.nodeNetwork = "nvswitch { bandwidth 150GB/s/chip }";
  } else if (gpu.startswith("H100")) { // Eos, and Llama 3's cluster
    row.chip = "h100_sxm";
    row.nodeNetwork = "nvswitch { bandwidth 450GB/s/chip }";
    row.network = "infiniband { bandwidth 50GB/s/chip }";
  } else {
    row.chip = "a100_sxm_80gb";
  }
}

static std::string modelOf(llvm::StringRef name, const Sizes &s, llvm::StringRef recompute) {
  if (name.startswith("Llama3"))
    return fmt::format("{}(T = {})",
                       name.contains("405B")  ? "llama3_405b"
                       : name.contains("70B") ? "llama3_70b"
                                              : "llama3_8b",
                       s.sequence);
  return fmt::format("{}(layers = {}, hidden = {}, heads = {}, vocab = {}, T = {}, positions = {})",
                     recompute == "full" ? "megatron_gpt" : "gpt3", s.layers, s.hidden, s.heads,
                     s.vocab, s.sequence, s.sequence);
}

bool driver::predictMegatron(Session &session, llvm::StringRef path, const TrainOptions &options,
                             std::vector<ValidationRow> &rows) {
  auto table = CsvTable::load(session, path, "train_megatron",
                              {"case", "gpu", "hidden", "layers", "heads", "vocab", "seq_len", "tp",
                               "pp", "dp", "n_gpus", "global_batch", "recompute", "precision"});
  if (!table)
    return false;
  std::vector<TrainCase> cases;
  for (const CsvTable::Row &line : table->rows()) {
    auto number = [&](const char *column) { return cellNumber(*table, line, column); };
    Sizes s{number("hidden"),  number("layers"),       number("heads"), number("vocab"),
            number("seq_len"), number("global_batch"), number("n_gpus")};
    std::string name = table->cell(line, "case").str();
    TrainRow row;
    setGpu(table->cell(line, "gpu"), row);
    row.model = modelOf(name, s, table->cell(line, "recompute"));
    row.tensor = cellCount(*table, line, "tp");
    row.pipeline = cellCount(*table, line, "pp");
    row.context = cellCount(*table, line, "cp");
    // Where it is not said, runs without recomputation take the interleaving that suits them.
    bool isOpen = row.pipeline > 1 && table->cell(line, "recompute") != "full";
    row.chunks = cellCount(*table, line, "vp", isOpen ? 0 : 1);
    row.chips = cellCount(*table, line, "n_gpus");
    row.batch = cellCount(*table, line, "global_batch");
    row.microbatch = cellCount(*table, line, "microbatch", 0);
    row.recompute = table->cell(line, "recompute") == "full" ? "full" : "none";
    row.dtype = table->cell(line, "precision") == "fp16" ? "fp16" : "bf16";
    row.products = table->cell(line, "precision") == "fp8" ? "fp8" : "";
    row.sequence = row.recompute != "full" && row.tensor > 1;
    row.shard = row.recompute != "full" ? "optimizer" : "";
    // Megatron-LM's runs in fp8 follow NeMo's performance scripts, as their page says.
    row.runtime = row.recompute == "full" ? "megatron_2021"
                  : row.products == "fp8" ? "nemo_h100"
                                          : "megatron";
    ValidationRow entry;
    entry.name = name + " on " + std::to_string(row.chips);
    entry.labels = {{"gpu", table->cell(line, "gpu").split(' ').first.split('-').first.str()}};
    double seconds = secondsOf(*table, line, s);
    bool isPlaced = !table->cell(line, "tp").empty() && !table->cell(line, "pp").empty();
    cases.push_back({std::move(entry), row, seconds,
                     isPlaced && seconds > 0 ? "" : "the row gives no parallelism"});
  }
  predictCases(std::move(cases), options, rows);
  return true;
}
