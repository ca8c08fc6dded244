// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/AttributeParser.h"

#include "ir/common/diagnostics/Syntax.h"
#include "ir/common/diagnostics/Text.h"
#include "ir/core/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::ir;

//===-- Numbers and affine expressions
//---------------------------------------------------------===//

/// Length of the number at the front of `text`: its digits, unit and contributions.
static size_t numberLength(llvm::StringRef text) {
  bool isReal = text.startswith("~");
  size_t at = isReal ? 1 : 0;
  at += text.substr(at).startswith("-") ? 1 : 0;
  auto isBody = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("./|*^%").contains(c); };
  for (; at < text.size(); ++at) {
    bool exponent = isReal && (text[at] == '-' || text[at] == '+') &&
                    (text[at - 1] == 'e' || text[at - 1] == 'E');
    if ((!isBody(text[at]) && !exponent) || text.substr(at).startswith("//"))
      break;
  }
  auto isPart = [](char c) { return llvm::isHexDigit(c) || llvm::StringRef(".+-@").contains(c); };
  while (isReal && text.substr(at).startswith(" +- ")) {
    at += 4;
    at += text.substr(at).take_while(isPart).size();
  }
  return at;
}

static bool parseNumberValue(TextCursor &cursor, Attribute &out) {
  uint32_t begin = (cursor.rest(), cursor.offset());
  llvm::StringRef text = cursor.take(numberLength(cursor.rest()));
  int64_t integer;
  if (!text.getAsInteger(10, integer)) {
    out = integer;
    return true;
  }
  auto quantity = parseQuantity(text);
  if (!quantity)
    return cursor.error(cursor.range(begin), diag::BadIrNumber, text.take_front(60));
  out = *quantity;
  return true;
}

static bool parseAffineValue(TextCursor &cursor, Attribute &out) {
  uint32_t begin = (cursor.rest(), cursor.offset());
  auto isPart = [](char c) { return isNameByte(c) || llvm::StringRef("*+- ").contains(c); };
  llvm::StringRef text = cursor.take(cursor.rest().take_while(isPart).rtrim().size());
  constexpr size_t longest = 1 << 14; // reading takes time quadratic in the number of terms
  auto expr = text.size() > longest ? llvm::None : AffineExpr::parse(text);
  // The smallest 64-bit integer has no text that reads back.
  if (!expr || AffineExpr::parse(expr->text()) != expr)
    return cursor.error(cursor.range(begin), diag::BadIrNumber, text.take_front(60));
  out = *expr;
  return true;
}

//===-- Values
//---------------------------------------------------------------------------------===//

static bool parseList(TextCursor &cursor, Attribute &out, unsigned depth) {
  AttrList list;
  cursor.expect("[");
  while (!cursor.consume("]")) {
    if (!list.empty() && !cursor.expect(","))
      return false;
    Attribute element;
    if (!parseAttribute(cursor, element, depth + 1))
      return false;
    list.push_back(std::move(element));
  }
  out = std::move(list);
  return true;
}

static bool parseWord(TextCursor &cursor, Attribute &out) {
  uint32_t begin = (cursor.rest(), cursor.offset());
  llvm::StringRef word = cursor.word();
  if (word == "true" || word == "false")
    out = word == "true";
  else if (word == "unit")
    out = Attribute::unit();
  else {
    cursor.reset(begin);
    return parseAffineValue(cursor, out);
  }
  return true;
}

bool ir::parseAttribute(TextCursor &cursor, Attribute &out, unsigned depth) {
  if (depth > maxIrNesting)
    return cursor.error(cursor.here(), diag::NestingTooDeep, maxIrNesting);
  llvm::StringRef ahead = cursor.rest();
  char first = ahead.empty() ? '\0' : ahead[0];
  std::string text;
  if (first == '[')
    return parseList(cursor, out, depth);
  if (cursor.consume("{")) {
    AttrDict dict;
    bool valid = parseEntries(cursor, "}", dict, depth + 1);
    out = std::move(dict);
    return valid;
  }
  if (first == '"') {
    bool valid = cursor.string(text);
    out = std::move(text);
    return valid;
  }
  if (cursor.consume("@")) {
    bool valid = cursor.name(text, "a name");
    out = Attribute::symbol(text);
    return valid;
  }
  llvm::StringRef unsignedText = ahead.drop_front(first == '-' ? 1 : 0);
  llvm::StringRef digits = unsignedText.take_while(llvm::isDigit);
  // `5 - t` is an expression too.
  llvm::StringRef behind = unsignedText.substr(digits.size()).ltrim(' ');
  bool isTerm = behind.startswith("*") || behind.startswith("+") || behind.startswith("-");
  if (first == '~' || (!digits.empty() && !isTerm))
    return parseNumberValue(cursor, out);
  if (!digits.empty() || first == '-')
    return parseAffineValue(cursor, out);
  if (isNameByte(first))
    return parseWord(cursor, out);
  return cursor.expected("a value");
}

bool ir::parseEntries(TextCursor &cursor, llvm::StringRef close, AttrDict &out, unsigned depth,
                      std::vector<SourceRange> *places) {
  llvm::StringSet<> keys;
  while (!cursor.consume(close)) {
    if (!keys.empty() && !cursor.expect(","))
      return false;
    std::string key;
    uint32_t begin = (cursor.rest(), cursor.offset());
    if (!cursor.name(key, "a name"))
      return false;
    if (!keys.insert(key).second)
      return cursor.error(cursor.range(begin), diag::AttributeTwice, key);
    Attribute value;
    if (cursor.consume("=") && !parseAttribute(cursor, value, depth))
      return false;
    out.append(key, std::move(value));
    if (places)
      places->push_back(cursor.range(begin));
  }
  return true;
}

bool ir::parseType(TextCursor &cursor, Type &out) {
  uint32_t begin = (cursor.rest(), cursor.offset());
  llvm::StringRef word = cursor.word();
  if (word == "none") {
    out = Type();
    return true;
  }
  if (word.empty())
    return cursor.expected("a type");
  llvm::SmallVector<int64_t, 4> shape;
  bool valid = word == "tensor" && cursor.consume("<");
  llvm::StringRef text = cursor.takeWhile([](char c) { return c != '>' && c != '\n'; });
  while (valid && !text.empty() && llvm::isDigit(text[0])) {
    llvm::StringRef digits = text.take_while(llvm::isDigit);
    valid = !digits.getAsInteger(10, shape.emplace_back());
    text = text.drop_front(digits.size());
    valid &= text.consume_front("x");
  }
  auto dtype = parseDType(text);
  if (!valid || !dtype || !cursor.consume(">"))
    return cursor.error(
        cursor.range(begin), diag::BadIrType,
        cursor.diagnostics.sourceManager().text(cursor.range(begin)).take_front(60));
  out = Type::tensor(shape, *dtype);
  return true;
}
