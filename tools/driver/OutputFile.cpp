// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace perfc;

bool driver::writeOutput(llvm::StringRef path, llvm::StringRef text, SourceRange place,
                         DiagnosticEngine &diagnostics) {
  if (path == "-") {
    llvm::outs() << text;
    return true;
  }
  auto fail = [&](std::error_code error) {
    diagnostics.report(place, diag::CannotWrite, path.str(), error.message());
    return false;
  };
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return fail(error);
  // What is no plain file, a pipe or a device, is written to and not replaced.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      status.type() != llvm::sys::fs::file_type::regular_file &&
      status.type() != llvm::sys::fs::file_type::directory_file) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::CD_OpenExisting,
                                llvm::sys::fs::FA_Write, llvm::sys::fs::OF_None);
    if (!error) {
      stream << text;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    return !error || fail(error);
  }
  int descriptor = -1;
  llvm::SmallString<128> temporary;
  unsigned mode = llvm::sys::fs::all_read | llvm::sys::fs::owner_write;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(
          path + ".%%%%%%.tmp", descriptor, temporary, llvm::sys::fs::OF_None, mode))
    return fail(error);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << text;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error) {
    llvm::sys::fs::remove(temporary);
    return fail(error);
  }
  return true;
}
