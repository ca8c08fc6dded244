// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/Parser.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;

static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The end of `text` without the blank lines and comments behind it, which are the next item's.
static size_t endOfItem(llvm::StringRef text) {
  for (;;) {
    text = text.rtrim();
    size_t line = text.rfind('\n') + 1; // 0 when there is none
    if (!text.drop_front(line).startswith("//"))
      return text.size();
    text = text.take_front(line);
  }
}

llvm::SmallVector<Heading, 0> perfc::outline(const SourceManager &sources, FileId file) {
  llvm::StringRef text = sources.text(file);
  llvm::SmallVector<Heading, 0> found;
  auto close = [&](size_t at) {
    if (!found.empty())
      found.back().range.end = endOfItem(text.take_front(at));
  };
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    if (!isWordCharacter(text[at]))
      continue;
    close(at);
    llvm::StringRef line = text.drop_front(at), word = line.take_while(isWordCharacter);
    llvm::StringRef name = line.drop_front(word.size()).ltrim(' ').take_while(isWordCharacter);
    found.push_back({word, name, {file, static_cast<uint32_t>(at), 0}});
  }
  close(text.size());
  return found;
}
