// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The links of each topology. B is the bandwidth of one chip and direction: where a chip has
// several links, they share it. The latency of a message is that of the first link of its level.
#include "backends/network/FabricBuilder.h"

#include "backends/network/SharedLinks.h"
#include "ir/common/diagnostics/Network.h"

#include <algorithm>
#include <limits>

using namespace perfc;
using namespace perfc::network;

static constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Up with the latency of the message, down without; a link for each lane.
void FabricBuilder::attach(uint32_t chip, uint32_t at, const Wire &wire) {
  double width = wire.bandwidth / static_cast<double>(wire.lanes);
  for (int64_t lane = 0; lane < wire.lanes; ++lane) {
    link(chip, at, width, wire.latency, wire);
    link(at, chip, width, 0, wire, /*counts=*/false);
  }
}

void FabricBuilder::oneSwitch(const Wire &wire, llvm::ArrayRef<Chips> members) {
  uint32_t hub = node("switch[0]");
  named[{wire.level, "switch[0]"}] = {hub};
  for (const Chips &member : members)
    for (uint32_t chip : member)
      attach(chip, hub, wire);
}

/// All messages share one medium.
void FabricBuilder::bus(const Wire &wire, llvm::ArrayRef<Chips> members) {
  uint32_t in = node("bus"), out = node("bus");
  link(in, out, wire.bandwidth, 0, wire);
  for (const Chips &member : members)
    for (uint32_t chip : member) {
      link(chip, in, unlimited, wire.latency, wire, /*counts=*/false);
      link(out, chip, unlimited, 0, wire, /*counts=*/false);
    }
}

/// Chips of members in the order of the switches that they hang on, `ports` at most on each: a
/// member that fits whole begins a new one where it does not fit any more.
static std::vector<std::vector<uint32_t>> leavesOf(llvm::ArrayRef<std::vector<uint32_t>> members,
                                                   int64_t ports) {
  size_t largest = 1;
  for (const std::vector<uint32_t> &member : members)
    largest = std::max(largest, member.size());
  auto down = static_cast<size_t>(LeafSwitch::wholeMembers(ports, static_cast<int64_t>(largest)));
  std::vector<std::vector<uint32_t>> leaves;
  for (const std::vector<uint32_t> &member : members) {
    bool isNew = leaves.empty() || leaves.back().size() + member.size() > down;
    for (uint32_t chip : member) {
      if (isNew || leaves.back().size() == down)
        leaves.emplace_back();
      leaves.back().push_back(chip);
      isNew = false;
    }
  }
  return leaves;
}

/// Leaf switches of `radix` ports. What is above them never blocks: each has a trunk upward.
bool FabricBuilder::fatTree(const Wire &wire, llvm::ArrayRef<Chips> members) {
  int64_t chips = 0, largest = 1;
  for (const Chips &member : members) {
    chips += static_cast<int64_t>(member.size());
    largest = std::max(largest, static_cast<int64_t>(member.size()));
  }
  int64_t radix = wire.find("radix").getValueOr(chips);
  if (radix < 2 || wire.oversubscription.toDouble() < 1)
    return bad(wire, "the radix is at least 2 and the oversubscription at least 1");
  if (chips <= radix) {
    oneSwitch(wire, members);
    return true;
  }
  LeafSwitch ports = LeafSwitch::of(radix, wire.oversubscription, largest);
  double ways = std::max(1.0, ports.up * static_cast<double>(wire.lanes));
  uint32_t spine = node("spine[0]");
  named[{wire.level, "spine[0]"}] = {spine};
  size_t number = 0;
  for (const Chips &below : leavesOf(members, ports.down)) {
    std::string name = fmt::format("leaf[{}]", number++);
    uint32_t leaf = node(name);
    named[{wire.level, name}] = {leaf};
    trunk(leaf, spine, ways, wire.bandwidth * ports.up / ways, wire);
    for (uint32_t chip : below)
      attach(chip, leaf, wire);
  }
  return true;
}

/// Switches with `radix` links down and one up, all as wide as a chip's; the lowest ones hold whole
/// members where one fits.
bool FabricBuilder::tree(const Wire &wire, llvm::ArrayRef<Chips> members) {
  int64_t radix = wire.find("radix").getValueOr(2);
  if (radix < 2)
    return bad(wire, "the radix is at least 2");
  size_t number = 0;
  auto newSwitch = [&] {
    std::string name = fmt::format("switch[{}]", number++);
    uint32_t added = node(name);
    named[{wire.level, name}] = {added};
    return added;
  };
  Chips below;
  for (const Chips &chips : leavesOf(members, radix)) {
    below.push_back(newSwitch());
    for (uint32_t chip : chips)
      attach(chip, below.back(), wire);
  }
  while (below.size() > 1) {
    Chips above;
    for (size_t i = 0; i < below.size(); ++i) {
      if (i % static_cast<size_t>(radix) == 0)
        above.push_back(newSwitch());
      trunk(below[i], above.back(), static_cast<double>(wire.lanes),
            wire.bandwidth / static_cast<double>(wire.lanes), wire);
    }
    below = std::move(above);
  }
  return true;
}

