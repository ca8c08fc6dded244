// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/ReadInput.h"
#include "tools/driver/timeloop/Timeloop.h"

using namespace perfc;
using namespace perfc::driver;

bool driver::runTimeloop(Session &session, const Arguments &arguments) {
  std::vector<FileId> files = session.loadAll(arguments.files());
  if (files.empty())
    return true;
  llvm::Optional<timeloop::Input> input = timeloop::readInput(files, session.diagnostics);
  if (!input)
    return true;
  llvm::Optional<timeloop::Result> result = timeloop::evaluate(*input, session.diagnostics);
  if (!result)
    return true;
  if (!arguments.has("json")) {
    if (!session.isQuiet())
      printTimeloop(session, *input, *result);
    return true;
  }
  emit::Json document = timeloopJson(*input, *result);
  document.set("file", session.sources.path(files.front()));
  document.print(session.out);
  session.out << '\n';
  return true;
}
