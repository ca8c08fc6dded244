// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of tables of measured training runs as programs: a model of std.workloads with the sizes of
// the row, chips and networks of std, the row's parallelism, and the runtime of the stack that ran
// it. Every row is predicted with that runtime (`step_time`) and without one (`step_time_ideal`).
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_TRAINROW_H
#define PERFC_TOOLS_DRIVER_VALIDATE_TRAINROW_H

#include "backends/core/Outcome.h"
#include "tools/driver/validate/Csv.h"

namespace perfc::driver {

/// One training run.
struct TrainRow {
  std::string model; ///< "llama3_8b(T = 8192)"
  std::string chip;  ///< a module of std.hardware exports it
  int64_t chips = 1, perNode = 8;
  std::string nodeNetwork = "nvswitch { bandwidth 300GB/s/chip }";
  std::string network = "infiniband { bandwidth 25GB/s/chip }";
  int64_t tensor = 1, pipeline = 1, context = 1, expert = 1;
  int64_t chunks = 1; ///< 0: the fastest of up to 8 that divide the layers
  bool sequence = false;
  int64_t batch = 1;
  int64_t microbatch = 0; ///< 0: the fastest of the powers of two that fit
  std::string recompute = "none";
  std::string shard; ///< "parameters", …
  std::string dtype = "bf16";
  std::string products; ///< "" for dtype
  std::string optimizer = "adam { master fp32 }";
  std::string adapters; ///< "lora(rank = 32)"
  std::string experts;  ///< what stands in `experts { … }`
  int64_t layers = 0;   ///< for stages as even as they come where they are not divisible; 0: even
  std::string runtime;
};

/// The step of `row`, with its runtime or without; null with a reason in `problem`.
std::shared_ptr<const Outcome> evaluateTrainRow(const TrainRow &row, bool withRuntime,
                                                const TrainOptions &options, std::string &problem);

/// A row of a table: what ran, how long a step took, and why it has no prediction ("" when it has).
struct TrainCase {
  ValidationRow entry;
  TrainRow row;
  double seconds = 0;
  std::string skipped;
};

/// Predicts the step times of a table. Runs are divided in two halves (label `half`): the
/// statements of each runtime's runs in the order of a hash of their text, every second one to
/// `fit`, on which runtimes are fitted, the others to `test`. Runs of one configuration are one
/// program, so they are in one half.
void predictCases(std::vector<TrainCase> cases, const TrainOptions &options,
                  std::vector<ValidationRow> &rows);

/// A cell as a number; `otherwise` when it is empty or none.
double cellNumber(const CsvTable &table, const CsvTable::Row &row, llvm::StringRef column,
                  double otherwise = 0);
int64_t cellCount(const CsvTable &table, const CsvTable::Row &row, llvm::StringRef column,
                  int64_t otherwise = 1);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_TRAINROW_H
