// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/NestCost.h"

#include "backends/loopnest/Accesses.h"
#include "backends/loopnest/NestEpochs.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

//===-- Places
//---------------------------------------------------------------------------------===//

/// Position among the places of the `number`-th place of `kind`.
static size_t placeOf(const Nest &nest, PlaceKind kind, size_t number) {
  size_t at = 0;
  while (nest.places[at].kind != kind || number-- > 0)
    ++at;
  return at;
}

static Quantity times(const Quantity &rate, int64_t factor) {
  QuantityError error = QuantityError::None;
  auto product = apply("*", rate, Quantity(Rational(factor)), error);
  return product ? *product
                 : Quantity(rate.toUncertain() * static_cast<double>(factor), rate.dimension());
}

/// Bytes as bits, so that 4-bit words stay whole.
static ChipTime transferTime(const CountedNest &nest, double bytes, const Quantity &bandwidth,
                             int64_t instances) {
  return timeFor(bytes * 8, times(times(bandwidth, 8), instances), nest.clock);
}

//===-- Memories
//-------------------------------------------------------------------------------===//

static Figure accessEnergy(target::MemoryOp memory, double bytes,
                           const llvm::Optional<Quantity> &perByte) {
  if (bytes == 0)
    return {};
  return perByte ? Figure(perByte->toUncertain() * bytes)
                 : Figure::notGiven("memory", memory.symbol());
}

/// One address per access, which moves `width` or, where that is not given, one word: a partial sum
/// or a finished one.
static Figure addressEnergy(target::MemoryOp memory, const Moved &moved, double partialBytes,
                            double wordBytes) {
  auto energy = memory.addressEnergy();
  if (!energy || moved.all() == 0)
    return {};
  if (memory.width())
    return energy->toUncertain() * (moved.all() / memory.width()->toDouble());
  return energy->toUncertain() *
         ((moved.all() - moved.finished) / partialBytes + moved.finished / wordBytes);
}

ResourceCost loopnest::memoryCost(const CountedNest &nest, size_t number, MemoryTraffic &traffic) {
  const Nest &flat = nest.adapted.nest;
  size_t position = placeOf(flat, PlaceKind::Memory, number);
  auto memory = ir::as<target::MemoryOp>(nest.adapted.places[position]);
  traffic = {memory.symbol().str(), memory->range(), memory.isOffChip(), 0, 0, {}, {}};
  ResourceCost result;
  result.part = CostPart(PartKind::Memory, memory.symbol(), memory->range());
  const MemoryCounts &counts = nest.counts.memories[number];
  bool isEstimated = memory.width() && llvm::any_of(counts.tensors, [](const auto &tensor) {
                       return tensor && (!tensor->transfers || tensor->shares);
                     });
  if (isEstimated)
    result.notes.push_back(
        fmt::format("accesses of `{}` are estimated: transfers are taken as of their mean size",
                    memory.symbol()));
  auto add = [&](llvm::StringRef label, SourceRange location, Moved moved, double partialBytes,
                 double wordBytes) {
    CostPart tensor(PartKind::Memory, label, location);
    tensor.energy = accessEnergy(memory, moved.read, memory.readEnergy());
    tensor.energy += accessEnergy(memory, moved.filled, memory.writeEnergy());
    tensor.energy += accessEnergy(memory, moved.updated, memory.updateEnergy());
    tensor.energy += addressEnergy(memory, moved, partialBytes, wordBytes);
    traffic.readBytes += moved.read;
    traffic.writeBytes += moved.filled + moved.updated;
    traffic.energy += tensor.energy;
    result.part.children.push_back(std::move(tensor));
  };
  for (size_t t = 0; t < counts.tensors.size(); ++t)
    if (counts.tensors[t])
      add(flat.tensors[t].name, nest.adapted.tensors[t]->range(),
          movedBy(nest.adapted, nest.counts, position, t),
          bytesOf(flat, movedBits(flat, flat.places[position], t)),
          bytesOf(flat, flat.tensors[t].bitsPerWord));
  if (number == 0 && nest.extraBytes > 0)
    add("fused operands", {}, {static_cast<double>(nest.extraBytes), 0, 0, 0}, 1, 1);
  int64_t instances = workingInstances(flat, position);
  auto limit = [&](double bytes, const llvm::Optional<Quantity> &bandwidth) {
    if (bandwidth)
      result.time = later(result.time, transferTime(nest, bytes, *bandwidth, instances));
  };
  limit(traffic.bytes(), memory.bandwidth());
  limit(traffic.readBytes, memory.readBandwidth());
  limit(traffic.writeBytes, memory.writeBandwidth());
  traffic.latency = result.time.seconds;
  result.part.latency = result.time.seconds;
  result.part.energy = traffic.energy;
  result.part.bytes = traffic.bytes();
  return result;
}

