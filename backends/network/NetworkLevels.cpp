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

double network::partsOfGrid(llvm::ArrayRef<const NetworkLevel *> dimensions, size_t first) {
  double sum = 0;
  bool isEven = true;
  for (const NetworkLevel *level : dimensions) {
    if (!level->bandwidth || !dimensions[first]->bandwidth)
      return static_cast<double>(dimensions.size());
    isEven &= level->bandwidth->central() == dimensions[first]->bandwidth->central();
    sum += level->bandwidth->central();
  }
  return isEven ? static_cast<double>(dimensions.size())
                : sum / dimensions[first]->bandwidth->central();
}

Figure network::energyOfBytes(llvm::StringRef network, const llvm::Optional<Uncertain> &perByte,
                              double bytes) {
  if (bytes <= 0)
    return Figure();
  return perByte ? Figure(*perByte * bytes) : Figure::notGiven("network", network);
}

const Library *NetworkLevel::library(llvm::StringRef wanted) const {
  for (const Library &entry : libraries)
    if (wanted.empty() || entry.name == wanted)
      return &entry;
  return nullptr;
}

namespace {
class LevelReader {
public:
  explicit LevelReader(NetworkLevels &result) : result(result) {}

  /// The levels of group `op`, innermost first; nothing when its members differ (see `reason`).
  llvm::Optional<std::vector<NetworkLevel>> group(const ir::Operation &op);
  void faults(const ir::Operation &system);

  std::string reason;

private:
  std::vector<NetworkLevel> levels(const ir::Operation &group, int64_t members, int64_t below);
  bool merge(std::vector<NetworkLevel> &levels, const std::vector<NetworkLevel> &other,
             llvm::StringRef name);
  void degrade(target::FaultOp fault, const ir::Operation &group);

