// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/tools/ToolProvider.h"

#include "backends/core/Chip.h"
#include "backends/emit/Maestro.h"
#include "backends/emit/Timeloop.h"
#include "backends/loopnest/timeloop/Result.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "ir/loopnest/LoopnestOps.h"
#include "passes/DataflowLayer.h"
#include "passes/TimeloopInput.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using namespace perfc;
using namespace perfc::api;

namespace {

/// What a tool is called with: a file for its folder, and its words.
struct ToolInput {
  std::string file, text;
  std::vector<std::string> arguments;
  std::string kernel, mapping;
  /// By perfc's own model of the tool.
  llvm::Optional<double> cycles, energy;
};

/// The description of an operation for one tool; nothing after a report.
using InputWriter = llvm::Optional<ToolInput> (*)(const CostQuery &query, ToolAnswer answer,
                                                  DiagnosticEngine &diagnostics);

} // namespace

static llvm::Optional<ToolInput> timeloopInputOf(const CostQuery &query, ToolAnswer answer,
                                                 DiagnosticEngine &diagnostics) {
  auto nest = ir::as<loopnest::NestOp>(*query.op);
  std::string reason = "kernels that are fused run as one nest";
  llvm::Optional<timeloop::Input> input;
  if (nest)
    input = passes::timeloopInput(nest, target::ChipOp(const_cast<ir::Operation *>(query.target)),
                                  reason);
  if (!input) {
    diagnostics.report(query.op->range(), diag::TimeloopNotModelled, "for Timeloop: " + reason);
    return llvm::None;
  }
  ToolInput result{"input.yaml", "", {"input.yaml"}, nest.kernel().str(), nest.mapping().str()};
  llvm::raw_string_ostream stream(result.text);
  emit::writeTimeloopInput(*input, stream);
  stream.flush();
  if (answer == ToolAnswer::Tool)
    return result;
  auto modelled = timeloop::evaluate(*input, diagnostics);
  if (!modelled)
    return llvm::None;
  result.cycles = modelled->cycles;
  result.energy = modelled->energy * 1e-12;
  return result;
}

static llvm::Optional<ToolInput> maestroInputOf(const CostQuery &query, ToolAnswer,
                                                DiagnosticEngine &diagnostics) {
  auto op = ir::as<loopnest::DataflowOp>(*query.op);
  passes::LayerTensors tensors;
  auto layer = passes::layerOf(op, tensors, diagnostics);
  auto chip = target::ChipOp(const_cast<ir::Operation *>(query.target));
  auto machine =
      layer ? passes::hardwareOf(chip, tensors.inputBytes, op->range(), diagnostics) : llvm::None;
  if (!machine)
    return llvm::None;
  ToolInput result{"input.m", "", {}, op.kernel().str(), op.source().str()};
  llvm::raw_string_ostream stream(result.text);
  emit::writeMaestroLayers(*layer, stream);
  stream.flush();
  result.arguments = {"--Mapping_file=input.m",
                      fmt::format("--num_pes={}", machine->pes),
                      fmt::format("--num_simd_lanes={}", machine->simd),
                      fmt::format("--noc_bw_cstr={}", machine->nocBandwidth),
                      fmt::format("--noc_hops={}", machine->nocHops),
                      fmt::format("--noc_hop_latency={}", machine->hopLatency),
                      fmt::format("--offchip_bw_cstr={}", machine->offchipBandwidth),
                      "--print_res=true",
                      "--print_log_file=false"};
  return result;
}

static InputWriter writerFor(const ToolInfo &info) {
  return info.provider == "maestro" ? maestroInputOf : timeloopInputOf;
}

/// The last number that a line of the tool's output gives for `figure`.
static llvm::Optional<double> readFigure(const ToolFigure &figure, llvm::StringRef folder) {
  auto text = llvm::MemoryBuffer::getFile(
      (folder + "/" + (figure.file.empty() ? "output" : figure.file)).str());
  llvm::Optional<double> found;
  llvm::Regex pattern(figure.pattern);
  llvm::SmallVector<llvm::StringRef, 2> parts;
  if (text)
    for (llvm::StringRef line : llvm::split((*text)->getBuffer(), '\n')) {
      double value = 0;
      if (pattern.match(line.rtrim(), &parts) && !parts[1].getAsDouble(value))
        found = value * figure.unit;
    }
  return found;
}

/// What the tool says of an operation, in place of `native`.
static Cost costOf(const Cost &native, const Tool &tool, const ToolInput &input,
                   const CostQuery &query, double cycles, llvm::Optional<double> energy) {
  Chip chip(*query.target);
  Cost cost;
  cost.cycles = Uncertain(cycles);
  cost.latency = Uncertain(cycles) / chip.clock().getValueOr(1);
  cost.macs = native.macs;
  cost.flops = native.flops;
  cost.area = native.area;
  cost.leavesOutTraffic = true;
  if (native.latency.central() > 0 && cost.latency.central() > 0)
    cost.utilization =
        native.utilization.central() * native.latency.central() / cost.latency.central();
  // A chip that does not give all energies has none of the tool's either, which takes them as 0.
  if (energy && native.energy.isGiven())
    cost.energy = Figure(*energy);
  else if (native.energy.isGiven())
    cost.energy = Figure::notGiven("tool", tool.info->name);
  else
    cost.energy = native.energy;
  cost.work = llvm::None;
  cost.addBound(("tool " + tool.info->name).str(), cost.latency);
  cost.provenance.provider = "tool " + tool.info->name.str();
  cost.provenance.mapping = input.mapping;
  cost.provenance.formula = "what the tool prints";
  cost.describe(PartKind::Kernel, input.kernel, query.op->range());
  return cost;
}

/// Writes a file into `folder`; why not, or "".
static std::string writeFile(llvm::StringRef folder, llvm::StringRef name, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream((folder + "/" + name).str(), error);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? error.message() : "";
}

llvm::Optional<Cost> ToolProvider::evaluate(const CostQuery &query, DiagnosticEngine &diagnostics) {
  llvm::Optional<Cost> known = native->evaluate(query, diagnostics).front();
  llvm::Optional<ToolInput> input =
      known ? writerFor(*tool.info)(query, answer, diagnostics) : llvm::None;
  if (!input)
    return llvm::None;
  if (answer == ToolAnswer::Model)
    return input->cycles ? costOf(*known, tool, *input, query, *input->cycles, input->energy)
                         : known;
  llvm::SmallString<128> folder;
  std::string problem;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("perfc-tool", folder))
    problem = error.message();
  if (problem.empty())
    problem = writeFile(folder, input->file, input->text);
  if (problem.empty())
    problem = runTool(tool, input->arguments, folder);
  llvm::Optional<double> cycles, energy;
  for (const ToolFigure &figure : tool.info->figures)
    (figure.metric == "cycles" ? cycles : energy) = readFigure(figure, folder);
  if (problem.empty() && !cycles)
    problem = "it printed no cycles";
  llvm::sys::fs::remove_directories(folder);
  if (problem.empty())
    return costOf(*known, tool, *input, query, *cycles, energy);
  diagnostics.report(query.op->range(), diag::ToolFailed, tool.info->name, input->kernel, problem);
  return llvm::None;
}

std::vector<llvm::Optional<Cost>> ToolProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                         DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(evaluate(query, diagnostics));
  return costs;
}

ProviderSet api::withTool(ProviderSet providers, const Tool &tool, ToolAnswer answer) {
  providers.replace(tool.info->provider, [&](std::unique_ptr<CostProvider> native) {
    return std::make_unique<ToolProvider>(std::move(native), tool, answer);
  });
  return providers;
}