//===-- Networks
//-------------------------------------------------------------------------------===//

namespace {

/// Words of a tensor that pass between an array and the memory outside that serves it.
struct Crossing {
  int64_t words = 0;       ///< reads and updates of that memory
  int64_t finished = 0;    ///< of these, words that leave the memory inside finished
  int64_t copies = 0;      ///< deliveries beyond one per read
  int64_t sums = 0;        ///< partial sums that were added to another before they arrived
  double partialBytes = 0; ///< of a word that is not finished, as that memory has it
};

} // namespace

static Crossing crossing(const CountedNest &nest, size_t position, size_t tensor) {
  const Nest &flat = nest.adapted.nest;
  Crossing result;
  result.partialBytes = bytesOf(flat, flat.tensors[tensor].bitsPerWord);
  size_t number = 0;
  int64_t updates = 0;
  for (size_t p = 0; p < position; ++p) {
    if (flat.places[p].kind != PlaceKind::Memory)
      continue;
    if (const auto &counts = nest.counts.memories[number++].tensors[tensor]) {
      result = {counts->reads.declared + counts->updates.declared, 0,
                counts->reads.separate - counts->reads.declared,
                counts->updates.separate - counts->updates.declared,
                bytesOf(flat, movedBits(flat, flat.places[p], tensor))};
      updates = counts->updates.declared;
    }
  }
  if (flat.tensors[tensor].isOutput) {
    int64_t finished = nest.counts.finishedPoints;
    for (; number < nest.counts.memories.size(); ++number)
      if (const auto &inner = nest.counts.memories[number].tensors[tensor]) {
        finished = inner->finished.getValueOr(0);
        break;
      }
    result.finished = std::min(finished, updates);
  }
  // A partial sum that is read back goes to one receiver; fewer merges are no deliveries.
  if (flat.tensors[tensor].isOutput)
    result.copies = 0;
  return result;
}

/// Bytes on links: those of the words that cross, spread over the links that they take.
static double linkBytes(const Crossing &passing, double bytes, int64_t hops) {
  if (passing.finished == 0)
    return static_cast<double>(hops) * passing.partialBytes;
  return static_cast<double>(hops) * (bytes / static_cast<double>(passing.words));
}

ResourceCost loopnest::networkCost(const CountedNest &nest, size_t number) {
  const Nest &flat = nest.adapted.nest;
  size_t position = placeOf(flat, PlaceKind::Array, number);
  const ir::Operation &array = *nest.adapted.places[position];
  ResourceCost result;
  result.part = CostPart(PartKind::Network, "network " + array.symbol().str(), array.range());
  std::vector<std::pair<const ir::Operation *, double>> load; // by network, in bytes
  for (size_t t = 0; t < flat.tensors.size(); ++t) {
    target::NetworkOp network = networkFor(array, nest.adapted.tensors[t].role());
    if (!network)
      continue;
    result.part.location = network->range();
    CostPart line(PartKind::Network, flat.tensors[t].name, network->range());
    Crossing passing = crossing(nest, position, t);
    double bytes =
        static_cast<double>(passing.words - passing.finished) * passing.partialBytes +
        static_cast<double>(passing.finished) * bytesOf(flat, flat.tensors[t].bitsPerWord);
    auto addEnergy = [&](const llvm::Optional<Quantity> &perByte, double moved) {
      if (perByte)
        line.energy += Figure(perByte->toUncertain() * moved);
    };
    addEnergy(network.energy(), bytes);
    addEnergy(network.multicastEnergy(),
              static_cast<double>(passing.copies) * passing.partialBytes);
    addEnergy(network.reduceEnergy(), static_cast<double>(passing.sums) * passing.partialBytes);
    const ArrayCounts &counts = nest.counts.arrays[number];
    bool estimated = !counts.hops[t] && !counts.hopEstimates.empty() && counts.hopEstimates[t];
    const auto &hops = estimated ? counts.hopEstimates[t] : counts.hops[t];
    if (network.hopEnergy() && !counts.hops[t])
      result.notes.push_back(
          fmt::format("hops of `{}` in `{}` are {}", flat.tensors[t].name, array.symbol(),
                      estimated ? "estimated: a ragged loop lets some of its partial sums leave "
                                  "earlier than others"
                                : "not known: they have no closed form, and there are too many "
                                  "points to execute"));
    if (auto energy = network.hopEnergy())
      line.energy += hops
                         ? Figure(energy->toUncertain() * linkBytes(passing, bytes, hops->declared))
                         : Figure::notGiven("hops of array", array.symbol());
    result.part.energy += line.energy;
    result.part.children.push_back(std::move(line));
    auto known = llvm::find_if(load, [&](const auto &entry) { return entry.first == network.op; });
    if (known == load.end())
      known = load.insert(known, {network.op, 0});
    known->second += bytes;
  }
  int64_t instances = workingInstances(flat, position);
  for (const auto &[network, bytes] : load)
    if (auto bandwidth = ir::as<target::NetworkOp>(network).bandwidth())
      result.time = later(result.time, transferTime(nest, bytes, *bandwidth, instances));
  result.part.latency = result.time.seconds;
  return result;
}

