// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Library.h"

#include "backends/network/NetworkLevels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace perfc;
using namespace perfc::network;

//===-- Reading
//---------------------------------------------------------------------------------===//

static Pattern patternOf(llvm::StringRef word) {
  return llvm::StringSwitch<Pattern>(word)
      .Case("tree", Pattern::Tree)
      .Case("in_network", Pattern::InNetwork)
      .Case("one_shot", Pattern::OneShot)
      .Case("two_shot", Pattern::TwoShot)
      .Case("direct", Pattern::Direct)
      .Default(Pattern::Ring);
}

static llvm::Optional<Uncertain> figure(const ir::Operation &op, llvm::StringRef name) {
  auto value = op.quantityAttr(name);
  return value ? llvm::Optional<Uncertain>(value->toUncertain()) : llvm::None;
}

/// `channels` are those of the library, 0 without.
static Protocol readProtocol(target::ProtocolOp op, int64_t channels) {
  Protocol protocol;
  protocol.name = op->stringAttr("name").str();
  protocol.pattern = patternOf(op.algorithm());
  protocol.serves = op.serves();
  protocol.start = figure(*op, "start").getValueOr(0);
  protocol.latency = figure(*op, "latency");
  protocol.bandwidth = figure(*op, "bandwidth");
  protocol.pair = figure(*op, "pair");
  protocol.copy = figure(*op, "copy");
  channels = op->intAttr("channels", channels);
  if (auto channel = figure(*op, "channel"); channel && channels > 0)
    protocol.channels = *channel * Uncertain(static_cast<double>(channels));
  protocol.exposed = figure(*op, "exposed").getValueOr(0);
  protocol.window = figure(*op, "window").getValueOr(0).central();
  protocol.upTo = figure(*op, "up_to").getValueOr(0).central();
  protocol.least = figure(*op, "least").getValueOr(0).central();
  protocol.leastRanks = op.leastRanks();
  protocol.mostRanks = op.mostRanks();
  protocol.groups = op.groups();
  protocol.outerLatency = figure(*op, "outer_latency").getValueOr(0);
  protocol.outerShare = figure(*op, "outer_share").getValueOr(1);
  protocol.location = op->range();
  return protocol;
}

Library network::readLibrary(target::LibraryOp op) {
  Library library;
  library.name = op.symbol().str();
  library.location = op->range();
  library.launch = figure(*op, "launch").getValueOr(0);
  library.host = figure(*op, "host").getValueOr(0);
  library.clone = figure(*op, "clone");
  library.measuredLarge = figure(*op, "measured").getValueOr(1);
  library.measuredSmall = figure(*op, "measured_small").getValueOr(1);
  for (const ir::Operation &part : op->body())
    if (auto protocol = ir::as<target::ProtocolOp>(part))
      library.protocols.push_back(readProtocol(protocol, op->intAttr("channels", 0)));
  return library;
}

//===-- Patterns
//--------------------------------------------------------------------------------===//

static bool canDo(Pattern pattern, CollectiveKind kind) {
  bool isReduction = kind == CollectiveKind::AllReduce || kind == CollectiveKind::Barrier;
  switch (pattern) {
  case Pattern::Ring:
    return kind != CollectiveKind::AllToAll && kind != CollectiveKind::AllToAllV &&
           kind != CollectiveKind::Send;
  case Pattern::Tree:
  case Pattern::OneShot:
  case Pattern::TwoShot:
    return isReduction;
  case Pattern::InNetwork:
    return isReduction || kind == CollectiveKind::AllGather ||
           kind == CollectiveKind::ReduceScatter;
  case Pattern::Direct:
    return kind == CollectiveKind::AllToAll || kind == CollectiveKind::AllToAllV ||
           kind == CollectiveKind::Send;
  }
  return false;
}

bool Protocol::runs(CollectiveKind kind, int64_t ranks, double bytes) const {
  // Unequal sizes are sent as equal ones are.
  llvm::StringRef name =
      nameOf(kind == CollectiveKind::AllToAllV ? CollectiveKind::AllToAll : kind);
  bool isServed = serves.empty() || llvm::is_contained(serves, name);
  return isServed && canDo(pattern, kind) && ranks >= leastRanks && ranks <= mostRanks &&
         bytes >= least && (upTo == 0 || bytes <= upTo);
}

