// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Names.h"

#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::passes;

std::string passes::nestSymbol(llvm::StringRef kernel, llvm::StringRef chip,
                               llvm::StringRef mapping, size_t statement) {
  return fmt::format("{}__{}__{}__{}", kernel, chip, mapping, statement);
}

std::string passes::fusedSymbol(llvm::StringRef kernel, llvm::StringRef chip,
                                llvm::StringRef mapping) {
  return fmt::format("{}__{}__{}__fused", kernel, chip, mapping);
}

std::string passes::nestTileSymbol(llvm::StringRef nest) { return nest.str() + "__tile"; }

std::string passes::sequenceSymbol(study::EvaluateOp evaluate) {
  return evaluate.symbol().str() + "__phase";
}

std::string passes::stageSequenceSymbol(study::EvaluateOp evaluate, int64_t stage) {
  return fmt::format("{}_stage_{}", sequenceSymbol(evaluate), stage);
}

std::string passes::programSymbol(study::EvaluateOp evaluate) {
  return evaluate.symbol().str() + "__program";
}

std::vector<study::EvaluateOp> passes::namedEvaluations(ir::Module &module) {
  auto list = studiesOf<study::EvaluateOp>(module);
  llvm::StringSet<> taken;
  for (study::EvaluateOp evaluate : list)
    taken.insert(evaluate.symbol());
  // Evaluations inside a comparison or a point are not in the module's table, but what is made from
  // their names is: names are unique over all of them.
  size_t next = 0;
  for (study::EvaluateOp evaluate : list) {
    if (!evaluate.symbol().empty())
      continue;
    std::string name;
    do
      name = "evaluate_" + std::to_string(next++);
    while (module.lookup(name) || !taken.insert(name).second);
    evaluate->setSymbol(name);
  }
  return list;
}
