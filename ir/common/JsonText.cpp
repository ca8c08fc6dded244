// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/JsonText.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

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

namespace {

/// Walks over the keys of a text, which is JSON, in their order.
class KeyScanner {
public:
  explicit KeyScanner(llvm::StringRef text) : text(text) {}

  /// Goes to the next key; false at the end.
  bool next();

  struct Bracket {
    size_t begin;    ///< where it stands
    std::string key; ///< the last one of an object
  };
  std::vector<Bracket> open;   ///< brackets around the key, which is that of the last one
  uint32_t begin = 0, end = 0; ///< of the key, without its quotes

private:
  llvm::StringRef text;
  size_t at = 0;
};

} // namespace

bool KeyScanner::next() {
  for (; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[')
      open.push_back({at, ""});
    else if (text[at] == '}' || text[at] == ']')
      open.pop_back();
    if (text[at] != '"')
      continue;
    begin = static_cast<uint32_t>(++at);
    while (text[at] != '"')
      at += text[at] == '\\' ? 2 : 1;
    end = static_cast<uint32_t>(at);
    if (!text.substr(at + 1).ltrim().startswith(":"))
      continue;
    ++at;
    open.back().key = unescaped(text.slice(begin - 1, at));
    return true;
  }
  return false;
}

llvm::Optional<RepeatedKey> perfc::repeatedKey(llvm::StringRef text) {
  std::map<std::pair<size_t, std::string>, uint32_t> known; // by the object's place
  for (KeyScanner keys(text); keys.next();) {
    const KeyScanner::Bracket &object = keys.open.back();
    auto [entry, isNew] = known.try_emplace({object.begin, object.key}, keys.begin);
    if (!isNew)
      return RepeatedKey{object.key, entry->second, keys.begin, keys.end};
  }
  return llvm::None;
}

llvm::Optional<std::pair<uint32_t, uint32_t>>
perfc::placeOfKey(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> path) {
  for (KeyScanner keys(text); keys.next();) {
    auto same = [](const KeyScanner::Bracket &bracket, llvm::StringRef key) {
      return bracket.key == key;
    };
    if (std::equal(keys.open.begin(), keys.open.end(), path.begin(), path.end(), same))
      return std::make_pair(keys.begin, keys.end);
  }
  return llvm::None;
}
