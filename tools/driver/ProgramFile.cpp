// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/ProgramFile.h"

#include "ir/common/diagnostics/ScaleSim.h"
#include "tools/driver/import/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

/// A tool's files, known by the beginning of a line, in small letters, that no program has.
struct Signature {
  llvm::StringLiteral format;
  llvm::StringLiteral tool;
  llvm::StringLiteral line;
};

} // namespace

static constexpr Signature signatures[] = {
    {"timeloop", "Timeloop", "architecture:"},
    {"timeloop", "Timeloop", "problem:"},
    {"timeloop", "Timeloop", "mapping:"},
    {"astra_sim", "ASTRA-sim", "npus_count:"},
    {"maestro", "MAESTRO", "dimensions {"},
    {"maestro", "MAESTRO", "dimensions{"},
    {"maestro", "MAESTRO", "num_pes:"},
    {"scale_sim", "SCALE-Sim", "[general]"},
    {"scale_sim", "SCALE-Sim", "[architecture_presets]"},
};

static const Signature *findSignature(llvm::StringRef path, llvm::StringRef text) {
  static constexpr Signature trace = {"chakra", "Chakra", ""};
  if (path.endswith(".perf"))
    return nullptr;
  if (path.endswith(".et"))
    return &trace;
  text.consume_front("\xEF\xBB\xBF");
  for (llvm::StringRef rest = text; !rest.empty();) {
    llvm::StringRef written;
    std::tie(written, rest) = rest.split('\n');
    // YAML may be JSON, whose keys are in quotes and may follow a brace.
    std::string unquoted = written.ltrim(" \t\r{").str();
    llvm::erase_value(unquoted, '"');
    llvm::StringRef line = llvm::StringRef(unquoted).ltrim();
    for (const Signature &signature : signatures)
      if (line.startswith_insensitive(signature.line))
        return &signature;
  }
  return nullptr;
}

FileId driver::loadProgramFile(Session &session, llvm::StringRef path) {
  FileId file = session.load(path);
  if (file && isModuleFile(path)) {
    session.diagnostics.report({file, 0, 0}, diag::ForeignFile, "the IR")
        .help("`perfc run` evaluates it, `perfc opt` runs passes over it");
    return 0;
  }
  const Signature *signature = file ? findSignature(path, session.sources.text(file)) : nullptr;
  if (!signature)
    return file;
  auto format = llvm::find_if(
      importFormats(), [&](const ImportFormat &one) { return one.name == signature->format; });
  // A trace runs on a cluster, and all ranks of it at once.
  llvm::StringRef inputs =
      format->name == "chakra" ? "PREFIX --network N.yml --system S.json" : format->files;
  session.diagnostics.report({file, 0, 0}, diag::ForeignFile, signature->tool)
      .help(fmt::format("run it with `perfc run --from {} {}`, or make it a program with `perfc "
                        "import {} {}`",
                        format->name, inputs, format->name, format->files));
  return 0;
}
