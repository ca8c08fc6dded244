// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Simulated.h"

#include "backends/network/Chunks.h"
#include "backends/network/FabricSimulation.h"
#include "backends/network/Messages.h"
#include "backends/network/Schedule.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/core/Module.h"

using namespace perfc;
using namespace perfc::network;

/// About a second of simulation; a tenth for groups of a system, of which a program has many kinds.
static constexpr size_t mostMessages = 8u << 20, mostGroupMessages = 1u << 20;

/// False for a part of a torus, mesh or dragonfly, which has other members than its arguments say.
static bool shapesFit(const ir::Operation &system) {
  bool fit = true;
  for (const ir::Operation &group : system.body()) {
    int64_t members = 0, product = 1;
    bool isShaped = false;
    for (const ir::Operation &part : group.body()) {
      members += part.is(target::MembersOp::opName) ? part.intAttr("count") : 0;
      auto net = ir::as<target::NetworkOp>(part);
      if (!net || net.topologyArguments().empty())
        continue;
      isShaped =
          net.topology() == "torus" || net.topology() == "mesh" || net.topology() == "dragonfly";
      for (const auto &[key, value] : net.topologyArguments().entries())
        product = checkedMultiply(product, topologyNumber(value)).getValueOr(0);
    }
    fit &= !isShaped || product == members;
  }
  return fit;
}

bool network::needsSimulation(const CostQuery &query, CollectiveKind kind,
                              const llvm::Optional<NetworkLevels> &levels, const PairSizes &pairs) {
  const ir::Operation &system = *query.target;
  if (!system.is(target::SystemOp::opName))
    return false;
  Chunking chunking = chunkingOf(system, kind, query.op->stringAttr("algorithm"));
  bool needs = !levels || !isClosedFormExact(kind, levels->levels, &pairs) ||
               shareLevels(chunking, levels->levels) || overtakeOnLines(chunking, levels->levels);
  system.walk([&](const ir::Operation &part) { needs |= part.is(target::FaultOp::opName); });
  return needs && shapesFit(system);
}

namespace {
/// The best of what was simulated.
struct Best {
  llvm::Optional<FabricResult> result;
  size_t messages = 0;
  std::string name;
  SourceRange location;
};
} // namespace

static bool simulate(Fabric &fabric, const Messages &messages, std::string name, SourceRange where,
                     Best &best, DiagnosticEngine &diagnostics) {
  auto result = simulateMessages(fabric, messages, where, diagnostics);
  if (!result)
    return false;
  if (!best.result || result->seconds < best.result->seconds)
    best = {result, messages.sent(), std::move(name), where};
  return true;
}

namespace {
/// The groups of ranks that run a collective at the same time.
struct Groups {
  std::vector<GroupDim> dims;
  std::vector<uint32_t> firsts = {0};
  bool isPart = false; ///< smaller than the system

  Messages all(Messages messages) const {
    return isPart ? inAllGroups(messages, firsts, dims) : messages;
  }
};
} // namespace

static bool simulateSchedules(const CostQuery &query, Fabric &fabric, const Groups &groups,
                              double bytes, const PairSizes &pairs, Best &best, Cost &cost,
                              DiagnosticEngine &diagnostics) {
  for (const ir::Attribute &symbol : query.op->listAttr("schedules")) {
    auto op = ir::as<collective::ScheduleOp>(ir::resolve(*query.op, symbol.asSymbol()));
    if (!op)
      continue;
    Schedule schedule = readSchedule(op);
    uint32_t ranks =
        groups.isPart ? static_cast<uint32_t>(query.op->intAttr("ranks", 1)) : fabric.ranks();
    if (schedule.ranks != ranks) {
      diagnostics.report(
          query.op->range(), diag::WrongSchedule, schedule.name, counted(schedule.ranks, "rank"),
          fmt::format("{} has {}", groups.isPart ? "the group" : "the system", ranks));
      return false;
    }
    bool notChecked = false;
    if (!verifySchedule(schedule, notChecked, diagnostics))
      return false;
    if (notChecked)
      cost.addNote(fmt::format("algorithm `{}` is too large to be checked", schedule.name));
    size_t count = groups.isPart ? groups.firsts.size() : 1;
    if (schedule.sends.size() > mostMessages / count) {
      diagnostics.report(schedule.location, diag::TooLargeToSimulate, schedule.name,
                         fmt::format("{} in {} at the same time", counted(mostMessages, "send"),
                                     counted(count, "group")));
      return false;
    }
    Messages messages = messagesOf(schedule, bytes, pairs);
    schedule.sends = {};
    if (!simulate(fabric, groups.all(std::move(messages)), schedule.name, schedule.location, best,
                  diagnostics))
      return false;
  }
  return true;
}

