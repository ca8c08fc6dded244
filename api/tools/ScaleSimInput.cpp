// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SCALE-Sim's input of a layer: a chip as its configuration, which has one systolic array with a
// buffer for each operand, and a row of a topology. The tool's words have one byte.
#include "api/tools/ToolInput.h"
#include "ir/common/diagnostics/Maestro.h"
#include "passes/DataflowLayer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;

namespace {

/// The buffer of one operand.
struct Scratchpad {
  llvm::StringLiteral role, key; ///< in the language, and in the configuration
  target::MemoryOp memory = nullptr;
};

/// Reads a chip as the tool would be told of it.
class ConfigWriter {
public:
  ConfigWriter(target::ChipOp chip, SourceRange place, DiagnosticEngine &diagnostics)
      : chip(chip), place(place), diagnostics(diagnostics) {}

  /// "" after a report.
  std::string text();

private:
  bool fail(const std::string &what) {
    diagnostics.report(place, diag::DataflowNotAccepted, "scale_sim", what);
    return false;
  }
  bool find();
  bool addPad(Scratchpad &pad, std::string &text);
  bool addBandwidth(std::string &text);

  target::ChipOp chip;
  SourceRange place;
  DiagnosticEngine &diagnostics;
  target::ArrayOp array = nullptr;
  Scratchpad pads[3] = {
      {"input", "IfmapSramSzkB"}, {"weight", "FilterSramSzkB"}, {"output", "OfmapSramSzkB"}};
};

} // namespace

/// The array, and the memory next to it of each operand.
bool ConfigWriter::find() {
  bool isFine = true;
  chip->walk([&](const ir::Operation &part) {
    if (auto memory = ir::as<target::MemoryOp>(part); memory && !memory.isOffChip() && !array)
      for (Scratchpad &pad : pads)
        if (memory.keeps(pad.role) && memory.capacity() && memory.capacity()->toDouble() >= 1024)
          pad.memory = memory;
    if (auto found = ir::as<target::ArrayOp>(part)) {
      isFine &= !array && !found.systolic().empty() && found.axes().size() == 2;
      array = found;
    }
  });
  if (!array || !isFine)
    return fail("a chip that is not one systolic array of columns and rows");
  if (array.overlapsFolds())
    return fail("folds that overlap");
  for (Scratchpad &pad : pads)
    if (!pad.memory)
      return fail(fmt::format("a chip without a buffer of {}s", pad.role.data()));
  for (auto [a, b] : {std::make_pair(0, 1), std::make_pair(0, 2), std::make_pair(1, 2)})
    if (pads[a].memory.op == pads[b].memory.op)
      return fail(fmt::format("a buffer for {}s and {}s together", pads[a].role.data(),
                              pads[b].role.data()));
  return true;
}

bool ConfigWriter::addPad(Scratchpad &pad, std::string &text) {
  double kib = pad.memory.capacity()->toDouble() / 1024;
  if (kib != std::floor(kib))
    return fail(fmt::format("a buffer of {}s of a broken number of KiB", pad.role.data()));
  text += fmt::format("{} = {:.0f}\n", pad.key.data(), kib);
  return true;
}

/// One bandwidth, in bytes a cycle, with which each buffer is filled or emptied; none for as much
/// as they need.
bool ConfigWriter::addBandwidth(std::string &text) {
  std::vector<double> found;
  for (const Scratchpad *pad : {&pads[0], &pads[1]})
    if (auto bandwidth = pad->memory.writeBandwidthOrBoth())
      found.push_back(bandwidth->toDouble() / chip.clock()->toDouble());
  if (found.empty()) {
    text += "Bandwidth = 1\n\n[run_presets]\nInterfaceBandwidth = CALC\n";
    return true;
  }
  if (found.size() != 2 || found[0] != found[1] || found[0] != std::floor(found[0]))
    return fail("bandwidths that are not the same whole number of bytes a cycle for each operand");
  text += fmt::format("Bandwidth = {:.0f}\n\n[run_presets]\nInterfaceBandwidth = USER\n", found[0]);
  return true;
}

std::string ConfigWriter::text() {
  if (!chip.clock()) {
    fail("a chip without a clock");
    return "";
  }
  if (!find())
    return "";
  auto size = [&](unsigned axis) { return array.axes().entries()[axis].second.asInt(); };
  std::string text = "[general]\nrun_name = perfc\n\n[architecture_presets]\n";
  text += fmt::format("ArrayHeight = {}\nArrayWidth = {}\n", size(1), size(0));
  for (Scratchpad &pad : pads)
    if (!addPad(pad, text))
      return "";
  text += "IfmapOffset = 0\nFilterOffset = 10000000\nOfmapOffset = 20000000\n";
  text += fmt::format("Dataflow = {}s\n", array.systolic().front());
  return addBandwidth(text) ? text : "";
}

/// A row of a topology, with its titles; "" after a report.
static std::string topologyOf(const dataflow::Layer &layer, SourceRange place,
                              DiagnosticEngine &diagnostics) {
  auto size = [&](char dim) { return layer.dims.at(dim); };
  if (layer.type == dataflow::LayerType::Gemm)
    return fmt::format("Layer, M, N, K,\n{}, {}, {}, {},\n", "layer", size('M'), size('N'),
                       size('K'));
  if (layer.type != dataflow::LayerType::Conv || layer.isBatched()) {
    diagnostics.report(place, diag::DataflowNotAccepted, "scale_sim",
                       layer.isBatched() ? "a batch of several"
                                         : "a convolution of channels apart");
    return "";
  }
  return fmt::format("Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
                     "Num Filter, Stride Height, Stride Width,\n"
                     "layer, {}, {}, {}, {}, {}, {}, {}, {},\n",
                     size('Y'), size('X'), size('R'), size('S'), size('C'), size('K'),
                     layer.stride('Y'), layer.stride('X'));
}

llvm::Optional<ToolInput> api::scaleSimInput(const CostQuery &query, bool,
                                             DiagnosticEngine &diagnostics) {
  SourceRange place = query.op->range();
  auto nest = ir::as<loopnest::NestOp>(*query.op);
  passes::LayerTensors tensors;
  const char *reason = !nest                         ? "kernels that are fused"
                       : nest.mapping() != "default" ? "a mapping: it has an order of its own"
                                                     : nullptr;
  if (reason) {
    diagnostics.report(place, diag::DataflowNotAccepted, "scale_sim", reason);
    return llvm::None;
  }
  auto layer = passes::layerOf(nest, "scale_sim", tensors, diagnostics);
  if (layer && tensors.inputBytes != 1) {
    diagnostics.report(place, diag::DataflowNotAccepted, "scale_sim", "words of several bytes");
    return llvm::None;
  }
  target::ChipOp chip(const_cast<ir::Operation *>(query.target));
  std::string topology = layer ? topologyOf(*layer, place, diagnostics) : "";
  std::string config = topology.empty() ? "" : ConfigWriter(chip, place, diagnostics).text();
  if (config.empty())
    return llvm::None;
  bool isProduct = layer->type == dataflow::LayerType::Gemm;
  return ToolInput{
      {{"input.cfg", config}, {"input.csv", topology}},
      {"-c", "input.cfg", "-t", "input.csv", "-p", ".", "-i", isProduct ? "gemm" : "conv"},
      nest.kernel().str(),
      ""};
}
