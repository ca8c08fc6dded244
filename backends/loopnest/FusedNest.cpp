// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/FusedNest.h"

#include "backends/core/KernelWork.h"
#include "backends/loopnest/NestCost.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "ir/common/diagnostics/Fusion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

//===-- Counts ------------------------------------------------------------------------------===//

/// Number among the memories of the nest of the memory `place`.
static llvm::Optional<size_t> memoryNumber(const AdaptedNest &adapted, llvm::StringRef place) {
  size_t number = 0;
  for (const Place &one : adapted.nest.places) {
    if (one.kind != PlaceKind::Memory)
      continue;
    if (one.name == place)
      return number;
    ++number;
  }
  return llvm::None;
}

static void dropOutside(const AdaptedNest &adapted, size_t memory, size_t tensor, Counts &counts) {
  for (size_t outer = 0; outer < memory; ++outer) {
    MemoryCounts &held = counts.memories[outer];
    if (!held.tensors[tensor])
      continue;
    held.maxResident -= held.tensors[tensor]->maxResident;
    held.maxResidentBits -=
        held.tensors[tensor]->maxResident * adapted.nest.tensors[tensor].bitsPerWord;
    held.tensors[tensor] = llvm::None;
  }
  size_t memories = 0, arrays = 0;
  for (const Place &place : adapted.nest.places) {
    if (place.kind == PlaceKind::Memory) {
      if (memories++ == memory)
        return;
    } else {
      counts.arrays[arrays++].hops[tensor] = NetworkCount();
    }
  }
}

bool loopnest::keepInside(const AdaptedNest &adapted, llvm::StringRef place,
                          llvm::ArrayRef<std::string> tensors, Counts &counts,
                          std::string &reason) {
  llvm::Optional<size_t> memory = memoryNumber(adapted, place);
  for (size_t t = 0; t < adapted.nest.tensors.size(); ++t) {
    const Tensor &tensor = adapted.nest.tensors[t];
    if (!llvm::is_contained(tensors, tensor.name))
      continue;
    if (!memory || !counts.memories[*memory].tensors[t]) {
      reason = "that memory does not keep it";
      return false;
    }
    TensorCounts &here = *counts.memories[*memory].tensors[t];
    if (tensor.isOutput && here.fills > 0) {
      reason = fmt::format("{} of its partial sums are needed again after their tile was left",
                           here.fills);
      return false;
    }
    here.fills = here.writebacks = 0;
    dropOutside(adapted, *memory, t, counts);
  }
  return true;
}

static void repeat(NetworkCount &count, int64_t factor) {
  for (int64_t *one : {&count.shared, &count.separate, &count.declared})
    *one *= factor;
}

/// The part of `nest` from place `from` on, which keeps everything, over one tile.
static Nest oneTile(const Nest &nest, size_t from) {
  Nest tile{
      nest.dims, nest.tensors, {nest.places.begin() + static_cast<long>(from), nest.places.end()}};
  std::vector<int64_t> cover(nest.dims.size(), 1);
  for (const Place &place : tile.places)
    for (const Loop &loop : place.loops)
      for (const Drive &drive : loop.drives)
        cover[drive.dim] *= loop.factor;
  for (size_t d = 0; d < tile.dims.size(); ++d)
    tile.dims[d].size = std::min(tile.dims[d].size, cover[d]);
  tile.places.front().keep.clear();
  for (unsigned t = 0; t < tile.tensors.size(); ++t)
    tile.places.front().keep.push_back(t);
  return tile;
}

bool loopnest::fetchForEachTile(const AdaptedNest &adapted, llvm::StringRef place, Counts &counts) {
  const Nest &nest = adapted.nest;
  size_t from = 0, memories = 0, arrays = 0;
  int64_t tiles = 1;
  for (; nest.places[from].name != place; ++from) {
    ++(nest.places[from].kind == PlaceKind::Memory ? memories : arrays);
    for (const Loop &loop : nest.places[from].loops)
      tiles *= loop.factor;
  }
  Nest tile = oneTile(nest, from);
  AnalysisResult one = analyse(tile, {});
  if (!one.counts)
    return false;
  for (size_t t = 0; t < nest.tensors.size(); ++t) {
    if (nest.tensors[t].isOutput || !counts.memories[memories].tensors[t])
      continue;
    for (size_t m = 0; m < one.counts->memories.size(); ++m) {
      const auto &own = one.counts->memories[m].tensors[t];
      auto &all = counts.memories[memories + m].tensors[t];
      if (!own || !all)
        continue;
      all->reads = own->reads;
      repeat(all->reads, tiles);
      if (m > 0)
        all->fills = own->fills * tiles;
    }
    for (size_t a = 0; a < one.counts->arrays.size(); ++a) {
      auto &hops = counts.arrays[arrays + a].hops[t];
      hops = one.counts->arrays[a].hops[t];
      if (hops)
        repeat(*hops, tiles);
    }
  }
  return one.counts->macs * tiles != counts.macs;
}

