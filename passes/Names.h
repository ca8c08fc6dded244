// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of what lowering makes, from the symbols of what it is made from, so that a later
// pass or an evaluator finds it.
#ifndef PERFC_PASSES_NAMES_H
#define PERFC_PASSES_NAMES_H

#include "ir/core/Module.h"
#include "ir/study/StudyOps.h"

namespace perfc {
namespace passes {

/// The nest of statement `statement` of `kernel` on `chip`, with the loops of the mapping `mapping`
/// ("default" for the pass's own choice).
std::string nestSymbol(llvm::StringRef kernel, llvm::StringRef chip, llvm::StringRef mapping,
                       size_t statement);
/// All statements of `kernel` on `chip`, as the mapping `mapping` fuses them.
std::string fusedSymbol(llvm::StringRef kernel, llvm::StringRef chip, llvm::StringRef mapping);
/// The blocks of a nest, whose name already has the chip in it.
std::string nestTileSymbol(llvm::StringRef nest);
/// What `evaluate` runs on one chip, and on the whole system. The evaluation needs a symbol.
std::string sequenceSymbol(study::EvaluateOp evaluate);
/// What a pipeline stage of it runs.
std::string stageSequenceSymbol(study::EvaluateOp evaluate, int64_t stage);
std::string programSymbol(study::EvaluateOp evaluate);

/// All studies of one kind, in order: what is done to one may add to the module.
template <typename View> std::vector<View> studiesOf(ir::Module &module) {
  std::vector<View> list;
  study::walk(module, [&](ir::Operation &op) {
    if (auto view = ir::as<View>(op))
      list.push_back(view);
  });
  return list;
}

/// Gives each evaluation of `module` that has no symbol one, and returns all of them in order.
std::vector<study::EvaluateOp> namedEvaluations(ir::Module &module);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_NAMES_H
