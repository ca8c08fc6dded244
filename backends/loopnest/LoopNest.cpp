// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/LoopNest.h"

#include "backends/core/KernelWork.h"
#include "backends/loopnest/Accesses.h"
#include "backends/loopnest/FoldedNest.h"
#include "backends/loopnest/FusedNest.h"
#include "backends/loopnest/NestCost.h"
#include "backends/loopnest/NestLatency.h"
#include "backends/loopnest/NestSparsity.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "ir/common/Rational.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/op/Points.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

bool LoopNestProvider::serves(const ir::Operation &op) const {
  return op.is(NestOp::opName) || op.is(FusedOp::opName);
}

namespace {

/// One query on its way to a cost.
class NestEvaluator {
public:
  NestEvaluator(const CostQuery &query, passes::NormalForms &forms, CountVerifier *verifier,
                DiagnosticEngine &diagnostics)
      : query(query), op(ir::as<NestOp>(query.op)), forms(forms), verifier(verifier),
        diagnostics(diagnostics), chip(*query.target) {}

  llvm::Optional<Cost> run();

private:
  bool adapt();
  bool count();
  bool countFolds();
  bool checkCapacity(const MemoryCounts &counts, const Place &place, target::MemoryOp memory);
  void applyZeros();
  bool findRate();
  bool addWork(Cost &cost);
  void addResources(Cost &cost);
  void addLatency(Cost &cost, const LatencyTerms &terms, double compute, const ChipTime &slowest,
                  llvm::StringRef bound);
  void finish(Cost &cost);

  const CostQuery &query;
  NestOp op;
  passes::NormalForms &forms;
  CountVerifier *verifier; ///< or null
  DiagnosticEngine &diagnostics;
  Chip chip;
  AdaptedNest adapted;
  Counts counts;
  llvm::Optional<Sparsity> zeros;
  Counts timed; ///< what takes time, where gating saves energy without time
  UnitRate rate;
  std::string mapping;
  bool isFolded = false; ///< by a systolic array, without a mapping of the user
  bool hasTerms = false; ///< beyond the steady state
};

/// The formula of a latency, as docs/cost-model.md has it.
static std::string formulaOf(bool isFolded, bool hasTerms) {
  std::string compute = isFolded ? "folds / rate" : "steps / rate";
  if (!hasTerms)
    return "max(" + compute + ", bytes / bandwidth of each memory) + launch";
  return "max(" + compute +
         " + stalls + load + store, bytes / bandwidth of each memory) + first word + last word + "
         "launch";
}

} // namespace

bool NestEvaluator::adapt() {
  std::string reason;
  llvm::Optional<AdaptedNest> result = adaptNest(op, chip, forms, reason);
  if (!result) {
    diagnostics.report(op->range(), diag::NestNotCounted, reason);
    return false;
  }
  adapted = std::move(*result);
  return true;
}

static bool hasHops(const ir::Operation &chip) {
  bool found = false;
  chip.walk([&](const ir::Operation &part) {
    auto network = ir::as<target::NetworkOp>(part);
    found |= network && network.hopEnergy();
  });
  return found;
}

/// A product without a mapping of the user runs in folds on a systolic array.
bool NestEvaluator::countFolds() {
  llvm::Optional<SystolicPlace> systolic;
  if (op.mapping() == "default")
    systolic = findSystolic(adapted);
  llvm::Optional<Counts> folded;
  if (systolic)
    folded = foldedCounts(adapted, *systolic, mapping);
  if (folded) {
    counts = std::move(*folded);
    ignoreConditions(adapted); // lanes run in lock step
  }
  isFolded = folded.hasValue();
  return isFolded;
}

bool NestEvaluator::count() {
  mapping = op.mapping().str();
  zeros = sparsityOf(adapted, query.placement);
  if (zeros && findSystolic(adapted)) {
    diagnostics.report(op->range(), diag::NestNotCounted,
                       "a systolic array runs in lock step, whatever is zero");
    return false;
  }
  if (countFolds()) {
    timed = counts;
    return true;
  }
  holdStationary(adapted);
  AnalysisOptions options;
  options.hops = hasHops(*query.target);
  options.transfers = memoriesWithWidth(adapted);
  AnalysisResult result = analyse(adapted.nest, options);
  for (const AnalysisError &error : result.errors)
    diagnostics.report(op->range(), diag::NestNotCounted, error.message());
  const Nest &counted = result.counted ? *result.counted : adapted.nest;
  if (!result.counts ||
      (verifier && !verifier->verify(counted, *result.counts, op->range(), diagnostics)))
    return false;
  llvm::Optional<Counts> taken = takeMappedCounts(adapted, std::move(result));
  if (!taken) {
    diagnostics.report(op->range(), diag::CountOverflow, op.kernel(), "cycles in its folds");
    return false;
  }
  counts = std::move(*taken);
  applyZeros();
  bool fits = true;
  size_t number = 0;
  for (size_t p = 0; p < adapted.places.size(); ++p)
    if (adapted.nest.places[p].kind == PlaceKind::Memory)
      fits &= checkCapacity(counts.memories[number++], adapted.nest.places[p],
                            ir::as<target::MemoryOp>(adapted.places[p]));
  return fits;
}