std::vector<GroupDim> network::groupDims(const ir::Operation &op) {
  if (!op.hasAttr("dimensions"))
    return {{op.intAttr("ranks", 1), op.intAttr("stride", 1)}};
  const ir::AttrList &numbers = op.listAttr("dimensions");
  std::vector<GroupDim> dims;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    dims.push_back({numbers[i].asInt(), numbers[i + 1].asInt()});
  return dims;
}

/// How far each rank of a group is from its first one.
static std::vector<uint32_t> offsetsOf(llvm::ArrayRef<GroupDim> dims) {
  std::vector<uint32_t> result = {0};
  for (const GroupDim &dim : dims) {
    size_t inner = result.size();
    for (int64_t i = 1; i < dim.ranks; ++i)
      for (size_t k = 0; k < inner; ++k)
        result.push_back(result[k] + static_cast<uint32_t>(i * dim.stride));
  }
  return result;
}

std::vector<uint32_t> network::groupsOf(llvm::ArrayRef<GroupDim> dims, uint32_t enclosing,
                                        uint32_t all) {
  std::vector<uint32_t> firsts;
  auto block = static_cast<uint32_t>(dims.back().ranks * dims.back().stride);
  for (uint32_t part = 0; part + enclosing <= all; part += enclosing)
    for (uint32_t start = part; start + block <= part + enclosing; start += block)
      for (uint32_t offset = 0; offset < block; ++offset) {
        bool isFirst = true;
        for (const GroupDim &dim : dims)
          isFirst &= offset / dim.stride % dim.ranks == 0;
        if (isFirst)
          firsts.push_back(start + offset);
      }
  return firsts;
}

Messages network::inAllGroups(const Messages &messages, llvm::ArrayRef<uint32_t> groups,
                              llvm::ArrayRef<GroupDim> dims) {
  Messages result;
  result.takesLatest = messages.takesLatest;
  std::vector<uint32_t> offsets = offsetsOf(dims);
  for (uint32_t first : groups) {
    auto offset = static_cast<uint32_t>(result.list.size());
    auto needs = static_cast<uint32_t>(result.needs.size());
    auto stations = static_cast<uint32_t>(result.places.size());
    llvm::append_range(result.places, messages.places);
    for (Message message : messages.list) {
      message.from = first + offsets[message.from];
      message.to = first + offsets[message.to];
      message.firstNeed += needs;
      message.after += message.after == Message::none ? 0 : offset;
      message.station += message.station == Message::none ? 0 : stations;
      result.list.push_back(message);
    }
    for (uint32_t need : messages.needs)
      result.needs.push_back(need + offset);
  }
  return result;
}

/// The patterns of the levels, or one ring of all ranks.
static std::vector<PatternLevel> patternOf(const llvm::Optional<NetworkLevels> &levels,
                                           uint32_t ranks, double bytes, bool isChunk) {
  if (levels)
    return patternLevels(levels->levels, bytes, isChunk);
  NetworkLevel all;
  all.members = ranks;
  return patternLevels(all, bytes);
}

