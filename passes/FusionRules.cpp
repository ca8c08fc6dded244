// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusionRules.h"

#include "ir/study/TrainOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::passes;

/// Each op before the `+` of "conv2d depthwise + batchnorm relu" with each behind it.
static void addJoins(llvm::StringRef text, FusionRules &rules) {
  llvm::SmallVector<llvm::StringRef, 8> before, behind;
  llvm::SplitString(text.split('+').first, before);
  llvm::SplitString(text.split('+').second, behind);
  for (llvm::StringRef first : before)
    for (llvm::StringRef second : behind)
      rules.joins.emplace(first, second);
}

FusionRules FusionRules::of(const ir::Operation &statement) {
  FusionRules rules;
  auto runtime = study::partOf<study::RuntimeOp>(statement);
  if (runtime && runtime->hasAttr("joins"))
    for (const std::string &text : runtime->stringsAttr("joins"))
      addJoins(text, rules);
  if (!runtime || !runtime->hasAttr("fuses"))
    return rules;
  std::vector<std::string> names = runtime->stringsAttr("fuses");
  auto has = [&](llvm::StringRef name) { return llvm::is_contained(names, name); };
  rules.elementwise = has("elementwise");
  rules.epilogues = has("epilogues");
  rules.biases = rules.epilogues || has("biases");
  rules.additions = has("additions");
  rules.products = has("products");
  rules.pairs = has("pairs");
  rules.experts = has("experts");
  rules.sums = has("sums");
  return rules;
}
