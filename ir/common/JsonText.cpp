// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/JsonText.h"

#include "llvm/ADT/StringMap.h"
#include <fmt/format.h>

using namespace perfc;

static constexpr int maxDepth = 64;

/// Brackets that are open at one time, at most; what stands in strings does not count.
static int nesting(llvm::StringRef text) {
  int depth = 0, deepest = 0;
  bool inString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (inString) {
      if (c == '\\')
        ++at;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

llvm::Optional<llvm::json::Value> perfc::parseJson(llvm::StringRef text, JsonProblem &problem) {
  if (nesting(text) > maxDepth) {
    problem.reason = fmt::format("it nests more than {} deep", maxDepth);
    return llvm::None;
  }
  llvm::Expected<llvm::json::Value> document = llvm::json::parse(text);
  if (document)
    return std::move(*document);
  // "[1:14, byte=13]: Expected : after object key"
  std::string found = llvm::toString(document.takeError());
  auto [place, reason] = llvm::StringRef(found).split("]: ");
  place.split("byte=").second.getAsInteger(10, problem.byte);
  problem.reason = "it is no JSON (" + (reason.empty() ? found : reason.str()) + ")";
  return llvm::None;
}

/// The text of a JSON string with its quotes.
static std::string unescaped(llvm::StringRef written) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(written);
  if (value)
    return value->getAsString().getValueOr("").str();
  llvm::consumeError(value.takeError());
  return written.str();
}

llvm::Optional<RepeatedKey> perfc::repeatedKey(llvm::StringRef text) {
  std::vector<llvm::StringMap<uint32_t>> open; // keys of the objects around
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{')
      open.emplace_back();
    else if (text[at] == '}')
      open.pop_back();
    if (text[at] != '"')
      continue;
    auto begin = static_cast<uint32_t>(at++);
    while (text[at] != '"')
      at += text[at] == '\\' ? 2 : 1;
    if (!text.substr(at + 1).ltrim().startswith(":"))
      continue;
    std::string key = unescaped(text.slice(begin, at + 1));
    auto [entry, isNew] = open.back().try_emplace(key, begin + 1);
    if (!isNew)
      return RepeatedKey{std::move(key), entry->second, begin + 1, static_cast<uint32_t>(at)};
  }
  return llvm::None;
}
