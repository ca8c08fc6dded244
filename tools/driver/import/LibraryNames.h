// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that may stand on the command line for what the library declares.
#ifndef PERFC_TOOLS_DRIVER_IMPORT_LIBRARYNAMES_H
#define PERFC_TOOLS_DRIVER_IMPORT_LIBRARYNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace perfc::driver {

struct LibraryName {
  llvm::StringRef name;
  llvm::StringRef path; ///< of its file: "hardware/a100.perf"
};

/// Chips and systems; and workloads that are no families. Files are not parsed for that.
std::vector<LibraryName> libraryChips();
std::vector<LibraryName> libraryModels();

/// The first few that have all parts of `name`, "a100-80gb": "`a100_sxm_80gb`, `a100_pcie_80gb`";
/// "" for none.
std::string namesLike(llvm::StringRef name, llvm::ArrayRef<LibraryName> known);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_IMPORT_LIBRARYNAMES_H
