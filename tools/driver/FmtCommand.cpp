// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc fmt: files in the one style of the language, printed, checked or rewritten.
#include "api/OutputFile.h"
#include "frontend/syntax/Parser.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

bool driver::formatFiles(Session &session, const Arguments &arguments) {
  bool clean = true;
  for (const std::string &path : arguments.files()) {
    FileId file = loadProgramFile(session, path);
    if (!file)
      continue;
    llvm::Optional<std::string> text = formatFile(session.sources, file, session.diagnostics);
    if (!text)
      continue;
    bool same = *text == session.sources.text(file);
    if (arguments.has("check")) {
      clean &= same;
      if (!same && !session.isQuiet())
        session.out << session.sources.path(file) << " is not formatted\n";
    } else if (arguments.has("i") && path != "-") {
      if (!same)
        replaceFile(path, *text, {}, session.diagnostics);
    } else {
      session.out << *text;
    }
  }
  return clean;
}
