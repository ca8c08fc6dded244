// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Devices.h"

#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::driver;

static constexpr llvm::StringLiteral program = R"(
import std.hardware.{a100, ada, amd, blackwell, graphics, h100, v100}
import std.kernels.{products, streams}
import std.ops.matmul
evaluate matmul(M = 1, N = 1, K = 1) on a100_sxm_40gb, a100_sxm_80gb, a100_pcie_40gb, a100_pcie_80gb, a30,
    a40, rtx_a6000, l4, l20, l40, l40s, rtx_6000_ada, h100_sxm, h100_pcie, h800_sxm, h20, h200_sxm, b200_sxm,
    gb200, b300_sxm, gb300, rtx_pro_6000_server, v100_sxm2_32gb, v100_pcie_32gb, p100_pcie_16gb, p4, t4, mi100,
    mi210, mi300x using tile {
  kernels cutlass_fp8_alone, deepgemm_sm90, deepgemm_sm100, tensorrt_fp4, tensorrt_weight_only, tensorrt_streams, torch_inductor, rocm_streams
}
)";

std::string driver::chipOfDevice(llvm::StringRef device) {
  return llvm::StringSwitch<std::string>(device)
      .Case("A100-SXM-80G", "a100_sxm_80gb")
      .Case("A100-SXM-40G", "a100_sxm_40gb")
      .Case("A100-PCIe-40G", "a100_pcie_40gb")
      .Case("A100-PCIe-80G", "a100_pcie_80gb")
      .Case("A30", "a30")
      .Case("A40", "a40")
      .Case("RTX-A6000", "rtx_a6000")
      .Case("L4", "l4")
      .Case("L20", "l20")
      .Case("L40", "l40")
      .Case("L40S", "l40s")
      .Case("RTX-6000-Ada", "rtx_6000_ada")
      .Case("H100-SXM", "h100_sxm")
      .Case("H100-PCIe", "h100_pcie")
      .Case("H800-SXM", "h800_sxm")
      .Case("H20", "h20")
      .Case("H200-SXM", "h200_sxm")
      .Case("B200-SXM", "b200_sxm")
      .Case("GB200", "gb200")
      .Case("B300-SXM", "b300_sxm")
      .Case("GB300", "gb300")
      .Case("RTX-PRO-6000-S", "rtx_pro_6000_server")
      .Case("V100-SXM2-32G", "v100_sxm2_32gb")
      .Case("V100-PCIe-32G", "v100_pcie_32gb")
      .Case("P100-PCIe-16G", "p100_pcie_16gb")
      .Case("P4", "p4")
      .Case("T4", "t4")
      .Case("MI100", "mi100")
      .Case("MI210", "mi210")
      .Case("MI300X", "mi300x")
      .Default("");
}

std::string driver::kernelProgram() { return program.str(); }
