// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/NetworkLevels.h"

#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::network;

int64_t NetworkLevels::ranks() const {
  int64_t product = 1;
  for (const NetworkLevel &level : levels)
    product *= level.members;
  return product;
}

const Library *NetworkLevel::library(llvm::StringRef wanted) const {
  for (const Library &entry : libraries)
    if (wanted.empty() || entry.name == wanted)
      return &entry;
  return nullptr;
}

llvm::Optional<NetworkLevels> network::levelsOfGroup(const NetworkLevels &network, int64_t ranks,
                                                     int64_t stride) {
  NetworkLevels result;
  result.notes = network.notes;
  int64_t below = 1, left = ranks, apart = stride;
  for (const NetworkLevel &level : network.levels) {
    int64_t up = below * level.members;
    // Ranks of the group that stand in one member of this level are `apart`, those of different
    // members meet here.
    int64_t step = std::max(apart, below);
    bool meets = left > 1 && step < up;
    if (meets && (up % step != 0 || step % below != 0))
      return llvm::None;
    int64_t members = meets ? std::min(left, up / step) : 1;
    if (left % members != 0)
      return llvm::None;
    left /= members;
    result.levels.push_back(level);
    NetworkLevel &part = result.levels.back();
    part.members = members;
    if (members > 1 && members < level.members && level.topology == Topology::Ring)
      part.approximation = "a part of a ring is taken as a ring";
    below = up;
  }
  if (left != 1)
    return llvm::None;
  llvm::erase_if(result.levels, [](const NetworkLevel &level) { return level.members == 1; });
  return result;
}

namespace {
class LevelReader {
public:
  explicit LevelReader(NetworkLevels &result) : result(result) {}

  /// The levels of `group`, innermost first; nothing when its members differ (see `reason`).
  llvm::Optional<std::vector<NetworkLevel>> group(const ir::Operation &group);
  void faults(const ir::Operation &system);

  std::string reason;

private:
  std::vector<NetworkLevel> levels(const ir::Operation &group, int64_t members);
  bool merge(std::vector<NetworkLevel> &levels, const std::vector<NetworkLevel> &other,
             llvm::StringRef name);
  void degrade(target::FaultOp fault, const ir::Operation &group);

  NetworkLevels &result;
  llvm::StringMap<std::vector<Uncertain>> degraded; ///< factors by group
};
} // namespace

static bool isNumber(const ir::Attribute &value) {
  return value.is(ir::AttrKind::Int) || value.is(ir::AttrKind::Quantity);
}

int64_t network::topologyNumber(const ir::Attribute &value) {
  constexpr double most = 1ll << 31;
  if (!isNumber(value))
    return -1;
  return static_cast<int64_t>(std::max(-1.0, std::min(most, value.asQuantity().toDouble())));
}

/// `dimensions` are those of a torus or mesh.
static void readTopology(target::NetworkOp net, NetworkLevel &level,
                         std::vector<int64_t> &dimensions) {
  llvm::StringRef name = net.topology();
  if (name == "fully_connected")
    level.topology = Topology::FullyConnected;
  if (name == "ring")
    level.topology = Topology::Ring;
  double over = 1;
  for (const auto &[key, value] : net.topologyArguments().entries()) {
    if (name == "torus" || name == "mesh")
      dimensions.push_back(topologyNumber(value));
    if (key == "oversubscription" && isNumber(value))
      over = value.asQuantity().toDouble();
  }
  static constexpr llvm::StringLiteral exact[] = {"", "switch", "fat_tree", "fully_connected",
                                                  "ring"};
  if (!llvm::is_contained(exact, name) || over > 1)
    level.approximation = fmt::format("topology `{}` is taken as a switch that never blocks", name);
  level.lanes = std::max<int64_t>(1, net.nics() / std::max<int64_t>(1, net.stripe()));
}

/// The rings of a torus, or the level alone.
static std::vector<NetworkLevel> dimensionsOf(NetworkLevel level, llvm::StringRef topology,
                                              llvm::ArrayRef<int64_t> dimensions) {
  int64_t points = 1;
  for (int64_t size : dimensions)
    points = size < 1 ? 0 : checkedMultiply(points, size).getValueOr(0);
  if (topology != "torus" || (!dimensions.empty() && points != level.members))
    return {std::move(level)};
  level.topology = Topology::Ring;
  level.approximation.clear();
  if (dimensions.empty())
    return {std::move(level)};
  if (level.bandwidth)
    level.bandwidth = *level.bandwidth / Uncertain(static_cast<double>(dimensions.size()));
  std::vector<NetworkLevel> rings;
  for (int64_t size : dimensions) {
    rings.push_back(level);
    rings.back().members = size;
  }
  return rings;
}

