// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Devices.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::driver;

static constexpr llvm::StringLiteral program = R"(
import std.hardware.{a100, ada, amd, blackwell, graphics, h100, v100}
import std.kernels.{products, streams}
import std.ops.matmul
evaluate matmul(M = 1, N = 1, K = 1) on a100_sxm_40gb, a100_sxm_80gb, a100_pcie_40gb, a100_pcie_80gb, a30,
    a40, rtx_a6000, l4, l20, l40, l40s, rtx_6000_ada, h100_sxm, h100_pcie, h800_sxm, h20, h200_sxm, b200_sxm,
    gb200, b300_sxm, gb300, rtx_pro_6000_server, v100_sxm2_32gb, v100_pcie_32gb, p100_pcie_16gb, p4, t4, mi100,
    mi210, mi250_die, mi300x using tile {
  kernels cutlass_fp8_alone, deepgemm_sm90, deepgemm_sm100, tensorrt_fp4, tensorrt_weight_only, tensorrt_streams, torch_inductor, rocm_streams
}
)";

/// Tables write A100-SXM-80G, the library a100_sxm_80gb.
std::string driver::chipOfDevice(llvm::StringRef device) {
  if (device == "RTX-PRO-6000-S")
    return "rtx_pro_6000_server";
  if (device == "MI250-GCD")
    return "mi250_die";
  std::string name = device.lower();
  std::replace(name.begin(), name.end(), '-', '_');
  bool isSize =
      device.size() > 1 && device.endswith("G") && llvm::isDigit(device[device.size() - 2]);
  return isSize ? name + "b" : name;
}

std::string driver::kernelProgram() { return program.str(); }

void driver::readCounts(Session &session, const CsvTable &table, const CsvTable::Row &row,
                        llvm::ArrayRef<std::pair<llvm::StringRef, int64_t *>> columns,
                        std::string &problem) {
  for (const auto &[column, into] : columns) {
    if (auto count = table.count(session, row, column, 1))
      *into = *count;
    else
      problem = fmt::format("{} is no count", column);
  }
}

Prediction driver::latencyOf(const CsvTable &table, const CsvTable::Row &row,
                             const llvm::Optional<Uncertain> &seconds, std::string problem) {
  Prediction prediction{"latency_us", llvm::None, table.number(row, "latency_us"), "", {}};
  if (seconds) {
    prediction.predicted = Number::fromReal(seconds->central() * 1e6);
    prediction.halfWidth = seconds->halfWidth() * 1e6;
  } else {
    prediction.skipped = std::move(problem);
  }
  return prediction;
}
