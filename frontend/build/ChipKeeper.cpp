// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/BuildContext.h"

using namespace perfc;

ChipKeeper::ChipKeeper(const BuildContext &context)
    : context(context), parameters(context.evaluator.parameterUses()),
      constants(context.evaluator.constantUses()), problems(context.diagnostics.all().size()) {}

KeptChip *ChipKeeper::keep(llvm::StringRef key, const ir::Operation &op) const {
  if (!context.keptChips || context.evaluator.parameterUses() != parameters ||
      context.diagnostics.all().size() != problems)
    return nullptr;
  KeptChip &kept = (*context.keptChips)[key];
  ir::ValueMap map;
  op.clone(kept.module.body(), map).setSymbol("");
  kept.usesConstants = context.evaluator.constantUses() != constants;
  return &kept;
}