/// Dense counts become expected ones where tensors have zeros.
void NestEvaluator::applyZeros() {
  timed = counts;
  if (!zeros)
    return;
  SparseCounts expected = applySparsity(adapted.nest, *zeros, counts);
  counts = std::move(expected.powered);
  timed = std::move(expected.timed);
  adapted.notes.push_back("counts are expectations over where the zeros lie");
}

/// Elements of the whole tensor.
static double elementsOf(loopnest::TensorOp tensor) {
  double elements = 1;
  for (int64_t extent : tensor.shape())
    elements *= static_cast<double>(extent);
  return elements;
}

bool NestEvaluator::checkCapacity(const MemoryCounts &held, const Place &place,
                                  target::MemoryOp memory) {
  auto capacity = memory.capacity();
  double needed = bytesOf(adapted.nest, held.maxResidentBits);
  if (op->hasAttr("unfit")) // what a search begins with
    return true;
  if (!capacity || needed <= capacity->toDouble())
    return true;
  SizeBase base = writtenBase(capacity->toDouble());
  std::string parts;
  for (size_t t = 0; t < held.tensors.size(); ++t)
    if (const auto &tensor = held.tensors[t]) {
      double wordBytes = bytesOf(adapted.nest, heldBits(adapted.nest, place, t, *tensor));
      double resident = static_cast<double>(tensor->maxResident);
      // Rows that depend on data count once for each key, but there are no more than the table has.
      double most = std::min(resident, elementsOf(adapted.tensors[t]));
      needed -= (resident - most) * wordBytes;
      double bytes = most * wordBytes;
      parts += (parts.empty() ? "" : " + ") + adapted.nest.tensors[t].name + " " +
               formatSize(bytes, base);
    }
  if (needed <= capacity->toDouble())
    return true;
  diagnostics
      .report(op->range(), diag::TileDoesNotFit, memory.symbol(),
              formatSize(capacity->toDouble(), base), formatSize(needed, base), parts)
      .note(memory->range(), "the memory is declared here");
  return false;
}

/// The rate of the unit that the nest names.
bool NestEvaluator::findRate() {
  DType dtype = op::computeFormat(adapted.statement);
  llvm::Optional<UnitRate> found = chip.rateFor(adapted.statement, adapted.unit);
  if (!found || found->rate.central() <= 0) {
    diagnostics.report(op->range(), diag::NoUnitFor, chip.name(), "this nest", dtypeName(dtype));
    return false;
  }
  rate = *found;
  if (rate.dtype && *rate.dtype != dtype)
    adapted.notes.push_back(fmt::format("{} runs as {} on `{}`", dtypeName(dtype),
                                        dtypeName(*rate.dtype), adapted.unit));
  if (std::string note = anyRateNote(rate, dtype); adapted.statement.isMac() && !note.empty())
    adapted.notes.push_back(std::move(note));
  return true;
}

/// Multiply-accumulates and operations that are asked for, whatever the nest executes besides.
bool NestEvaluator::addWork(Cost &cost) {
  llvm::Optional<int64_t> points = op::pointsOf(adapted.statement);
  llvm::Optional<int64_t> flops =
      points ? checkedMultiply(*points, adapted.statement.flops()) : llvm::None;
  if (!flops) {
    diagnostics.report(op->range(), diag::CountOverflow, op.kernel(), "operations");
    return false;
  }
  cost.macs = adapted.statement.isMac() ? *points : 0;
  cost.flops = *flops;
  return true;
}

