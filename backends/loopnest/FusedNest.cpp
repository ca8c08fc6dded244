// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/FusedNest.h"

#include "backends/core/KernelWork.h"
#include "backends/loopnest/FusedCapacity.h"
#include "backends/loopnest/NestCost.h"
#include "backends/loopnest/NestSparsity.h"
#include "backends/loopnest/SystolicNest.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Fusion.h"
#include "ir/op/Points.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <set>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// One resource with what all statements do on it.
struct Resource {
  CostPart part;
  std::string bound;
  Uncertain seconds;
};

class FusedEvaluator {
public:
  FusedEvaluator(const CostQuery &query, passes::NormalForms &forms, CountVerifier *verifier,
                 DiagnosticEngine &diagnostics)
      : query(query), op(ir::as<FusedOp>(query.op)), forms(forms), verifier(verifier),
        diagnostics(diagnostics), chip(*query.target) {}

  llvm::Optional<Cost> run();

private:
  bool addPart(NestOp nest);
  bool keepTensors(FusedPart &part);
  void findFinishing();
  void rescaleCounts();
  void addRescaling();
  void addVectorWork(const FusedPart &part, const UnitRate &rate, int64_t count);
  void addNotes(Cost &cost) const;
  double share(const ir::Operation &piece) const;
  void addResources(Cost &cost);
  void add(ResourceCost resource, llvm::StringRef kind, const ir::Operation &piece);
  void addTraffic(Cost &cost, MemoryTraffic traffic);
  bool addWork(Cost &cost);
  void addAccesses(Cost &cost) const;
  void setUtilization(Cost &cost) const;
  void finish(Cost &cost);

  const CostQuery &query;
  FusedOp op;
  passes::NormalForms &forms;
  CountVerifier *verifier; ///< or null
  DiagnosticEngine &diagnostics;
  Chip chip;
  std::vector<FusedPart> parts;
  std::vector<Resource> resources;
  std::vector<phase::FinishOperand> finishing; ///< what the outermost memory is read for
};

} // namespace

bool FusedEvaluator::keepTensors(FusedPart &part) {
  std::string reason;
  for (const FusedTensor &tensor : fusedTensors(op))
    if (!keepInside(part.adapted, tensor.memory, tensor.name, part.counts, reason)) {
      diagnostics.report(op->range(), diag::FusedLeaves, tensor.name, tensor.memory, reason);
      return false;
    }
  for (const KeptElements &kept : keptElements(op))
    holdKept(part.adapted, kept, part.counts);
  return true;
}

bool FusedEvaluator::addPart(NestOp nest) {
  FusedPart part{nest, {}, {}, {}};
  std::string reason;
  llvm::Optional<AdaptedNest> adapted = adaptNest(nest, chip, forms, reason);
  if (!adapted) {
    diagnostics.report(nest->range(), diag::NestNotCounted, reason);
    return false;
  }
  part.adapted = std::move(*adapted);
  holdStationary(part.adapted);
  ignoreConditions(part.adapted);
  AnalysisResult result = analyse(part.adapted.nest, {});
  for (const AnalysisError &error : result.errors)
    diagnostics.report(nest->range(), diag::NestNotCounted, error.message());
  if (!result.counts || (verifier && !verifier->verify(part.adapted.nest, *result.counts,
                                                       nest->range(), diagnostics)))
    return false;
  llvm::Optional<Counts> taken = takeMappedCounts(part.adapted, std::move(result));
  if (!taken) {
    diagnostics.report(nest->range(), diag::CountOverflow, nest.kernel(), "cycles in its folds");
    return false;
  }
  part.counts = std::move(*taken);
  if (!keepTensors(part))
    return false;
  DType dtype = op::computeFormat(part.adapted.statement);
  llvm::Optional<UnitRate> rate = chip.rateFor(part.adapted.statement, part.adapted.unit);
  if (!rate || rate->rate.central() <= 0) {
    diagnostics.report(nest->range(), diag::NoUnitFor, chip.name(), "this nest", dtypeName(dtype));
    return false;
  }
  part.rate = *rate;
  if (std::string note = anyRateNote(*rate, dtype); part.adapted.statement.isMac() && !note.empty())
    part.adapted.notes.push_back(std::move(note));
  parts.push_back(std::move(part));
  return true;
}