//===-- Costs -------------------------------------------------------------------------------===//

namespace {

/// One statement.
struct Part {
  NestOp op;
  AdaptedNest adapted;
  Counts counts;
  UnitRate rate;
};

/// One resource with what all statements do on it.
struct Resource {
  CostPart part;
  std::string bound;
  Uncertain seconds;
};

class FusedEvaluator {
public:
  FusedEvaluator(const CostQuery &query, DiagnosticEngine &diagnostics)
      : query(query), op(ir::as<FusedOp>(query.op)), diagnostics(diagnostics), chip(*query.target),
        places(target::ChipOp(const_cast<ir::Operation *>(query.target))) {}

  llvm::Optional<Cost> run();

private:
  bool addPart(NestOp nest);
  bool checkCapacities();
  bool takeTurns();
  bool fits(llvm::StringRef memory, const std::vector<std::pair<std::string, int64_t>> &held) const;
  bool checkCapacity(target::MemoryOp memory, llvm::ArrayRef<std::pair<std::string, int64_t>> held);
  std::vector<std::pair<std::string, int64_t>> heldTogether(llvm::StringRef memory) const;
  std::vector<std::pair<std::string, int64_t>> heldInTurns(llvm::StringRef memory) const;
  double share(const ir::Operation &piece) const;
  void addResources(Cost &cost);
  void add(ResourceCost resource, llvm::StringRef kind, const ir::Operation &piece);
  void addTraffic(Cost &cost, MemoryTraffic traffic);
  bool addWork(Cost &cost);
  void addAccesses(Cost &cost) const;
  void finish(Cost &cost);

  const CostQuery &query;
  FusedOp op;
  DiagnosticEngine &diagnostics;
  Chip chip;
  passes::Chip places;
  std::vector<Part> parts;
  std::vector<Resource> resources;
};

} // namespace

bool FusedEvaluator::addPart(NestOp nest) {
  Part part{nest, {}, {}, {}};
  std::string reason;
  llvm::Optional<AdaptedNest> adapted = adaptNest(nest, places, reason);
  if (!adapted) {
    diagnostics.report(nest->range(), diag::NestNotCounted, reason);
    return false;
  }
  part.adapted = std::move(*adapted);
  AnalysisResult result = analyse(part.adapted.nest, {});
  for (const AnalysisError &error : result.errors)
    diagnostics.report(nest->range(), diag::NestNotCounted, error.message());
  if (!result.counts)
    return false;
  part.counts = std::move(*result.counts);
  joinLanes(part.adapted, part.counts);
  if (!keepInside(part.adapted, op.place(), op.tensors(), part.counts, reason)) {
    llvm::StringRef written = part.adapted.nest.tensors.back().name;
    diagnostics.report(op->range(), diag::FusedLeaves, written, op.place(), reason);
    return false;
  }
  DType dtype = computeFormat(part.adapted.statement);
  llvm::Optional<UnitRate> rate = chip.unitNamed(part.adapted.unit, dtype);
  if (!rate || rate->rate.central() <= 0) {
    diagnostics.report(nest->range(), diag::NoUnitFor, chip.name(), "this nest", dtypeName(dtype));
    return false;
  }
  part.rate = *rate;
  parts.push_back(std::move(part));
  return true;
}

//===-- Capacities --------------------------------------------------------------------------===//

using Held = std::vector<std::pair<std::string, int64_t>>; ///< tensor, bits

static const MemoryCounts *countsAt(const Counts &counts, llvm::StringRef memory) {
  auto found =
      llvm::find_if(counts.memories, [&](const MemoryCounts &one) { return one.name == memory; });
  return found == counts.memories.end() ? nullptr : &*found;
}

static int64_t bitsOf(const Part &part, const MemoryCounts &counts, size_t tensor) {
  return counts.tensors[tensor]
             ? counts.tensors[tensor]->maxResident * part.adapted.nest.tensors[tensor].bitsPerWord
             : 0;
}