namespace {
/// Steps and sent shares of the buffer, by level, innermost first; what a rank moves in itself.
struct Work {
  std::vector<double> steps, sent;
  double copies = 0;
};

/// The members of the levels, and ranks below and above each.
struct Shape {
  std::vector<double> members, below;
  double ranks = 1;

  explicit Shape(llvm::ArrayRef<NetworkLevel> levels) {
    for (const NetworkLevel &level : levels) {
      below.push_back(ranks);
      members.push_back(static_cast<double>(level.members));
      ranks *= members.back();
    }
  }
};
} // namespace

/// A ring through all ranks crosses each group once: of its n - 1 steps n/m - 1 leave the groups of
/// m. What leaves a group is carried by the adapters of all its ranks.
static Work ringWork(CollectiveKind kind, const Shape &shape) {
  double rounds = kind == CollectiveKind::AllReduce || kind == CollectiveKind::Barrier ? 2 : 1;
  bool isChain = kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce;
  double share = isChain ? 1 : rounds * (shape.ranks - 1) / shape.ranks;
  Work work;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    double groups = shape.ranks / shape.below[i];
    work.steps.push_back(rounds * (groups - groups / shape.members[i]));
    work.sent.push_back(share / shape.below[i]);
  }
  work.copies = isChain ? 0 : 1 / shape.ranks;
  return work;
}

/// Two trees over the groups, a chain inside each group: up with sums, down with copies.
static Work treeWork(const Shape &shape) {
  Work work;
  bool isFlat = shape.members.size() == 1;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    double depth = llvm::Log2_64_Ceil(static_cast<uint64_t>(shape.members[i]));
    work.steps.push_back(2 * (i == 0 && !isFlat ? shape.members[i] - 1 : depth));
    work.sent.push_back(2 / shape.below[i]);
  }
  return work;
}

/// Switches add or copy: a rank sends its buffer once. Beyond the first level, rings of the parts.
static Work inNetworkWork(CollectiveKind kind, const Shape &shape) {
  Work work = ringWork(kind, shape);
  work.steps[0] = work.sent[0] = 1;
  for (size_t i = 1; i < shape.members.size(); ++i)
    work.steps[i] = (kind == CollectiveKind::AllReduce ? 2 : 1) * (shape.members[i] - 1);
  work.copies = 0;
  return work;
}

/// Each rank sends to each other one by itself.
static Work directWork(CollectiveKind kind, const Shape &shape) {
  Work work;
  bool isSent = false;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    double peers = shape.below[i] * (shape.members[i] - 1);
    bool isHere = !isSent && shape.members[i] > 1; // rank 1 is the neighbour of rank 0
    work.steps.push_back(kind == CollectiveKind::Send ? isHere : peers);
    work.sent.push_back(kind == CollectiveKind::Send ? isHere : peers / shape.ranks);
    isSent |= isHere;
  }
  work.copies = kind == CollectiveKind::Send ? 0 : 1 / shape.ranks;
  return work;
}

/// One shot: each rank reads all other buffers. Two shots: each its part of them, then the sums.
static Work shotWork(Pattern pattern, const Shape &shape) {
  bool isOne = pattern == Pattern::OneShot;
  Work work;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    double peers = shape.below[i] * (shape.members[i] - 1);
    work.steps.push_back(i == 0 ? (isOne ? 1 : 2) : 0);
    work.sent.push_back(isOne ? peers : 2 * peers / shape.ranks);
  }
  work.copies = isOne ? 1 : 1 / shape.ranks;
  return work;
}

static Work workOf(Pattern pattern, CollectiveKind kind, const Shape &shape) {
  switch (pattern) {
  case Pattern::Ring:
    return ringWork(kind, shape);
  case Pattern::Tree:
    return treeWork(shape);
  case Pattern::InNetwork:
    return inNetworkWork(kind, shape);
  case Pattern::OneShot:
  case Pattern::TwoShot:
    return shotWork(pattern, shape);
  case Pattern::Direct:
    return directWork(kind, shape);
  }
  return {};
}

//===-- Times
//-----------------------------------------------------------------------------------===//

