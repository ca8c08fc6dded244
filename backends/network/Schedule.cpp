// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Schedule.h"

#include "ir/common/diagnostics/Network.h"
#include "llvm/ADT/DenseMap.h"

using namespace perfc;
using namespace perfc::network;

Schedule network::readSchedule(collective::ScheduleOp op) {
  Schedule schedule;
  schedule.name = op.algorithm().str();
  schedule.kind = collectiveKindNamed(op.collective()).getValueOr(CollectiveKind::AllReduce);
  schedule.ranks = static_cast<uint32_t>(op.ranks());
  schedule.chunks = static_cast<uint32_t>(op.chunks());
  schedule.location = op->range();
  for (const ir::Operation &move : op->body()) {
    schedule.moves.push_back(move.range());
    schedule.reduces.push_back(move.stringAttr("action") == "reduce");
  }
  schedule.sends.reserve(op->stringAttr("sends").count(','));
  op.forEachSend([&](const Schedule::Send &send) {
    schedule.sends.push_back(send);
    return true;
  });
  return schedule;
}

//===-- What each rank has
//----------------------------------------------------------------------===//

namespace {

/// Per rank and chunk the set of ranks whose contribution is in it, as bits.
class Contents {
public:
  explicit Contents(const Schedule &schedule)
      : schedule(schedule), words((schedule.ranks + 63) / 64),
        bits(static_cast<size_t>(schedule.ranks) * schedule.chunks * words) {}

  uint64_t *at(uint32_t rank, uint32_t chunk) {
    return &bits[(static_cast<size_t>(rank) * schedule.chunks + chunk) * words];
  }
  void add(uint32_t rank, uint32_t chunk, uint32_t contribution) {
    at(rank, chunk)[contribution / 64] |= uint64_t(1) << contribution % 64;
  }
  uint32_t count(uint32_t rank, uint32_t chunk) {
    uint32_t total = 0;
    for (size_t i = 0; i < words; ++i)
      total += static_cast<uint32_t>(llvm::countPopulation(at(rank, chunk)[i]));
    return total;
  }
  bool has(uint32_t rank, uint32_t chunk, uint32_t contribution) {
    return at(rank, chunk)[contribution / 64] >> contribution % 64 & 1;
  }
  /// The first contribution that both have; nothing when there is none.
  llvm::Optional<uint32_t> common(const uint64_t *a, const uint64_t *b) const {
    for (size_t i = 0; i < words; ++i)
      if (a[i] & b[i])
        return static_cast<uint32_t>(i * 64 + llvm::countTrailingZeros(a[i] & b[i]));
    return llvm::None;
  }

  const Schedule &schedule;
  size_t words;

private:
  std::vector<uint64_t> bits;
};

} // namespace

static uint32_t ownerOf(const Schedule &schedule, uint32_t chunk) {
  return static_cast<uint32_t>(static_cast<uint64_t>(chunk) * schedule.ranks / schedule.chunks);
}

/// What the collective starts with.
static void fillContents(Contents &contents) {
  const Schedule &schedule = contents.schedule;
  for (uint32_t rank = 0; rank < schedule.ranks; ++rank)
    for (uint32_t chunk = 0; chunk < schedule.chunks; ++chunk) {
      bool isOwn = true;
      if (schedule.kind == CollectiveKind::AllGather)
        isOwn = ownerOf(schedule, chunk) == rank;
      if (schedule.kind == CollectiveKind::Broadcast || schedule.kind == CollectiveKind::Send)
        isOwn = rank == 0;
      if (isOwn)
        contents.add(rank, chunk, rank);
    }
}