/// Tiles of all statements at once. Of a tensor that several of them use the largest; one that is
/// made in smaller tiles than it is read in has the tile in use and the one that is being made.
Held FusedEvaluator::heldTogether(llvm::StringRef memory) const {
  Held held;
  llvm::StringMap<int64_t> made;
  for (const Part &part : parts)
    if (const MemoryCounts *counts = countsAt(part.counts, memory))
      for (size_t t = 0; t < counts->tensors.size(); ++t) {
        if (!counts->tensors[t])
          continue;
        const Tensor &tensor = part.adapted.nest.tensors[t];
        int64_t bits = bitsOf(part, *counts, t);
        if (tensor.isOutput)
          made[tensor.name] = bits;
        auto known = llvm::find_if(held, [&](const auto &one) { return one.first == tensor.name; });
        if (known == held.end())
          held.push_back({tensor.name, bits});
        else
          known->second = std::max(known->second, bits);
      }
  for (auto &[name, bits] : held)
    if (auto found = made.find(name); found != made.end() && found->second < bits)
      bits += found->second;
  return held;
}

/// The tiles of the statement that needs most, and the results of the others.
Held FusedEvaluator::heldInTurns(llvm::StringRef memory) const {
  Held most;
  int64_t largest = -1;
  for (const Part &own : parts) {
    Held held;
    int64_t sum = 0;
    for (const Part &part : parts)
      if (const MemoryCounts *counts = countsAt(part.counts, memory))
        for (size_t t = 0; t < counts->tensors.size(); ++t)
          if (counts->tensors[t] && (&part == &own || part.adapted.nest.tensors[t].isOutput)) {
            const std::string &name = part.adapted.nest.tensors[t].name;
            if (llvm::any_of(held, [&](const auto &one) { return one.first == name; }))
              continue;
            held.push_back({name, bitsOf(part, *counts, t)});
            sum += held.back().second;
          }
    if (sum > largest) {
      largest = sum;
      most = std::move(held);
    }
  }
  return most;
}

static std::string bytesText(int64_t bits) {
  return formatEngineering(static_cast<double>(bits) / 8, BaseUnit::Byte);
}

bool FusedEvaluator::checkCapacity(target::MemoryOp memory,
                                   llvm::ArrayRef<std::pair<std::string, int64_t>> held) {
  int64_t bits = 0;
  std::string text;
  for (const auto &[name, own] : held) {
    bits += own;
    text += (text.empty() ? "" : " + ") + name + " " + bytesText(own);
  }
  auto capacity = memory.capacity();
  if (!capacity || static_cast<double>(bits) / 8 <= capacity->toDouble())
    return true;
  diagnostics
      .report(op->range(), diag::TileDoesNotFit, memory.symbol(),
              formatEngineering(capacity->toDouble(), BaseUnit::Byte), bytesText(bits), text)
      .note(memory->range(), "the memory is declared here");
  return false;
}

bool FusedEvaluator::fits(llvm::StringRef memory, const Held &held) const {
  auto capacity = target::MemoryOp(places.places[*places.find(memory)].op).capacity();
  double bits = 0;
  for (const auto &[name, own] : held)
    bits += static_cast<double>(own);
  return !capacity || bits / 8 <= capacity->toDouble();
}

/// Where a memory inside has no room for everything, operands are fetched again for each tile.
bool FusedEvaluator::takeTurns() {
  bool isInside = false, takesTurns = false;
  for (const passes::Place &place : places.places) {
    takesTurns |= isInside && !place.isArray && !fits(place.name, heldTogether(place.name));
    isInside |= place.name == op.place();
  }
  for (Part &part : parts)
    if (takesTurns && fetchForEachTile(part.adapted, op.place(), part.counts))
      part.adapted.notes.push_back(fmt::format(
          "operands of ragged tiles inside `{}` count as those of whole ones", op.place()));
  return takesTurns;
}

bool FusedEvaluator::checkCapacities() {
  bool fits = true, isInside = false, takesTurns = takeTurns();
  for (const passes::Place &place : places.places) {
    if (place.isArray)
      continue;
    fits &=
        checkCapacity(target::MemoryOp(place.op),
                      isInside && takesTurns ? heldInTurns(place.name) : heldTogether(place.name));
    isInside |= place.name == op.place();
  }
  return fits;
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
  int64_t extra = query.placement ? query.placement->intAttr("extra_bytes") : 0;
  for (const Part &part : parts) {
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
      add(memoryCost(nest, memories++, traffic), "memory ", piece);
      traffic.latency = traffic.latency * share(piece);
      addTraffic(cost, std::move(traffic));
    }
  }
}