  NetworkLevels &result;
  llvm::StringMap<std::vector<Uncertain>> degraded; ///< factors by group
  Uncertain slowest = 1;                            ///< slowdown of a chip
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

Quantity network::oversubscriptionOf(target::NetworkOp net) {
  for (const auto &[key, value] : net.topologyArguments().entries())
    if (key == "oversubscription")
      return isNumber(value) ? value.asQuantity() : Quantity(0);
  return Quantity(1);
}

/// What chips share inside the network, as FabricBuilder lays its links.
static SharedLinks sharedLinks(target::NetworkOp net, int64_t members, int64_t below) {
  SharedLinks links;
  links.chips = checkedMultiply(members, below).getValueOr(INT64_MAX);
  links.below = below;
  llvm::StringMap<int64_t> arguments;
  for (const auto &[key, value] : net.topologyArguments().entries())
    arguments[key] = topologyNumber(value);
  auto argument = [&](llvm::StringRef name, int64_t otherwise) {
    auto entry = arguments.find(name);
    return entry == arguments.end() ? otherwise : std::max<int64_t>(1, entry->second);
  };
  llvm::StringRef name = net.topology();
  if (name == "fat_tree") {
    int64_t radix = std::max<int64_t>(2, argument("radix", links.chips));
    links.leaf = LeafSwitch::of(radix, oversubscriptionOf(net), below);
    if (links.chips > radix)
      links.kind = SharedLinks::Kind::FatTree;
  } else if (name == "tree") {
    links.kind = SharedLinks::Kind::Tree;
    links.radix = std::max<int64_t>(2, argument("radix", 2));
    links.leaf.down = LeafSwitch::wholeMembers(links.radix, below);
  } else if (name == "bus") {
    links.kind = SharedLinks::Kind::Bus;
  } else if (name == "dragonfly") {
    links.groups = argument("groups", 1);
    links.routers = argument("routers", 1);
    links.hosts = argument("hosts", 1);
    auto hosts = checkedMultiply(links.routers, links.hosts);
    if (hosts && checkedMultiply(links.groups, *hosts) == llvm::Optional<int64_t>(members))
      links.kind = SharedLinks::Kind::Dragonfly;
  }
  return links;
}

/// `below`: chips of a member. `dimensions` are those of a torus or mesh.
static void readTopology(target::NetworkOp net, int64_t below, NetworkLevel &level,
                         std::vector<int64_t> &dimensions) {
  llvm::StringRef name = net.topology();
  if (name == "fully_connected")
    level.topology = Topology::FullyConnected;
  if (name == "ring")
    level.topology = Topology::Ring;
  if (name == "torus" || name == "mesh")
    for (const auto &[key, value] : net.topologyArguments().entries())
      dimensions.push_back(topologyNumber(value));
  level.shared = sharedLinks(net, level.members, below);
  level.ringLoad = level.shared.ofRing(level.members, below);
  level.pairsLoad = level.shared.ofAllToAll(level.members, below);
  static constexpr llvm::StringLiteral exact[] = {"", "switch", "fully_connected", "ring"};
  // Each chip passes one message at a time through a leaf that has an uplink for each of them.
  bool neverWaits =
      name == "fat_tree" && (level.shared.kind == SharedLinks::Kind::None ||
                             level.shared.leaf.up >= static_cast<double>(level.shared.leaf.down));
  if (!llvm::is_contained(exact, name) && !neverWaits)
    level.approximation = fmt::format("topology `{}` is taken as a switch, no faster than the "
                                      "busiest link that chips share",
                                      name);
  level.lanes = std::max<int64_t>(1, net.nics() / std::max<int64_t>(1, net.stripe()));
  level.activeChunks = net->intAttr("active_chunks", 1);
}

namespace {
/// A torus or mesh: its sizes, and what it gives for each dimension by itself, after faults.
struct Grid {
  std::vector<int64_t> sizes;
  std::vector<Uncertain> bandwidths, latencies;
};
} // namespace

/// What a list gives for each dimension: of all together the sum of the bandwidths and the longest
/// latency.
static void readDimensions(target::NetworkOp net, NetworkLevel &level, Grid &grid) {
  for (const ir::Attribute &value : net.bandwidths()) {
    grid.bandwidths.push_back(value.asQuantity().toUncertain());
    level.bandwidth = level.bandwidth ? *level.bandwidth + grid.bandwidths.back()
                                      : llvm::Optional<Uncertain>(grid.bandwidths.back());
  }
  for (const ir::Attribute &value : net.latencies()) {
    grid.latencies.push_back(value.asQuantity().toUncertain());
    level.latency = max(level.latency, grid.latencies.back());
  }
}

/// The rings of a torus, the lines of a mesh, or the level alone; `number` is one of its own.
static std::vector<NetworkLevel> dimensionsOf(NetworkLevel level, llvm::StringRef topology,
                                              const Grid &grid, int64_t number) {
  const std::vector<int64_t> &dimensions = grid.sizes;
  int64_t points = 1;
  for (int64_t size : dimensions)
    points = size < 1 ? 0 : checkedMultiply(points, size).getValueOr(0);
  bool isGrid = topology == "torus" || topology == "mesh";
  if (!isGrid || (!dimensions.empty() && points != level.members))
    return {std::move(level)};
  level.topology = topology == "torus" ? Topology::Ring : Topology::Line;
  level.approximation.clear();
  if (dimensions.empty())
    return {std::move(level)};
  // A dimension of one chip has no links.
  int64_t wired = llvm::count_if(dimensions, [](int64_t size) { return size > 1; });
  if (level.bandwidth && wired > 1)
    level.bandwidth = *level.bandwidth / Uncertain(static_cast<double>(wired));
  std::vector<NetworkLevel> lines;
  lines.reserve(dimensions.size());
  level.grid = number;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    lines.push_back(level);
    lines.back().members = dimensions[i];
    if (i < grid.bandwidths.size())
      lines.back().bandwidth = grid.bandwidths[i] * level.faultFactor;
    if (i < grid.latencies.size())
      lines.back().latency = grid.latencies[i];
  }
  return lines;
}

std::vector<NetworkLevel> LevelReader::levels(const ir::Operation &group, int64_t members,
                                              int64_t below) {
  NetworkLevel level;
  level.name = group.symbol().str();
  level.location = group.range();
  level.members = members;
  Grid grid;
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
    readTopology(net, below, level, grid.sizes);
    readDimensions(net, level, grid);
    level.multicasts = part.hasAttr("multicast");
    level.reduces = part.hasAttr("reduce");
    if (auto bandwidth = net.bandwidth())
      level.bandwidth = bandwidth->toUncertain();
    if (auto latency = net.latency())
      level.latency = latency->toUncertain();
    if (auto energy = net.energy())
      level.energy = energy->toUncertain();
  }
  if (topology == "links")
    level.linksGiveBandwidth = llvm::all_of(group.body(), [](const ir::Operation &part) {
      auto link = ir::as<target::LinkOp>(part);
      return !link || link.bandwidth();
    });
  for (const Uncertain &factor : degraded.lookup(group.symbol()))
    level.faultFactor = level.faultFactor * factor;
  level.faultFactor = level.faultFactor / slowest;
  if (level.bandwidth)
    level.bandwidth = *level.bandwidth * level.faultFactor;
  return dimensionsOf(std::move(level), topology, grid, /*number=*/below);
}

