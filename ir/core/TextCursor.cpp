// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/TextCursor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "ir/common/diagnostics/Syntax.h"
#include "ir/common/diagnostics/Text.h"

using namespace perfc;
using namespace perfc::ir;

bool ir::isNameByte(char c) { return llvm::isAlnum(c) || c == '_'; }

void TextCursor::skipBlanks() {
  while (position < text.size()) {
    char c = text[position];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
      ++position;
    else if (text.substr(position).startswith("//"))
      position = std::min(text.find('\n', position), text.size());
    else
      return;
  }
}

llvm::StringRef TextCursor::rest() {
  skipBlanks();
  return text.substr(position);
}

llvm::StringRef TextCursor::take(size_t length) {
  llvm::StringRef part = rest().take_front(length);
  position += part.size();
  end = position;
  return part;
}

llvm::StringRef TextCursor::takeWhile(llvm::function_ref<bool(char)> accept) {
  llvm::StringRef part = text.substr(position).take_while(accept);
  position += part.size();
  end = position;
  return part;
}

bool TextCursor::consume(llvm::StringRef mark) {
  if (!startsWith(mark))
    return false;
  take(mark.size());
  return true;
}

bool TextCursor::expect(llvm::StringRef mark) {
  return consume(mark) || expected(("`" + mark + "`").str());
}

llvm::StringRef TextCursor::word() {
  llvm::StringRef ahead = rest();
  if (ahead.empty() || llvm::isDigit(ahead[0]))
    return {};
  return valueName();
}

llvm::StringRef TextCursor::valueName() {
  llvm::StringRef name = rest().take_while(isNameByte);
  return name.empty() ? name : take(name.size());
}

bool TextCursor::name(std::string &out, llvm::StringRef what) {
  if (startsWith("\""))
    return string(out);
  llvm::StringRef bare = word();
  out = bare.str();
  return !bare.empty() || expected(what);
}

/// The byte that `\\` and `text` stand for, removing it from `text`; -1 for an unknown escape.
static int unescape(llvm::StringRef &text) {
  char c = text.empty() ? '\0' : text[0];
  text = text.drop_front(text.empty() ? 0 : 1);
  if (c == 'n')
    return '\n';
  if (c == 't')
    return '\t';
  if (c == '"' || c == '\\')
    return c;
  unsigned value = 0;
  if (c != 'x' || text.size() < 2 || !llvm::isHexDigit(text[0]) || !llvm::isHexDigit(text[1]) ||
      text.take_front(2).getAsInteger(16, value))
    return -1;
  text = text.drop_front(2);
  return value;
}

bool TextCursor::string(std::string &out) {
  out.clear();
  llvm::StringRef ahead = rest();
  uint32_t begin = position;
  if (!ahead.consume_front("\""))
    return expected("a string");
  while (!ahead.empty() && ahead[0] != '\n') {
    char c = ahead[0];
    ahead = ahead.drop_front();
    if (c == '"') {
      take(ahead.begin() - text.begin() - position);
      return true;
    }
    uint32_t place = ahead.begin() - text.begin();
    int value = c == '\\' ? unescape(ahead) : static_cast<unsigned char>(c);
    if (value < 0)
      return error({file, place - 1, place}, diag::UnknownEscape, text.substr(place, 1));
    out += static_cast<char>(value);
  }
  return error({file, begin, begin + 1}, diag::UnterminatedString);
}

SourceRange TextCursor::here() {
  llvm::StringRef ahead = rest();
  size_t length = std::max<size_t>(ahead.take_while(isNameByte).size(), 1);
  return {file, position, static_cast<uint32_t>(std::min<size_t>(position + length, text.size()))};
}

bool TextCursor::expected(llvm::StringRef what) {
  SourceRange next = here();
  llvm::StringRef found = text.slice(next.begin, next.end);
  bool printable = !found.empty() && llvm::all_of(found, llvm::isPrint);
  std::string shown = found.empty() ? "the end of the text"
                      : printable   ? ("`" + found.take_front(40) + "`").str()
                                    : fmt::format("byte 0x{:02X}", static_cast<uint8_t>(found[0]));
  return error(next, diag::ExpectedInIr, what, shown);
}
