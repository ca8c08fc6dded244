// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format maestro: a program that evaluates each layer natively, but for those whose dataflow is no
// loop nest of whole steps, which run by MAESTRO's model.
#include "backends/loopnest/maestro/Levels.h"
#include "frontend/import/maestro/HardwareFile.h"
#include "frontend/import/maestro/PerfText.h"
#include "ir/study/AllOps.h"
#include "tools/driver/Evaluation.h"
#include "tools/driver/import/Format.h"

using namespace perfc;
using namespace perfc::driver;

/// The evaluations of `text` that cannot be lowered to loop nests.
static std::set<std::string> withoutNest(const std::string &text) {
  std::set<std::string> names;
  Session trial(llvm::nulls(), llvm::nulls());
  FileId file = trial.sources.add("<import>", text);
  Compilation compilation(trial.sources, trial.diagnostics, allOps());
  if (!compilation.load(file, {}))
    return names;
  compilation.forEachUnit([&](ir::Module &module) {
    std::vector<std::string> here;
    for (const ir::Operation &op : module.body())
      if (op.is(study::EvaluateOp::opName))
        here.push_back(op.symbol().str());
    size_t errors = trial.diagnostics.errorCount();
    lower(module, "collective", trial.diagnostics);
    if (trial.diagnostics.errorCount() != errors)
      names.insert(here.begin(), here.end());
    return true;
  });
  return names;
}

bool driver::importMaestro(Session &session, llvm::ArrayRef<std::string> files, std::string &text) {
  FileId file = session.load(files.front());
  auto mappings = file ? maestro::readMappingFile(file, session.diagnostics) : llvm::None;
  dataflow::Hardware hardware;
  if (files.size() > 1) {
    FileId id = session.load(files[1]);
    auto read = id ? maestro::readHardwareFile(id, session.diagnostics) : llvm::None;
    if (!read)
      return false;
    hardware = *read;
  }
  if (!mappings || session.diagnostics.hasErrors())
    return false;
  for (const dataflow::Layer &layer : mappings->layers)
    maestro::translate(layer, hardware.pes, session.diagnostics);
  std::string native = maestro::writePerf(*mappings, hardware, {}, session.diagnostics);
  if (session.diagnostics.hasErrors())
    return false;
  text = maestro::writePerf(*mappings, hardware, withoutNest(native), session.diagnostics);
  return true;
}
