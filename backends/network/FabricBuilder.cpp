// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/FabricBuilder.h"

#include "ir/common/diagnostics/Network.h"
#include "ir/core/Module.h"
#include "ir/target/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace perfc;
using namespace perfc::network;

/// Links of one group.
static constexpr double mostLinks = 1 << 24;

uint32_t FabricBuilder::node(std::string name) {
  fabric.names.push_back(std::move(name));
  fabric.outgoing.emplace_back();
  fabric.incoming.emplace_back();
  return static_cast<uint32_t>(fabric.names.size() - 1);
}

void FabricBuilder::link(uint32_t from, uint32_t to, double bandwidth, double latency,
                         const Wire &wire, bool counts) {
  auto index = static_cast<uint32_t>(fabric.allLinks.size());
  fabric.allLinks.push_back({from, to, wire.level, bandwidth, latency, counts});
  fabric.outgoing[from].push_back(index);
  fabric.incoming[to].push_back(index);
}

void FabricBuilder::both(uint32_t a, uint32_t b, double bandwidth, double latency,
                         const Wire &wire) {
  link(a, b, bandwidth, latency, wire);
  link(b, a, bandwidth, latency, wire);
}

void FabricBuilder::trunk(uint32_t a, uint32_t b, double ways, double width, const Wire &wire) {
  for (auto [from, to] : {std::make_pair(a, b), std::make_pair(b, a)}) {
    link(from, to, ways * width, 0, wire, /*counts=*/false);
    fabric.allLinks.back().ways = ways;
  }
}

bool FabricBuilder::bad(const Wire &wire, const std::string &reason) {
  diagnostics.report(wire.location, diag::BadTopology, wire.topology, reason);
  return false;
}

llvm::Optional<int64_t> FabricBuilder::Wire::find(llvm::StringRef name) const {
  for (const auto &[key, value] : arguments)
    if (key == name)
      return value;
  return llvm::None;
}

/// The arguments that are dimensions: `torus(4, 4, 2)` or `torus(x = 4, y = 4)`.
std::vector<int64_t> FabricBuilder::Wire::dimensions() const {
  std::vector<int64_t> result;
  result.reserve(arguments.size());
  for (const auto &[key, value] : arguments)
    result.push_back(value);
  return result;
}

FabricBuilder::Wire FabricBuilder::wireOf(const ir::Operation &group, uint32_t level) {
  Wire wire{"switch", {}, std::numeric_limits<double>::infinity(), 0, level, group.range()};
  for (const ir::Operation &part : group.body()) {
    auto net = ir::as<target::NetworkOp>(part);
    if (!net)
      continue;
    wire.location = part.range();
    if (!net.topology().empty())
      wire.topology = net.topology().str();
    wire.lanes = std::max<int64_t>(1, net.nics() / std::max<int64_t>(1, net.stripe()));
    if (auto bandwidth = net.bandwidth())
      wire.bandwidth = bandwidth->toDouble();
    if (auto latency = net.latency())
      wire.latency = latency->toDouble();
    for (const ir::Attribute &value : net.bandwidths())
      wire.bandwidths.push_back(value.asQuantity().toDouble());
    for (const ir::Attribute &value : net.latencies())
      wire.latencies.push_back(value.asQuantity().toDouble());
    wire.oversubscription = network::oversubscriptionOf(net);
    for (const auto &[key, value] : net.topologyArguments().entries())
      wire.arguments.emplace_back(key, network::topologyNumber(value));
  }
  return wire;
}

bool FabricBuilder::members(const ir::Operation &part, std::vector<Chips> &all) {
  auto members = ir::as<target::MembersOp>(part);
  if (!members)
    return true;
  const ir::Operation *of = ir::resolve(part, members.of());
  for (int64_t i = 0; i < members.count(); ++i) {
    Chips chips;
    if (of && of->is(target::GroupOp::opName)) {
      if (!group(*of, chips))
        return false;
    } else {
      chips.push_back(nextChip++);
    }
    all.push_back(std::move(chips));
  }
  return true;
}

bool FabricBuilder::group(const ir::Operation &op, Chips &chips) {
  uint32_t level = 0;
  for (const ir::Operation &other : system.body()) {
    if (&other == &op)
      break;
    ++level;
  }
  std::vector<Chips> all;
  for (const ir::Operation &part : op.body())
    if (!members(part, all))
      return false;
  for (const Chips &member : all)
    chips.insert(chips.end(), member.begin(), member.end());
  int64_t index = counts[op.symbol().str()]++;
  for (uint32_t chip : chips)
    fabric.groupOf[level][chip] = static_cast<uint32_t>(index);
  for (uint32_t above = 0; above < fabric.allLevels.size(); ++above)
    named[{above, fmt::format("{}[{}]", op.symbol(), index)}] = chips;
  return connect(op, wireOf(op, level), all);
}

