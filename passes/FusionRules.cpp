// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusionRules.h"

#include "ir/study/TrainOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

FusionRules FusionRules::of(const ir::Operation &statement) {
  FusionRules rules;
  auto runtime = study::partOf<study::RuntimeOp>(statement);
  if (!runtime || !runtime->hasAttr("fuses"))
    return rules;
  std::vector<std::string> names = runtime->stringsAttr("fuses");
  auto has = [&](llvm::StringRef name) { return llvm::is_contained(names, name); };
  rules.elementwise = has("elementwise");
  rules.epilogues = has("epilogues");
  rules.biases = rules.epilogues || has("biases");
  rules.additions = has("additions");
  rules.products = has("products");
  return rules;
}
