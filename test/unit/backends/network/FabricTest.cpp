// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages on links: by hand, and against the closed forms on random symmetric systems.
#include "backends/network/ClosedForms.h"
#include "backends/network/FabricSimulation.h"
#include "backends/network/SharedLinks.h"
#include "test/unit/ProviderTest.h"
#include <random>

using namespace perfc;
using namespace perfc::network;

namespace {

struct System {
  explicit System(llvm::StringRef groups)
      : parsed("target.chip @chip (dtype = \"fp16\") { }\ntarget.system @s {\n" + groups.str() +
               "}\n"),
        op(*parsed.module->lookup("s")), fabric(Fabric::build(op, parsed.diagnostics)) {}

  double seconds(const Messages &messages) {
    auto result = simulateMessages(*fabric, messages, {}, parsed.diagnostics);
    return result ? result->seconds : -1;
  }

  ParsedModule parsed;
  const ir::Operation &op;
  std::unique_ptr<Fabric> fabric;
};

std::string group(llvm::StringRef name, llvm::StringRef of, int64_t count, llvm::StringRef net) {
  return fmt::format("target.group @{} {{ target.members (count = {}, of = @{})\n"
                     "  target.network ({}) }}\n",
                     name, count, of, net);
}

Messages one(uint32_t from, uint32_t to, double bytes) {
  Messages messages;
  messages.add(from, to, bytes, {});
  return messages;
}

} // namespace

TEST(Fabric, OneMessage) {
  System node(group("node", "chip", 4, "bandwidth = 100GB/s, latency = 1us"));
  ASSERT_TRUE(node.fabric);
  EXPECT_NEAR(node.seconds(one(0, 3, 1e6)), 11e-6, 1e-12);
  // Two for one receiver share its link; the second head waits.
  Messages two = one(0, 3, 1e6);
  two.add(1, 3, 1e6, {});
  EXPECT_NEAR(node.seconds(two), 21e-6, 1e-12);
}

TEST(Fabric, WaysOnATorusAndAMesh) {
  System torus(group("t", "chip", 16,
                     "topology = \"torus\", topology_arguments = {d0 = 4, d1 = 4}, bandwidth = "
                     "40GB/s, latency = 1us"));
  ASSERT_TRUE(torus.fabric);
  EXPECT_EQ(torus.fabric->route(0, 3).size(), 1u);
  EXPECT_EQ(torus.fabric->route(0, 10).size(), 4u);
  // A quarter of the bandwidth per link: 2 us, and 100 us for 1 MB.
  EXPECT_NEAR(torus.seconds(one(0, 5, 1e6)), 102e-6, 1e-12);
  System mesh(group("t", "chip", 16,
                    "topology = \"mesh\", topology_arguments = {d0 = 4, d1 = 4}, bandwidth = "
                    "40GB/s, latency = 1us"));
  EXPECT_EQ(mesh.fabric->route(0, 3).size(), 3u);
}

TEST(Fabric, OversubscribedFatTree) {
  // Four ports down and a trunk of four; with oversubscription 3 it is 4/3 wide.
  auto tree = [](llvm::StringRef over) {
    return group("t", "chip", 12,
                 fmt::format("topology = \"fat_tree\", topology_arguments = {{radix = 8{}}}, "
                             "bandwidth = 10GB/s, latency = 1us",
                             over.str()));
  };
  Messages across; // from all chips of one leaf to those of the next
  for (uint32_t i = 0; i < 4; ++i)
    across.add(i, 4 + i, 1e6, {});
  System even(tree("")), uneven(tree(", oversubscription = 3"));
  EXPECT_NEAR(even.seconds(across), 101e-6, 1e-12); // side by side, as through a switch
  // One at full pace, the next at a third of it until that one ends: 1, 5/3, 22/9 and 86/27 times
  // 100 us.
  EXPECT_NEAR(uneven.seconds(across), 1e-6 + 86.0 / 27 * 100e-6, 1e-11);
  // One message alone is as fast as its chip's link, if the trunk is.
  EXPECT_NEAR(uneven.seconds(one(0, 4, 1e6)), 101e-6, 1e-12);
  // Trunks 8/3 and 1/3 wide: two messages and 2/3 of one at a time, or one after the other.
  System half(tree(", oversubscription = 1.5")), most(tree(", oversubscription = 12"));
  EXPECT_NEAR(half.seconds(across), 1e-6 + 2 * 100e-6, 1e-11);
  EXPECT_NEAR(most.seconds(across), 1e-6 + 4 * 300e-6, 1e-11);
  EXPECT_EQ(even.fabric->route(0, 4).size(), 4u);
  EXPECT_EQ(even.fabric->route(0, 3).size(), 2u);
}