/// Links of a group, where they grow with the square of its `members`, of `chips` each.
static double expectedLinks(llvm::StringRef topology, double members, double chips,
                            double routers) {
  if (topology == "fully_connected")
    return members * members * chips;
  return topology == "dragonfly" ? members * (routers + members) : 0;
}

bool FabricBuilder::connect(const ir::Operation &op, const Wire &wire,
                            llvm::ArrayRef<Chips> members) {
  if (members.size() < 2)
    return true;
  const std::string &topology = wire.topology;
  double routers = static_cast<double>(wire.find("routers").getValueOr(0));
  if (expectedLinks(topology, static_cast<double>(members.size()),
                    static_cast<double>(members[0].size()), routers) > mostLinks) {
    diagnostics.report(wire.location, diag::TooLargeToSimulate, op.symbol(),
                       counted(static_cast<uint64_t>(mostLinks), "link"));
    return false;
  }
  if (topology == "switch")
    return oneSwitch(wire, members), true;
  if (topology == "fat_tree")
    return fatTree(wire, members);
  if (topology == "tree")
    return tree(wire, members);
  if (topology == "dragonfly")
    return dragonfly(wire, members);
  if (topology == "bus")
    return bus(wire, members), true;
  for (const Chips &member : members)
    if (member.size() != members[0].size())
      return bad(wire, "it joins the chips of its members one to one, but they have "
                       "different numbers of chips");
  for (size_t i = 0; i < members[0].size(); ++i) {
    Chips line;
    for (const Chips &member : members)
      line.push_back(member[i]);
    bool good = topology == "ring"              ? ring(wire, line)
                : topology == "fully_connected" ? fullyConnected(wire, line)
                : topology == "links"           ? linkList(op, wire, line)
                                                : grid(wire, line, topology == "torus");
    if (!good)
      return false;
  }
  return true;
}

/// Chips of a group, as far as they count.
static int64_t chipsOf(const ir::Operation &group) {
  int64_t chips = 0;
  for (const ir::Operation &part : group.body()) {
    auto members = ir::as<target::MembersOp>(part);
    if (!members)
      continue;
    const ir::Operation *of = ir::resolve(part, members.of());
    int64_t each = of && of->is(target::GroupOp::opName) ? chipsOf(*of) : 1;
    auto total = checkedMultiply(members.count(), each);
    chips = std::min<int64_t>(
        target::mostSimulatedChips + 1,
        chips + std::min<int64_t>(target::mostSimulatedChips + 1,
                                  total.getValueOr(target::mostSimulatedChips + 1)));
  }
  return chips;
}

bool Fabric::fits(const ir::Operation &system) {
  if (system.body().empty() || chipsOf(system.body().back()) > target::mostSimulatedChips)
    return false;
  for (const ir::Operation &group : system.body()) {
    double members = 0;
    for (const ir::Operation &part : group.body())
      if (auto count = ir::as<target::MembersOp>(part))
        members += static_cast<double>(count.count());
    auto chips = static_cast<double>(chipsOf(group));
    for (const ir::Operation &part : group.body()) {
      auto net = ir::as<target::NetworkOp>(part);
      if (!net)
        continue;
      double routers = 0;
      for (const auto &[key, value] : net.topologyArguments().entries())
        if (key == "routers")
          routers = static_cast<double>(network::topologyNumber(value));
      if (expectedLinks(net.topology(), members, chips / std::max(1.0, members), routers) >
          mostLinks)
        return false;
    }
  }
  return true;
}

/// The name and energy of a group's network, as NetworkLevels has them.
static FabricLevel levelOf(const ir::Operation &group) {
  FabricLevel level{group.symbol().str(), llvm::None};
  for (const ir::Operation &part : group.body()) {
    auto net = ir::as<target::NetworkOp>(part);
    if (!net)
      continue;
    if (!net.symbol().empty())
      level.name = net.symbol().str();
    if (auto energy = net.energy())
      level.energy = energy->toUncertain();
  }
  return level;
}

