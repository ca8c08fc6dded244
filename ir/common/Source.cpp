// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Source.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cassert>

using namespace perfc;

SourceRange SourceRange::join(SourceRange other) const {
  if (!isValid())
    return other;
  if (!other.isValid() || other.file != file)
    return *this;
  return {file, std::min(begin, other.begin), std::max(end, other.end)};
}

SourceManager::SourceManager() { files.push_back({"<unknown>", "", false, {}}); }

FileId SourceManager::add(std::string path, std::string text) {
  assert(text.size() < UINT32_MAX && "the loader limits file sizes");
  FileId id = files.size();
  byPath[path] = id;
  files.push_back({std::move(path), std::move(text), false, {}});
  return id;
}

FileId SourceManager::addBinary(std::string path) {
  if (FileId known = find(path))
    return known;
  FileId id = add(std::move(path), "");
  files[id].isBinary = true;
  return id;
}

std::vector<FileId> SourceManager::all() const {
  std::vector<FileId> result;
  for (FileId id = 1; id < files.size(); ++id) // 0 is no file
    result.push_back(id);
  return result;
}

/// What a pipe or a device gives, which may have no end.
static llvm::Optional<std::string> readStream(llvm::sys::fs::file_t stream, std::string &error) {
  constexpr size_t most = size_t(256) << 20, step = size_t(64) << 10;
  std::string text;
  for (size_t size = 0;;) {
    text.resize(size + step);
    auto count = llvm::sys::fs::readNativeFile(stream, {&text[size], step});
    if (!count) {
      error = llvm::toString(count.takeError());
      return llvm::None;
    }
    size += *count;
    text.resize(size);
    if (*count == 0)
      return text;
    if (size > most) {
      error = "it gives more than 256 MiB";
      return llvm::None;
    }
  }
}

std::unique_ptr<llvm::MemoryBuffer> perfc::readBytes(llvm::StringRef path, std::string &error) {
  namespace fs = llvm::sys::fs;
  bool isInput = path == "-";
  bool isStream =
      isInput || (fs::exists(path) && !fs::is_regular_file(path) && !fs::is_directory(path));
  if (!isStream) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (buffer)
      return std::move(*buffer);
    error = buffer.getError().message();
    return nullptr;
  }
  auto stream = isInput ? fs::getStdinHandle() : fs::kInvalidFile;
  if (!isInput) {
    auto opened = fs::openNativeFileForRead(path);
    if (!opened) {
      error = llvm::toString(opened.takeError());
      return nullptr;
    }
    stream = *opened;
  }
  auto close = llvm::make_scope_exit([&] {
    if (!isInput)
      fs::closeFile(stream);
  });
  llvm::Optional<std::string> text = readStream(stream, error);
  return text ? llvm::MemoryBuffer::getMemBufferCopy(*text, path) : nullptr;
}

FileId SourceManager::load(llvm::StringRef path, std::string &error) {
  std::unique_ptr<llvm::MemoryBuffer> bytes = readBytes(path, error);
  if (bytes && bytes->getBufferSize() >= UINT32_MAX)
    error = "the file is larger than 4 GiB";
  if (!bytes || bytes->getBufferSize() >= UINT32_MAX)
    return 0;
  return add(path == "-" ? "<stdin>" : path.str(), bytes->getBuffer().str());
}

FileId SourceManager::find(llvm::StringRef path) const {
  auto found = byPath.find(path);
  return found == byPath.end() ? 0 : found->second;
}

llvm::StringRef SourceManager::path(FileId file) const { return files[file].path; }
llvm::StringRef SourceManager::text(FileId file) const { return files[file].text; }

llvm::StringRef SourceManager::text(SourceRange range) const {
  return text(range.file).slice(range.begin, range.end);
}

const std::vector<uint32_t> &SourceManager::lineStarts(const File &file) const {
  if (file.lineStarts.empty()) {
    file.lineStarts.push_back(0);
    for (size_t i = 0; i < file.text.size(); ++i)
      if (file.text[i] == '\n')
        file.lineStarts.push_back(i + 1);
  }
  return file.lineStarts;
}

LineColumn SourceManager::lineColumn(FileId file, uint32_t offset) const {
  const auto &starts = lineStarts(files[file]);
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  uint32_t line = next - starts.begin();
  return {line, offset - starts[line - 1] + 1};
}

uint32_t SourceManager::offset(FileId file, LineColumn place) const {
  const auto &starts = lineStarts(files[file]);
  if (place.line == 0 || place.line > starts.size())
    return files[file].text.size();
  uint32_t offset = starts[place.line - 1] + (place.column ? place.column - 1 : 0);
  return std::min<uint32_t>(offset, files[file].text.size());
}

llvm::StringRef SourceManager::line(FileId file, uint32_t line) const {
  const auto &starts = lineStarts(files[file]);
  if (line == 0 || line > starts.size())
    return {};
  llvm::StringRef text = files[file].text;
  size_t end = line < starts.size() ? starts[line] : text.size();
  return text.slice(starts[line - 1], end).rtrim("\r\n");
}

std::string SourceManager::describe(SourceRange range) const {
  if (isBinary(range.file))
    return path(range.file).str() + ":byte " + std::to_string(range.begin);
  LineColumn place = lineColumn(range.file, range.begin);
  return path(range.file).str() + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column);
}