TEST(Fabric, LeavesHoldWholeMembers) {
  auto leafOf = [](int64_t nodes, int64_t chips, int64_t radix) {
    System tree(
        group("n", "chip", chips, "topology = \"switch\"") +
        group("t", "n", nodes,
              fmt::format("topology = \"fat_tree\", topology_arguments = {{radix = {}}}", radix)));
    int64_t same = 0; // chips of other nodes on the leaf of the last one
    auto last = static_cast<uint32_t>(nodes * chips - 1);
    for (uint32_t chip = 0; chip < last; ++chip)
      same += chip / chips != last / chips && tree.fabric->route(chip, last).size() == 2;
    return same;
  };
  // Nodes of three: leaves for 6 chips hold two, those for 7 as well, those for 5 one.
  EXPECT_EQ(leafOf(6, 3, 12), 3);
  EXPECT_EQ(leafOf(6, 3, 14), 3);
  EXPECT_EQ(leafOf(6, 3, 10), 0);
  // Half a node of four.
  EXPECT_EQ(leafOf(3, 4, 6), 0);
  EXPECT_EQ(LeafSwitch::of(36, Quantity(1), 8).down, 16);
  EXPECT_EQ(LeafSwitch::of(12, Quantity(1), 8).down, 4);
  // Seven chips on two leaves: four and three.
  EXPECT_EQ(LeafSwitch::of(8, Quantity(1), 7).down, 4);
  EXPECT_EQ(leafOf(3, 7, 8), 0);
  EXPECT_EQ(LeafSwitch::of(64, Quantity(4), 8).up, 8);
}

TEST(Fabric, DragonflyJoinsAllGroups) {
  System fly(group("d", "chip", 64,
                   "topology = \"dragonfly\", topology_arguments = {groups = 8, routers = 4, hosts "
                   "= 2}, bandwidth = 10GB/s, latency = 1us"));
  ASSERT_TRUE(fly.fabric);
  for (uint32_t to = 1; to < 64; ++to) {
    size_t hops = fly.fabric->route(0, to).size();
    EXPECT_GE(hops, 2u);
    EXPECT_LE(hops, 5u); // up, local, global, local, down
  }
}

TEST(Fabric, FaultsSlowAndBreak) {
  std::string pod = group("node", "chip", 2, "bandwidth = 100GB/s, latency = 1us") +
                    "target.group @pod { target.members (count = 2, of = @node)\n"
                    "  target.network (bandwidth = 10GB/s, latency = 5us)\n";
  EXPECT_NEAR(System(pod + "}\n").seconds(one(0, 2, 1e6)), 105e-6, 1e-12);
  System slow(pod + "target.fault (kind = \"link\", ends = [\"node[1]\", \"switch[0]\"], "
                    "bandwidth_factor = 0.25) }\n");
  EXPECT_NEAR(slow.seconds(one(0, 2, 1e6)), 405e-6, 1e-12);
  EXPECT_NEAR(slow.seconds(one(2, 3, 1e6)), 11e-6, 1e-12);
  System broken(pod + "target.fault (kind = \"chip\", ends = [\"chip[3]\"]) }\n");
  EXPECT_EQ(broken.seconds(one(0, 3, 1e6)), -1);
  EXPECT_TRUE(broken.parsed.diagnostics.hasErrors());
  System straggler(pod + "target.fault (kind = \"chip\", ends = [\"chip[1]\"], slowdown = 2) }\n");
  EXPECT_NEAR(straggler.seconds(one(0, 1, 1e6)), 21e-6, 1e-12);
}

TEST(Fabric, LinkLists) {
  System line("target.group @g { target.members (count = 3, of = @chip)\n"
              "  target.network (topology = \"links\", bandwidth = 10GB/s, latency = 1us)\n"
              "  target.link (first = 0, second = 1)\n"
              "  target.link (first = 1, second = 2, bandwidth = 5GB/s, latency = 3us) }\n");
  ASSERT_TRUE(line.fabric);
  EXPECT_NEAR(line.seconds(one(0, 2, 1e6)), 204e-6, 1e-12);
}