//===-- Compute and table
//----------------------------------------------------------------------===//

int64_t loopnest::operationsPerPoint(op::StatementOp statement) {
  return std::max<int64_t>(1, statement.flops() - (statement.isMac() ? 1 : 0));
}

ResourceCost loopnest::computeCost(const CountedNest &nest) {
  int64_t operations = operationsPerPoint(nest.adapted.statement);
  ResourceCost result;
  const ChipUnit &unit = *nest.rate.unit;
  result.part = CostPart(PartKind::Compute, unit.name(), unit.view->range());
  result.time = timeFor(nest.counts.steps * operations, nest.rate.perCopy, nest.clock);
  result.part.latency = result.time.seconds;
  result.part.macs = static_cast<double>(nest.counts.macs);
  double executed = static_cast<double>(nest.counts.macs) * static_cast<double>(operations);
  result.part.energy = nest.rate.energy ? Figure(*nest.rate.energy * executed)
                                        : Figure::notGiven("compute", nest.rate.unpriced->name());
  return result;
}

std::vector<AccessCounts> loopnest::accessTable(const CountedNest &nest) {
  std::vector<AccessCounts> table;
  for (size_t m = 0; m < nest.counts.memories.size(); ++m)
    for (size_t t = 0; t < nest.adapted.nest.tensors.size(); ++t) {
      const MemoryCounts &memory = nest.counts.memories[m];
      const auto &counts = memory.tensors[t];
      if (!counts)
        continue;
      AccessCounts row;
      row.memory = memory.name;
      row.tensor = nest.adapted.nest.tensors[t].name;
      row.role = nest.adapted.tensors[t].role().str();
      row.isOutput = nest.adapted.nest.tensors[t].isOutput;
      row.fills = counts->fills;
      row.reads = counts->reads.declared;
      row.updates = counts->updates.declared;
      row.writebacks = counts->writebacks;
      row.maxResident = counts->maxResident;
      row.readsShared = counts->reads.shared;
      row.readsSeparate = counts->reads.separate;
      row.updatesShared = counts->updates.shared;
      row.updatesSeparate = counts->updates.separate;
      const Nest &flat = nest.adapted.nest;
      row.wordBits = flat.tensors[t].bitsPerWord / flat.partsPerBit;
      if (counts->finished)
        row.partialBits =
            movedBits(flat, memoryOf(flat, m), static_cast<unsigned>(t)) / flat.partsPerBit;
      int64_t finished = counts->finished.getValueOr(INT64_MAX);
      row.finishedUpdates = std::min(finished, row.updates);
      row.finishedWritebacks = std::min(finished, row.writebacks);
      table.push_back(std::move(row));
    }
  return table;
}

void loopnest::addFinishRows(llvm::ArrayRef<phase::FinishOperand> operands,
                             llvm::StringRef outermost, std::vector<AccessCounts> &table) {
  auto at = llvm::find_if(table, [&](const AccessCounts &row) { return row.memory != outermost; });
  for (const phase::FinishOperand &operand : operands) {
    AccessCounts row;
    row.memory = outermost.str();
    row.tensor = operand.tensor;
    row.role = operand.role;
    row.reads = row.readsShared = row.readsSeparate = row.maxResident = operand.words;
    row.wordBits = operand.words > 0 ? operand.bytes * 8 / operand.words : 0;
    at = table.insert(at, std::move(row)) + 1;
  }
}