/// True when one closed form is exact for both.
static bool areAlike(const NetworkLevel &one, const NetworkLevel &other) {
  auto rate = [](const NetworkLevel &level) {
    return level.bandwidth ? level.bandwidth->central() : 0;
  };
  bool takeSame = one.energy.hasValue() == other.energy.hasValue();
  if (one.energy && other.energy) {
    Uncertain more = *one.energy - *other.energy;
    takeSame = more.central() == 0 && more.halfWidth() == 0;
  }
  return one.topology == other.topology && one.lanes == other.lanes && rate(one) == rate(other) &&
         one.latency.central() == other.latency.central() && takeSame;
}

/// The higher energy; none, under the name of the one that does not give it.
static void mergeEnergy(NetworkLevel &level, const NetworkLevel &other) {
  if (level.energy && !other.energy)
    level.name = other.name;
  level.energy =
      level.energy && other.energy ? llvm::Optional(max(*level.energy, *other.energy)) : llvm::None;
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
    if (level.approximation.empty() && !areAlike(level, other[i]))
      level.approximation =
          fmt::format("unlike groups side by side in `{}` are taken as equal: the "
                      "slowest bandwidth, the longest latency and the highest energy of any",
                      name);
    if (other[i].bandwidth)
      level.bandwidth =
          level.bandwidth ? min(*level.bandwidth, *other[i].bandwidth) : *other[i].bandwidth;
    level.latency = max(level.latency, other[i].latency);
    mergeEnergy(level, other[i]);
    if (level.topology != other[i].topology)
      level.topology = Topology::Switch;
    level.lanes = std::max(level.lanes, other[i].lanes);
    level.activeChunks = std::min(level.activeChunks, other[i].activeChunks);
    level.grid = level.grid == other[i].grid ? level.grid : 0;
    level.multicasts &= other[i].multicasts;
    level.reduces &= other[i].reduces;
    level.ringLoad = std::max(level.ringLoad, other[i].ringLoad);
    level.pairsLoad = std::max(level.pairsLoad, other[i].pairsLoad);
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
  int64_t below = 1;
  for (const NetworkLevel &level : inner)
    below = checkedMultiply(below, level.members).getValueOr(INT64_MAX);
  for (NetworkLevel &level : levels(op, members, below))
    inner.push_back(std::move(level));
  return inner;
}

/// A slower link sets the pace of the group that it is part of, a slower chip that of all.
void LevelReader::degrade(target::FaultOp fault, const ir::Operation &group) {
  if (fault.kind() == "chip" && fault.slowdown() && fault.slowdown()->toDouble() >= 1) {
    slowest = max(slowest, fault.slowdown()->toUncertain());
    result.notes.push_back("a slow chip is taken to set the pace of all");
    return;
  }
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
