// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Printer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::ir;

bool ir::isBareName(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::string ir::quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', static_cast<char>(c)};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (c < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02X}", c);
    else
      result += static_cast<char>(c);
  }
  return result + "\"";
}

static std::string nameText(llvm::StringRef name) {
  return isBareName(name) ? name.str() : quoted(name);
}

//===-- Attributes
//-----------------------------------------------------------------------------===//

static void printAttribute(llvm::raw_ostream &os, const Attribute &value);

/// `key = value`; a flag is its key alone.
static void printEntry(llvm::raw_ostream &os, llvm::StringRef key, const Attribute &value) {
  os << nameText(key);
  if (value.is(AttrKind::Unit))
    return;
  os << " = ";
  printAttribute(os, value);
}

static void printAttribute(llvm::raw_ostream &os, const Attribute &value) {
  switch (value.kind()) {
  case AttrKind::Unit:
    os << "unit";
    return;
  case AttrKind::Bool:
    os << (value.asBool() ? "true" : "false");
    return;
  case AttrKind::Int:
    os << value.asInt();
    return;
  case AttrKind::Quantity:
    os << value.asQuantity().text();
    return;
  case AttrKind::String:
    os << quoted(value.asString());
    return;
  case AttrKind::Symbol:
    os << '@' << nameText(value.asSymbol());
    return;
  case AttrKind::Affine: {
    std::string text = value.asAffine().text();
    // An index that is called like a keyword shows its coefficient.
    bool keyword =
        llvm::StringSwitch<bool>(llvm::StringRef(text).take_until([](char c) { return c == ' '; }))
            .Cases("true", "false", "unit", true)
            .Default(false);
    os << (keyword ? "1*" : "") << text;
    return;
  }
  case AttrKind::List:
    os << '[';
    llvm::interleaveComma(value.asList(), os, [&](const Attribute &e) { printAttribute(os, e); });
    os << ']';
    return;
  case AttrKind::Dict:
    os << '{';
    llvm::interleaveComma(value.asDict().entries(), os,
                          [&](const AttrDict::Entry &e) { printEntry(os, e.first, e.second); });
    os << '}';
    return;
  case AttrKind::Any:
    llvm_unreachable("no value is of kind Any");
  }
}

std::string Attribute::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printAttribute(os, *this);
  return os.str();
}

//===-- Operations
//-----------------------------------------------------------------------------===//

namespace {

/// Prints operations and gives each value a name that is unique where it is visible.
class Printer {
public:
  Printer(llvm::raw_ostream &os, const PrintOptions &options) : os(os), options(options) {}

  void printRegion(const Region &region, unsigned indent);
  void printOperation(const Operation &op, unsigned indent);

private:
  const std::string &define(const Value &value);
  std::string use(const Value &value) const;
  void printHeader(const Operation &op);
  void printBody(const Region &region, unsigned indent);
  void printLocation(const Operation &op);

  llvm::raw_ostream &os;
  const PrintOptions &options;
  llvm::DenseMap<const Value *, std::string> names;
  llvm::StringSet<> taken;
  std::vector<std::string> order; ///< taken names; the end of a region frees its own
  llvm::StringMap<unsigned> suffixes;
  unsigned nextNumber = 0;
};

} // namespace

const std::string &Printer::define(const Value &value) {
  std::string name = value.hint().str();
  bool usable = isBareName(name);
  if (!usable)
    do
      name = std::to_string(nextNumber++);
    while (taken.count(name));
  else if (taken.count(name)) {
    unsigned &next = suffixes[value.hint()];
    do
      name = fmt::format("{}_{}", value.hint(), ++next);
    while (taken.count(name));
  }
  taken.insert(name);
  order.push_back(name);
  return names[&value] = name;
}

std::string Printer::use(const Value &value) const {
  auto known = names.find(&value);
  if (known != names.end())
    return known->second;
  return isBareName(value.hint()) ? value.hint().str() : "outside";
}

void Printer::printHeader(const Operation &op) {
  for (size_t i = 0; i < op.resultCount(); ++i)
    os << (i ? ", %" : "%") << define(op.result(i));
  os << (op.resultCount() ? " = " : "") << op.name();
  if (!op.symbol().empty())
    os << " @" << nameText(op.symbol());
  for (size_t i = 0; i < op.operandCount(); ++i)
    os << (i ? ", %" : " %") << use(op.operand(i));
  if (!op.attrs().empty()) {
    os << " (";
    llvm::interleaveComma(op.attrs(), os, [&](const Operation::NamedAttribute &attribute) {
      printEntry(os, attribute.name, attribute.value);
    });
    os << ')';
  }
  for (size_t i = 0; i < op.resultCount(); ++i)
    os << (i ? ", " : " : ") << op.result(i).type().text();
}

void Printer::printBody(const Region &region, unsigned indent) {
  size_t visible = order.size();
  unsigned number = nextNumber;
  os << " {";
  for (size_t i = 0; i < region.argumentCount(); ++i)
    os << (i ? ", %" : " |%") << define(region.argument(i)) << ": "
       << region.argument(i).type().text();
  os << (region.argumentCount() ? "|\n" : "\n");
  printRegion(region, indent + 2);
  os.indent(indent) << '}';
  for (; order.size() > visible; order.pop_back())
    taken.erase(order.back());
  nextNumber = number;
}

void Printer::printLocation(const Operation &op) {
  if (!options.locations || !op.range().isValid())
    return;
  os << " loc(";
  const SourceManager &sources = *options.locations;
  llvm::interleaveComma(op.location().ranges(), os, [&](SourceRange range) {
    LineColumn begin = sources.lineColumn(range.file, range.begin);
    LineColumn end = sources.lineColumn(range.file, range.end);
    os << quoted(sources.path(range.file)) << ':' << begin.line << ':' << begin.column << '-'
       << end.line << ':' << end.column;
  });
  os << ')';
}

void Printer::printOperation(const Operation &op, unsigned indent) {
  os.indent(indent);
  printHeader(op);
  size_t used = 0;
  for (size_t i = 0; i < op.regionCount(); ++i)
    if (!op.region(i).empty() || op.region(i).argumentCount())
      used = i + 1;
  for (size_t i = 0; i < used; ++i)
    printBody(op.region(i), indent);
  printLocation(op);
  os << '\n';
}

void Printer::printRegion(const Region &region, unsigned indent) {
  for (const Operation &op : region)
    printOperation(op, indent);
}

void ir::print(llvm::raw_ostream &os, const Module &module, const PrintOptions &options) {
  Printer(os, options).printRegion(module.body(), 0);
}

void ir::print(llvm::raw_ostream &os, const Operation &op, const PrintOptions &options) {
  Printer(os, options).printOperation(op, 0);
}

std::string ir::toString(const Module &module, const PrintOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, module, options);
  return os.str();
}

std::string ir::toString(const Operation &op, const PrintOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, op, options);
  return os.str();
}
