// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Format maestro: a program that evaluates each layer natively, but for those whose dataflow is no
// loop nest of whole steps, which run by MAESTRO's model.
#include "api/Evaluation.h"
#include "backends/loopnest/maestro/Levels.h"
#include "frontend/import/maestro/HardwareFile.h"
#include "frontend/import/maestro/PerfText.h"
#include "ir/study/AllOps.h"
#include "tools/driver/import/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
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

/// The directives of `layer` with a line for each window whose taps are on the lanes of a level
/// that does not map it: in the language such taps take their window along, while the tool gives
/// all lanes the rows of the level above. A tile of these is one step, wherever it stands.
static std::vector<dataflow::Directive> withWindows(const dataflow::Layer &layer,
                                                    llvm::ArrayRef<maestro::Level> levels) {
  std::vector<dataflow::Directive> result, here;
  size_t depth = 0;
  auto maps = [&](char dim, bool onLanes) {
    return llvm::any_of(here, [&](const dataflow::Directive &directive) {
      return directive.dim == dim &&
             (!onLanes || directive.kind == dataflow::DirectiveKind::Spatial);
    });
  };
  auto close = [&] {
    for (char dim : {'Y', 'X'}) {
      if (!maps(dataflow::windowOf(dim), true) || maps(dim, false))
        continue;
      dataflow::Directive all{dataflow::DirectiveKind::Temporal, layer.dims.at(dim),
                              layer.dims.at(dim), dim};
      if (depth > 0) {
        all.size = levels[depth - 1].mapOf(dim).size;
        all.offset = levels[depth - 1].mapOf(dim).offset;
      }
      here.push_back(all);
    }
    llvm::append_range(result, here);
    here.clear();
    ++depth;
  };
  for (const dataflow::Directive &directive : layer.directives) {
    if (directive.kind == dataflow::DirectiveKind::Cluster) {
      close();
      result.push_back(directive);
    } else {
      here.push_back(directive);
    }
  }
  close();
  return result;
}

bool driver::importMaestro(Session &session, llvm::ArrayRef<std::string> files,
                           const Arguments & /*arguments*/, std::string &text) {
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
  for (dataflow::Layer &layer : mappings->layers)
    if (auto levels = maestro::translate(layer, hardware.pes, session.diagnostics);
        levels && layer.type != dataflow::LayerType::Gemm)
      layer.directives = withWindows(layer, *levels);
  std::string native = maestro::writePerf(*mappings, hardware, {}, session.diagnostics);
  if (session.diagnostics.hasErrors())
    return false;
  text = maestro::writePerf(*mappings, hardware, withoutNest(native), session.diagnostics);
  return true;
}