bool FusedEvaluator::addWork(Cost &cost) {
  for (const Part &part : parts) {
    llvm::Optional<int64_t> points = countPoints(part.adapted.statement), flops, macs;
    if (points)
      flops = checkedMultiply(*points, part.adapted.statement.flops());
    if (flops)
      flops = checkedAdd(*flops, cost.flops);
    if (points)
      macs = checkedAdd(cost.macs, part.adapted.statement.isMac() ? *points : 0);
    if (!flops || !macs) {
      diagnostics.report(op->range(), diag::CountOverflow, op.kernel());
      return false;
    }
    cost.flops = *flops;
    cost.macs = *macs;
  }
  return true;
}

/// Rows of one tensor at one memory are put together.
void FusedEvaluator::addAccesses(Cost &cost) const {
  auto clock = ir::as<target::ChipOp>(query.target).clock();
  for (const Part &part : parts)
    for (AccessCounts &row : accessTable({part.adapted, part.counts, part.rate, clock, 0})) {
      auto known = llvm::find_if(cost.accesses, [&](const AccessCounts &one) {
        return one.memory == row.memory && one.tensor == row.tensor;
      });
      if (known == cost.accesses.end()) {
        cost.accesses.push_back(std::move(row));
        continue;
      }
      known->isOutput |= row.isOutput;
      known->maxResident = std::max(known->maxResident, row.maxResident);
      for (auto field :
           {&AccessCounts::fills, &AccessCounts::reads, &AccessCounts::updates,
            &AccessCounts::writebacks, &AccessCounts::readsShared, &AccessCounts::readsSeparate,
            &AccessCounts::updatesShared, &AccessCounts::updatesSeparate})
        (*known).*field += row.*field;
    }
  auto order = [&](const AccessCounts &row) { return *places.find(row.memory); };
  llvm::stable_sort(cost.accesses, [&](const AccessCounts &a, const AccessCounts &b) {
    return order(a) < order(b);
  });
}

void FusedEvaluator::finish(Cost &cost) {
  const Resource *slowest = nullptr;
  CostPart &root = cost.breakdown;
  for (const Resource &resource : resources) {
    cost.energy += resource.part.energy;
    if (!slowest || resource.seconds.central() > slowest->seconds.central())
      slowest = &resource;
    root.children.push_back(resource.part);
  }
  cost.latency = slowest->seconds;
  cost.addBound(slowest->bound, slowest->seconds);
  if (chip.launch().central() > 0) {
    CostPart launch;
    launch.label = "launch";
    launch.kind = PartKind::Launch;
    launch.latency = chip.launch();
    root.children.push_back(std::move(launch));
    cost.latency += chip.launch();
    cost.addBound("launch", chip.launch());
  }
  if (llvm::Optional<CostPart> leaking = leakage(chip, cost.latency)) {
    cost.energy += leaking->energy;
    root.children.push_back(std::move(*leaking));
  }
  if (auto clock = chip.clock())
    cost.cycles = cost.latency * *clock;
  for (const Part &part : parts) {
    if (part.adapted.statement.isMac())
      cost.utilization =
          Uncertain(static_cast<double>(cost.macs)) / (part.rate.rate * cost.latency);
    for (const std::string &note : part.adapted.notes)
      cost.addNote(note);
  }
  cost.area = chip.area();
  cost.provenance = {"loopnest", op.mapping().str(),
                     "max over resources of the sum over statements + launch"};
  describeKernel(cost, *op.op, op.mapping());
}

llvm::Optional<Cost> FusedEvaluator::run() {
  for (const ir::Operation &nest : op->body())
    if (!addPart(NestOp(const_cast<ir::Operation *>(&nest))))
      return llvm::None;
  Cost cost;
  if (parts.empty() || !checkCapacities() || !addWork(cost))
    return llvm::None;
  addResources(cost);
  addAccesses(cost);
  finish(cost);
  return cost;
}

llvm::Optional<Cost> loopnest::evaluateFused(const CostQuery &query,
                                             DiagnosticEngine &diagnostics) {
  return FusedEvaluator(query, diagnostics).run();
}
