// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/LaterUse.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace perfc;

/// How often `text` has the word `name`.
static unsigned timesMentioned(llvm::StringRef text, llvm::StringRef name) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  unsigned times = 0;
  for (size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    times += !(at > 0 && isPart(text[at - 1])) && !(end < text.size() && isPart(text[end]));
  }
  return times;
}

std::function<bool(llvm::StringRef)> api::laterUse(llvm::StringRef text, bool writesFiles) {
  bool all = writesFiles && timesMentioned(text, "emit") > 0;
  return [text, all, known = llvm::StringMap<bool>()](llvm::StringRef name) mutable {
    auto [entry, isNew] = known.try_emplace(name, all);
    if (isNew && !all)
      entry->second = timesMentioned(text, name) > 1;
    return entry->second;
  };
}
