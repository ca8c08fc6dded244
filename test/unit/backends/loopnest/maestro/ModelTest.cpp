// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the diagnostics DataflowMappedTwice, DataflowNothingSpatial, DataflowTooFewPes,
// DataflowTooDeep.
#include "backends/loopnest/maestro/Model.h"
#include "backends/loopnest/maestro/OuterCounts.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::maestro;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Hardware;
using dataflow::Layer;

namespace {

Directive spatial(char dim, int64_t size = 1) {
  return {DirectiveKind::Spatial, size, size, dim, {}};
}
Directive temporal(char dim, int64_t size = 1) {
  return {DirectiveKind::Temporal, size, size, dim, {}};
}
Directive cluster(int64_t size) { return {DirectiveKind::Cluster, size, 1, 0, {}}; }

Layer gemm(int64_t m, int64_t n, int64_t k, std::vector<Directive> directives) {
  Layer layer;
  layer.name = "gemm";
  layer.type = dataflow::LayerType::Gemm;
  layer.dims = {{'M', m}, {'N', n}, {'K', k}};
  layer.directives = std::move(directives);
  return layer;
}

struct Report {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::string first() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
  }
};

Figures figures(const Layer &layer, const Hardware &hardware = {}) {
  Report report;
  auto result = evaluate(layer, hardware, report.diagnostics);
  EXPECT_TRUE(result) << report.first();
  return result.getValueOr(Figures());
}

} // namespace

/// The tool's known error 3: outputs are written at every step of a reduction.
TEST(Maestro, OutputsAreWrittenAtEveryStep) {
  Layer layer = gemm(4, 4, 8, {spatial('M'), temporal('N'), temporal('K')});
  Hardware hardware;
  hardware.pes = 4;
  Figures result = figures(layer, hardware);
  EXPECT_EQ(result.macs, 128);
  EXPECT_EQ(result.output.l2Write, 128);
  EXPECT_EQ(result.output.l2Read, 16);
  EXPECT_EQ(result.filter.l2Read, 4 * 8);
  EXPECT_EQ(result.input.l1Read, 128);
  EXPECT_EQ(result.activePes, 4.0);
  // 32 steps of a cycle each; the first waits for one hop.
  EXPECT_EQ(result.runtime, 33);

  Report report;
  std::string reason;
  auto levels = translate(layer, 4, report.diagnostics);
  ASSERT_TRUE(levels);
  auto counts = countOuter(layer, levels->front(), reason);
  ASSERT_TRUE(counts) << reason;
  EXPECT_EQ(counts->steps, 32);
  EXPECT_EQ(counts->outputWrites, 16);
  EXPECT_EQ(counts->inputReads, 4 * 4 * 8);
  EXPECT_EQ(counts->filterReads, 4 * 8);
}

TEST(Maestro, LevelsInheritWhatTheyDoNotMap) {
  Report report;
  auto levels =
      translate(gemm(64, 64, 64, {spatial('M', 2), temporal('K', 16), cluster(8), spatial('K')}),
                64, report.diagnostics);
  ASSERT_TRUE(levels && levels->size() == 2);
  EXPECT_EQ(levels->front().fanout, 8);
  EXPECT_EQ(levels->back().fanout, 8);
  EXPECT_EQ(levels->back().sizes.at('K'), 16);
  EXPECT_EQ(levels->back().mapOf('M').size, 2);
  EXPECT_EQ(levels->front().mapOf('N').size, 64);
  EXPECT_FALSE(levels->back().mapOf('M').spatial);
}

/// Rows of the input and of the filter share the lane number: each lane has its filter row, all of
/// them the same output row.
TEST(Maestro, TwoSpatialMapsShareTheLane) {
  Layer layer;
  layer.name = "rows";
  layer.dims = {{'K', 2}, {'C', 2}, {'R', 3}, {'S', 3}, {'Y', 7}, {'X', 6}};
  layer.directives = {temporal('K'),
                      {DirectiveKind::Spatial, 3, 1, 'Y', {}},
                      {DirectiveKind::Temporal, 3, 1, 'X', {}},
                      cluster(3),
                      spatial('Y'),
                      spatial('R')};
  Hardware hardware;
  hardware.pes = 15;
  Figures result = figures(layer, hardware);
  EXPECT_EQ(result.macs, *exactMacs(layer));
  EXPECT_EQ(result.macs, 2 * 2 * 5 * 4 * 9);
  EXPECT_EQ(result.activePes, 15.0);
}

TEST(Maestro, TheFloorplanIsThatOfLanesBuffersAndNetwork) {
  Figures needs;
  needs.l1Elements = 6;
  needs.l2Elements = 18;
  Hardware four;
  four.pes = 4;
  four.simd = 2;
  four.nocBandwidth = 8;
  // Bus: 8 (4 * 14.662 + 28.895) = 700.344; arbiter: 16 * 1.2886 + 4 * 5.5814 - 23.711 = 19.2322.
  Floorplan plan = floorplan(needs, four);
  EXPECT_NEAR(plan.area, 283 * 8 + 0.104 * 42 + 101.7938 * 700.344 + 395.473 * 19.2322, 1e-6);
  EXPECT_NEAR(plan.power, 1.2223 * 8 + 0.00345 * 42 + 0.0008 * 700.344 + 0.34, 1e-9);
  EXPECT_EQ(*Figures::multicast({9, 4, 4, 9}), 1.0);
  EXPECT_FALSE(Figures::multicast({}));
}

TEST(Maestro, ReportsDataflowsThatMakeNoSense) {
  auto reportOf = [](std::vector<Directive> directives, int64_t size = 8) {
    Report report;
    Layer layer = gemm(size, size, size, std::move(directives));
    EXPECT_FALSE(evaluate(layer, {}, report.diagnostics));
    return report.first();
  };
  EXPECT_EQ(reportOf({temporal('M')}), "level 1 of the dataflow maps nothing in space");
  EXPECT_EQ(reportOf({spatial('M'), cluster(2), temporal('K')}),
            "level 2 of the dataflow maps nothing in space");
  EXPECT_EQ(reportOf({spatial('M'), temporal('M')}), "`M` is mapped twice in one cluster");
  EXPECT_EQ(reportOf({spatial('C')}), "a GEMM layer has no dimension `C`");
  EXPECT_EQ(reportOf({spatial('M'), cluster(257), spatial('K')}),
            "the clusters need more lanes than the 256 that there are");
  EXPECT_EQ(reportOf({spatial('M')}, dataflow::maxSize),
            "`gemm` has more steps or accesses than 64 bits can count");
  std::vector<Directive> deep{spatial('M')};
  for (unsigned i = 0; i < 20; ++i)
    deep.insert(deep.end(), {cluster(1), spatial('K')});
  EXPECT_EQ(reportOf(deep), "a dataflow has at most 8 levels");
}

TEST(Maestro, OuterCountsNeedWholeWindows) {
  Layer layer;
  layer.name = "rows";
  layer.dims = {{'K', 2}, {'C', 2}, {'R', 3}, {'S', 3}, {'Y', 7}, {'X', 6}};
  layer.directives = {{DirectiveKind::Spatial, 1, 1, 'Y', {}}};
  Report report;
  std::string reason;
  auto levels = translate(layer, 4, report.diagnostics);
  ASSERT_TRUE(levels);
  EXPECT_FALSE(countOuter(layer, levels->front(), reason));
  EXPECT_EQ(reason, "a tile of Y is smaller than the filter");
}
