// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a fit tells of how far it is: rows that are read, steps of the most that it may take, and
// the mean error so far; then groups that are left out.
#include "api/fit/Calibration.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::api;

static constexpr const char *program = R"(
import std.ops.matmul
param table = "TABLE"
hardware board {
  clock  1GHz
  dtype  fp16
  launch 5us
  memory DRAM { off_chip; capacity 8GB; bandwidth 1TB/s }
  array PE[64] { compute MAC { rate 64/cycle } }
}
validate row in table {
  name "{row.us}"
  evaluate matmul(M = 1, N = 1, K = 1) on board using roofline
  against latency = row.us * 1us as us by kind = row.kind
}
calibrate mine {
  parameter board.launch in 1us..100us
  leave_out kind
}
)";

namespace {
struct Recorder : Watcher {
  void at(llvm::StringRef what) override { activities.push_back(what.str()); }
  void count(Level level, int64_t done, int64_t total) override {
    (level == Level::Sweep ? points : steps).emplace_back(done, total);
  }
  void best(Level, std::string text) override { found.push_back(std::stod(text)); }
  void clear() { *this = Recorder(); }
  Recorder &operator=(const Recorder &other) {
    activities = other.activities, points = other.points;
    steps = other.steps, found = other.found;
    return *this;
  }

  using Counts = std::vector<std::pair<int64_t, int64_t>>;
  std::vector<std::string> activities;
  Counts points, steps;
  std::vector<double> found;
};
} // namespace

TEST(CalibrationTest, TellsHowFarAFitIs) {
  std::string table = testing::TempDir() + "/calibration.csv", text = program;
  std::ofstream(table) << "kind,us\na,30\na,33\nb,36\n";
  text.replace(text.find("TABLE"), 5, table);
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  Recorder told;
  FitRows rows({sources, diagnostics, told}, sources.add("fit.perf", text), {}, 1);
  ASSERT_FALSE(diagnostics.hasErrors()) << diagnostics.all().front().message;
  EXPECT_EQ(told.points, (Recorder::Counts{{0, 3}, {1, 3}, {2, 3}, {0, 0}}));

  told.clear();
  Calibration calibration(rows);
  ConstantValues values;
  calibration.fit([](size_t) { return true; }, values);
  EXPECT_EQ(told.activities, std::vector<std::string>{"calibrate mine: 3 rows"});
  ASSERT_GE(told.steps.size(), 2u);
  for (size_t i = 0; i < told.steps.size(); ++i)
    EXPECT_EQ(told.steps[i], std::make_pair(int64_t(i), int64_t(100)));
  ASSERT_GE(told.found.size(), 2u);
  EXPECT_NEAR(told.found.front(), 550, 20); // 5 us for 33 us, as a factor less 1
  EXPECT_LT(told.found.back(), 7);
  for (size_t i = 1; i < told.found.size(); ++i)
    EXPECT_LE(told.found[i], told.found[i - 1]); // of three digits

  told.clear();
  calibration.leaveOut("kind");
  EXPECT_EQ(told.points, (Recorder::Counts{{0, 2}, {1, 2}, {0, 0}}));
  EXPECT_EQ(told.activities,
            (std::vector<std::string>{"calibrate mine: 1 row", "calibrate mine: 2 rows"}));
}
