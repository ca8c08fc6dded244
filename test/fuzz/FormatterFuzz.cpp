// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that parses keeps its tokens when it is formatted, and formatting the result changes
// nothing.
#include "frontend/syntax/Parser.h"
#include "frontend/syntax/Token.h"
#include <cstdlib>

using namespace perfc;

static llvm::Optional<std::string> format(std::string text) {
  SourceManager sources;
  FileId file = sources.add("fuzz.perf", std::move(text));
  DiagnosticEngine diagnostics(sources);
  return formatFile(sources, file, diagnostics);
}

/// All that the formatter must keep: tokens and comments, but newlines and `;`.
static std::vector<std::string> tokensOf(llvm::StringRef text) {
  syntax::Lexer lexer(text);
  std::vector<std::string> tokens;
  for (syntax::Token token; (token = lexer.next()).kind != syntax::TokenKind::End;)
    if (token.kind != syntax::TokenKind::Newline && token.kind != syntax::TokenKind::Semi)
      tokens.push_back(text.slice(token.begin, token.end).rtrim().str());
  return tokens;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  llvm::Optional<std::string> once = format(text);
  if (!once)
    return 0;
  llvm::Optional<std::string> twice = format(*once);
  if (!twice || *twice != *once || tokensOf(text) != tokensOf(*once))
    std::abort();
  return 0;
}
