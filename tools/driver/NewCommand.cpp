// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc new: a commented program to start from.
#include "api/OutputFile.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "llvm/Support/FileSystem.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static constexpr llvm::StringLiteral starter =
    R"(// A first program: what is computed, what it runs on, how it is placed, and what is asked.
// `perfc FILE` evaluates it, `perfc list` shows what the library has, `perfc doc WORD` explains a word.

// What is computed: an op is an einsum. Extents stand in the brackets, indices in the body.
op product(A[M, K], B[K, N]: weight) -> C[M, N] {
  C[m, n] += A[m, k] * B[k, n]
}

// What it runs on: memories from the farthest to the nearest, and an array of lanes.
param side = 16 in [8, 16, 32]                   // perfc FILE -D side=32 changes it

hardware chip {
  clock 1GHz
  dtype int8
  memory DRAM { off_chip; bandwidth 16B/cycle; energy 100pJ }
  memory SRAM { capacity 256KiB; bandwidth 64B/cycle; energy 2pJ }
  array PE[x = side, y = side] {
    network { multicast x, y; reduce y }
    memory RF { capacity 64B; energy 0.1pJ }
    compute MAC { rate 1/cycle; energy 0.5pJ }
  }
}

// How it is placed: at which memory each loop steps, outermost first; `rest` covers what is left.
mapping weight_stationary for product on chip {
  at DRAM for m = 4
  at SRAM for n = rest, k = rest, m = rest
  at PE.x parallel n = side
  at PE.y parallel k = side
}

// What is asked.
evaluate product(M = 256, K = 256, N = 256) on chip with weight_stationary {
  expect utilization > 50%
}
)";

llvm::StringRef driver::starterProgram() { return starter; }

bool driver::newFile(Session &session, const Arguments &arguments) {
  const std::string &path = arguments.files().front();
  if (path != "-" && llvm::sys::fs::exists(path)) {
    session.diagnostics.report({}, diag::FileExists, path).help("give the name of a new file");
    return true;
  }
  if (writeOutput(path, starter, {}, session.diagnostics) && path != "-" && !session.isQuiet())
    session.out << "wrote " << path << "; try: perfc " << path << '\n';
  return true;
}
