// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/CheckStatements.h"

#include "api/Evaluation.h"
#include "ir/core/Verifier.h"

using namespace perfc;

/// Points of a sweep that are checked.
static constexpr size_t checkedPoints = 16;

void api::checkStatements(Compilation &program, DiagnosticEngine &diagnostics) {
  // One statement at a time, so that memory follows the largest one and not the file.
  program.forEachUnit(
      [&](ir::Module &module) {
        if (ir::verify(module, diagnostics))
          lower(module, "loopnest", diagnostics);
        return true;
      },
      checkedPoints);
}
