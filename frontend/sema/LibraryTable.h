// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's families as readers of models' configurations look them up.
#ifndef PERFC_FRONTEND_SEMA_LIBRARYTABLE_H
#define PERFC_FRONTEND_SEMA_LIBRARYTABLE_H

#include "frontend/import/config/FamilyTable.h"
#include "frontend/sema/Program.h"
#include "stdlib/Embedded.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {

/// Loads a module of the library when a row of it is looked up.
class LibraryTable : public config::FamilyTable {
public:
  explicit LibraryTable(Program &program) : program(program) {}

  config::Row find(llvm::StringRef folder, llvm::StringRef name) override;
  config::Row baseOf(const config::Row &row) override;
  std::vector<std::string> names(llvm::StringRef folder) override;

private:
  using Files = llvm::StringMap<llvm::SmallVector<const EmbeddedFile *, 1>>;
  const Files &filesOf(llvm::StringRef folder);

  Program &program;
  llvm::StringMap<Files> folders; ///< the files that declare a name, by folders looked at so far
};

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_LIBRARYTABLE_H
