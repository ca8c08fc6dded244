// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc emit: the results or the workloads of a file in another format.
#include "backends/emit/Emit.h"
#include "ir/study/AllOps.h"
#include "tools/driver/Command.h"
#include "tools/driver/Evaluation.h"
#include "tools/driver/OutputFile.h"
#include "tools/driver/Providers.h"

using namespace perfc;
using namespace perfc::driver;

static const emit::Emitter *chooseEmitter(Session &session, const Arguments &arguments) {
  std::string name = arguments.value("to", "json").str();
  std::replace(name.begin(), name.end(), '-', '_');
  if (const emit::Emitter *emitter = emit::findEmitter(name))
    return emitter;
  std::string known;
  for (const emit::Emitter &emitter : emit::emitters())
    known += (known.empty() ? "" : ", ") + emitter.name.str();
  session.diagnostics.report({}, diag::UnknownFormat, name).help("it is one of " + known);
  return nullptr;
}

bool driver::emitFile(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  const emit::Emitter *emitter = chooseEmitter(session, arguments);
  FileId file = session.load(arguments.files().front());
  if (!emitter || !file || !readDefines(arguments, session.diagnostics, defines))
    return true;
  std::string text;
  llvm::raw_string_ostream stream(text);
  emit::Input input{{}, nullptr, session.sources, &session.diagnostics};
  if (emitter->needsResults) {
    Evaluation evaluation(session, defaultProviders());
    evaluation.run(file, defines, [](const Evaluated &) {});
    for (const emit::Result &result : evaluation.results())
      input.results.push_back(&result);
    emitter->write(input, stream);
  } else {
    Compilation compilation(session.sources, session.diagnostics, allOps());
    ir::Module module;
    if (!compilation.load(file, defines) || !compilation.buildAll(module))
      return true;
    if (!emitter->level.empty() && !lower(module, emitter->level, session.diagnostics))
      return true;
    input.module = &module;
    emitter->write(input, stream);
  }
  writeOutput(arguments.value("output", "-"), stream.str(), {}, session.diagnostics);
  return true;
}
