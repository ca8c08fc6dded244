// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/maestro/PerfText.h"

#include "frontend/import/names/ProgramNames.h"
#include "ir/common/diagnostics/Maestro.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Layer;
using dataflow::LayerType;

namespace {

class PerfWriter {
public:
  PerfWriter(const std::set<std::string> &byModel, DiagnosticEngine &diagnostics)
      : byModel(byModel), diagnostics(diagnostics) {}

  std::string run(const MappingFile &file, const dataflow::Hardware &hardware);

private:
  void layer(const Layer &layer);
  std::string dataflowFor(const Layer &layer);

  const std::set<std::string> &byModel;
  DiagnosticEngine &diagnostics;
  std::set<std::string> ops;
  llvm::StringMap<std::string> known; ///< names of dataflows by what they hold
  std::string declarations;
  std::string statements;
  ProgramNames names{"conv2d", "depthwise", "grouped", "matmul", "maestro"};
};

} // namespace

static llvm::StringRef opOf(LayerType type) {
  switch (type) {
  case LayerType::Conv:
    return "conv2d";
  case LayerType::DepthwiseConv:
    return "depthwise";
  case LayerType::GroupedConv:
    return "grouped";
  case LayerType::Gemm:
    return "matmul";
  }
  return "";
}

/// K counts the filters of a channel (of a group), which the library calls M; a depthwise
/// convolution has one.
static bool hasFilters(LayerType type) {
  return type == LayerType::Conv || type == LayerType::GroupedConv;
}

/// The index or window of the op that a letter stands for.
static char indexOf(LayerType type, char dim) {
  return hasFilters(type) && dim == 'K' ? 'm' : llvm::toLower(dim);
}

static std::string callOf(const Layer &layer) {
  auto size = [&](char dim) { return layer.dims.at(dim); };
  if (layer.type == LayerType::Gemm)
    return fmt::format("matmul(M = {}, K = {}, N = {})", size('M'), size('K'), size('N'));
  std::string groups =
      layer.type == LayerType::GroupedConv ? fmt::format(" G = {},", size('G')) : std::string();
  std::string filters = hasFilters(layer.type) ? fmt::format(" M = {},", size('K')) : std::string();
  return fmt::format("{}(N = {},{} C = {}, Y = {}, X = {},{} R = {}, S = {}, stride = {})",
                     opOf(layer.type), layer.isBatched() ? size('N') : 1, groups, size('C'),
                     size('Y'), size('X'), filters, size('R'), size('S'), layer.stride('Y'));
}

/// The dataflow that is the `number`th to differ from those before; there are at most as many as
/// layers.
static std::string flowName(size_t number) { return fmt::format("flow_{}", number); }

/// The name of the layer's dataflow, which is declared when it is new.
std::string PerfWriter::dataflowFor(const Layer &layer) {
  std::string body = fmt::format("for {} {{\n", opOf(layer.type));
  for (const Directive &directive : layer.directives) {
    if (directive.kind == DirectiveKind::Cluster) {
      body += fmt::format("  cluster {}\n", directive.size);
      continue;
    }
    if (layer.type == LayerType::DepthwiseConv && directive.dim == 'K' && layer.dims.at('K') == 1)
      continue; // a depthwise convolution has one filter per channel
    const char *word = directive.kind == DirectiveKind::Spatial ? "spatial" : "temporal";
    std::string offset = directive.offset == directive.size
                             ? std::string()
                             : fmt::format(", offset = {}", directive.offset);
    body += fmt::format("  {} {}({}{})\n", word, indexOf(layer.type, directive.dim), directive.size,
                        offset);
  }
  body += "}\n";
  std::string &name = known[body];
  if (name.empty()) {
    name = flowName(known.size());
    declarations += fmt::format("\ndataflow {} {}", name, body);
  }
  return name;
}

void PerfWriter::layer(const Layer &layer) {
  if (layer.type != LayerType::Gemm && layer.stride('Y') != layer.stride('X')) {
    diagnostics.report(layer.range, diag::DataflowNotRead, layer.name,
                       "its strides along Y and X differ");
    return;
  }
  if (layer.type == LayerType::DepthwiseConv && layer.dims.count('K') && layer.dims.at('K') != 1) {
    diagnostics.report(layer.range, diag::DataflowNotRead, layer.name,
                       "a depthwise convolution has K = 1");
    return;
  }
  ops.insert(opOf(layer.type).str());
  std::string name = names.add(layer.name, "layer_");
  statements += fmt::format("evaluate {} on maestro with {}{} as {}\n", callOf(layer),
                            dataflowFor(layer), byModel.count(name) ? " using maestro" : "", name);
}

/// Energies are MAESTRO's, in pJ for its unit, the energy of a MAC.
static std::string hardwareText(const dataflow::Hardware &hardware) {
  std::string text =
      "// The accelerator that MAESTRO assumes; a word is an element, energies are in MACs.\n"
      "hardware maestro {\n  clock 1GHz\n  dtype int8\n";
  text +=
      fmt::format("  memory DRAM {{ off_chip; bandwidth {}B/cycle }}\n", hardware.offchipBandwidth);
  text +=
      fmt::format("  memory L2 {{ bandwidth {}B/cycle; energy 18.61pJ }}\n", hardware.nocBandwidth);
  text += fmt::format("  array PE[{}] {{\n    network {{ multicast; reduce; latency {}cycle }}\n",
                      hardware.pes, hardware.nocHops * hardware.hopLatency);
  text += "    memory L1 { energy 1.68pJ }\n";
  text += fmt::format("    compute MAC {{ rate {}/cycle; energy 1pJ }}\n  }}\n}}\n", hardware.simd);
  return text;
}

std::string PerfWriter::run(const MappingFile &file, const dataflow::Hardware &hardware) {
  for (size_t i = 0; i < file.layers.size(); ++i)
    names.takeOwn(flowName(i + 1));
  for (const Layer &each : file.layers)
    layer(each);
  std::string imported = fmt::format("{}", fmt::join(ops, ", "));
  std::string text = ops.size() == 1 ? fmt::format("import std.ops.{}\n\n", imported)
                                     : fmt::format("import std.ops.{{{}}}\n\n", imported);
  return text + hardwareText(hardware) + declarations + "\n" + statements;
}

std::string maestro::writePerf(const MappingFile &file, const dataflow::Hardware &hardware,
                               const std::set<std::string> &byModel,
                               DiagnosticEngine &diagnostics) {
  return PerfWriter(byModel, diagnostics).run(file, hardware);
}