/// What an outer network's own parameters for the library say of this pattern; null when nothing.
static const Protocol *outerProtocol(const NetworkLevel &level, llvm::StringRef library,
                                     const Protocol &inner) {
  for (const Library &entry : level.libraries)
    if (entry.name == library)
      for (const Protocol &protocol : entry.protocols)
        if (protocol.pattern == inner.pattern)
          return &protocol;
  return nullptr;
}

/// B/s of one rank on a level: the slower of the protocol and the network, after faults.
static llvm::Optional<Uncertain> rateOn(const NetworkLevel &level, const Protocol *protocol,
                                        CollectiveKind kind, bool isPair) {
  llvm::Optional<Uncertain> rate = level.bandwidth;
  if (rate && kind == CollectiveKind::Send) // one message takes one lane
    rate = *rate / Uncertain(static_cast<double>(level.lanes));
  auto limit = [&](const llvm::Optional<Uncertain> &other) {
    if (other)
      rate = rate ? min(*rate, *other * level.faultFactor) : *other * level.faultFactor;
  };
  if (protocol) {
    limit(protocol->bandwidth);
    limit(protocol->channels);
  }
  if (protocol && isPair)
    limit(protocol->pair);
  return rate;
}

/// The share of all ranks that send so much: one of a message, all but the last of a chain.
static double sendingShare(CollectiveKind kind, double ranks) {
  if (kind == CollectiveKind::Send)
    return 1 / ranks;
  bool isChain = kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce;
  return isChain ? 1 - 1 / ranks : 1;
}

static LibraryTime protocolTime(const Library &library, const Protocol &protocol,
                                CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels,
                                double bytes) {
  Shape shape(levels);
  Work work = workOf(protocol.pattern, kind, shape);
  LibraryTime time;
  time.protocol = &protocol;
  time.launch = library.launch;
  time.start = protocol.start;
  double longest = 0;
  auto weigh = [&](size_t level, const Uncertain &busy) {
    if (busy.central() > longest)
      time.slowest = level;
    longest = std::max(longest, busy.central());
  };
  for (size_t i = 0; i < levels.size(); ++i) {
    const Protocol *own = i == 0 ? &protocol : outerProtocol(levels[i], library.name, protocol);
    Uncertain latency = own && own->latency ? *own->latency : levels[i].latency;
    if (!own)
      latency = max(latency, protocol.outerLatency);
    Uncertain steps = latency * work.steps[i];
    time.steps += steps;
    double sent = work.sent[i] * bytes;
    time.sentBytes.push_back(sent * sendingShare(kind, shape.ranks));
    auto rate = rateOn(levels[i], own, kind, shape.ranks == 2);
    if (!rate) {
      weigh(i, steps);
      continue;
    }
    if (!own)
      rate = *rate * protocol.outerShare;
    Uncertain waited =
        i == 0 ? protocol.exposed * (work.steps[i] * std::min(bytes / shape.ranks, protocol.window))
               : Uncertain(0);
    // Levels work at the same time, on different parts of the buffer.
    Uncertain transfer = (waited + sent) / *rate;
    time.transfer = max(time.transfer, transfer);
    weigh(i, steps + transfer);
  }
  if (protocol.copy)
    time.copies += Uncertain(work.copies * bytes) / *protocol.copy;
  if (library.clone)
    time.copies += Uncertain(2 * bytes) / *library.clone;
  Uncertain busy = time.total();
  if (library.host.central() > busy.central())
    time.host = library.host - busy;
  return time;
}

llvm::Optional<LibraryTime> network::libraryTime(const Library &library, CollectiveKind kind,
                                                 llvm::ArrayRef<NetworkLevel> levels,
                                                 double bytes) {
  int64_t ranks = 1;
  for (const NetworkLevel &level : levels)
    ranks *= level.members;
  llvm::Optional<LibraryTime> best;
  for (const Protocol &protocol : library.protocols) {
    if (!protocol.runs(kind, ranks, bytes) || ranks / levels.front().members < protocol.groups)
      continue;
    LibraryTime time = protocolTime(library, protocol, kind, levels, bytes);
    if (!best || time.total().central() < best->total().central())
      best = time;
  }
  if (best)
    best->scale(library.measured(bytes));
  return best;
}
