// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/edge/Edge.h"

#include "backends/core/Chip.h"
#include "backends/edge/KernelAmounts.h"
#include "ir/common/diagnostics/Hardware.h"

using namespace perfc;
using namespace perfc::edge;
using target::LayerWork;
using target::LayerWorkInfo;

bool EdgeProvider::serves(const ir::Operation &op) const { return op.is(op::KernelOp::opName); }

bool EdgeProvider::servesOn(const ir::Operation &target) const { return target.hasAttr("layers"); }

namespace {

/// The time of a kernel, kind by kind.
class KernelTime {
public:
  KernelTime(const ir::AttrDict &layers, const KernelAmounts &amounts, Cost &cost)
      : layers(layers), amounts(amounts), cost(cost) {}

  /// False where a kind of work has no figure; `missing` is then its name.
  bool add(const Amount &amount);
  llvm::StringRef missing;
  std::string bound; ///< what takes longest

private:
  void part(PartKind kind, llvm::StringRef name, const Uncertain &time);

  const ir::AttrDict &layers;
  const KernelAmounts &amounts;
  Cost &cost;
  double longest = 0;
};

} // namespace

void KernelTime::part(PartKind kind, llvm::StringRef name, const Uncertain &time) {
  if (time.central() == 0)
    return;
  cost.latency += time;
  cost.breakdown.children.emplace_back(kind, name, SourceRange(), time);
  if (kind == PartKind::Launch)
    cost.work->launch += time;
  else
    cost.work->compute += time;
  if (time.central() > longest) {
    longest = time.central();
    bound = name.str();
  }
}

bool KernelTime::add(const Amount &amount) {
  const LayerWorkInfo &info = target::infoOf(amount.work);
  LayerWork from = amount.work;
  const ir::Attribute *figure = target::layerFigure(layers, amount.work, amounts.format, &from);
  if (!figure) {
    missing = info.kind == LayerWorkInfo::Macs && amount.count > 0 ? info.name : "";
    return missing.empty(); // bytes and kernels without a figure take no time
  }
  Uncertain value = figure->asQuantity().toUncertain();
  if (info.kind == LayerWorkInfo::Kernels) {
    part(PartKind::Launch, info.name, value * amount.count);
    return true;
  }
  bool isDirect = amount.work == LayerWork::Winograd && from != amount.work;
  double count = isDirect ? amounts.direct : amount.count;
  bool isCompute = info.kind == LayerWorkInfo::Macs;
  if (value.central() > 0)
    part(isCompute ? PartKind::Compute : PartKind::Memory, target::infoOf(from).name,
         Uncertain(count) / value);
  return true;
}

static llvm::Optional<Cost> evaluateOne(const CostQuery &query, DiagnosticEngine &diagnostics) {
  llvm::Optional<KernelWork> work = kernelWork(*query.op, diagnostics);
  if (!work)
    return llvm::None;
  Chip chip(*query.target);
  KernelAmounts amounts = kernelAmounts(ir::as<op::KernelOp>(*query.op), *work, *query.target);
  Cost cost;
  cost.macs = work->macs;
  cost.flops = work->flops;
  KernelTime time(chip.op.layers(), amounts, cost);
  for (const Amount &amount : amounts.amounts)
    if (!time.add(amount)) {
      diagnostics.report(query.op->range(), diag::LayerNotGiven, query.op->symbol(), time.missing,
                         chip.name());
      return llvm::None;
    }
  if (!time.bound.empty())
    cost.addBound(time.bound, cost.latency);
  if (auto clock = chip.clock())
    cost.cycles = cost.latency * *clock;
  cost.area = areaOf(chip);
  if (const ir::Attribute *measured = chip.op.layers().find("measured"))
    cost.latency = cost.latency * measured->asQuantity().toUncertain();
  const ir::Attribute *power = chip.op.layers().find("power");
  cost.energy = power ? Figure(cost.latency * power->asQuantity().toUncertain())
                      : Figure::notGiven("layers of chip", chip.name());
  cost.work->computeEnergy = cost.energy;
  cost.provenance = Provenance::of("edge");
  cost.describe(PartKind::Kernel, query.op->symbol(), query.op->range());
  return cost;
}

std::vector<llvm::Optional<Cost>> EdgeProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                         DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(evaluateOne(query, diagnostics));
  return costs;
}
