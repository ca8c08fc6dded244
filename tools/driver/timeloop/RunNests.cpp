// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"
#include "frontend/build/Compilation.h"
#include "ir/common/diagnostics/Hardware.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "ir/study/AllOps.h"
#include "ir/study/StudyOps.h"
#include "passes/TimeloopInput.h"
#include "tools/driver/ProgramFile.h"
#include "tools/driver/timeloop/Timeloop.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

namespace {

/// Evaluates the nests of one module after the other.
class NestRun {
public:
  NestRun(Session &session, bool asJson) : session(session), asJson(asJson) {}

  void add(const ir::Module &module, loopnest::NestOp nest);
  void finish(FileId file);

private:
  Session &session;
  bool asJson;
  unsigned count = 0;
  emit::Json results = emit::Json::array();
};

} // namespace

void NestRun::add(const ir::Module &module, loopnest::NestOp nest) {
  std::string reason = "its chip is not known";
  const ir::Operation *chip = module.lookup(nest.target());
  llvm::Optional<timeloop::Input> input;
  if (chip)
    input = passes::timeloopInput(nest, target::ChipOp(const_cast<ir::Operation *>(chip)), reason);
  if (!input) {
    session.diagnostics.report(nest->range(), diag::TimeloopNotModelled,
                               fmt::format("`{}` for Timeloop: {}", nest.kernel(), reason));
    return;
  }
  llvm::Optional<timeloop::Result> result = timeloop::evaluate(*input, session.diagnostics);
  if (!result)
    return;
  if (asJson) {
    emit::Json one = timeloopJson(*input, *result);
    one.set("kernel", nest.kernel());
    results.push(std::move(one));
  } else if (!session.isQuiet()) {
    session.out << (count ? "\n" : "");
    printTimeloop(session, *input, *result);
  }
  ++count;
}

void NestRun::finish(FileId file) {
  if (!asJson)
    return;
  emit::Json::object()
      .set("schema", 1)
      .set("mode", "timeloop")
      .set("file", session.sources.path(file))
      .set("results", std::move(results))
      .print(session.out);
  session.out << '\n';
}

bool driver::runNestsAsTimeloop(Session &session, const Arguments &arguments) {
  std::vector<std::pair<std::string, std::string>> defines;
  FileId file = loadProgramFile(session, arguments.files().front());
  if (!readDefines(arguments, session.diagnostics, defines) || !file)
    return true;
  Compilation compilation(session.sources, session.diagnostics, allOps());
  ir::Module module;
  if (!compilation.load(file, defines) || !compilation.buildAll(module) ||
      !lower(module, "loopnest", session.diagnostics))
    return true;
  module.walk([&](const ir::Operation &op) {
    if (op.is(study::EmitOp::opName))
      session.diagnostics.report(op.range(), diag::WordWithoutEffect, "emit",
                                 "`--mode timeloop` prints the counts of each nest, nothing else");
  });
  NestRun run(session, arguments.has("json"));
  module.walk([&](const ir::Operation &op) {
    if (auto nest = ir::as<loopnest::NestOp>(op))
      run.add(module, nest);
  });
  run.finish(file);
  return true;
}
