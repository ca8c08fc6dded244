// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces that are read and written again are the same bytes.
#include "backends/network/chakra/Records.h"
#include "backends/network/chakra/TraceReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::chakra;

TEST(Records, ReferenceTracesAreWrittenByteForByte) {
  std::error_code code;
  size_t files = 0;
  for (llvm::sys::fs::recursive_directory_iterator
           it(std::string(PERFC_TEST_DIR) + "/reference/astra_sim/traces", code),
       end;
       it != end && !code; it.increment(code)) {
    if (llvm::sys::path::extension(it->path()) != ".et")
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(buffer);
    WireError error;
    auto records = readRecords((*buffer)->getBuffer(), error);
    ASSERT_TRUE(records.hasValue()) << it->path() << ": " << error.reason;
    EXPECT_EQ(traceBytes(*records), (*buffer)->getBuffer().str()) << it->path();
    ++files;
  }
  EXPECT_GE(files, 5u);
}

TEST(Records, WrittenNodesAreRead) {
  TraceRecords records;
  NodeRecord node;
  node.id = 300;
  node.name = "all_reduce";
  node.type = NodeType::Collective;
  node.dataDependencies = {1, 200};
  node.attributes = {
      RecordAttribute::int64("comm_type", 0), RecordAttribute::int64("comm_size", 1 << 20),
      RecordAttribute::boolean("is_cpu_op", false), RecordAttribute::text("pg_name", "7")};
  records.nodes = {node};
  WireError error;
  auto trace = readTrace(traceBytes(records), "x", error);
  ASSERT_TRUE(trace.hasValue()) << error.reason;
  EXPECT_EQ(trace->version, "0.0.4");
  ASSERT_EQ(trace->nodes.size(), 1u);
  EXPECT_EQ(trace->nodes[0].id, 300u);
  EXPECT_EQ(trace->nodes[0].value(Field::CommSize), 1 << 20);
  EXPECT_EQ(trace->nodes[0].state(Field::CommType), FieldState::Integer);
  EXPECT_EQ(trace->groupNames[trace->nodes[0].group], "7");
  EXPECT_EQ(trace->missing.size(), 2u);
}

TEST(Records, WhatIsNoTraceNamesItsByte) {
  WireError error;
  EXPECT_FALSE(readRecords(std::string("\x05\x0a", 2), error));
  EXPECT_EQ(error.offset, 1u);
  EXPECT_FALSE(readRecords("", error));
}
