// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/yaml/NodeReader.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

using namespace perfc;
using namespace perfc::yaml;

static const char *kindName(NodeKind kind) {
  switch (kind) {
  case NodeKind::Null:
    return "nothing";
  case NodeKind::Scalar:
    return "a single value";
  case NodeKind::Sequence:
    return "a list";
  case NodeKind::Map:
    return "a map of keys and values";
  }
  return "";
}

const Node *NodeReader::need(const Node &map, llvm::StringRef key, llvm::StringRef owner) {
  if (!map.isMap()) {
    fail(map.place, diag::YamlKind, owner.str(), kindName(NodeKind::Map), kindName(map.kind));
    return nullptr;
  }
  const Node *value = map.find(key);
  if (!value)
    fail(map.place, diag::YamlMissing, key.str(), owner.str());
  return value;
}

bool NodeReader::expect(const Node &node, NodeKind kind, llvm::StringRef what) {
  return node.kind == kind ||
         fail(node.place, diag::YamlKind, what.str(), kindName(kind), kindName(node.kind));
}

const Node *NodeReader::needList(const Node &map, llvm::StringRef key, llvm::StringRef owner) {
  const Node *value = need(map, key, owner);
  return value && expect(*value, NodeKind::Sequence, ("`" + key + "`").str()) ? value : nullptr;
}

static bool parseReal(llvm::StringRef text, double &value) {
  return !text.empty() && !text.getAsDouble(value) && std::isfinite(value);
}

static bool consumeSign(llvm::StringRef &text) {
  bool isNegative = text.consume_front("-");
  if (!isNegative)
    text.consume_front("+");
  return isNegative;
}

llvm::Optional<int64_t> yaml::wholeNumber(llvm::StringRef text) {
  bool isNegative = consumeSign(text);
  unsigned radix = 10;
  if (text.startswith_insensitive("0x"))
    radix = 16;
  else if (text.size() > 1 && text.front() == '0')
    radix = 8;
  if (radix == 16 || text.startswith("0o"))
    text = text.drop_front(2);
  uint64_t size = 0; // unsigned: takes no second sign
  if (text.getAsInteger(radix, size) || size > uint64_t(std::numeric_limits<int64_t>::max()))
    return llvm::None;
  auto value = static_cast<int64_t>(size);
  return isNegative ? -value : value;
}

bool yaml::isBadOctal(llvm::StringRef text) {
  consumeSign(text);
  return text.startswith("0") && text.find_first_of("89") != llvm::StringRef::npos &&
         llvm::all_of(text, llvm::isDigit);
}

bool NodeReader::readInteger(const Node &node, int64_t least, int64_t &value) {
  if (node.isScalar() && isBadOctal(node.text))
    return fail(node.place, diag::YamlNumber, node.text, "after a leading 0, octal digits are");
  auto whole = node.isScalar() ? wholeNumber(node.text) : llvm::None;
  bool isWhole = whole.hasValue();
  value = whole.getValueOr(0);
  double real = 0;
  if (!isWhole && node.isScalar() && parseReal(node.text, real) && real == std::floor(real) &&
      std::fabs(real) < 9007199254740992.0) {
    value = static_cast<int64_t>(real);
    isWhole = true;
  }
  if (!isWhole && real == std::floor(real) && std::fabs(real) >= 0x1p63)
    return fail(node.place, diag::YamlNumber, node.text, "a whole number that fits 64 bits is");
  return (isWhole && value >= least) ||
         fail(node.place, diag::YamlNumber, node.isScalar() ? node.text : kindName(node.kind),
              fmt::format("a whole number of at least {} is", least));
}

bool NodeReader::readReal(const Node &node, double least, double &value) {
  // Products of such figures and of counts stay finite.
  if (node.isScalar() && parseReal(node.text, value) && value != 0 &&
      (std::fabs(value) < 1e-30 || std::fabs(value) > 1e30))
    return fail(node.place, diag::YamlNumber, node.text, "a number between 1e-30 and 1e30 is");
  return (node.isScalar() && parseReal(node.text, value) && value >= least) ||
         fail(node.place, diag::YamlNumber, node.isScalar() ? node.text : kindName(node.kind),
              fmt::format("a number of at least {} is", least));
}

bool NodeReader::readFlag(const Node &node, bool &value) {
  llvm::StringRef text = node.text;
  value = text.equals_insensitive("true") || text == "1" || text.equals_insensitive("yes");
  bool isFalse = text.equals_insensitive("false") || text == "0" || text.equals_insensitive("no");
  return (node.isScalar() && (value || isFalse)) ||
         fail(node.place, diag::YamlNumber, node.isScalar() ? node.text : kindName(node.kind),
              "true or false is");
}

bool NodeReader::readText(const Node &node, llvm::StringRef what, std::string &value) {
  if (!expect(node, NodeKind::Scalar, what))
    return false;
  value = node.text;
  return !value.empty() || fail(node.place, diag::YamlMissing, "a word", what.str());
}

bool NodeReader::readWords(const Node &node, llvm::StringRef what,
                           std::vector<std::pair<std::string, SourceRange>> &words) {
  if (node.kind == NodeKind::Null)
    return true;
  if (node.isSequence()) {
    for (const Node *item : node.items) {
      words.emplace_back("", item->place);
      if (!readText(*item, what, words.back().first))
        return false;
    }
    return true;
  }
  if (!expect(node, NodeKind::Scalar, what))
    return false;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::SplitString(node.text, parts, " \t\n,");
  if (parts.size() > maxEntries)
    return fail(node.place, diag::YamlLimit, "has a list of more than 4096 values");
  for (llvm::StringRef part : parts)
    words.emplace_back(part.str(), node.place);
  return true;
}

void NodeReader::warnOfUnread(const Node &map, llvm::StringRef owner,
                              llvm::ArrayRef<llvm::StringLiteral> others) {
  for (const auto &[name, value] : map.entries)
    if (!value->isRead && !llvm::is_contained(others, llvm::StringRef(name->text)))
      diagnostics.report(name->place, diag::TimeloopUnread, name->text, owner);
}
