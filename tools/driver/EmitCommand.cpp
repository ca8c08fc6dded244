// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc emit: the results or the workloads of a file in another format.
#include "api/Emitted.h"
#include "api/Evaluation.h"
#include "api/Providers.h"
#include "api/RunDocument.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Network.h"
#include "ir/study/AllOps.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static const emit::Emitter *chooseEmitter(Session &session, const Arguments &arguments) {
  std::string name = arguments.value("to", "json").str();
  std::replace(name.begin(), name.end(), '-', '_');
  if (const emit::Emitter *emitter = emit::findEmitter(name))
    return emitter;
  session.diagnostics.report({}, diag::UnknownFormat, name).help(knownFormats());
  return nullptr;
}

/// Evaluates the program and writes its results. A format that is a folder of files for one result
/// takes those of one statement, while its module is there.
static void emitResults(Session &session, const emit::Emitter &emitter, FileId file,
                        Compilation::Defines defines, llvm::StringRef path) {
  ProviderSet providers = defaultProviders();
  Evaluation evaluation(session.context(), providers);
  size_t statements = 0;
  evaluation.run(file, defines, [&](const Evaluated &evaluated) {
    if (emitter.write || evaluated.results.empty())
      return;
    if (++statements > 1) {
      session.diagnostics
          .report(evaluated.op.range(), diag::CannotEmitTrace, emitter.name,
                  "the folder has the files of the statement before")
          .help("`emit " + emitter.name.str() + " \"folder/\"` stands in each one that is wanted");
      return;
    }
    writeEmitted(emitter,
                 {evaluated.results, &evaluated.module, session.sources, &session.diagnostics},
                 path, evaluated.op.range());
  });
  if (!emitter.write)
    return;
  emit::Input input{{}, nullptr, session.sources, &session.diagnostics, findingsJson(evaluation)};
  for (const emit::Result &result : evaluation.results())
    input.results.push_back(&result);
  writeEmitted(emitter, input, path, {});
}

bool driver::emitFile(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  const emit::Emitter *emitter = chooseEmitter(session, arguments);
  FileId file = loadProgramFile(session, arguments.files().front());
  if (!emitter || !file || !readDefines(arguments, session.diagnostics, defines))
    return true;
  llvm::StringRef path = arguments.value("output", "-");
  if (emitter->needsResults) {
    emitResults(session, *emitter, file, defines, path);
    return true;
  }
  Compilation compilation(session.sources, session.diagnostics, allOps());
  ir::Module module;
  if (!compilation.load(file, defines) || !compilation.buildAll(module))
    return true;
  if (!emitter->level.empty() && !lower(module, emitter->level, session.diagnostics))
    return true;
  writeEmitted(*emitter, {{}, &module, session.sources, &session.diagnostics}, path, {});
  return true;
}
