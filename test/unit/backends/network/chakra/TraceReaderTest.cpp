// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/TraceReader.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::chakra;

namespace {

std::string record(const std::string &bytes) {
  return std::string(1, static_cast<char>(bytes.size())) + bytes;
}
const std::string metadata = record("\x0a\x05"
                                    "0.0.4");

std::string reason(const std::string &bytes, uint64_t offset) {
  WireError error;
  EXPECT_FALSE(readTrace(bytes, "x", error)) << error.reason;
  EXPECT_EQ(error.offset, offset);
  return error.reason;
}

} // namespace

TEST(TraceReader, NodesAreSortedAndLinked) {
  WireError error;
  std::string bytes = metadata + record("\x08\x05\x18\x04\x2a\x02\x01\x02") +
                      record("\x08\x02\x18\x04") + record("\x08\x01\x18\x04\x38\x07");
  auto trace = readTrace(bytes, "x", error);
  ASSERT_TRUE(trace.hasValue()) << error.reason;
  EXPECT_EQ(trace->version, "0.0.4");
  ASSERT_EQ(trace->nodes.size(), 3u);
  EXPECT_EQ(trace->nodes[0].id, 1u);
  EXPECT_EQ(trace->nodes[0].durationMicros, 7u);
  EXPECT_EQ(trace->parentCounts()[2], 2u);
  EXPECT_EQ(trace->children(0)[0], 2u);
  EXPECT_TRUE(trace->cycle().empty());
}

TEST(TraceReader, Cycles) {
  WireError error;
  auto trace = readTrace(metadata + record("\x08\x01\x2a\x01\x02") +
                             record("\x08\x02\x22\x01\x01") + record("\x08\x03\x2a\x01\x02"),
                         "x", error);
  ASSERT_TRUE(trace.hasValue());
  EXPECT_EQ(trace->cycle().size(), 2u);
  EXPECT_EQ(trace->unreachable().size(), 3u);
}

TEST(TraceReader, SaysWhereItStopped) {
  EXPECT_EQ(reason("", 0), "the file is empty; a trace begins with its metadata");
  EXPECT_EQ(reason("\x05"
                   "ab",
                   1),
            "a record of 5 bytes, but only 2 are left");
  EXPECT_EQ(reason(metadata + "\xff", 8), "the number is cut off");
  EXPECT_EQ(reason(metadata + record("\x08"), 10), "the number is cut off");
  EXPECT_EQ(reason(metadata + record("\x18\x09"), 9), "there is no node type 9");
  EXPECT_EQ(reason(metadata + record("\x12\x04"
                                     "ab"),
                   11),
            "field 2 of 4 bytes, but only 2 are left");
  EXPECT_EQ(reason(metadata + record("\x0b"), 9), "field 1 has the unknown wire type 3");
}
