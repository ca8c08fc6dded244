// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Cost.h"

#include "ir/common/Providers.h"
#include "ir/common/Rational.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace perfc;

//===-- Figures
//--------------------------------------------------------------------------------===//

Figure Figure::notGiven(llvm::StringRef kind, llvm::StringRef name) {
  Figure result;
  result.missing.push_back((kind + " `" + name + "`").str());
  return result;
}

llvm::Optional<Uncertain> Figure::value() const {
  if (!isGiven())
    return llvm::None;
  return known;
}

Figure &Figure::operator+=(const Figure &other) {
  known += other.known;
  isPartial |= other.isPartial;
  for (const std::string &owner : other.missing) {
    auto place = std::lower_bound(missing.begin(), missing.end(), owner);
    if (place == missing.end() || *place != owner)
      missing.insert(place, owner);
  }
  return *this;
}

Figure Figure::without(const Figure &part) const {
  Figure result = *this;
  result.known = known - part.known;
  llvm::erase_if(result.missing,
                 [&](const std::string &owner) { return llvm::is_contained(part.missing, owner); });
  return result;
}

Figure Figure::times(double count) const {
  Figure result = *this;
  result.known = known * count;
  return result;
}

//===-- Costs
//----------------------------------------------------------------------------------===//

llvm::StringRef perfc::partKindName(PartKind kind) {
  static constexpr llvm::StringLiteral names[] = {"program", "phase",      "repeat",
                                                  "kernel",  "collective", "compute",
                                                  "memory",  "network",    "launch"};
  return names[static_cast<size_t>(kind)];
}

Provenance Provenance::of(llvm::StringRef provider, llvm::StringRef mapping) {
  return {provider.str(), mapping.str(), findProvider(provider)->formula.str()};
}

double Cost::trafficBytes() const {
  double sum = 0;
  for (const MemoryTraffic &memory : traffic)
    sum += memory.bytes();
  return sum;
}

double Cost::memorySeconds() const {
  double most = 0;
  for (const MemoryTraffic &memory : traffic)
    most = std::max(most, memory.latency.central());
  return most;
}

llvm::StringRef Cost::bottleneck() const {
  const BoundTime *longest = nullptr;
  for (const BoundTime &bound : bounds)
    if (!longest || bound.latency.central() > longest->latency.central())
      longest = &bound;
  return longest ? llvm::StringRef(longest->resource) : llvm::StringRef();
}

void Cost::addBound(llvm::StringRef resource, const Uncertain &time) {
  auto known =
      llvm::find_if(bounds, [&](const BoundTime &bound) { return bound.resource == resource; });
  if (known == bounds.end())
    bounds.push_back({resource.str(), time});
  else
    known->latency += time;
}

void Cost::addLaunch(const Uncertain &seconds) {
  if (seconds.central() <= 0)
    return;
  latency += seconds;
  work->launch += seconds;
  addBound("launch", seconds);
  breakdown.children.emplace_back(PartKind::Launch, "launch", SourceRange(), seconds);
}

void Cost::addIdle(llvm::StringRef why, const Uncertain &seconds) {
  if (seconds.central() <= 0)
    return;
  latency += seconds;
  idle += seconds;
  addBound(why, seconds);
  breakdown.children.emplace_back(PartKind::Launch, why, SourceRange(), seconds);
}

static void stretchParts(CostPart &part, double factor) {
  part.latency = part.latency * factor;
  part.utilization /= factor;
  for (CostPart &child : part.children)
    stretchParts(child, factor);
}

void Cost::stretchTimes(double factor) {
  for (Uncertain *time : {&latency, &exposed, &idle})
    *time = *time * factor;
  if (cycles)
    cycles = *cycles * factor;
  if (work)
    for (Uncertain *time : {&work->compute, &work->unit, &work->network, &work->launch})
      *time = *time * factor;
  for (BoundTime &bound : bounds)
    bound.latency = bound.latency * factor;
  utilization = utilization / factor;
  if (busBandwidth)
    busBandwidth = *busBandwidth / factor;
  stretchParts(breakdown, factor);
}

void Cost::dropTimes() {
  latency = exposed = idle = utilization = 0;
  if (work) {
    work->compute = work->unit = work->network = work->launch = 0;
    work->demand = PowerDemand();
  }
  cycles = llvm::None;
  bounds.clear();
  for (MemoryTraffic &memory : traffic)
    memory.latency = 0;
}

void Cost::describe(PartKind kind, llvm::StringRef label, SourceRange location) {
  breakdown.kind = kind;
  breakdown.label = label.str();
  breakdown.location = location;
  breakdown.latency = latency;
  breakdown.energy = energy;
  breakdown.flops = static_cast<double>(flops);
  breakdown.macs = static_cast<double>(macs);
  breakdown.utilization = utilization.central();
  breakdown.bound = bottleneck().str();
  breakdown.provider = provenance.provider;
  breakdown.mapping = provenance.mapping;
}

void Cost::addNote(std::string note) {
  if (!llvm::is_contained(notes, note))
    notes.push_back(std::move(note));
}

static void addOnce(std::vector<std::string> &list, std::string entry) {
  if (!llvm::is_contained(list, entry))
    list.push_back(std::move(entry));
}

void MeasuredErrors::addKnown(std::string what) { addOnce(known, std::move(what)); }

void MeasuredErrors::addUnknown(std::string what) { addOnce(unknown, std::move(what)); }

void MeasuredErrors::add(const MeasuredErrors &other) {
  for (const std::string &what : other.known)
    addKnown(what);
  for (const std::string &what : other.unknown)
    addUnknown(what);
}

