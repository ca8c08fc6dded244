// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's families as readers of models' configurations look them up.
#ifndef PERFC_FRONTEND_SEMA_LIBRARYTABLE_H
#define PERFC_FRONTEND_SEMA_LIBRARYTABLE_H

#include "frontend/import/config/FamilyTable.h"
#include "frontend/sema/Program.h"

namespace perfc {

/// Loads a module of the library when a row of it is looked up.
class LibraryTable : public config::FamilyTable {
public:
  explicit LibraryTable(Program &program) : program(program) {}

  config::Row find(llvm::StringRef folder, llvm::StringRef name) override;
  config::Row baseOf(const config::Row &row) override;
  std::vector<std::string> names(llvm::StringRef folder) override;

private:
  Program &program;
};

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_LIBRARYTABLE_H
