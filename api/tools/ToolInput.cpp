// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/tools/ToolInput.h"

#include "backends/emit/Emit.h"
#include "backends/emit/Maestro.h"
#include "backends/emit/Timeloop.h"
#include "backends/loopnest/timeloop/Result.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "passes/DataflowLayer.h"
#include "passes/TimeloopInput.h"

using namespace perfc;
using namespace perfc::api;

static target::ChipOp chipOf(const CostQuery &query) {
  return target::ChipOp(const_cast<ir::Operation *>(query.target));
}

llvm::Optional<ToolInput> api::timeloopInput(const CostQuery &query, bool asksModel,
                                             DiagnosticEngine &diagnostics) {
  auto nest = ir::as<loopnest::NestOp>(*query.op);
  std::string reason = "kernels that are fused run as one nest";
  llvm::Optional<timeloop::Input> input;
  if (nest)
    input = passes::timeloopInput(nest, chipOf(query), reason);
  if (!input) {
    diagnostics.report(query.op->range(), diag::TimeloopNotModelled, "for Timeloop: " + reason);
    return llvm::None;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  emit::writeTimeloopInput(*input, stream);
  ToolInput result{
      {{"input.yaml", stream.str()}}, {"input.yaml"}, nest.kernel().str(), nest.mapping().str()};
  if (!asksModel)
    return result;
  auto modelled = timeloop::evaluate(*input, diagnostics);
  if (!modelled)
    return llvm::None;
  result.cycles = modelled->cycles;
  result.energy = modelled->energy * 1e-12;
  return result;
}

llvm::Optional<ToolInput> api::maestroInput(const CostQuery &query, bool,
                                            DiagnosticEngine &diagnostics) {
  auto op = ir::as<loopnest::DataflowOp>(*query.op);
  passes::LayerTensors tensors;
  auto layer = passes::layerOf(op, tensors, diagnostics);
  auto machine =
      layer ? passes::hardwareOf(chipOf(query), tensors.inputBytes, op->range(), diagnostics)
            : llvm::None;
  if (!machine)
    return llvm::None;
  std::string text;
  llvm::raw_string_ostream stream(text);
  emit::writeMaestroLayers(*layer, stream);
  return ToolInput{{{"input.m", stream.str()}},
                   {"--Mapping_file=input.m", fmt::format("--num_pes={}", machine->pes),
                    fmt::format("--num_simd_lanes={}", machine->simd),
                    fmt::format("--noc_bw_cstr={}", machine->nocBandwidth),
                    fmt::format("--noc_hops={}", machine->nocHops),
                    fmt::format("--noc_hop_latency={}", machine->hopLatency),
                    fmt::format("--offchip_bw_cstr={}", machine->offchipBandwidth),
                    "--print_res=true", "--print_log_file=false"},
                   op.kernel().str(),
                   op.source().str()};
}

llvm::Optional<ToolInput> api::astraSimInput(const CostQuery &query, bool,
                                             DiagnosticEngine &diagnostics) {
  ToolInput result;
  auto keep = [&](const std::string &name, llvm::StringRef text) {
    result.files.emplace_back(name, text.str());
    return true;
  };
  if (!emit::astraSimCollective(*query.op, *query.target, diagnostics, keep))
    return llvm::None;
  result.arguments = {"--workload-configuration=trace", "--system-configuration=system.json",
                      "--network-configuration=network.yml",
                      "--remote-memory-configuration=memory.json"};
  result.label = query.op->name().split('.').second.str();
  return result;
}
