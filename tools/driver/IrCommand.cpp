// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc ir: the IR of a file at a level, or around a pass. perfc opt: passes over textual IR.
#include "api/ModuleFile.h"
#include "api/OutputFile.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/core/Parser.h"
#include "ir/core/Printer.h"
#include "ir/study/AllOps.h"
#include "passes/PassManager.h"
#include "tools/driver/Command.h"
#include "tools/driver/ProgramFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static ir::PrintOptions printOptions(Session &session, const Arguments &arguments) {
  ir::PrintOptions options;
  if (arguments.has("loc"))
    options.locations = &session.sources;
  return options;
}

/// The pipeline of --level, or the one up to the pass of --after or --before. "op" without a pass
/// is the program as built.
static llvm::Optional<passes::Pipeline> choosePipeline(Session &session,
                                                       const Arguments &arguments) {
  llvm::StringRef name = arguments.value("after", arguments.value("before"));
  if (!name.empty()) {
    FileId text = session.sources.add("<pass>", name.str());
    if (!passes::parsePipeline(text, session.diagnostics))
      return llvm::None;
    passes::Pipeline pipeline;
    for (const passes::PassInfo *pass : passes::allPasses()) {
      bool isLast = pass->name == name;
      if (!isLast || arguments.has("after"))
        pipeline.push_back(pass);
      if (isLast)
        break;
    }
    return pipeline;
  }
  llvm::StringRef level = arguments.value("level", "op");
  llvm::Optional<passes::Pipeline> pipeline = passes::pipelineTo(level);
  if (!pipeline)
    session.diagnostics.report({}, diag::UnknownLevel, level.str())
        .help("it is one of " + llvm::join(passes::levelNames(), ", "));
  return pipeline;
}

bool driver::printIr(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgramFile(session, arguments.files().front());
  llvm::Optional<passes::Pipeline> pipeline = choosePipeline(session, arguments);
  if (!readDefines(arguments, session.diagnostics, defines) || !file || !pipeline)
    return true;
  Compilation compilation(session.sources, session.diagnostics, allOps());
  if (!compilation.load(file, defines))
    return true;
  const SourceManager *locations = arguments.has("loc") ? &session.sources : nullptr;
  if (auto text = printModules(compilation, *pipeline, locations, session.diagnostics))
    session.out << *text;
  return true;
}

bool driver::runPasses(Session &session, const Arguments &arguments) {
  FileId file = session.load(arguments.files().front());
  passes::Pipeline pipeline;
  if (arguments.has("passes")) {
    FileId text = session.sources.add("<passes>", arguments.value("passes").str());
    llvm::Optional<passes::Pipeline> parsed = passes::parsePipeline(text, session.diagnostics);
    if (!parsed)
      return true;
    pipeline = std::move(*parsed);
  }
  if (!file)
    return true;
  Modules modules = readModules(file, session.sources, session.diagnostics);
  passes::PassOptions options;
  options.verifyEach = arguments.has("verify-each");
  passes::PassContext context{session.diagnostics, allOps()};
  passes::PassManager manager(std::move(pipeline), std::move(options));
  bool good = !modules.empty();
  std::string text;
  for (const std::unique_ptr<ir::Module> &module : modules) {
    if (!(good &= manager.run(*module, context)))
      break;
    if (module != modules.front())
      text += (ir::moduleSeparator + "\n").str();
    text += ir::toString(*module, printOptions(session, arguments));
  }
  if (arguments.has("time-passes") && !modules.empty())
    manager.printTimings(session.err);
  if (!good)
    return true;
  writeOutput(arguments.value("output", "-"), text, {}, session.diagnostics);
  return true;
}
