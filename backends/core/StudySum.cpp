// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/StudySum.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

static void addUnique(std::vector<std::string> &list, const std::string &text) {
  if (!text.empty() && !llvm::is_contained(list, text))
    list.push_back(text);
}

void StudySum::note(const Provenance &provenance) {
  addUnique(providerNames, provenance.provider);
  addUnique(provenance.library.empty() ? mappings : tiles, provenance.mapping);
  addUnique(libraries, provenance.library);
  addUnique(formulas, provenance.provider + ": " + provenance.formula);
}

llvm::Optional<std::string> StudySum::add(const StudySum &part, int64_t count) {
  auto times = static_cast<double>(count);
  stack.add(part.stack, times);
  otherChips += part.otherChips.times(times);
  appended += part.appended;
  computes |= part.computes;
  auto addAll = [](std::vector<std::string> &list, llvm::ArrayRef<std::string> texts) {
    for (const std::string &text : texts)
      addUnique(list, text);
  };
  addAll(providerNames, part.providerNames);
  addAll(mappings, part.mappings);
  addAll(tiles, part.tiles);
  addAll(libraries, part.libraries);
  addAll(formulas, part.formulas);
  return addSequential(total, part.total, count);
}
