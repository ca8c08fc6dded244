// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/maestro/Provider.h"

#include "backends/core/Chip.h"
#include "backends/loopnest/maestro/Model.h"
#include "ir/common/Rational.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Maestro.h"
#include "passes/DataflowLayer.h"

using namespace perfc;
using namespace perfc::maestro;

bool MaestroProvider::serves(const ir::Operation &op) const {
  return op.is(loopnest::DataflowOp::opName);
}

namespace {

/// One query on its way to a cost.
class MaestroEvaluator {
public:
  MaestroEvaluator(const CostQuery &query, DiagnosticEngine &diagnostics)
      : query(query), op(const_cast<ir::Operation *>(query.op)), diagnostics(diagnostics),
        chip(*query.target) {}

  llvm::Optional<Cost> run();

private:
  void addCounts(Cost &cost) const;
  void addMemory(Cost &cost, const ChipMemory &memory, int64_t TensorAccesses::*read,
                 int64_t TensorAccesses::*write) const;
  void addEnergy(Cost &cost) const;
  void addNotes(Cost &cost) const;
  void finish(Cost &cost) const;

  const CostQuery &query;
  loopnest::DataflowOp op;
  DiagnosticEngine &diagnostics;
  Chip chip;
  dataflow::Layer layer;
  dataflow::Hardware hardware;
  passes::LayerTensors tensors;
  Figures figures;
  int64_t exact = 0;
};

} // namespace

/// Memories around and in the array hold what the tool calls L2 and L1.
void MaestroEvaluator::addCounts(Cost &cost) const {
  const ChipMemory *l2 = nullptr, *l1 = nullptr;
  for (const ChipMemory &memory : chip.memories())
    (memory.arrays.empty() ? l2 : l1) = &memory;
  if (l2)
    addMemory(cost, *l2, &TensorAccesses::l2Read, &TensorAccesses::l2Write);
  if (l1)
    addMemory(cost, *l1, &TensorAccesses::l1Read, &TensorAccesses::l1Write);
}

void MaestroEvaluator::addMemory(Cost &cost, const ChipMemory &memory,
                                 int64_t TensorAccesses::*read,
                                 int64_t TensorAccesses::*write) const {
  struct Entry {
    const std::string &tensor;
    llvm::StringRef role;
    const TensorAccesses &accesses;
  };
  for (const Entry &entry : {Entry{tensors.input, "input", figures.input},
                             Entry{tensors.filter, "weight", figures.filter},
                             Entry{tensors.output, "output", figures.output}}) {
    AccessCounts row;
    row.memory = memory.name().str();
    row.tensor = entry.tensor;
    row.role = entry.role.str();
    row.isOutput = entry.role == "output";
    row.reads = row.readsShared = row.readsSeparate = entry.accesses.*read;
    int64_t written = entry.accesses.*write;
    if (row.isOutput)
      row.updates = row.updatesShared = row.updatesSeparate = written;
    else
      row.fills = written;
    cost.accesses.push_back(std::move(row));
  }
}

/// The tool's energies are multiples of that of a multiply-accumulate.
void MaestroEvaluator::addEnergy(Cost &cost) const {
  for (const ChipUnit &unit : chip.units())
    if (auto perMac = unit.view.energyFor(ir::as<target::ChipOp>(*query.target).dtype())) {
      cost.energy = Figure(perMac->toUncertain() * figures.energy());
      return;
    }
  cost.energy =
      Figure::notGiven("compute", chip.units().empty() ? "" : chip.units().front().name());
}

void MaestroEvaluator::addNotes(Cost &cost) const {
  if (figures.energy() < 0 || figures.runtime <= 0)
    cost.addNote("no time, or less than no energy: these are the tool's figures of a layer that is "
                 "smaller than its tiles");
  cost.addNote(fmt::format("energy is {:.6g} times that of a MAC: 18.61 per access of L2, 1.68 of "
                           "L1, none of the network",
                           figures.energy()));
  cost.addNote(fmt::format("{:.6g} PEs are active in the mean step", figures.activePes));
  cost.addNote(fmt::format("double buffers need {} elements in L2 and {} in L1", figures.l2Elements,
                           figures.l1Elements));
  cost.addNote(fmt::format("not to limit, the network would need {} elements/cycle (mean {:.6g}), "
                           "the link to memory {}",
                           figures.peakNocBandwidth, figures.averageNocBandwidth,
                           figures.offchipBandwidth));
  Floorplan floor = floorplan(figures, hardware);
  cost.addNote(fmt::format("the tool's 28 nm model gives {:.6g} mm2 and {:.6g} mW for PEs, network "
                           "and buffers of that size",
                           floor.area / 1e6, floor.power));
  auto text = [](llvm::Optional<double> value) {
    return value ? fmt::format("{:.6g}", *value) : std::string("none");
  };
  cost.addNote(fmt::format("multicast factors are {} for the input and {} for the filter, the "
                           "arithmetic intensity is {} MACs per element",
                           text(Figures::multicast(figures.input)),
                           text(Figures::multicast(figures.filter)), text(figures.intensity)));
}

void MaestroEvaluator::finish(Cost &cost) const {
  Uncertain clock = chip.clock().getValueOr(1);
  cost.cycles = Uncertain(double(figures.runtime));
  cost.latency = Uncertain(double(figures.runtime)) / clock;
  cost.macs = exact;
  cost.flops = 2 * exact;
  double lanes = double(hardware.pes) * double(hardware.simd);
  cost.utilization = figures.runtime > 0 ? double(exact) / lanes / double(figures.runtime) : 0;
  cost.area = areaOf(chip);
  cost.work = llvm::None; // steps take the largest of their parts
  cost.addBound("dataflow " + op.source().str(), cost.latency);
  cost.provenance = Provenance::of("maestro", op.source());
  cost.describe(PartKind::Kernel, op.kernel(), op->range());
}

llvm::Optional<Cost> MaestroEvaluator::run() {
  auto target = ir::as<target::ChipOp>(*query.target);
  auto read = passes::layerOf(op, tensors, diagnostics);
  auto machine =
      read ? passes::hardwareOf(target, tensors.inputBytes, op->range(), diagnostics) : llvm::None;
  if (!machine)
    return llvm::None;
  layer = std::move(*read);
  hardware = *machine;
  auto result = maestro::evaluate(layer, hardware, diagnostics);
  auto macs = exactMacs(layer);
  if (!result)
    return llvm::None;
  auto flops = macs ? checkedMultiply(*macs, 2) : llvm::None;
  if (!flops) {
    diagnostics.report(op->range(), diag::CountOverflow, op.kernel(), "operations");
    return llvm::None;
  }
  figures = *result;
  exact = *macs;
  if (figures.macs != exact)
    diagnostics.report(op->range(), diag::MaestroMiscounts, figures.macs, op.kernel(), exact);
  Cost cost;
  addCounts(cost);
  addEnergy(cost);
  addNotes(cost);
  finish(cost);
  return cost;
}

std::vector<llvm::Optional<Cost>> MaestroProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                            DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(MaestroEvaluator(query, diagnostics).run());
  return costs;
}
