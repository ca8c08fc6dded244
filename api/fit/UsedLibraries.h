// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PERFC_API_FIT_USEDLIBRARIES_H
#define PERFC_API_FIT_USEDLIBRARIES_H

#include "ir/core/Module.h"
#include "llvm/ADT/StringSet.h"

namespace perfc::api {

/// Which communication libraries of its networks a module uses: the first of each, and those that
/// something names.
class UsedLibraries {
public:
  explicit UsedLibraries(const ir::Module &module);
  /// False for a library that is not used, and for its protocols.
  bool include(const ir::Operation &op) const;

private:
  llvm::StringSet<> names;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_USEDLIBRARIES_H
