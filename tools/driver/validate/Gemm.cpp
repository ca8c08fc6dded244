// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind gemm: matrix products measured one by one. A row is priced as a kernel of the library that
// its stack calls for its format; which that is stands here and in docs/accuracy.md. Benchmarks let
// six weights take turns, so a small one may still be in the cache.
#include "api/KernelPrices.h"
#include "tools/driver/validate/Devices.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// The formats of a row's `dtype`: in which it is computed and of the weights.
static llvm::Optional<std::pair<DType, DType>> formatsOf(llvm::StringRef name) {
  if (name == "int8_wo")
    return std::make_pair(DType::BF16, DType::Int8);
  if (name == "int4_wo")
    return std::make_pair(DType::BF16, DType::Int4);
  auto format = name == "bfloat16"    ? llvm::Optional<DType>(DType::BF16)
                : name == "fp8_block" ? llvm::Optional<DType>(DType::FP8)
                                      : parseDType(name);
  if (!format)
    return llvm::None;
  return std::make_pair(*format, *format);
}

/// What a row asks; `problem` where it cannot be asked.
static ProductQuery queryOf(Session &session, const CsvTable &table, const CsvTable::Row &row,
                            std::string &problem) {
  ProductQuery query;
  llvm::StringRef dtype = table.cell(row, "dtype");
  query.chip = chipOfDevice(table.cell(row, "device"));
  auto formats = formatsOf(dtype);
  if (!formats)
    problem = fmt::format("no kernels for {}", dtype);
  std::tie(query.format, query.weights) =
      formats.getValueOr(std::make_pair(DType::BF16, DType::BF16));
  bool isHopper = llvm::StringRef(query.chip).startswith("h");
  if (dtype == "fp8_block")
    query.library = isHopper ? "deepgemm_sm90" : "deepgemm_sm100";
  else if (dtype == "nvfp4" && table.cell(row, "stack").startswith("trtllm"))
    query.library = "tensorrt_fp4";
  else if (dtype.endswith("_wo"))
    query.library = "tensorrt_weight_only";
  query.copies = 6;
  query.isEager = table.cell(row, "timing") == "eager_event";
  if (table.cell(row, "timing") == "profiler") {
    query.isCold = true;
    query.library = dtype == "fp8" ? "cutlass_fp8_alone" : query.library;
  }
  readCounts(session, table, row,
             {{"batch", &query.batch}, {"m", &query.m}, {"n", &query.n}, {"k", &query.k}}, problem);
  return query;
}

static Labels labelsOf(const CsvTable &table, const CsvTable::Row &row, const ProductQuery &query) {
  std::string size = query.m <= 16 ? "m <= 16" : query.m <= 256 ? "m <= 256" : "m > 256";
  Labels labels = {{"op", query.batch > 1 ? "batched" : "linear"}, {"size", size}};
  for (llvm::StringRef column : {"device", "dtype", "timing", "stack"})
    labels.emplace_back(column.str(), table.cell(row, column).str());
  return labels;
}

bool driver::predictGemm(Session &session, llvm::StringRef path, std::vector<ValidationRow> &rows) {
  auto table =
      CsvTable::load(session, path, "gemm",
                     {"device", "dtype", "batch", "m", "n", "k", "latency_us", "timing", "stack"});
  if (!table)
    return false;
  KernelPrices prices(session.context(), kernelProgram());
  for (const CsvTable::Row &line : table->rows()) {
    std::string problem;
    ProductQuery query = queryOf(session, *table, line, problem);
    ValidationRow row;
    row.name = fmt::format("{} {} {} x {} x {} x {}", table->cell(line, "device"),
                           table->cell(line, "dtype"), query.batch, query.m, query.n, query.k);
    row.labels = labelsOf(*table, line, query);
    auto seconds = problem.empty() ? prices.seconds(query, problem) : llvm::None;
    row.predictions.push_back(latencyOf(*table, line, seconds, problem));
    rows.push_back(std::move(row));
  }
  return true;
}