/// `pattern`, and for a broadcast or reduce those in which all levels that take whole buffers or
/// parts do the same: the forms, which choose, do not know of links that block.
static std::vector<std::vector<PatternLevel>> variantsOf(std::vector<PatternLevel> pattern,
                                                         CollectiveKind kind) {
  std::vector<std::vector<PatternLevel>> variants = {std::move(pattern)};
  if (kind != CollectiveKind::Broadcast && kind != CollectiveKind::Reduce)
    return variants;
  using Way = RootPattern::Way;
  for (Way way : {Way::Tree, Way::Scatter}) {
    std::vector<PatternLevel> variant = variants.front();
    bool differs = false;
    for (PatternLevel &level : variant)
      if (level.members > 1 && (level.root.way == Way::Tree || level.root.way == Way::Scatter)) {
        differs |= level.root.way != way;
        level.root.way = way;
      }
    if (differs)
      variants.push_back(std::move(variant));
  }
  return variants;
}

/// `groups` have run together; the cost is that of one.
static void addResult(const Best &best, const Fabric &fabric, CollectiveKind kind, size_t groups,
                      Cost &cost) {
  const FabricResult &result = *best.result;
  cost.latency = result.seconds;
  std::string bound = "network";
  if (result.busiestLink != Message::none) {
    bound += " " + fabric.levels()[fabric.links()[result.busiestLink].level].name;
    cost.addNote(
        fmt::format("{}, simulated: {} in {}; the link from {} works longest, {:.0f} % of the "
                    "time",
                    best.name, counted(best.messages, "message"), counted(result.events, "event"),
                    fabric.linkName(result.busiestLink),
                    100 * result.busiestSeconds / std::max(result.seconds, 1e-12)));
  }
  cost.addBound(bound, cost.latency);
  for (size_t i = 0; i < result.sentBytes.size(); ++i) {
    const FabricLevel &level = fabric.levels()[i];
    cost.energy +=
        energyOfBytes(level.name, level.energy, result.sentBytes[i] / static_cast<double>(groups));
  }
  cost.breakdown.children.emplace_back(PartKind::Network, "messages of " + best.name, best.location,
                                       cost.latency, cost.energy);
  cost.provenance = {"network", "",
                     nameOf(kind).str() + " by " + best.name + ": simulated message by message"};
}

bool network::addSimulatedTime(const CostQuery &query, CollectiveKind kind,
                               const llvm::Optional<NetworkLevels> &levels, double bytes,
                               const PairSizes &pairs, Cost &cost,
                               llvm::Optional<std::string> &fastest,
                               DiagnosticEngine &diagnostics) {
  if (levels && !query.op->hasAttr("schedules") && !Fabric::fits(*query.target))
    return true;
  std::unique_ptr<Fabric> fabric = Fabric::build(*query.target, diagnostics);
  if (!fabric)
    return false;
  Groups groups;
  groups.dims = groupDims(*query.op);
  groups.isPart = levels && levels->enclosing > 0;
  if (groups.isPart) {
    // Parts of the system are alike and share nothing, unless something is broken.
    auto part = static_cast<uint32_t>(levels->enclosing);
    groups.firsts = groupsOf(groups.dims, part, fabric->hasFaults() ? fabric->ranks() : part);
  }
  Best best;
  if (query.op->hasAttr("schedules")) {
    if (!simulateSchedules(query, *fabric, groups, bytes, pairs, best, cost, diagnostics))
      return false;
  } else {
    size_t count = groups.firsts.size();
    size_t most = count == 1 ? mostMessages : mostGroupMessages / count;
    Chunking chunking = chunkingOf(*query.target, kind, query.op->stringAttr("algorithm"));
    double chunk = bytes / static_cast<double>(chunking.count);
    for (const auto &pattern :
         variantsOf(patternOf(levels, fabric->ranks(), chunk, chunking.count > 1), kind)) {
      auto messages = patternMessages(kind, pattern, bytes, most, &pairs, chunking);
      if (!messages)
        return true;
      if (!simulate(*fabric, groups.all(std::move(*messages)),
                    (levels ? "the default pattern" : "a ring of all ranks") + inChunks(chunking),
                    query.op->range(), best, diagnostics))
        return false;
    }
  }
  if (best.result)
    addResult(best, *fabric, kind, groups.firsts.size(), cost);
  fastest = std::move(best.name);
  return true;
}