//===-- Resources ---------------------------------------------------------------------------===//

/// Of the time of a piece inside an array that dispatches: waves / blocks.
double FusedEvaluator::share(const ir::Operation &piece) const {
  for (const ir::Operation *outer = piece.parentOp(); outer; outer = outer->parentOp()) {
    auto array = ir::as<target::ArrayOp>(*outer);
    if (!array || !array.isDispatched())
      continue;
    auto blocks = static_cast<double>(op.blocks());
    return std::ceil(blocks / static_cast<double>(array.instances())) / blocks;
  }
  return 1;
}

void FusedEvaluator::add(ResourceCost resource, llvm::StringRef kind, const ir::Operation &piece) {
  Uncertain seconds = resource.time.seconds * share(piece);
  resource.part.latency = seconds;
  auto known = llvm::find_if(resources, [&](const Resource &one) {
    return one.part.kind == resource.part.kind && one.part.label == resource.part.label;
  });
  if (known == resources.end()) {
    std::string bound = kind.str() + resource.part.label;
    resources.push_back({std::move(resource.part), std::move(bound), seconds});
    return;
  }
  known->seconds += seconds;
  known->part.latency = known->seconds;
  known->part.energy += resource.part.energy;
  known->part.macs += resource.part.macs;
  known->part.bytes += resource.part.bytes;
  llvm::append_range(known->part.children, std::move(resource.part.children));
}

void FusedEvaluator::addTraffic(Cost &cost, MemoryTraffic traffic) {
  auto known = llvm::find_if(
      cost.traffic, [&](const MemoryTraffic &one) { return one.memory == traffic.memory; });
  if (known == cost.traffic.end()) {
    cost.traffic.push_back(std::move(traffic));
    return;
  }
  known->readBytes += traffic.readBytes;
  known->writeBytes += traffic.writeBytes;
  known->energy += traffic.energy;
  known->latency += traffic.latency;
}

void FusedEvaluator::addResources(Cost &cost) {
  auto clock = ir::as<target::ChipOp>(query.target).clock();
  int64_t extra = phase::finishBytes(finishing);
  for (FusedPart &part : parts) {
    CountedNest nest{part.adapted, part.counts, part.rate, clock, extra};
    extra = 0; // is read once
    add(computeCost(nest), "compute ", *part.rate.unit->view.op);
    size_t memories = 0, arrays = 0;
    for (size_t p = 0; p < part.adapted.places.size(); ++p) {
      const ir::Operation &piece = *part.adapted.places[p];
      if (part.adapted.nest.places[p].kind == PlaceKind::Array) {
        ResourceCost network = networkCost(nest, arrays++);
        if (!network.part.children.empty())
          add(std::move(network), "", piece);
        continue;
      }
      MemoryTraffic traffic;
      ResourceCost memory = memoryCost(nest, memories++, traffic);
      llvm::append_range(part.adapted.notes, memory.notes);
      add(std::move(memory), "memory ", piece);
      traffic.latency = traffic.latency * share(piece);
      addTraffic(cost, std::move(traffic));
    }
  }
}

/// Operands that finish a result are read where fused tensors stay, else from the outermost memory.
/// What is finished itself was made under the name that follows its own.
void FusedEvaluator::findFinishing() {
  std::vector<FusedTensor> fused = fusedTensors(op);
  for (phase::FinishOperand &operand : phase::finishOperands(query.placement)) {
    auto known = llvm::find_if(fused, [&](const auto &one) { return one.name == operand.tensor; });
    auto isRead = [&](size_t name) {
      return name < fused.size() && llvm::any_of(parts, [&](FusedPart &part) {
               return addReads(part.adapted, fused[name], operand.words, part.counts);
             });
    };
    auto at = static_cast<size_t>(known - fused.begin());
    if (!isRead(at) && !isRead(at + 1))
      finishing.push_back(std::move(operand));
  }
}

//===-- Running results ---------------------------------------------------------------------===//

