// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schemas 0.0.2 and 0.0.3, written here field by field.
#include "backends/network/chakra/AttributeSchema.h"
#include "backends/network/chakra/TraceReader.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::chakra;

namespace {

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7)
    bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

std::string sized(uint32_t field, const std::string &bytes) {
  return varint(field * 8 + 2) + varint(bytes.size()) + bytes;
}

std::string number(uint32_t field, uint64_t value) { return varint(field * 8) + varint(value); }

/// Schema 0.0.3 has values of kind i in field 7; before there were fewer kinds, and it was field 5.
std::string attribute(const std::string &name, uint64_t value, uint32_t field = 7) {
  return sized(11, sized(1, name) + number(2, 3) + number(field, value));
}

std::string node(uint64_t id, uint64_t type, const std::string &rest) {
  std::string bytes = number(1, id) + sized(2, "n") + number(3, type) + rest;
  return varint(bytes.size()) + bytes;
}

Trace read(const std::string &bytes) {
  WireError error;
  EXPECT_TRUE(isAttributeSchema(bytes));
  auto trace = readTrace(bytes, "x", error);
  EXPECT_TRUE(trace.hasValue()) << error.reason;
  return trace ? *trace : Trace();
}

} // namespace

TEST(AttributeSchema, NodesOf003) {
  std::string metadata = sized(1, sized(1, "schema") + number(2, 4) + sized(8, "0.0.3"));
  std::string bytes = varint(metadata.size()) + metadata;
  bytes += node(1, 4, attribute("is_cpu_op", 0, 4) + attribute("runtime", 25, 6));
  bytes += node(2, 7,
                number(4, 1) + attribute("comm_type", 2) + attribute("comm_size", 1 << 20) +
                    sized(11, sized(1, "pg_name") + number(2, 4) + sized(8, "3")));
  bytes += node(3, 5,
                number(4, 1) + number(4, 2) + attribute("comm_dst", 1) +
                    attribute("comm_size", 64) + attribute("comm_tag", 9));
  Trace trace = read(bytes);
  EXPECT_EQ(trace.version, "0.0.3");
  ASSERT_EQ(trace.nodes.size(), 3u);
  EXPECT_EQ(trace.nodes[0].type, NodeType::Compute);
  EXPECT_EQ(trace.nodes[0].durationMicros, 25u);
  EXPECT_EQ(trace.nodes[1].type, NodeType::Collective);
  EXPECT_EQ(trace.nodes[1].value(Field::CommType), 2); // an all-gather was 2 then, too
  EXPECT_EQ(trace.groupNames[trace.nodes[1].group], "3");
  EXPECT_EQ(trace.nodes[2].type, NodeType::Send);
  EXPECT_EQ(trace.nodes[2].value(Field::CommTag), 9);
  EXPECT_EQ(trace.parentCounts()[2], 2u);
}

TEST(AttributeSchema, TypesOf002AreOneLower) {
  std::string bytes = node(1, 3, attribute("num_ops", 100, 5));
  bytes += node(2, 6, number(4, 1) + attribute("comm_type", 1, 5) + attribute("comm_size", 8, 5));
  bytes += node(3, 4, attribute("comm_dst", 1, 5) + attribute("comm_size", 64, 5));
  Trace trace = read(bytes);
  EXPECT_EQ(trace.version, "0.0.2");
  EXPECT_EQ(trace.nodes[0].type, NodeType::Compute);
  EXPECT_EQ(trace.nodes[1].type, NodeType::Collective);
  EXPECT_EQ(trace.nodes[1].value(Field::CommType), 6); // ALL_TO_ALL
  EXPECT_EQ(trace.nodes[2].type, NodeType::Send);
}

TEST(AttributeSchema, MistakesNameTheirByte) {
  std::string good = node(1, 7, attribute("comm_type", 0) + attribute("comm_size", 8));
  WireError error;
  EXPECT_FALSE(readTrace(good + node(2, 7, attribute("comm_type", 9)), "x", error));
  EXPECT_EQ(error.reason, "there is no collective 9 in schemas 0.0.2 and 0.0.3");
  EXPECT_EQ(error.offset, good.size() + 1);
  EXPECT_FALSE(readTrace(good + node(2, 9, ""), "x", error));
  EXPECT_EQ(error.reason, "there is no node type 9");
  EXPECT_FALSE(readTrace(good + varint(50) + "abc", "x", error));
  EXPECT_EQ(error.reason, "a record of 50 bytes, but only 3 are left");
}
