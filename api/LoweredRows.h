// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of rows that stay lowered while the constants of a program get other values. A module
// that is built again is compared with the one before: quantities that differ become variables
// (ir::Attribute::variable), which the lowered module has in common with it, and get their new
// values. It is lowered again only where something else differs, or where a pass has asked for the
// value of a variable that differs, so that it is always what lowering the new one would give.
#ifndef PERFC_API_LOWEREDROWS_H
#define PERFC_API_LOWEREDROWS_H

#include "ir/common/Source.h"
#include "ir/core/Module.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace perfc::api {

/// A module with variables, and what it was lowered to.
struct LoweredRow {
  ir::Module built; ///< without graphs and kernels
  std::vector<ir::Attribute> variables;
  std::vector<bool> areRead;          ///< by passes
  std::unique_ptr<ir::Module> module; ///< lowered; null where that failed
  /// Of the subjects of its statements: elements of their weights.
  llvm::StringMap<llvm::Optional<int64_t>> parameters;
};

class LoweredRows {
public:
  /// A statement of a row of a table.
  struct Place {
    SourceRange table; ///< the `validate` statement
    int64_t row, statement;
    auto tuple() const { return std::make_tuple(table.file, table.begin, row, statement); }
    bool operator<(const Place &other) const { return tuple() < other.tuple(); }
  };
  /// `built` lowered, which stays as it is: by `lower`, which is given a copy, where it has to be.
  LoweredRow &lowered(Place place, const ir::Module &built,
                      llvm::function_ref<bool(LoweredRow &)> lower);
  /// Modules are only compared for now, so that what depends on constants is known when they are
  /// first lowered.
  bool isLearning = false;

private:
  std::map<Place, std::unique_ptr<LoweredRow>> rows;
};

} // namespace perfc::api

#endif // PERFC_API_LOWEREDROWS_H