/// The contributions that (rank, chunk) must end with: all of them, one, or any.
static llvm::Optional<uint32_t> wantedCount(const Schedule &schedule, uint32_t rank,
                                            uint32_t chunk) {
  switch (schedule.kind) {
  case CollectiveKind::AllReduce:
    return schedule.ranks;
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllV:
    return ownerOf(schedule, chunk) == rank ? llvm::Optional<uint32_t>(schedule.ranks) : llvm::None;
  case CollectiveKind::Reduce:
    return rank == 0 ? llvm::Optional<uint32_t>(schedule.ranks) : llvm::None;
  case CollectiveKind::AllGather:
  case CollectiveKind::Broadcast:
    return 1;
  case CollectiveKind::Send:
    return rank == 1 ? llvm::Optional<uint32_t>(1) : llvm::None;
  case CollectiveKind::Barrier:
    return llvm::None;
  }
  return llvm::None;
}

/// True where each rank has something of its own for each other: what comes is kept beside what is
/// there, and goes on with it.
static bool isExchange(CollectiveKind kind) {
  return kind == CollectiveKind::AllToAll || kind == CollectiveKind::AllToAllV;
}

static void deliver(Contents &contents, const Schedule::Send &send) {
  uint64_t *from = contents.at(send.from, send.chunk), *to = contents.at(send.to, send.chunk);
  const Schedule &schedule = contents.schedule;
  bool keeps = schedule.reduces[send.move] || isExchange(schedule.kind);
  for (size_t i = 0; i < contents.words; ++i)
    to[i] = keeps ? to[i] | from[i] : from[i];
}

static bool wrong(const Schedule &schedule, SourceRange where, std::string reason,
                  DiagnosticEngine &diagnostics) {
  diagnostics.report(where, diag::WrongSchedule, schedule.name, counted(schedule.ranks, "rank"),
                     std::move(reason));
  return false;
}

static bool follow(Contents &contents, const Schedule::Send &send, DiagnosticEngine &diagnostics) {
  const Schedule &schedule = contents.schedule;
  uint64_t *from = contents.at(send.from, send.chunk), *to = contents.at(send.to, send.chunk);
  auto say = [&](std::string reason) {
    return wrong(schedule, schedule.moves[send.move], std::move(reason), diagnostics);
  };
  if (contents.count(send.from, send.chunk) == 0)
    return say(fmt::format("rank {} sends chunk {} to rank {} before it has it", send.from,
                           send.chunk, send.to));
  if (schedule.reduces[send.move])
    if (auto twice = contents.common(from, to))
      return say(
          fmt::format("chunk {} of rank {} is added to rank {}'s, which has the part of rank "
                      "{} already",
                      send.chunk, send.from, send.to, *twice));
  deliver(contents, send);
  return true;
}

static bool checkEnd(Contents &contents, DiagnosticEngine &diagnostics) {
  const Schedule &schedule = contents.schedule;
  for (uint32_t rank = 0; rank < schedule.ranks; ++rank)
    for (uint32_t chunk = 0; chunk < schedule.chunks; ++chunk) {
      auto wanted = wantedCount(schedule, rank, chunk);
      uint32_t have = wanted ? contents.count(rank, chunk) : 0;
      if (!wanted || have == *wanted)
        continue;
      uint32_t lacking = 0;
      while (contents.has(rank, chunk, lacking))
        ++lacking;
      std::string what = *wanted == 1
                             ? fmt::format("has not got chunk {}", chunk)
                             : fmt::format("has {} of {} parts of chunk {}, without that of "
                                           "rank {}",
                                           have, *wanted, chunk, lacking);
      return wrong(schedule, schedule.location, fmt::format("in the end rank {} {}", rank, what),
                   diagnostics);
    }
  return true;
}

static bool canFollow(const Schedule &schedule) {
  constexpr double mostBits = 4e9;
  return static_cast<double>(schedule.ranks) * schedule.ranks * schedule.chunks <= mostBits;
}

bool network::verifySchedule(const Schedule &schedule, bool &notChecked,
                             DiagnosticEngine &diagnostics) {
  notChecked = !canFollow(schedule);
  if (notChecked)
    return true;
  Contents contents(schedule);
  fillContents(contents);
  for (const Schedule::Send &send : schedule.sends)
    if (!follow(contents, send, diagnostics))
      return false;
  return checkEnd(contents, diagnostics);
}

