// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PassManager.h"

#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Text.h"
#include "ir/core/Verifier.h"
#include "llvm/ADT/DenseMap.h"
#include <chrono>

using namespace perfc;
using namespace perfc::passes;

PassManager::PassManager(const Pipeline &pipeline, PassOptions options)
    : options(std::move(options)) {
  for (const PassInfo *pass : pipeline)
    times.push_back({pass});
}

static bool runTimed(PassTiming &timing, ir::Module &module, PassContext &context) {
  auto start = std::chrono::steady_clock::now();
  bool done = timing.pass->run(module, context);
  timing.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++timing.runs;
  return done;
}

/// Lowering gives what it makes names from the names of what it is made of; false, reported, where
/// the module has such a name already.
static bool areNamesFree(const ir::Module &module, const PassInfo &pass,
                         DiagnosticEngine &diagnostics) {
  llvm::DenseMap<llvm::StringRef, const ir::Operation *> named;
  for (const ir::Operation &op : module.body()) {
    if (op.symbol().empty())
      continue;
    auto [known, isNew] = named.try_emplace(op.symbol(), &op);
    if (isNew)
      continue;
    const ir::Operation *other = known->second;
    diagnostics.report(other->range(), diag::DuplicateSymbol, op.symbol())
        .note(op.range(), fmt::format("pass `{}` makes an operation with this name", pass.name));
    return false;
  }
  return true;
}

bool PassManager::run(ir::Module &module, PassContext &context) {
  for (PassTiming &timing : times) {
    if (options.before)
      options.before(*timing.pass, module);
    bool done = runTimed(timing, module, context);
    if (options.after)
      options.after(*timing.pass, module);
    if (!done || !areNamesFree(module, *timing.pass, context.diagnostics))
      return false;
    if (options.verifyEach && !ir::verify(module, context.diagnostics)) {
      context.diagnostics.report({}, diag::BrokenByPass, timing.pass->name);
      return false;
    }
  }
  return true;
}

void PassManager::printTimings(llvm::raw_ostream &os) const {
  double total = 0;
  for (const PassTiming &timing : times)
    total += timing.seconds;
  os << "   seconds   share  pass\n";
  for (const PassTiming &timing : times)
    os << fmt::format("{:10.6f} {:6.1f}%  {}\n", timing.seconds,
                      total > 0 ? 100 * timing.seconds / total : 0, timing.pass->name);
  os << fmt::format("{:10.6f} {:6.1f}%  total\n", total, 100.0);
}
