// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that stay lowered while values are tried are predicted as rows that are built and lowered
// each time, to the last digit.
#include "api/fit/FitRows.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::api;

/// `rate` is of a chip, `start` decides what a row runs, `width` is an extent, `factor` is of the
/// statement alone, and `gemm` of a runtime.
static constexpr const char *fittedRows = R"(
import std.ops.{matmul, softmax}
import std.runtimes
import std.workloads.llama3

param table = "TABLE"

let start = 5us
let width = 64
let factor = 1

hardware board {
  clock  1GHz
  dtype  fp16
  launch start
  memory DRAM { off_chip; capacity 80GB; bandwidth 18GB/s }
  array PE[64] { compute MAC { rate 64/cycle } }
}
runtime stack_of_mine from stack { gemm 65%; measured 1 +- 10% }

validate row in table {
  if row.kind == "step" {
    train llama3_8b(T = 512) on board as step {
      parallel data = 1
      batch 2
      optimizer adam
      runtime stack_of_mine
    }
    against step.step_time = row.us * 1us as us
  } else {
    let rows = if start > 6us then 2 else 1
    for i in 1..2 {
      evaluate matmul(M = rows, N = row.n * i, K = round(width)) on board using roofline as part
    }
    evaluate softmax(N = 4096) on board using roofline as other
    against sum(part.latency) * factor = row.us * 1us, other.latency = row.us * 1us as us, other
  }
}

calibrate all {
  parameter board.DRAM.bandwidth in 1GB/s..100GB/s
  parameter start in 1us..20us
  parameter width in 32..256
  parameter factor in 0.5..2
  parameter stack_of_mine.gemm in 20%..99%
}
)";

static std::string withTable(const std::string &path) {
  std::ofstream(path)
      << "kind,n,us\nproduct,64,9\nproduct,512,30\nstep,0,1000000\nproduct,2048,80\n";
  std::string text = fittedRows;
  return text.replace(text.find("TABLE"), 5, path);
}

class FitRowsTest : public testing::TestWithParam<unsigned> {};

TEST_P(FitRowsTest, AttemptsArePredictions) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  Watcher watcher;
  std::string table = fmt::format("{}/fit_rows_{}.csv", testing::TempDir(), GetParam());
  FileId file = sources.add("fit.perf", withTable(table));
  FitRows rows({sources, diagnostics, watcher}, file, {}, GetParam());
  ASSERT_FALSE(diagnostics.hasErrors()) << diagnostics.all().front().message;
  ASSERT_EQ(rows.rows().size(), 4u);
  // In the order of the constants; a width is rounded, and 6.5 us another number of rows.
  const double tries[][5] = {{18e9, 5e-6, 64, 1, 0.65},     {18e9, 5e-6, 64, 1, 0.65},
                             {19.5e9, 5e-6, 64, 1, 0.65},   {19.5e9, 5.25e-6, 64, 1, 0.61},
                             {19.5e9, 6.5e-6, 64, 1, 0.61}, {17e9, 6.75e-6, 128, 1.3, 0.7},
                             {17e9, 4e-6, 128, 1.3, 0.7},   {18e9, 5e-6, 64, 1, 1}};
  std::vector<std::string> metrics{"us"};
  for (const auto &values : tries) {
    ConstantValues at(std::begin(values), std::end(values));
    for (std::vector<size_t> numbers : {std::vector<size_t>{0, 1, 2, 3}, {1, 3}, {2}}) {
      std::vector<ValidationRow> wanted = rows.predict(at, numbers),
                                 found = rows.attempt(at, numbers, metrics);
      ASSERT_EQ(wanted.size(), found.size());
      for (size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_TRUE(found[i].predictions[0].predicted) << found[i].predictions[0].skipped;
        EXPECT_EQ(wanted[i].predictions[0].predicted->real,
                  found[i].predictions[0].predicted->real);
        EXPECT_EQ(wanted[i].name, found[i].name);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, FitRowsTest, testing::Values(1, 3));
