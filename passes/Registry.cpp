// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Registry.h"

#include "ir/common/diagnostics/Mappings.h"

using namespace perfc;
using namespace perfc::passes;

llvm::ArrayRef<const PassInfo *> passes::allPasses() {
  static const PassInfo *const list[] = {
      &inlinePass,       &inferShapesPass,      &autodiffPass,
      &shardPass,        &splitProductsPass,    &fusePass,
      &placePass,        &lowerToLoopNestPass,  &lowerToTilePass,
      &lowerToPhasePass, &schedulePipelinePass, &lowerToCollectivePass};
  return list;
}

const PassInfo *passes::findPass(llvm::StringRef name) {
  for (const PassInfo *pass : allPasses())
    if (pass->name == name)
      return pass;
  return nullptr;
}

static void reportUnknown(SourceRange range, llvm::StringRef name, DiagnosticEngine &diagnostics) {
  std::vector<llvm::StringRef> names;
  for (const PassInfo *pass : allPasses())
    names.push_back(pass->name);
  diagnostics.report(range, diag::UnknownPass, name)
      .suggest(name, names, fmt::format("the passes are {}", fmt::join(names, ", ")));
}

llvm::Optional<Pipeline> passes::parsePipeline(FileId file, DiagnosticEngine &diagnostics) {
  llvm::StringRef text = diagnostics.sourceManager().text(file);
  Pipeline pipeline;
  bool valid = true;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    llvm::StringRef part = text.slice(begin, end);
    llvm::StringRef name = part.trim();
    auto start = static_cast<uint32_t>(name.data() - text.data());
    SourceRange range{file, start, start + static_cast<uint32_t>(name.size())};
    begin = end + 1;
    if (const PassInfo *pass = findPass(name)) {
      pipeline.push_back(pass);
      continue;
    }
    valid = false;
    if (name.empty())
      diagnostics.report(range, diag::ExpectedPass);
    else
      reportUnknown(range, name, diagnostics);
  }
  if (!valid)
    return llvm::None;
  return pipeline;
}

llvm::ArrayRef<llvm::StringRef> passes::levelNames() {
  static const llvm::StringRef names[] = {"op", "loopnest", "tile", "phase", "collective"};
  return names;
}

llvm::Optional<Pipeline> passes::pipelineTo(llvm::StringRef level) {
  // The last pass of each level.
  static const PassInfo *const last[] = {&placePass, &lowerToLoopNestPass, &lowerToTilePass,
                                         &lowerToPhasePass, &lowerToCollectivePass};
  const auto *name = llvm::find(levelNames(), level);
  if (name == levelNames().end())
    return llvm::None;
  const auto *end = llvm::find(allPasses(), last[name - levelNames().begin()]);
  return Pipeline(allPasses().begin(), end + 1);
}
