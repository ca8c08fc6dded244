// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc check: everything that can be known to be wrong without evaluating.
#include "api/CheckStatements.h"
#include "frontend/build/Compilation.h"
#include "ir/study/AllOps.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

bool driver::checkFile(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgramFile(session, arguments.files().front());
  if (!readDefines(arguments, session.diagnostics, defines) || !file)
    return true;
  Compilation compilation(session.sources, session.diagnostics, allOps());
  compilation.load(file, defines);
  compilation.check();
  checkStatements(compilation, session.diagnostics);
  if (session.isVerbose() && !session.diagnostics.hasErrors())
    session.out << session.sources.path(file) << ": no mistakes found\n";
  return true;
}
