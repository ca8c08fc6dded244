// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/NestLatency.h"

#include "backends/loopnest/NestEpochs.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// The transfers of one tensor between a memory and its parent, on one port.
struct Link {
  double busy = 0;   ///< s that the data of an epoch takes
  double window = 0; ///< s of an epoch in which it may be moved
  double period = 0; ///< s of an epoch
  double epochs = 1;
};

/// A port: a memory, and whether it is read or written there (a memory with one bandwidth for both
/// has one port, under "read").
using Port = std::pair<size_t, bool>;

class LatencyModel {
public:
  LatencyModel(const CountedNest &nest, double compute)
      : nest(nest), flat(nest.adapted.nest), compute(compute) {
    for (size_t p = 0; p < flat.places.size(); ++p)
      if (flat.places[p].kind == PlaceKind::Memory)
        memoryPlaces.push_back(p);
  }

  LatencyTerms run();

private:
  target::MemoryOp memoryAt(size_t memory) const {
    return ir::as<target::MemoryOp>(nest.adapted.places[memoryPlaces[memory]]);
  }
  llvm::Optional<size_t> parentOf(size_t memory, size_t tensor) const;
  /// How much larger a partial sum of the tensor is in a memory than a finished word.
  double partialShare(size_t memory, size_t tensor) const {
    return static_cast<double>(movedBits(flat, flat.places[memoryPlaces[memory]], tensor)) /
           static_cast<double>(flat.tensors[tensor].bitsPerWord);
  }
  double instancesOf(size_t memory) const {
    return static_cast<double>(workingInstances(flat, memoryPlaces[memory]));
  }
  double secondsAt(size_t memory, bool isWrite, size_t tensor, double words) const;
  void addLink(size_t memory, bool isWrite, size_t tensor, double words, const Link &link);
  void addLinks(size_t memory, size_t tensor);
  double stallOf(llvm::ArrayRef<Link> links) const;

  const CountedNest &nest;
  const Nest &flat;
  double compute;
  std::vector<size_t> memoryPlaces;
  std::map<Port, std::vector<Link>> ports;
  std::map<Port, double> loads, stores; ///< s of the first and of the last tiles, by port
};

} // namespace

llvm::Optional<size_t> LatencyModel::parentOf(size_t memory, size_t tensor) const {
  while (memory-- > 0)
    if (nest.counts.memories[memory].tensors[tensor])
      return memory;
  return llvm::None;
}

/// Time of `words` of all instances on a port; 0 where the bandwidth is not given.
double LatencyModel::secondsAt(size_t memory, bool isWrite, size_t tensor, double words) const {
  auto op = memoryAt(memory);
  auto rate = isWrite ? op.writeBandwidthOrBoth() : op.readBandwidthOrBoth();
  if (!rate)
    return 0;
  double bytes = words * bytesOf(flat, flat.tensors[tensor].bitsPerWord);
  return bytes / (rate->toDouble() * instancesOf(memory));
}

static Port portOf(target::MemoryOp memory, size_t number, bool isWrite) {
  return {number, isWrite && memory.writeBandwidth()};
}

void LatencyModel::addLink(size_t memory, bool isWrite, size_t tensor, double words,
                           const Link &link) {
  double busy = secondsAt(memory, isWrite, tensor, words / link.epochs);
  if (busy == 0)
    return;
  Link own = link;
  own.busy = busy;
  ports[portOf(memoryAt(memory), memory, isWrite)].push_back(own);
}

/// The links of `tensor` between a buffered memory and its parent, and the tile that moves while
/// nothing is computed.
void LatencyModel::addLinks(size_t memory, size_t tensor) {
  const auto &here = nest.counts.memories[memory].tensors[tensor];
  llvm::Optional<size_t> parent = parentOf(memory, tensor);
  if (!here || !parent)
    return;
  const auto &above = *nest.counts.memories[*parent].tensors[tensor];
  Link link;
  Reuse reuse = reuseAt(flat, memoryPlaces[memory], tensor);
  link.epochs = reuse.epochs;
  link.period = compute / link.epochs;
  bool isDouble = memoryAt(memory).buffering() == "double";
  link.window = isDouble ? link.period : link.period / reuse.rounds;
  // In finished words: a partial sum is as many of them as it is larger.
  double own = partialShare(memory, tensor), outer = partialShare(*parent, tensor);
  auto words = [](int64_t all, const llvm::Optional<int64_t> &finished, double share) {
    int64_t done = std::min(all, finished.getValueOr(0));
    return static_cast<double>(all - done) * share + static_cast<double>(done);
  };
  double fills = words(here->fills, llvm::None, own);
  double reads = words(above.reads.declared, llvm::None, outer);
  double leaving = words(here->writebacks, here->finished, own);
  double updates = words(above.updates.declared, above.finished, outer);
  addLink(memory, true, tensor, fills, link);
  addLink(*parent, false, tensor, reads, link);
  addLink(memory, false, tensor, leaving, link);
  addLink(*parent, true, tensor, updates, link);
  // A tile of each instance, and what the parent reads or writes for them.
  double tile = static_cast<double>(here->maxResident) * instancesOf(memory);
  auto add = [&](std::map<Port, double> &times, size_t at, bool isWrite, double words) {
    times[portOf(memoryAt(at), at, isWrite)] += secondsAt(at, isWrite, tensor, words);
  };
  if (flat.tensors[tensor].isOutput) {
    // The last tile leaves finished, if any does.
    auto sent = static_cast<double>(here->writebacks);
    auto arrived = static_cast<double>(above.updates.declared);
    tile = std::min(tile, sent);
    if (sent > 0) {
      add(stores, memory, false, tile * (here->finished.getValueOr(0) > 0 ? 1 : own));
      add(stores, *parent, true,
          tile * (above.finished.getValueOr(0) > 0 ? 1 : outer) * std::min(1.0, arrived / sent));
    }
  } else if (fills > 0) {
    tile = std::min(tile, fills);
    add(loads, memory, true, tile);
    add(loads, *parent, false, tile * std::min(1.0, reads / fills));
  }
}

