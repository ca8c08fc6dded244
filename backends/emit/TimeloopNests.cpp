// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/Emit.h"
#include "backends/emit/Timeloop.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "ir/core/Module.h"
#include "ir/study/SearchOps.h"
#include "passes/TimeloopInput.h"

using namespace perfc;
using namespace perfc::emit;

/// Whether the program asks for nests that are not found yet, as nothing has run.
static bool isToBeSearched(const Input &input) {
  bool found = false;
  if (input.results.empty())
    input.module->walk(
        [&](const ir::Operation &op) { found |= op.is(study::SearchStatement::opName); });
  return found;
}

/// Every loop nest of the program that Timeloop can be told of; the others are reported.
void emit::timeloopFiles(const Input &input, FileSink sink) {
  bool waits = isToBeSearched(input);
  input.module->walk([&](const ir::Operation &op) {
    auto nest = ir::as<loopnest::NestOp>(op);
    if (!nest)
      return;
    if (waits || nest->hasAttr("unfit")) {
      if (input.diagnostics)
        input.diagnostics
            ->report(
                op.range(), diag::TimeloopNotModelled,
                fmt::format("`{}` for Timeloop: its nest is what a `search` finds", nest.kernel()))
            .help("`emit timeloop \"file.yaml\"` in the block of the `search` writes that");
      return;
    }
    std::string reason = "its chip is not known";
    const ir::Operation *chip = input.module->lookup(nest.target());
    llvm::Optional<timeloop::Input> described;
    if (chip)
      described =
          passes::timeloopInput(nest, target::ChipOp(const_cast<ir::Operation *>(chip)), reason);
    if (!described) {
      if (input.diagnostics)
        input.diagnostics->report(op.range(), diag::TimeloopNotModelled,
                                  fmt::format("`{}` for Timeloop: {}", nest.kernel(), reason));
      return;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    writeTimeloopInput(*described, stream);
    sink(nest.kernel().str() + ".yaml", stream.str());
  });
}

void emit::writeTimeloop(const Input &input, llvm::raw_ostream &os) {
  bool isFirst = true;
  timeloopFiles(input, [&](const std::string &, llvm::StringRef text) {
    os << (isFirst ? "" : "---\n") << text;
    isFirst = false;
    return true;
  });
}
