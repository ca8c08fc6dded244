// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "ir/common/diagnostics/Files.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace perfc;

static std::error_code lastError() { return {errno, std::generic_category()}; }

/// True when `name` is the file behind `descriptor`.
static bool isNamed(int descriptor, const std::string &name) {
  struct stat open = {}, named = {};
  return fstat(descriptor, &open) == 0 && stat(name.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

/// Opens the temporary file `name`, empty; -1 and `error` when that fails. It is locked while it is
/// written, so that one which a killed run has left is taken over, and another run that writes the
/// same file is waited for.
static int openTemporary(const std::string &name, std::error_code &error) {
  for (;;) {
    int descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) {
      error = lastError();
      return -1;
    }
    llvm::sys::RetryAfterSignal(-1, flock, descriptor, LOCK_EX);
    if (!isNamed(descriptor, name)) { // the other run has given it its final name
      close(descriptor);
      continue;
    }
    if (ftruncate(descriptor, 0) == 0)
      return descriptor;
    error = lastError();
    close(descriptor);
    return -1;
  }
}

static std::error_code writeTo(llvm::raw_fd_ostream &stream, llvm::StringRef text) {
  stream << text;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

/// Writes to what is no plain file, a pipe or a device.
static std::error_code writeInto(llvm::StringRef path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::FA_Write,
                              llvm::sys::fs::OF_None);
  return error ? error : writeTo(stream, text);
}

static std::error_code replace(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  std::string temporary = path + ".perfc.tmp";
  int descriptor = openTemporary(temporary, error);
  if (error)
    return error;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  error = writeTo(stream, text);
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error)
    llvm::sys::fs::remove(temporary);
  return error;
}

/// True for a file that this command has read.
static bool wasRead(llvm::StringRef path, const SourceManager &sources) {
  return llvm::any_of(sources.all(), [&](FileId file) {
    return !sources.isLibrary(file) && llvm::sys::fs::equivalent(path, sources.path(file));
  });
}

bool api::writeOutput(llvm::StringRef path, llvm::StringRef text, SourceRange place,
                      DiagnosticEngine &diagnostics) {
  if (path != "-" && wasRead(path, diagnostics.sourceManager())) {
    diagnostics.report(place, diag::CannotWrite, path, "it is what this command has read");
    return false;
  }
  return replaceFile(path, text, place, diagnostics);
}

bool api::replaceFile(llvm::StringRef path, llvm::StringRef text, SourceRange place,
                      DiagnosticEngine &diagnostics) {
  if (path == "-") {
    llvm::outs() << text;
    return true;
  }
  std::error_code error;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    error = llvm::sys::fs::create_directories(folder);
  llvm::sys::fs::file_status status;
  bool isSpecial = !llvm::sys::fs::status(path, status) &&
                   status.type() != llvm::sys::fs::file_type::regular_file &&
                   status.type() != llvm::sys::fs::file_type::directory_file;
  if (!error)
    error = isSpecial ? writeInto(path, text) : replace(path.str(), text);
  if (error)
    diagnostics.report(place, diag::CannotWrite, path.str(), error.message());
  return !error;
}
