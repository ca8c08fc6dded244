// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Evaluate.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "test/unit/ProviderTest.h"

using namespace perfc;

static const std::string target = R"(
target.chip @chip (dtype = "fp16", clock = 1GHz) {
  target.memory @DRAM (bandwidth = 1GB/s)
  target.compute @MAC (rate = {any = 1000000000/s})
}
op.kernel @copy (op = "copy", parameters = {}) {
  op.operand @A (role = "input", shape = [12], dtype = "fp16")
  op.operand @B (role = "output", shape = [12], dtype = "fp16")
  op.statement (write = {tensor = "B", map = [i]}, reads = [{tensor = "A", map = [i]}], domain = {i = 12}, flops = 0, text = "B[i] = A[i]")
}
)";
static const std::string program = R"(
phase.sequence @s (of = @copy, target = @chip) {
  phase.kernel (run = @copy, label = "copy", count = 1, live_bytes = 48, input_bytes = 24, output_bytes = 24, weight_bytes = 0)
}
collective.program @e__program (system = @chip) {
  collective.run (phase = @s)
}
)";
static const std::string statement = R"(
study.evaluate @e (subject = @copy, on = @chip, label = "copy on chip", subject_label = "copy", on_label = "chip")
)";

/// What an evaluation without providers reports.
static std::vector<uint16_t> codesOf(const std::string &text) {
  ParsedModule parsed(text);
  ProviderSet providers;
  EXPECT_FALSE(
      evaluateStudy(*parsed.module, parsed.module->body().back(), providers, parsed.diagnostics));
  std::vector<uint16_t> codes;
  for (const Diagnostic &diagnostic : parsed.diagnostics.all())
    codes.push_back(diagnostic.kind->code);
  return codes;
}

TEST(Evaluate, NeedsAProgram) {
  EXPECT_EQ(codesOf(target + statement), std::vector<uint16_t>{diag::NotLowered.code});
}

TEST(Evaluate, NeedsAProviderForEachKernel) {
  EXPECT_EQ(codesOf(target + program + statement), std::vector<uint16_t>{diag::NoCost.code});
}
