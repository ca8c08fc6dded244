// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/import/LibraryNames.h"

#include "stdlib/Embedded.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

/// What lines that begin with one of `words` declare, in files of `folders`.
static std::vector<LibraryName> declaredIn(llvm::ArrayRef<llvm::StringLiteral> folders,
                                           llvm::ArrayRef<llvm::StringLiteral> words) {
  std::vector<LibraryName> found;
  for (const EmbeddedFile &file : embeddedStdlib()) {
    auto holds = [&](llvm::StringRef folder) { return file.path.startswith(folder); };
    if (llvm::none_of(folders, holds))
      continue;
    for (llvm::StringRef rest = file.text; !rest.empty();) {
      llvm::StringRef line;
      std::tie(line, rest) = rest.split('\n');
      for (llvm::StringRef word : words)
        if (line.consume_front(word))
          found.push_back(
              {line.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }), file.path});
    }
  }
  return found;
}

std::vector<LibraryName> driver::libraryChips() {
  return declaredIn({"hardware/", "systems/"}, {"hardware ", "system "});
}

std::vector<LibraryName> driver::libraryModels() {
  return declaredIn({"workloads/"}, {"workload "});
}

std::string driver::namesLike(llvm::StringRef name, llvm::ArrayRef<LibraryName> known) {
  constexpr size_t most = 6;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::SplitString(name, parts, "-_. ");
  std::vector<llvm::StringRef> like;
  for (const LibraryName &one : known) {
    auto isIn = [&](llvm::StringRef part) { return one.name.contains_insensitive(part); };
    if (!parts.empty() && !one.name.startswith("_") && like.size() < most &&
        llvm::all_of(parts, isIn))
      like.push_back(one.name);
  }
  return like.empty() ? "" : "`" + llvm::join(like, "`, `") + "`";
}