std::vector<NetworkLevel> LevelReader::levels(const ir::Operation &group, int64_t members) {
  NetworkLevel level;
  level.name = group.symbol().str();
  level.location = group.range();
  level.members = members;
  std::vector<int64_t> dimensions;
  std::string topology;
  for (const ir::Operation &part : group.body()) {
    if (auto library = ir::as<target::LibraryOp>(part))
      level.libraries.push_back(readLibrary(library));
    auto net = ir::as<target::NetworkOp>(part);
    if (!net)
      continue;
    if (!net.symbol().empty())
      level.name = net.symbol().str();
    level.location = part.range();
    topology = net.topology().str();
    readTopology(net, level, dimensions);
    if (auto bandwidth = net.bandwidth())
      level.bandwidth = bandwidth->toUncertain();
    if (auto latency = net.latency())
      level.latency = latency->toUncertain();
    if (auto energy = net.energy())
      level.energy = energy->toUncertain();
  }
  if (!level.bandwidth)
    result.notes.push_back("network `" + level.name +
                           "` gives no bandwidth: only its latency counts");
  for (const Uncertain &factor : degraded.lookup(group.symbol()))
    level.faultFactor = level.faultFactor * factor;
  if (level.bandwidth)
    level.bandwidth = *level.bandwidth * level.faultFactor;
  return dimensionsOf(std::move(level), topology, dimensions);
}

/// Keeps the slower of two groups that stand side by side. They must have the same shape.
bool LevelReader::merge(std::vector<NetworkLevel> &levels, const std::vector<NetworkLevel> &other,
                        llvm::StringRef name) {
  bool isAlike = levels.size() == other.size();
  for (size_t i = 0; isAlike && i < levels.size(); ++i)
    isAlike = levels[i].members == other[i].members;
  if (!isAlike) {
    reason = fmt::format("the groups in `{}` differ in size", name);
    return false;
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    NetworkLevel &level = levels[i];
    if (other[i].bandwidth)
      level.bandwidth =
          level.bandwidth ? min(*level.bandwidth, *other[i].bandwidth) : *other[i].bandwidth;
    level.latency = max(level.latency, other[i].latency);
    if (level.topology != other[i].topology)
      level.topology = Topology::Switch;
    level.lanes = std::max(level.lanes, other[i].lanes);
    if (level.approximation.empty())
      level.approximation = other[i].approximation;
  }
  return true;
}

llvm::Optional<std::vector<NetworkLevel>> LevelReader::group(const ir::Operation &op) {
  std::vector<NetworkLevel> inner;
  int64_t members = 0;
  bool isFirst = true;
  for (const ir::Operation &part : op.body()) {
    auto group = ir::as<target::MembersOp>(part);
    if (!group)
      continue;
    members += group.count();
    const ir::Operation *member = ir::resolve(part, group.of());
    std::vector<NetworkLevel> below;
    if (member && member->is(target::GroupOp::opName)) {
      auto levels = this->group(*member);
      if (!levels)
        return llvm::None;
      below = std::move(*levels);
    }
    if (isFirst)
      inner = std::move(below);
    else if (!merge(inner, below, op.symbol()))
      return llvm::None;
    isFirst = false;
  }
  for (NetworkLevel &level : levels(op, members))
    inner.push_back(std::move(level));
  return inner;
}

/// A slower link sets the pace of the group that it is part of.
void LevelReader::degrade(target::FaultOp fault, const ir::Operation &group) {
  if (fault.kind() == "chip" || !fault.bandwidthFactor()) {
    result.notes.push_back(fmt::format("a {} fault is left out of the closed forms", fault.kind()));
    return;
  }
  degraded[group.symbol()].push_back(fault.bandwidthFactor()->toUncertain());
}

void LevelReader::faults(const ir::Operation &system) {
  for (const ir::Operation &group : system.body())
    for (const ir::Operation &part : group.body())
      if (auto fault = ir::as<target::FaultOp>(part))
        degrade(fault, group);
}

llvm::Optional<NetworkLevels> network::networkLevels(const ir::Operation &system,
                                                     std::string &reason) {
  NetworkLevels result;
  if (!system.is(target::SystemOp::opName) || system.body().empty())
    return result;
  LevelReader reader(result);
  reader.faults(system);
  auto levels = reader.group(system.body().back());
  reason = reader.reason;
  if (!levels)
    return llvm::None;
  result.levels = std::move(*levels);
  return result;
}
