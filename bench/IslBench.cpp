// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What isl takes per kernel: the normal form of a convolution with padding (domain and three
// accesses, each in a context of its own), the dependences of a recurrent layer, and the check of a
// mapping of it. Each is to stay below 2 ms.
#include "ir/core/Parser.h"
#include "ir/study/AllOps.h"
#include "passes/analysis/Dependences.h"
#include "passes/analysis/NormalForm.h"
#include <benchmark/benchmark.h>

using namespace perfc;
using namespace perfc::passes;

static void normalForm(benchmark::State &state) {
  std::vector<int64_t> extents{4, 64, 112, 112, 3, 7, 7};
  for (auto _ : state) {
    NormalForms forms;
    benchmark::DoNotOptimize(forms.domain(
        "{ conv2d[n, m, p, q, c, r, s] : 0 <= n <= 3 and 0 <= m <= 63 and 0 <= p <= 111 and 0 <= q "
        "<= 111 and 0 <= c <= 2 and 0 <= r <= 6 and 0 <= s <= 6 }",
        extents));
    for (const char *access :
         {"{ conv2d[n, m, p, q, c, r, s] -> I[n, c, -3 + 2p + r, -3 + 2q + s] : 3 - 2p <= r <= 226 "
          "- 2p and 3 - 2q <= s <= 226 - 2q }",
          "{ conv2d[n, m, p, q, c, r, s] -> W[m, c, r, s] }",
          "{ conv2d[n, m, p, q, c, r, s] -> O[n, m, p, q] }"})
      benchmark::DoNotOptimize(forms.access(access, extents));
  }
}
BENCHMARK(normalForm)->Unit(benchmark::kMicrosecond);

namespace {

/// h[t, d] += w[d, k] h[t - 1, k], over 512 steps of 1024 values.
struct Recurrence {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::unique_ptr<ir::Module> module = ir::parseModule(
      sources.add("kernel.ir",
                  "op.kernel @k (op = \"k\", parameters = {}) {\n"
                  "  op.operand @w (role = \"weight\", shape = [1024, 1024], dtype = \"fp16\")\n"
                  "  op.operand @h (role = \"output\", shape = [512, 1024], dtype = \"fp16\")\n"
                  "  op.statement (write = {tensor = \"h\", map = [t, d]}, reads = [{tensor = "
                  "\"w\", map = [d, k]}, {tensor = \"h\", map = [t - 1, k]}], domain = {t = 512, d "
                  "= 1024, k = 1024}, reduce = \"+\", flops = 2, text = \"\")\n}\n"),
      allOps(), diagnostics);
  Kernel kernel{op::KernelOp(module->lookup("k"))};
};

} // namespace

static void dependences(benchmark::State &state) {
  Recurrence recurrence;
  for (auto _ : state)
    benchmark::DoNotOptimize(Dependences(recurrence.kernel.statements[0]).empty());
}
BENCHMARK(dependences)->Unit(benchmark::kMicrosecond);

/// Tiles of all indices, those of time inside those of values: broken.
static void brokenMapping(benchmark::State &state) {
  Recurrence recurrence;
  Dependences dependences(recurrence.kernel.statements[0]);
  std::vector<OrderedLoop> loops{{{{0, 64}}, 8, false},  {{{1, 32}}, 32, false},
                                 {{{2, 32}}, 32, false}, {{{0, 1}}, 64, false},
                                 {{{1, 1}}, 32, true},   {{{2, 1}}, 32, false}};
  for (auto _ : state)
    benchmark::DoNotOptimize(dependences.firstBroken(loops));
}
BENCHMARK(brokenMapping)->Unit(benchmark::kMicrosecond);