//===-- Messages
//--------------------------------------------------------------------------------===//

/// The bytes of each send of an exchange: the parts of all ranks that it holds by then. Empty where
/// each send is a chunk.
static std::vector<double> sizesOf(const Schedule &schedule, double bytes, const PairSizes &pairs) {
  if (!isExchange(schedule.kind) || !canFollow(schedule))
    return {};
  std::vector<double> sizes(schedule.sends.size());
  std::vector<uint32_t> owned(schedule.ranks, 0); // chunks for each rank
  for (uint32_t chunk = 0; chunk < schedule.chunks; ++chunk)
    ++owned[ownerOf(schedule, chunk)];
  Contents contents(schedule);
  fillContents(contents);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Schedule::Send &send = schedule.sends[i];
    uint32_t owner = ownerOf(schedule, send.chunk);
    double share = 0;
    if (pairs.isUniform())
      share = contents.count(send.from, send.chunk) * pairs.share(0, owner);
    else
      for (uint32_t rank = 0; rank < schedule.ranks; ++rank)
        if (contents.has(send.from, send.chunk, rank))
          share += pairs.share(rank, owner);
    sizes[i] = share * bytes / owned[owner];
    deliver(contents, send);
  }
  return sizes;
}

void SendOrder::gather(Gathered &all, uint32_t message) {
  if (all.joined == Message::none) {
    all.joined = message;
    return;
  }
  uint32_t cell = unused;
  if (cell == Message::none) {
    cell = static_cast<uint32_t>(cells.size());
    cells.emplace_back();
  } else {
    unused = cells[cell].next;
  }
  cells[cell] = {message, std::exchange(all.more, cell)};
}

uint32_t SendOrder::join(Gathered &all, Messages &messages, uint32_t rank) {
  if (all.more == Message::none)
    return all.joined;
  std::vector<uint32_t> parts = {all.joined};
  uint32_t last = all.more;
  for (uint32_t cell = all.more; cell != Message::none; cell = cells[last = cell].next)
    parts.push_back(cells[cell].message);
  cells[last].next = std::exchange(unused, std::exchange(all.more, Message::none));
  return all.joined = messages.add(rank, rank, 0, parts, 0, Message::Way::Join);
}

void SendOrder::add(Messages &messages, Message message, uint64_t from, uint64_t to, uint64_t way,
                    bool replaces) {
  llvm::SmallVector<uint32_t, 3> before;
  auto await = [&](Gathered &all) {
    if (uint32_t one = join(all, messages, message.from); one != Message::none)
      before.push_back(one);
  };
  await(slots[from].brought);
  await(slots[to].taken);
  if (replaces) // what came before is gone afterwards
    await(slots[to].brought);
  uint32_t index = messages.add(message.from, message.to, message.bytes, before, message.lane);
  auto [previous, isNew] = latest.try_emplace(way, index);
  if (!isNew)
    messages.list[index].after = std::exchange(previous->second, index);
  if (replaces)
    slots[to].brought = {};
  gather(slots[to].brought, index);
  gather(slots[from].taken, index);
}

Messages network::messagesOf(const Schedule &schedule, double bytes, const PairSizes &pairs) {
  Messages messages;
  SendOrder order;
  std::vector<double> sizes = sizesOf(schedule, bytes, pairs);
  auto slot = [&](uint32_t rank, uint32_t chunk) {
    return static_cast<uint64_t>(rank) * schedule.chunks + chunk;
  };
  messages.list.reserve(schedule.sends.size());
  for (size_t i = 0; i < schedule.sends.size(); ++i) {
    const Schedule::Send &send = schedule.sends[i];
    Message message{send.from, send.to, sizes.empty() ? bytes / schedule.chunks : sizes[i]};
    message.lane = send.chunk;
    order.add(messages, message, slot(send.from, send.chunk), slot(send.to, send.chunk),
              static_cast<uint64_t>(send.from) * schedule.ranks + send.to,
              !schedule.reduces[send.move] && !isExchange(schedule.kind));
  }
  return messages;
}
