// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/TableFile.h"

#include "api/Library.h"
#include "frontend/sema/Program.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "tools/driver/NumberOption.h"
#include "tools/driver/ProgramFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <thread>

using namespace perfc;
using namespace perfc::driver;

/// A string of the language.
static std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char each : text) {
    if (llvm::StringRef("\\\"{").contains(each))
      result += '\\';
    result += each;
  }
  return result + '"';
}

static bool isFile(const Arguments &arguments) {
  return llvm::StringRef(arguments.files()[0]).endswith(".perf");
}

bool driver::isTableProgram(const Arguments &arguments) {
  return isFile(arguments) ||
         llvm::any_of(api::tablePrograms(), [&](const api::TableProgram &program) {
           return program.name == arguments.files()[0];
         });
}

llvm::Optional<TableFile> driver::loadTableFile(Session &session, const Arguments &arguments) {
  TableFile result;
  const std::string &name = arguments.files()[0];
  if (isFile(arguments)) {
    result.file = loadProgramFile(session, name);
  } else {
    result.kind = name;
    result.file = loadLibraryFile(fmt::format("std/validate/{}.perf", name), session.sources);
  }
  if (!readDefines(arguments, session.diagnostics, result.defines) || !result.file)
    return llvm::None;
  if (arguments.files().size() > 1)
    result.defines.emplace_back("table", quoted(arguments.files()[1]));
  return result;
}

unsigned driver::threadsOf(Session &session, const Arguments &arguments) {
  unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (!arguments.has("threads"))
    return cores;
  auto threads = wholeOption(session, arguments, "threads", 1);
  return threads ? static_cast<unsigned>(std::min(*threads, 1024.0)) : 0;
}

void driver::reportUnknownKind(Session &session, llvm::StringRef name) {
  std::vector<std::string> names;
  for (const auto &[kind, summary] : tableKindTerms())
    names.push_back(kind);
  session.diagnostics.report({}, diag::UnknownTableKind, name.str())
      .help("it is one of " + llvm::join(names, ", "));
}