/// The resources of the chip, which work at the same time; the slowest one sets the pace.
void NestEvaluator::addResources(Cost &cost) {
  auto quantity = ir::as<target::ChipOp>(query.target).clock();
  std::vector<phase::FinishOperand> finishing = phase::finishOperands(query.placement);
  int64_t extra = phase::finishBytes(finishing);
  CountedNest nest{adapted, counts, rate, quantity, extra};
  CountedNest pace{adapted, timed, rate, quantity, extra};
  ChipTime slowest;
  std::string bound;
  auto add = [&](ResourceCost resource, llvm::StringRef kind) {
    cost.energy += resource.part.energy;
    if (bound.empty() || resource.time.seconds.central() > slowest.seconds.central()) {
      bound = kind.str() + resource.part.label;
      slowest = resource.time;
    }
    cost.breakdown.children.push_back(std::move(resource.part));
  };
  auto paced = [](ResourceCost resource, const ResourceCost &timed) {
    resource.time = timed.time;
    resource.part.latency = timed.part.latency;
    return resource;
  };
  ResourceCost compute = paced(computeCost(nest), computeCost(pace));
  double computing = compute.time.seconds.central();
  cost.work->compute = compute.time.seconds;
  cost.work->computeEnergy = compute.part.energy;
  add(std::move(compute), "compute ");
  size_t memories = 0, arrays = 0;
  for (const Place &place : adapted.nest.places)
    if (place.kind == PlaceKind::Memory) {
      MemoryTraffic traffic, timedTraffic;
      ResourceCost timedMemory = memoryCost(pace, memories, timedTraffic);
      ResourceCost memory = paced(memoryCost(nest, memories++, traffic), timedMemory);
      llvm::append_range(adapted.notes, memory.notes);
      add(std::move(memory), "memory ");
      traffic.latency = timedTraffic.latency;
      cost.traffic.push_back(std::move(traffic));
    } else {
      ResourceCost timedNetwork = networkCost(pace, arrays);
      ResourceCost network = paced(networkCost(nest, arrays++), timedNetwork);
      llvm::append_range(adapted.notes, network.notes);
      cost.work->network = max(cost.work->network, network.time.seconds);
      if (!network.part.children.empty())
        add(std::move(network), "");
    }
  if (zeros)
    for (size_t t = 0; t < adapted.tensors.size(); ++t)
      if (llvm::Optional<ResourceCost> decoder = decoderCost(nest, timed, *zeros, t))
        add(std::move(*decoder), "decoder ");
  addLatency(cost, latencyTerms(pace, computing), computing, slowest, bound);
  cost.accesses = accessTable(nest);
  addFinishRows(finishing, adapted.nest.places.front().name, cost.accesses);
}

/// latency = max(slowest resource, compute + stalls + load + store) + latencies of the paths.
void NestEvaluator::addLatency(Cost &cost, const LatencyTerms &terms, double compute,
                               const ChipTime &slowest, llvm::StringRef bound) {
  double buffered = compute + terms.stalls + terms.load + terms.store;
  cost.latency = slowest.seconds;
  cost.addBound(bound, slowest.seconds);
  if (terms.isBuffered && buffered > slowest.seconds.central()) {
    // What the slowest resource does not hide; the sum is exact.
    double rest = buffered - slowest.seconds.central();
    double load = std::min(rest, terms.load), store = std::min(rest - load, terms.store);
    cost.addIdle("filling", load);
    cost.addIdle("draining", store);
    cost.addIdle("stalls", rest - load - store);
  }
  cost.addIdle("first word", terms.first);
  cost.addIdle("last word", terms.last);
  hasTerms = cost.latency.central() > slowest.seconds.central();
  auto clock = ir::as<target::ChipOp>(query.target).clock();
  if (!slowest.cycles || !clock)
    return;
  double cycles = cost.latency.central() * clock->toDouble();
  double whole = std::ceil(cycles * (1 - 1e-12) - 1e-9);
  cost.cycles = Uncertain(hasTerms ? whole : static_cast<double>(*slowest.cycles));
}

void NestEvaluator::finish(Cost &cost) {
  cost.addLaunch(chip.launch());
  if (chip.launch().central() > 0)
    cost.cycles = llvm::None;
  addLeakage(chip, cost);
  auto clock = chip.clock();
  if (!cost.cycles && clock)
    cost.cycles = cost.latency * *clock;
  // Macs / lanes / cycles, where a lane does one multiply-accumulate per period of its rate.
  if (cost.latency.central() > 0)
    cost.utilization = Uncertain(static_cast<double>(cost.macs)) / (rate.rate * cost.latency);
  cost.area = areaOf(chip);
  cost.notes = adapted.notes;
  if (zeros && cost.utilization.central() > 1)
    cost.addNote(
        "utilization is above 100 %: it counts the multiply-accumulates left out at zeros, "
        "too");
  cost.provenance = {"loopnest", mapping, formulaOf(isFolded, hasTerms)};
  cost.describe(PartKind::Kernel, op->symbol(), op->range());
  cost.breakdown.composition = Composition::Overlap;
}

llvm::Optional<Cost> NestEvaluator::run() {
  Cost cost;
  if (!adapt() || !count() || !findRate() || !addWork(cost))
    return llvm::None;
  addResources(cost);
  finish(cost);
  return cost;
}

std::vector<llvm::Optional<Cost>> LoopNestProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                             DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(query.op->is(FusedOp::opName)
                        ? evaluateFused(query, forms, verifier, diagnostics)
                        : NestEvaluator(query, forms, verifier, diagnostics).run());
  return costs;
}

VerifiedNests LoopNestProvider::takeVerified() {
  return verifier ? verifier->takeFound() : VerifiedNests();
}