std::string MeasuredErrors::note() const {
  if (known.empty())
    return "";
  std::string text = "the interval has the measured error of " + llvm::join(known, " and ");
  if (!unknown.empty())
    text += "; of " + llvm::join(unknown, " and ") + " none is known, they count as exact";
  return text;
}

//===-- Composition
//----------------------------------------------------------------------------===//

/// sum += term * count; false when that does not fit.
static bool addTimes(int64_t &sum, int64_t term, int64_t count) {
  llvm::Optional<int64_t> product = checkedMultiply(term, count);
  llvm::Optional<int64_t> result = product ? checkedAdd(sum, *product) : llvm::None;
  if (!result)
    return false;
  sum = *result;
  return true;
}

static void addTraffic(Cost &total, const Cost &part, int64_t count) {
  for (const MemoryTraffic &memory : part.traffic) {
    auto own = llvm::find_if(
        total.traffic, [&](const MemoryTraffic &known) { return known.memory == memory.memory; });
    if (own == total.traffic.end())
      own = total.traffic.insert(own,
                                 {memory.memory, memory.location, memory.isOffChip, 0, 0, {}, {}});
    own->readBytes += memory.readBytes * count;
    own->writeBytes += memory.writeBytes * count;
    own->energy += memory.energy.times(count);
    own->latency += memory.latency * count;
  }
}

/// What does not fit, "reads" for one; "" when all does.
static llvm::StringRef addCounts(AccessCounts &own, const AccessCounts &part, int64_t count) {
  own.maxResident = std::max(own.maxResident, part.maxResident);
  own.wordBits = std::max(own.wordBits, part.wordBits);
  own.partialBits = std::max(own.partialBits, part.partialBits);
  struct Member {
    int64_t AccessCounts::*count;
    llvm::StringLiteral name;
  };
  static constexpr Member members[] = {{&AccessCounts::fills, "fills"},
                                       {&AccessCounts::reads, "reads"},
                                       {&AccessCounts::updates, "updates"},
                                       {&AccessCounts::writebacks, "writebacks"},
                                       {&AccessCounts::readsShared, "reads"},
                                       {&AccessCounts::readsSeparate, "reads"},
                                       {&AccessCounts::updatesShared, "updates"},
                                       {&AccessCounts::updatesSeparate, "updates"},
                                       {&AccessCounts::finishedUpdates, "updates"},
                                       {&AccessCounts::finishedWritebacks, "writebacks"}};
  for (const Member &member : members)
    if (!addTimes(own.*member.count, part.*member.count, count))
      return member.name;
  return "";
}

static llvm::Optional<std::string> addAccesses(Cost &total, const Cost &part, int64_t count) {
  for (const AccessCounts &access : part.accesses) {
    auto own = llvm::find_if(total.accesses, [&](const AccessCounts &known) {
      return known.memory == access.memory && known.tensor == access.tensor &&
             known.role == access.role;
    });
    if (own == total.accesses.end()) {
      AccessCounts empty;
      empty.memory = access.memory;
      empty.tensor = access.tensor;
      empty.role = access.role;
      empty.isOutput = access.isOutput;
      own = total.accesses.insert(own, std::move(empty));
    }
    if (llvm::StringRef most = addCounts(*own, access, count); !most.empty())
      return fmt::format("{} of `{}` at `{}`", most, access.tensor, access.memory);
  }
  return llvm::None;
}

static void addWork(llvm::Optional<ChipWork> &total, const llvm::Optional<ChipWork> &part,
                    int64_t count) {
  if (!total || !part) {
    total = llvm::None;
    return;
  }
  total->compute += part->compute * count;
  total->network += part->network * count;
  total->launch += part->launch * count;
  total->computeEnergy += part->computeEnergy.times(static_cast<double>(count));
  total->demand.add(part->demand, static_cast<double>(count));
}

llvm::Optional<std::string> perfc::addSequential(Cost &total, const Cost &part, int64_t count) {
  Uncertain time = part.latency * count;
  Uncertain whole = total.latency + time;
  if (whole.central() > 0)
    total.utilization = (total.utilization * total.latency + part.utilization * time) / whole;
  total.latency = std::move(whole);
  total.energy += part.energy.times(count);
  if (part.cycles)
    total.cycles = total.cycles.getValueOr(0) + *part.cycles * count;
  addWork(total.work, part.work, count);
  total.exposed += part.exposed * count;
  total.idle += part.idle * count;
  total.exchangeEnergy += part.exchangeEnergy.times(count);
  if (part.leakageEnergy && !total.leakageEnergy)
    total.leakageEnergy = Figure();
  if (part.leakageEnergy)
    *total.leakageEnergy += part.leakageEnergy->times(count);
  for (const BoundTime &bound : part.bounds)
    total.addBound(bound.resource, bound.latency * count);
  for (const std::string &note : part.notes)
    total.addNote(note);
  total.errors.add(part.errors);
  total.leavesOutTraffic |= part.leavesOutTraffic;
  total.peakMemory = std::max(total.peakMemory, part.peakMemory);
  addTraffic(total, part, count);
  if (!addTimes(total.flops, part.flops, count) || !addTimes(total.macs, part.macs, count))
    return std::string("operations");
  return addAccesses(total, part, count);
}

SizeBase perfc::capacityBase(const Cost &cost) {
  return cost.memoryCapacity ? writtenBase(*cost.memoryCapacity) : SizeBase::Binary;
}
