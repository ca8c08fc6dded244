// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/LoopList.h"
#include "frontend/import/timeloop/ReadInput.h"
#include "frontend/import/timeloop/WritePerf.h"
#include "tools/driver/import/Format.h"

using namespace perfc;
using namespace perfc::driver;

bool driver::importTimeloop(Session &session, llvm::ArrayRef<std::string> files,
                            std::string &text) {
  FileId file = session.load(files.front());
  if (!file)
    return false;
  llvm::Optional<timeloop::Input> input = timeloop::readInput(file, session.diagnostics);
  if (!input || !timeloop::checkInput(*input, session.diagnostics))
    return false;
  llvm::Optional<std::string> program = timeloop::writePerf(*input, session.diagnostics);
  if (program)
    text = std::move(*program);
  return program.hasValue();
}