/// What a running maximum and the sums that depend on it are read and updated besides.
void FusedEvaluator::rescaleCounts() {
  for (const Rescale &one : rescalesOf(op))
    for (FusedPart &part : parts)
      loopnest::addRescaling(part.adapted, one.tensor, one.count, !one.isStatistics, part.counts);
}

/// `count` operations on the unit of `rate`, spread as the points of `part` are.
void FusedEvaluator::addVectorWork(const FusedPart &part, const UnitRate &rate, int64_t count) {
  auto clock = ir::as<target::ChipOp>(query.target).clock();
  int64_t lanes = std::max<int64_t>(1, part.counts.macs / std::max<int64_t>(1, part.counts.steps));
  ResourceCost work;
  work.part = CostPart(PartKind::Compute, rate.unit->name(), rate.unit->view->range());
  work.time = timeFor((count + lanes - 1) / lanes, rate.perCopy, clock);
  work.part.energy = rate.energy ? Figure(*rate.energy * static_cast<double>(count))
                                 : Figure::notGiven("compute", rate.unit->name());
  add(std::move(work), "compute ", *rate.unit->view.op);
}

/// The difference and exponential for each element of a maximum, a product for each element of a
/// sum: on the unit that takes the maximum.
void FusedEvaluator::addRescaling() {
  const UnitRate *rate = nullptr;
  for (const Rescale &one : rescalesOf(op))
    for (const FusedPart &part : parts) {
      if (part.adapted.nest.tensors.back().name != one.tensor || one.count == 0)
        continue;
      if (one.isStatistics)
        rate = &part.rate;
      addVectorWork(part, rate ? *rate : part.rate, one.count * (one.isStatistics ? 2 : 1));
    }
}

/// What the shared loops leave out, and fused tensors that are nowhere.
void FusedEvaluator::addNotes(Cost &cost) const {
  for (const FusedPart &part : parts)
    for (const std::string &note : part.adapted.notes)
      cost.addNote(note);
  for (const std::string &tensor : finishedTensors(op))
    cost.addNote(fmt::format("`{}` is finished where it is made: no memory holds it", tensor));
  if (!rescalesOf(op).empty())
    cost.addNote(
        fmt::format("`{}` is a running result: what depends on it is rescaled in each step",
                    rescalesOf(op).front().tensor));
  if (llvm::any_of(parts, [&](const FusedPart &part) {
        return sparsityOf(part.adapted, query.placement).hasValue();
      }))
    cost.addNote("zeros are left out: fused statements count as dense");
  auto isLate = [](const ir::Operation &part) {
    return part.hasAttr("latency") || part.hasAttr("hop_latency") || part.hasAttr("buffering");
  };
  if (llvm::any_of(chip.places, [&](const passes::Place &place) {
        return isLate(*place.op) || (place.isArray && llvm::any_of(place.op->body(), isLate));
      }))
    cost.addNote("first and last words and stalls are left out of fused statements");
}

//===-- Work and table ----------------------------------------------------------------------===//

bool FusedEvaluator::addWork(Cost &cost) {
  for (const FusedPart &part : parts) {
    llvm::Optional<int64_t> points = op::pointsOf(part.adapted.statement), flops, macs;
    if (points)
      flops = checkedMultiply(*points, part.adapted.statement.flops());
    if (flops)
      flops = checkedAdd(*flops, cost.flops);
    if (points)
      macs = checkedAdd(cost.macs, part.adapted.statement.isMac() ? *points : 0);
    if (!flops || !macs) {
      diagnostics.report(op->range(), diag::CountOverflow, op.kernel(), "operations");
      return false;
    }
    cost.flops = *flops;
    cost.macs = *macs;
  }
  return true;
}

