// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source files and places in them. Every text that perfc reads (.perf, textual IR, YAML, CSV, the
// embedded library) is a file of one SourceManager; a place is a half-open byte range of one file.
// Everything downstream, down to a Cost, points back at such ranges.
#ifndef PERFC_IR_COMMON_SOURCE_H
#define PERFC_IR_COMMON_SOURCE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace perfc {

/// Index of a file in its SourceManager; 0 means "no file".
using FileId = uint32_t;

/// Bytes [begin, end) of a file. A default-constructed range is "nowhere".
struct SourceRange {
  FileId file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isValid() const { return file != 0; }
  bool operator==(const SourceRange &other) const {
    return file == other.file && begin == other.begin && end == other.end;
  }
  /// The smallest range that holds both; `this` when the files differ.
  SourceRange join(SourceRange other) const;
  /// An empty range at this range's end.
  SourceRange after() const { return {file, end, end}; }
};

/// 1-based line and column (columns count bytes; a tab is one byte).
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Owns the text of every file of a compilation.
class SourceManager {
public:
  SourceManager();
  SourceManager(const SourceManager &) = delete;
  SourceManager &operator=(const SourceManager &) = delete;

  /// Adds `text` under `path` (as it is to be shown). Files are limited to 4 GiB - 1 bytes.
  FileId add(std::string path, std::string text);
  /// Adds a file of bytes that are no text, once: its places are bytes, and no line of it is shown.
  FileId addBinary(std::string path);
  /// Reads `path` ("-" is standard input); 0 with a reason in `error` when that fails.
  FileId load(llvm::StringRef path, std::string &error);
  /// All files so far, in the order in which they were added.
  std::vector<FileId> all() const;
  /// The file already added under `path`, else 0.
  FileId find(llvm::StringRef path) const;

  bool isBinary(FileId file) const { return files[file].isBinary; }
  /// True for the files of the standard library, which are part of perfc.
  bool isLibrary(FileId file) const { return path(file).startswith("std/"); }

  llvm::StringRef path(FileId file) const;
  llvm::StringRef text(FileId file) const;
  llvm::StringRef text(SourceRange range) const;
  LineColumn lineColumn(FileId file, uint32_t offset) const;
  /// The offset of a 1-based line and column, clamped to the file.
  uint32_t offset(FileId file, LineColumn place) const;
  /// The text of 1-based `line` without its line ending.
  llvm::StringRef line(FileId file, uint32_t line) const;
  /// "path:line:column" of the range's begin; of a binary file "path:byte 17".
  std::string describe(SourceRange range) const;

private:
  struct File {
    std::string path;
    std::string text;
    bool isBinary = false;
    mutable std::vector<uint32_t> lineStarts; // filled when first asked for
  };
  const std::vector<uint32_t> &lineStarts(const File &file) const;

  std::deque<File> files;
  llvm::StringMap<FileId> byPath;
};

/// The bytes of `path`, of a pipe or a device at most 256 MiB; null with a reason in `error` when
/// they cannot be read.
std::unique_ptr<llvm::MemoryBuffer> readBytes(llvm::StringRef path, std::string &error);

} // namespace perfc

#endif // PERFC_IR_COMMON_SOURCE_H
