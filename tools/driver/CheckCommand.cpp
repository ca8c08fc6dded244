// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc check: everything that can be known to be wrong without evaluating: names, units, shapes,
// and, by lowering to loop nests, mappings that do not fit.
#include "api/Evaluation.h"
#include "frontend/build/Compilation.h"
#include "ir/core/Verifier.h"
#include "ir/study/AllOps.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// Points of a sweep that are checked.
static constexpr size_t checkedPoints = 16;

bool driver::checkFile(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgramFile(session, arguments.files().front());
  if (!readDefines(arguments, session.diagnostics, defines) || !file)
    return true;
  Compilation compilation(session.sources, session.diagnostics, allOps());
  compilation.load(file, defines);
  compilation.check();
  // One statement at a time, so that memory follows the largest one and not the file.
  compilation.forEachUnit(
      [&](ir::Module &module) {
        if (ir::verify(module, session.diagnostics))
          lower(module, "loopnest", session.diagnostics);
        return true;
      },
      checkedPoints);
  if (session.isVerbose() && !session.diagnostics.hasErrors())
    session.out << session.sources.path(file) << ": no mistakes found\n";
  return true;
}
