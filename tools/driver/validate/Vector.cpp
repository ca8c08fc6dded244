// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind vector: kernels that stream tensors, measured one by one: elementwise ones with two operands
// or one (`addu` adds a number), softmax, layer normalisation, and the scaling of a matrix to fp8.
// Most ran in eager PyTorch, where the host starts each.
#include "api/KernelPrices.h"
#include "tools/driver/validate/Devices.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// What a row asks; `problem` where it cannot be asked.
static StreamQuery streamOf(Session &session, const CsvTable &table, const CsvTable::Row &row,
                            std::string &problem) {
  StreamQuery query;
  llvm::StringRef op = table.cell(row, "op"), stack = table.cell(row, "stack");
  query.chip = chipOfDevice(table.cell(row, "device"));
  readCounts(session, table, row, {{"rows", &query.rows}, {"cols", &query.columns}}, problem);
  query.format = table.cell(row, "dtype") == "fp32" ? DType::FP32 : DType::FP16;
  bool isBinary = op == "add" || op == "mul" || op == "div" || op == "pow";
  query.inputs = isBinary ? 2 : 1;
  query.kind = op == "softmax" ? "softmax" : op == "layernorm" ? "norm" : "elementwise";
  query.bytes = static_cast<double>(query.inputs + 1) * storedBytes(query.format);
  if (op == "fp8_scale_matrix") {
    query.bytes = 3; // 16 bits in, 8 out
    query.library = "tensorrt_streams";
  } else if (stack == "torch-2") {
    query.library = "torch_inductor";
  } else if (stack.contains("rocm")) {
    query.library = "rocm_streams";
  }
  if (op.startswith("pow"))
    query.function = "pow";
  query.isEager = table.cell(row, "timing") == "eager_event";
  return query;
}

static Labels labelsOf(const CsvTable &table, const CsvTable::Row &row, const StreamQuery &query) {
  std::string size = query.rows * query.columns < 1 << 20 ? "below 1 Mi elements" : "larger";
  Labels labels = {{"class", query.kind == "elementwise" ? "elementwise" : "norm"}, {"size", size}};
  for (llvm::StringRef column : {"op", "device", "dtype", "timing", "stack"})
    labels.emplace_back(column.str(), table.cell(row, column).str());
  return labels;
}

bool driver::predictVector(Session &session, llvm::StringRef path,
                           std::vector<ValidationRow> &rows) {
  auto table =
      CsvTable::load(session, path, "vector",
                     {"device", "op", "dtype", "rows", "cols", "latency_us", "timing", "stack"});
  if (!table)
    return false;
  KernelPrices prices(session.context(), kernelProgram());
  for (const CsvTable::Row &line : table->rows()) {
    std::string problem;
    StreamQuery query = streamOf(session, *table, line, problem);
    ValidationRow row;
    row.name = fmt::format("{} {} {} x {}", table->cell(line, "device"), table->cell(line, "op"),
                           query.rows, query.columns);
    row.labels = labelsOf(*table, line, query);
    auto seconds = problem.empty() ? prices.seconds(query, problem) : llvm::None;
    row.predictions.push_back(latencyOf(*table, line, seconds, problem));
    rows.push_back(std::move(row));
  }
  return true;
}