/// Chips come first, so that a rank is the number of its node.
bool FabricBuilder::run() {
  for (const ir::Operation &op : system.body())
    fabric.allLevels.push_back(levelOf(op));
  int64_t total = system.body().empty() ? 0 : chipsOf(system.body().back());
  if (total > target::mostSimulatedChips) {
    diagnostics.report(system.range(), diag::TooLargeToSimulate, system.symbol(),
                       counted(target::mostSimulatedChips, "chip"));
    return false;
  }
  fabric.rankCount = static_cast<uint32_t>(total);
  fabric.groupOf.assign(fabric.allLevels.size(),
                        std::vector<uint32_t>(fabric.rankCount, ~uint32_t(0)));
  for (int64_t chip = 0; chip < total; ++chip)
    node(fmt::format("chip[{}]", chip));
  Chips chips;
  if (system.body().empty() || !group(system.body().back(), chips))
    return false;
  fabric.broken.assign(fabric.rankCount, false);
  uint32_t level = 0;
  for (const ir::Operation &op : system.body()) {
    for (const ir::Operation &part : op.body())
      if (auto fault = ir::as<target::FaultOp>(part))
        if (!this->fault(fault, level))
          return false;
    ++level;
  }
  return true;
}

std::unique_ptr<Fabric> Fabric::build(const ir::Operation &system, DiagnosticEngine &diagnostics) {
  auto fabric = std::make_unique<Fabric>();
  if (!FabricBuilder(system, *fabric, diagnostics).run())
    return nullptr;
  return fabric;
}

//===-- Faults
//----------------------------------------------------------------------------------===//

/// `node[3]`, `router[0, 3]`: without spaces, as nodes are named.
llvm::Optional<FabricBuilder::Chips> FabricBuilder::nodesOf(llvm::StringRef text, uint32_t level,
                                                            SourceRange where) {
  std::string name;
  for (char c : text)
    if (c != ' ')
      name += c;
  for (uint32_t i = 0; i < fabric.rankCount; ++i)
    if (fabric.names[i] == name)
      return Chips{i};
  auto found = named.find({level, name});
  if (found != named.end())
    return found->second;
  std::vector<std::string> known;
  for (const auto &[key, nodes] : named)
    if (key.first == level)
      known.push_back(key.second);
  std::vector<llvm::StringRef> names(known.begin(), known.end());
  diagnostics.report(where, diag::NoSuchLink, text.str(), "there is no such part")
      .suggest(name, names);
  return llvm::None;
}

bool FabricBuilder::chipFault(target::FaultOp fault) {
  auto ends = fault.ends();
  if (ends.size() != 1) {
    diagnostics.report(fault->range(), diag::NoSuchLink, "chip", "it is one chip");
    return false;
  }
  auto chips = nodesOf(ends[0], 0, fault->range());
  if (!chips)
    return false;
  double slowdown = fault.slowdown() ? fault.slowdown()->toDouble() : 0;
  for (uint32_t chip : *chips) {
    if (slowdown <= 0) {
      fabric.broken[chip] = true;
      fabric.faultOfChip.try_emplace(chip, fault->range());
    }
    for (FabricLink &link : fabric.allLinks) {
      if (link.from != chip && link.to != chip)
        continue;
      if (slowdown <= 0) {
        link.isBroken = true;
      } else {
        link.bandwidth /= slowdown;
        link.latency *= slowdown;
      }
    }
  }
  return true;
}

bool FabricBuilder::fault(target::FaultOp fault, uint32_t level) {
  fabric.faulty = true;
  if (fault.kind() == "chip")
    return chipFault(fault);
  auto ends = fault.ends();
  if (ends.size() != 2) {
    diagnostics.report(fault->range(), diag::NoSuchLink, "link", "a link has two ends");
    return false;
  }
  auto left = nodesOf(ends[0], level, fault->range()),
       right = left ? nodesOf(ends[1], level, fault->range()) : llvm::None;
  if (!right)
    return false;
  double factor = fault.bandwidthFactor() ? fault.bandwidthFactor()->toDouble() : 0;
  bool found = false;
  for (uint32_t number = 0; number < fabric.allLinks.size(); ++number) {
    FabricLink &link = fabric.allLinks[number];
    bool joins = (llvm::is_contained(*left, link.from) && llvm::is_contained(*right, link.to)) ||
                 (llvm::is_contained(*right, link.from) && llvm::is_contained(*left, link.to));
    if (!joins)
      continue;
    found = true;
    link.bandwidth *= factor;
    link.isBroken |= factor <= 0;
    if (factor <= 0)
      fabric.faultOfLink.try_emplace(number, fault->range());
  }
  if (!found)
    diagnostics.report(fault->range(), diag::NoSuchLink, ends[0] + " to " + ends[1],
                       "these parts are not joined by a link");
  return found;
}
