// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs per second of a program that is loaded once and run again with another value of a parameter,
// and points per second of a sweep over the same values.
#include "api/perfc/Program.h"
#include <benchmark/benchmark.h>
#include <string>

using namespace perfc;

static const std::string imports = "import std.workloads.llama3\nimport std.hardware.h100\n";
static const std::string statement =
    "evaluate llama3_8b.decode(batch = b) on h100_sxm { report latency }\n";

static void runAgain(benchmark::State &state) {
  api::Program program = api::Program::load(imports + "param b = 1\n" + statement);
  api::Sink sink;
  int batch = 0;
  for (auto _ : state) {
    program.set("b", ++batch % 128 + 1);
    program.run(sink);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(runAgain);

static void sweepPoints(benchmark::State &state) {
  api::Program program =
      api::Program::load(imports + "sweep b in 1..128 {\n  " + statement + "}\n");
  api::Sink sink;
  for (auto _ : state)
    program.run(sink);
  state.SetItemsProcessed(state.iterations() * 128);
}
BENCHMARK(sweepPoints);
