// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/Simplify.h"
#include "backends/network/chakra/OldSchema.h"
#include "backends/network/chakra/TraceReader.h"
#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::chakra;

static Node node(uint64_t id, NodeType type, bool onCpu = false) {
  Node made;
  made.id = id;
  made.type = type;
  made.onCpu = onCpu;
  made.durationMicros = 10;
  return made;
}

TEST(Simplify, WaitsAreInherited) {
  Trace trace;
  trace.add(node(1, NodeType::Compute), {});
  trace.add(node(2, NodeType::Metadata), {1});
  trace.add(node(3, NodeType::Compute, /*onCpu=*/true), {2, 1});
  trace.add(node(4, NodeType::Collective), {3});
  trace.add(node(5, NodeType::Compute, /*onCpu=*/true), {});
  trace.add(node(6, NodeType::Compute), {5});
  trace.link();
  Trace shorter = simplify(trace);
  ASSERT_EQ(shorter.nodes.size(), 3u);
  EXPECT_EQ(shorter.nodes[1].id, 4u);
  EXPECT_EQ(shorter.parentCounts()[1], 1u);
  EXPECT_EQ(shorter.children(0)[0], 1u);
  EXPECT_EQ(shorter.parentCounts()[2], 0u);
}

TEST(Simplify, SummariesCountWhatThereIs) {
  Trace trace;
  trace.add(node(1, NodeType::Compute), {});
  trace.add(node(2, NodeType::Compute, /*onCpu=*/true), {});
  trace.add(node(3, NodeType::Metadata), {});
  trace.add(node(4, NodeType::MemLoad), {});
  trace.add(node(5, NodeType::Collective), {});
  trace.add(node(6, NodeType::Collective), {});
  trace.link();
  TraceSummary summary = summarize(trace);
  EXPECT_EQ(summary.nodes, 6u);
  EXPECT_EQ(summary.kernels, 1u);
  EXPECT_EQ(summary.cpuOperations, 1u);
  EXPECT_EQ(summary.memoryAccesses, 1u);
  EXPECT_EQ(summary.others, 1u);
  EXPECT_EQ(summary.kernelMicros, 10u);
  ASSERT_EQ(summary.traffic.size(), 1u);
  EXPECT_EQ(summary.traffic.begin()->second, 2u);
}

/// What stays is ordered as before: who waited for whom through nodes that vanish still does.
TEST(Simplify, OrderIsKept) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    Trace trace;
    constexpr uint32_t count = 30;
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count, false));
    for (uint32_t id = 0; id < count; ++id) {
      std::vector<uint64_t> after;
      for (uint32_t other = 0; other < id; ++other)
        if (random() % 8 == 0) {
          after.push_back(other);
          before[other][id] = true;
        }
      trace.add(node(id, NodeType::Compute, random() % 3 == 0), after);
    }
    trace.link();
    Trace shorter = simplify(trace);
    std::vector<std::vector<bool>> reached(count, std::vector<bool>(count, false));
    for (uint32_t i = 0; i < shorter.nodes.size(); ++i)
      for (uint32_t child : shorter.children(i))
        reached[shorter.nodes[i].id][shorter.nodes[child].id] = true;
    for (auto *relation : {&before, &reached})
      for (uint32_t k = 0; k < count; ++k)
        for (uint32_t i = 0; i < count; ++i)
          for (uint32_t j = 0; j < count; ++j)
            if ((*relation)[i][k] && (*relation)[k][j])
              (*relation)[i][j] = true;
    for (const Node &one : shorter.nodes)
      for (const Node &two : shorter.nodes)
        EXPECT_EQ(before[one.id][two.id], reached[one.id][two.id]);
  }
}

TEST(OldSchema, FieldsBecomeAttributes) {
  auto record = [](const std::string &bytes) {
    return std::string(1, static_cast<char>(bytes.size())) + bytes;
  };
  // id 3, a collective; parents 1 and 2; ALL_TO_ALL of 100 bytes in communicator 5.
  std::string bytes =
      record(std::string("\x08\x01\x12\x01\x61\x18\x03\x38\x09", 9)) +
      record(std::string("\x08\x02\x12\x01\x61\x18\x04\x88\x01\x06\x98\x01\x04", 13)) +
      record("\x08\x03\x12\x01\x62\x18\x06\x20\x01\x20\x02\x68\x02\x78\x05\x90\x01\x64");
  ASSERT_TRUE(isOldSchema(bytes));
  WireError error;
  auto trace = readTrace(bytes, "x", error);
  ASSERT_TRUE(trace.hasValue()) << error.reason;
  ASSERT_EQ(trace->nodes.size(), 3u);
  EXPECT_EQ(trace->version, "0.0.1");
  EXPECT_EQ(trace->nodes[0].type, NodeType::Compute);
  EXPECT_EQ(trace->nodes[0].durationMicros, 9u);
  EXPECT_EQ(trace->nodes[1].type, NodeType::Send);
  EXPECT_EQ(trace->nodes[1].value(Field::CommDst), 6);
  EXPECT_EQ(trace->nodes[2].type, NodeType::Collective);
  EXPECT_EQ(trace->nodes[2].value(Field::CommType), 6);
  EXPECT_EQ(trace->nodes[2].value(Field::CommSize), 100);
  EXPECT_EQ(trace->groupNames[trace->nodes[2].group], "5");
  EXPECT_EQ(trace->parentCounts()[2], 2u);
}

TEST(OldSchema, MistakesNameTheirByte) {
  WireError error;
  std::string bytes("\x08\x08\x01\x12\x01\x61\x68\x09\x18", 9);
  EXPECT_FALSE(readTrace(bytes, "x", error).hasValue());
  EXPECT_EQ(error.offset, 6u);
  EXPECT_NE(error.reason.find("no collective 9"), std::string::npos);
}
