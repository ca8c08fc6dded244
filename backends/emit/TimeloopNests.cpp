// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/Emit.h"
#include "backends/emit/Timeloop.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "ir/core/Module.h"
#include "passes/TimeloopInput.h"

using namespace perfc;
using namespace perfc::emit;

/// Every loop nest of the program that Timeloop can be told of; the others are reported.
std::vector<NamedText> emit::timeloopFiles(const Input &input) {
  std::vector<NamedText> files;
  input.module->walk([&](const ir::Operation &op) {
    auto nest = ir::as<loopnest::NestOp>(op);
    if (!nest)
      return;
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
    NamedText file{nest.kernel().str() + ".yaml", ""};
    llvm::raw_string_ostream stream(file.text);
    writeTimeloopInput(*described, stream);
    stream.flush();
    files.push_back(std::move(file));
  });
  return files;
}

void emit::writeTimeloop(const Input &input, llvm::raw_ostream &os) {
  bool isFirst = true;
  for (const NamedText &file : timeloopFiles(input)) {
    os << (isFirst ? "" : "---\n") << file.text;
    isFirst = false;
  }
}
