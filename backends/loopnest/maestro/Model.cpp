// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/maestro/Model.h"

#include "backends/loopnest/maestro/LevelSums.h"
#include "ir/common/diagnostics/Evaluation.h"

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Layer;

double Figures::energy() const {
  constexpr double perL2 = 18.61, perL1 = 1.68;
  double l1Read = 0, l1Write = 0, l2Read = 0, l2Write = 0;
  for (const TensorAccesses *tensor : {&input, &filter, &output}) {
    l1Read += perL1 * double(tensor->l1Read);
    l1Write += perL1 * double(tensor->l1Write);
    l2Read += perL2 * double(tensor->l2Read);
    l2Write += perL2 * double(tensor->l2Write);
  }
  // In the tool's order, which decides the last digit where it falls between two.
  return l1Read + l1Write + l2Read + l2Write + double(macs);
}

llvm::Optional<double> Figures::multicast(const TensorAccesses &tensor) {
  if (tensor.l2Read == 0)
    return llvm::None;
  return double(tensor.l1Write) / double(tensor.l2Read);
}

Floorplan maestro::floorplan(const Figures &figures, const dataflow::Hardware &hardware) {
  auto pes = double(hardware.pes);
  double lanes = pes * double(hardware.simd);
  double bytes = pes * double(figures.l1Elements) + double(figures.l2Elements);
  double bus = (14.662 * pes + 28.895) * double(hardware.nocBandwidth);
  double arbiter = 1.2886 * pes * pes + 5.5814 * pes - 23.711;
  return {283 * lanes + 0.104 * bytes + 101.7938 * bus + 395.473 * std::max(1.0, arbiter),
          1.2223 * lanes + 0.00345 * bytes + 0.0008 * bus + std::max(0.34, 0.00034 * arbiter)};
}

static Checked volume(const Layer &layer, llvm::StringRef dims, bool ofOutput) {
  Checked product = 1;
  for (char dim : dims)
    product *= ofOutput ? layer.outputSize(dim) : layer.dims.at(dim);
  return product;
}

llvm::Optional<int64_t> maestro::exactMacs(const Layer &layer) {
  auto [input, filter, output] = layer.tensors();
  Checked macs = volume(layer, output, true);
  for (char dim : filter)
    if (!llvm::StringRef(output).contains(dim))
      macs *= layer.dims.at(dim);
  return macs.overflowed() ? llvm::None : llvm::Optional<int64_t>(macs.value());
}

/// The output's size in L2 as the tool has it: without the stride.
static Checked storedOutput(const Layer &layer, llvm::StringRef dims) {
  Checked product = 1;
  for (char dim : dims) {
    char window = layer.type == dataflow::LayerType::Gemm ? 0 : dataflow::windowOf(dim);
    product *= layer.dims.at(dim) - (window ? layer.dims.at(window) - 1 : 0);
  }
  return product;
}

/// Both buffers of one PE: input sizes stand for the output's rows and columns, too.
static Checked l1Need(const Layer &layer, const Extents &innermost) {
  auto [input, filter, output] = layer.tensors();
  Checked sum;
  for (const std::string &dims : {input, filter, output}) {
    Checked product = 2;
    for (char dim : dims)
      product *= innermost.input.at(dim).full;
    sum += product;
  }
  return sum;
}

llvm::Optional<Figures> maestro::evaluate(const Layer &layer, const dataflow::Hardware &hardware,
                                          DiagnosticEngine &diagnostics) {
  llvm::Optional<std::vector<Level>> levels = translate(layer, hardware.pes, diagnostics);
  if (!levels)
    return llvm::None;
  LevelSums sums(layer, hardware, *levels);
  const Sums &top = sums.ofLevel(0, levels->front().sizes);
  bool overflow = sums.overflowed();
  auto exact = [&](Checked number) {
    overflow |= number.overflowed();
    return number.value();
  };
  auto [input, filter, output] = layer.tensors();
  Figures figures;
  figures.macs = exact(top.macs);
  figures.runtime = exact(top.runtime);
  figures.activePes = top.activePes;
  figures.peakNocBandwidth = top.peakBandwidth;
  int64_t steps = exact(top.steps);
  if (steps)
    figures.averageNocBandwidth = double(exact(top.bandwidthSum)) / double(steps);
  figures.offchipBandwidth = top.offchipBandwidth;
  figures.intensity = top.lastIntensity;
  figures.l2Elements = exact(top.firstInputs) + exact(top.firstOutputs);
  figures.l1Elements = exact(l1Need(layer, sums.extents(levels->size() - 1)));
  int64_t inputRead = exact(top.inputRead), filterRead = exact(top.filterRead);
  figures.input = {figures.macs, inputRead, inputRead, exact(volume(layer, input, false))};
  figures.filter = {figures.macs, filterRead, filterRead, exact(volume(layer, filter, false))};
  int64_t outputMacs = exact(top.outputMacs);
  figures.output = {outputMacs, outputMacs, exact(storedOutput(layer, output)),
                    exact(top.outputWrite)};
  for (const DelaySum *delay : {&top.ingress, &top.egress, &top.compute})
    exact(delay->sum);
  figures.ingress = top.ingress.average(steps);
  figures.egress = top.egress.average(steps);
  figures.compute = top.compute.average(steps);
  if (!overflow)
    return figures;
  diagnostics.report(layer.range, diag::CountOverflow, layer.name, "steps or accesses");
  return llvm::None;
}
