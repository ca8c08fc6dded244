// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/gpu/StreamPrice.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace perfc::gpu;

static StreamDesign streamingDesign() {
  StreamDesign design;
  design.units = 10;
  design.bandwidth = 800;
  design.launch = 2;
  return design;
}

TEST(StreamPrice, BytesAtTheBandwidthReached) {
  StreamWork work;
  work.bytes = 8000;
  EXPECT_DOUBLE_EQ(streamPrice(streamingDesign(), work).total, 2 + 10);
  StreamDesign cached = streamingDesign();
  cached.cache = 8000; // half of it stays
  EXPECT_DOUBLE_EQ(streamPrice(cached, work).total, 2 + 5);
}

TEST(StreamPrice, LimitsAddUpByTheirNorm) {
  StreamWork work;
  work.bytes = 8000;
  work.compute = 10;
  StreamDesign design = streamingDesign();
  EXPECT_NEAR(streamPrice(design, work).body, 10 * std::pow(2, 0.25), 1e-12);
  design.cache = 8000; // half of it stays, and takes as long as what comes from memory
  design.unitBandwidth = 4000 / 5.0 / design.units;
  EXPECT_NEAR(streamPrice(design, work).body,
              std::pow(std::pow(5 * std::pow(2, 1 / 6.0), 4) + 1e4, 0.25), 1e-9);
}

TEST(StreamPrice, RowsThatDoNotStayAreReadAgain) {
  StreamWork work;
  work.bytes = 8000;
  work.passBytes = 4000;
  work.rows = 10;
  work.rowBytes = 400;
  StreamDesign design = streamingDesign();
  EXPECT_DOUBLE_EQ(streamPrice(design, work).bytes, 8000); // all rows stay
  design.held = 400;
  EXPECT_DOUBLE_EQ(streamPrice(design, work).bytes, 10000);
  design.rowTime = 3;
  EXPECT_DOUBLE_EQ(streamPrice(design, work).rows, 3);
  work.rowLength = 100;
  design.elementTime = 0.02;
  EXPECT_DOUBLE_EQ(streamPrice(design, work).rows, 5);
  design.unaligned = 1.5;
  double aligned = streamPrice(design, work).memory;
  work.rowBytes = 404; // no multiple of 16
  design.held = 404;
  EXPECT_NEAR(streamPrice(design, work).memory, 1.5 * aligned, 1e-9);
}

TEST(StreamPrice, TheHostStartsEachKernel) {
  StreamWork work;
  StreamDesign design = streamingDesign();
  design.host = 30;
  design.ahead = 0.5;
  work.bytes = 8; // the host alone
  EXPECT_NEAR(streamPrice(design, work).total, 30, 0.5);
  work.bytes = 8e6; // the kernel, which began before the host was through
  EXPECT_NEAR(streamPrice(design, work).total, 15 + 10000, 0.1);
}
