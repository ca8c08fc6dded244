// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a token for some batches: the program is parsed and checked once.
#include <cstdio>
#include <perfc/Program.h>

using namespace perfc::api;

/// Prints each result and what limits it.
class Printer : public Sink {
public:
  void result(Result result) override {
    const Metric &latency = *result.find("latency");
    std::printf("%s: %.4g %s, limited by %s\n", result.label.c_str(), latency.value,
                latency.unit.c_str(), result.find("bottleneck")->text.c_str());
  }
};

int main() {
  Program program = Program::load(R"(
import std.workloads.llama3
import std.hardware.h100
param batch = 1
evaluate llama3_8b.decode(batch = batch) on h100_sxm
)");
  Printer printer;
  for (double batch : {1, 8, 64})
    if (!program.set("batch", batch) || !program.run(printer))
      break;
  for (const Problem &problem : program.problems())
    std::printf("%u:%u: %s\n", problem.place.line, problem.place.column, problem.message.c_str());
  return program.isGood() ? 0 : 1;
}