double LatencyModel::stallOf(llvm::ArrayRef<Link> links) const {
  double positive = 0, negative = 0, windows = 0, together = 0;
  for (const Link &link : links) {
    double stall = (link.busy - link.window) * (link.epochs - 1);
    (stall > 0 ? positive : negative) += stall;
    windows += link.window * (link.epochs - 1);
    together = std::max(together, link.window >= link.period ? link.period * link.epochs : 0);
  }
  if (links.size() == 1)
    return std::max(0.0, positive);
  if (together == 0)
    together = std::min(compute, windows);
  return positive + std::max(0.0, negative + windows - together);
}

/// Links from where words enter an array, (0, middle), to the farthest lane that is used.
static int64_t farthestLane(const Place &array) {
  int64_t links = 0;
  for (unsigned a = 0; a < array.axes.size(); ++a) {
    int64_t used = 1;
    for (const Loop &loop : array.loops)
      used *= loop.axis == a ? loop.factor : 1;
    int64_t entry = a == 0 ? 0 : (array.axes[a].size - 1) / 2;
    links += std::max(entry, used - 1 - entry);
  }
  return links;
}

/// Latencies of the memories that keep `tensor` and of the networks that carry it.
static double pathLatency(const AdaptedNest &nest, size_t tensor) {
  const Nest &flat = nest.nest;
  double sum = 0;
  for (size_t p = 0; p < flat.places.size(); ++p) {
    const ir::Operation &op = *nest.places[p];
    if (auto memory = ir::as<target::MemoryOp>(op)) {
      if (llvm::is_contained(flat.places[p].keep, static_cast<unsigned>(tensor)) &&
          memory.latency())
        sum += memory.latency()->toDouble();
    } else if (auto network = networkFor(op, nest.tensors[tensor].role())) {
      if (network.latency())
        sum += network.latency()->toDouble();
      if (network.hopLatency())
        sum += network.hopLatency()->toDouble() * static_cast<double>(farthestLane(flat.places[p]));
    }
  }
  return sum;
}

static double largest(const std::map<Port, double> &times) {
  double most = 0;
  for (const auto &entry : times)
    most = std::max(most, entry.second);
  return most;
}

/// The longest ways of the first word and of the last result.
static LatencyTerms pathTerms(const AdaptedNest &nest) {
  LatencyTerms terms;
  for (size_t t = 0; t < nest.nest.tensors.size(); ++t) {
    double path = pathLatency(nest, t);
    double &into = nest.nest.tensors[t].isOutput ? terms.last : terms.first;
    into = std::max(into, path);
  }
  return terms;
}

LatencyTerms LatencyModel::run() {
  LatencyTerms terms = pathTerms(nest.adapted);
  // Levels fill one after the other; the ports of one level work at the same time.
  for (size_t m = 1; m < memoryPlaces.size(); ++m) {
    if (memoryAt(m).buffering().empty())
      continue;
    terms.isBuffered = true;
    loads.clear();
    stores.clear();
    for (size_t t = 0; t < flat.tensors.size(); ++t)
      addLinks(m, t);
    terms.load += largest(loads);
    terms.store += largest(stores);
  }
  for (const auto &[port, links] : ports)
    terms.stalls = std::max(terms.stalls, stallOf(links));
  return terms;
}

/// No way is shorter than to the nearest lane.
double loopnest::leastLatency(const AdaptedNest &nest) {
  AdaptedNest bare = nest;
  for (Place &place : bare.nest.places)
    place.loops.clear();
  LatencyTerms terms = pathTerms(bare);
  return terms.first + terms.last;
}

LatencyTerms loopnest::latencyTerms(const CountedNest &nest, double compute) {
  return LatencyModel(nest, compute).run();
}
