// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/maestro/Tokens.h"

#include "ir/common/diagnostics/Maestro.h"

using namespace perfc;
using namespace perfc::maestro;

static bool isSeparator(char c) {
  return llvm::StringRef(" \t\r\n,:();>").contains(c) || c == '\0' || c == '\f' || c == '\v';
}

/// Whether a word ends before `text[at]`. A minus sign belongs to a word unless it starts an arrow.
static bool endsWord(llvm::StringRef text, size_t at) {
  llvm::StringRef rest = text.drop_front(at);
  return isSeparator(rest.front()) || rest.front() == '{' || rest.front() == '}' ||
         rest.startswith("->") || rest.startswith("//");
}

std::vector<Token> maestro::tokenize(const SourceManager &sources, FileId file) {
  llvm::StringRef text = sources.text(file);
  std::vector<Token> tokens;
  size_t at = text.startswith("\xEF\xBB\xBF") ? 3 : 0;
  while (at < text.size()) {
    if (text.drop_front(at).startswith("//")) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text.drop_front(at).startswith("->") || isSeparator(text[at])) {
      ++at;
      continue;
    }
    size_t end = at + 1;
    if (text[at] != '{' && text[at] != '}')
      while (end < text.size() && !endsWord(text, end))
        ++end;
    tokens.push_back({text.slice(at, end), {file, uint32_t(at), uint32_t(end)}});
    at = end;
  }
  auto size = static_cast<uint32_t>(text.size());
  tokens.push_back({"", {file, size, size}});
  return tokens;
}

Token TokenReader::next() {
  Token token = tokens[position];
  if (token.isEnd())
    return token;
  ++position;
  if (token.is("{"))
    ++open;
  else if (token.is("}") && open)
    --open;
  return token;
}

bool TokenReader::skip(llvm::StringRef text) {
  if (!peek().is(text))
    return false;
  next();
  return true;
}

void TokenReader::reportExpected(llvm::StringRef what) {
  if (peek().isEnd() && std::exchange(endReported, true))
    return; // the file ends early, which was said
  std::string found = peek().isEnd() ? "the end of the file" : fmt::format("`{}`", peek().text);
  diagnostics.report(peek().range, diag::ExpectedInDataflow, what, found);
}

bool TokenReader::expect(llvm::StringRef text) {
  if (skip(text))
    return true;
  reportExpected(fmt::format("`{}`", text));
  return false;
}

llvm::Optional<Token> TokenReader::word(llvm::StringRef what) {
  if (peek().isWord())
    return next();
  reportExpected(what);
  return llvm::None;
}

void TokenReader::leaveBlocks(unsigned depth) {
  while (open > depth && !peek().isEnd())
    next();
  endReported |= peek().isEnd(); // after a report of what the block lacks
}