/// `groups` of `routers` with `hosts` members each (Kim, Dally, Scott, Abts, ISCA 2008): the
/// routers of a group are fully connected, each two groups have one link. The router of group i
/// that leads to group j is ((i - j) mod groups) mod routers. Links between routers are as wide as
/// a member's.
bool FabricBuilder::dragonfly(const Wire &wire, llvm::ArrayRef<Chips> members) {
  int64_t groups = wire.find("groups").getValueOr(0), routers = wire.find("routers").getValueOr(0),
          hosts = wire.find("hosts").getValueOr(0);
  if (groups < 1 || routers < 1 || hosts < 1)
    return bad(wire, "it needs `groups`, `routers` and `hosts`");
  auto total = checkedMultiply(groups, routers);
  total = total ? checkedMultiply(*total, hosts) : llvm::None;
  if (!total || *total != static_cast<int64_t>(members.size()))
    return bad(wire, fmt::format("{} groups of {} routers with {} hosts each do not make {}",
                                 groups, routers, hosts, counted(members.size(), "member")));
  double ways = static_cast<double>(members[0].size()) * static_cast<double>(wire.lanes);
  Chips all;
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t r = 0; r < routers; ++r) {
      std::string name = fmt::format("router[{},{}]", g, r);
      all.push_back(node(name));
      named[{wire.level, name}] = {all.back()};
    }
  auto router = [&](int64_t g, int64_t r) { return all[static_cast<size_t>(g * routers + r)]; };
  for (size_t i = 0; i < members.size(); ++i)
    for (uint32_t chip : members[i])
      attach(chip, all[i / static_cast<size_t>(hosts)], wire);
  auto join = [&](uint32_t a, uint32_t b) {
    trunk(a, b, ways, wire.bandwidth / static_cast<double>(wire.lanes), wire);
  };
  for (int64_t i = 0; i < groups; ++i) {
    for (int64_t a = 0; a < routers; ++a)
      for (int64_t b = a + 1; b < routers; ++b)
        join(router(i, a), router(i, b));
    for (int64_t j = i + 1; j < groups; ++j)
      join(router(i, (i - j + groups) % groups % routers), router(j, (j - i) % routers));
  }
  return true;
}

/// Two links per chip.
bool FabricBuilder::ring(const Wire &wire, const Chips &line) {
  for (size_t i = 0; i < line.size() && (i == 0 || line.size() > 2); ++i)
    both(line[i], line[(i + 1) % line.size()],
         line.size() == 2 ? wire.bandwidth : wire.bandwidth / 2, wire.latency, wire);
  return true;
}

/// Two links per chip and dimension of several chips, also at the edge of a mesh, where some lead
/// nowhere.
bool FabricBuilder::grid(const Wire &wire, const Chips &points, bool wraps) {
  std::vector<int64_t> sizes = wire.dimensions();
  if (sizes.empty())
    sizes.push_back(static_cast<int64_t>(points.size()));
  int64_t product = 1;
  for (int64_t size : sizes) {
    auto next = size < 1 ? llvm::None : checkedMultiply(product, size);
    product = next.getValueOr(0);
  }
  if (product != static_cast<int64_t>(points.size()))
    return bad(wire,
               fmt::format("its dimensions do not make {}", counted(points.size(), "member")));
  int64_t wired = llvm::count_if(sizes, [](int64_t size) { return size > 1; });
  int64_t stride = 1;
  for (size_t number = 0; number < sizes.size(); ++number) {
    int64_t size = sizes[number];
    double share = number < wire.bandwidths.size()
                       ? wire.bandwidths[number] / 2
                       : wire.bandwidth / static_cast<double>(2 * wired);
    double latency = number < wire.latencies.size() ? wire.latencies[number] : wire.latency;
    for (int64_t i = 0; i < product; ++i) {
      int64_t digit = i / stride % size;
      bool isLast = digit == size - 1;
      if (size < 2 || (isLast && (!wraps || size == 2)))
        continue;
      int64_t next = isLast ? i - digit * stride : i + stride;
      both(points[static_cast<size_t>(i)], points[static_cast<size_t>(next)],
           wraps && size == 2 ? 2 * share : share, latency, wire);
    }
    stride *= size;
  }
  return true;
}

bool FabricBuilder::fullyConnected(const Wire &wire, const Chips &line) {
  double share = wire.bandwidth / static_cast<double>(line.size() - 1);
  for (size_t i = 0; i < line.size(); ++i)
    for (size_t j = i + 1; j < line.size(); ++j)
      both(line[i], line[j], share, wire.latency, wire);
  return true;
}

/// `link 0, 1 { … }`: the members by number. What a link does not say is the network's.
bool FabricBuilder::linkList(const ir::Operation &op, const Wire &wire, const Chips &line) {
  bool hasLink = false;
  for (const ir::Operation &part : op.body()) {
    auto given = ir::as<target::LinkOp>(part);
    if (!given)
      continue;
    hasLink = true;
    int64_t size = static_cast<int64_t>(line.size());
    if (given.first() >= size || given.second() >= size || given.first() == given.second()) {
      diagnostics.report(part.range(), diag::BadTopology, "link",
                         fmt::format("its ends are two different members from 0 to {}", size - 1));
      return false;
    }
    both(line[static_cast<size_t>(given.first())], line[static_cast<size_t>(given.second())],
         given.bandwidth() ? given.bandwidth()->toDouble() : wire.bandwidth,
         given.latency() ? given.latency()->toDouble() : wire.latency, wire);
  }
  return hasLink || bad(wire, "it lists no link: `link 0, 1 { bandwidth 25GB/s }`");
}
