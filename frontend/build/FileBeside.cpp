// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/FileBeside.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace perfc;

std::string perfc::pathBeside(const SourceManager &sources, FileId from, llvm::StringRef written) {
  llvm::SmallString<128> path = llvm::sys::path::parent_path(sources.path(from));
  if (llvm::sys::path::is_absolute(written))
    path = written;
  else
    llvm::sys::path::append(path, written);
  return path.str().str();
}

FileId perfc::loadBeside(SourceManager &sources, SourceRange place, llvm::StringRef written,
                         DiagnosticEngine &diagnostics) {
  std::string path = pathBeside(sources, place.file, written);
  FileId known = sources.find(path);
  return known ? known : loadOrReport(sources, path, diagnostics, place);
}