/// Rows of one tensor at one memory are put together.
static void addRow(std::vector<AccessCounts> &table, AccessCounts row) {
  auto known = llvm::find_if(table, [&](const AccessCounts &one) {
    return one.memory == row.memory && one.tensor == row.tensor;
  });
  if (known == table.end()) {
    table.push_back(std::move(row));
    return;
  }
  known->isOutput |= row.isOutput;
  known->maxResident = std::max(known->maxResident, row.maxResident);
  for (auto field :
       {&AccessCounts::fills, &AccessCounts::reads, &AccessCounts::updates,
        &AccessCounts::writebacks, &AccessCounts::readsShared, &AccessCounts::readsSeparate,
        &AccessCounts::updatesShared, &AccessCounts::updatesSeparate,
        &AccessCounts::finishedUpdates, &AccessCounts::finishedWritebacks})
    (*known).*field += row.*field;
  known->partialBits = std::max(known->partialBits, row.partialBits);
}

void FusedEvaluator::addAccesses(Cost &cost) const {
  auto clock = ir::as<target::ChipOp>(query.target).clock();
  for (const FusedPart &part : parts)
    for (AccessCounts &row : accessTable({part.adapted, part.counts, part.rate, clock, 0}))
      addRow(cost.accesses, std::move(row));
  std::vector<AccessCounts> rows;
  addFinishRows(finishing, parts.front().adapted.nest.places.front().name, rows);
  for (AccessCounts &row : rows)
    addRow(cost.accesses, std::move(row));
  auto order = [&](const AccessCounts &row) { return *chip.find(row.memory); };
  llvm::stable_sort(cost.accesses, [&](const AccessCounts &a, const AccessCounts &b) {
    return order(a) < order(b);
  });
}

/// The share of the time in which the units work that multiply, all alike. What tiles make again is
/// no work anew, and rows that nothing reads are not made.
void FusedEvaluator::setUtilization(Cost &cost) const {
  std::set<const ChipUnit *> units;
  Uncertain busy = 0;
  for (const FusedPart &part : parts)
    if (part.adapted.statement.isMac()) {
      units.insert(part.rate.unit);
      int64_t points = op::pointsOf(part.adapted.statement).getValueOr(0);
      busy += Uncertain(static_cast<double>(std::min(points, part.counts.macs))) / part.rate.rate;
    }
  if (!units.empty())
    cost.utilization = busy / (cost.latency * static_cast<double>(units.size()));
}

void FusedEvaluator::finish(Cost &cost) {
  const Resource *slowest = nullptr;
  for (const Resource &resource : resources) {
    cost.energy += resource.part.energy;
    if (!slowest || resource.seconds.central() > slowest->seconds.central())
      slowest = &resource;
    if (resource.part.kind == PartKind::Compute) {
      cost.work->compute = max(cost.work->compute, resource.seconds);
      cost.work->computeEnergy += resource.part.energy;
    } else if (resource.part.kind == PartKind::Network) {
      cost.work->network = max(cost.work->network, resource.seconds);
    }
    cost.breakdown.children.push_back(resource.part);
  }
  cost.latency = slowest->seconds;
  cost.addBound(slowest->bound, slowest->seconds);
  cost.addLaunch(chip.launch());
  addLeakage(chip, cost);
  if (auto clock = chip.clock())
    cost.cycles = cost.latency * *clock;
  setUtilization(cost);
  addNotes(cost);
  cost.area = areaOf(chip);
  cost.provenance = {"loopnest", op.mapping().str(),
                     "max over resources of the sum over statements + launch"};
  cost.describe(PartKind::Kernel, op->symbol(), op->range());
  cost.breakdown.composition = Composition::Overlap;
}

llvm::Optional<Cost> FusedEvaluator::run() {
  for (const ir::Operation &nest : op->body())
    if (!addPart(NestOp(const_cast<ir::Operation *>(&nest))))
      return llvm::None;
  Cost cost;
  if (parts.empty() || !FusedCapacity(op, chip, parts, diagnostics).check() || !addWork(cost))
    return llvm::None;
  rescaleCounts();
  findFinishing();
  addResources(cost);
  addRescaling();
  addAccesses(cost);
  finish(cost);
  return cost;
}

llvm::Optional<Cost> loopnest::evaluateFused(const CostQuery &query, passes::NormalForms &forms,
                                             CountVerifier *verifier,
                                             DiagnosticEngine &diagnostics) {
  return FusedEvaluator(query, forms, verifier, diagnostics).run();
}
