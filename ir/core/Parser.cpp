// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Parser.h"

#include "ir/common/diagnostics/Syntax.h"
#include "ir/common/diagnostics/Text.h"
#include "ir/core/AttributeCheck.h"
#include "ir/core/AttributeParser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::ir;

namespace {

/// Reading stops after so many errors.
constexpr size_t maxErrors = 200;

/// A name defined in a text, and where.
struct NamedPlace {
  std::string name;
  SourceRange range;
};

class ModuleParser {
public:
  ModuleParser(TextCursor &cursor, const OpRegistry &registry, const ParseOptions &options)
      : cursor(cursor), registry(registry), options(options) {}

  /// Reads operations to the end of the text.
  void parseTop(Region &top);

private:
  using Scope = llvm::StringMap<Value *>;

  void parseOps(Region &region);
  bool parseOp(Region &region);
  bool parseValueNames(std::vector<NamedPlace> &out);
  bool parseResultNames(std::vector<NamedPlace> &out);
  bool parseOpName(const OpDecl *&decl);
  bool parseOperands(Operation &op);
  bool parseAttributes(Operation &op);
  bool parseResultTypes(Operation &op, llvm::ArrayRef<NamedPlace> names);
  bool parseRegions(Operation &op);
  bool parseArguments(Region &region);
  bool parseLocation(Operation &op);
  bool parseRange(Location &location);
  bool parsePlace(LineColumn &place);
  bool define(const NamedPlace &name, Value &value);
  Value *lookup(llvm::StringRef name) const;
  void skipOp(uint32_t begin);
  /// After an error that is not to be followed by others.
  bool hasStopped() const { return tooDeep || cursor.diagnostics.errorCount() >= maxErrors; }

  TextCursor &cursor;
  const OpRegistry &registry;
  const ParseOptions &options;
  std::vector<Scope> scopes;
  unsigned depth = 0;
  bool tooDeep = false;
};

} // namespace

//===-- Values
//---------------------------------------------------------------------------------===//

bool ModuleParser::define(const NamedPlace &name, Value &value) {
  if (!scopes.back().try_emplace(name.name, &value).second)
    return cursor.error(name.range, diag::RedefinedValue, name.name);
  if (!llvm::all_of(name.name, llvm::isDigit))
    value.setHint(name.name);
  return true;
}

Value *ModuleParser::lookup(llvm::StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes))
    if (Value *value = scope.lookup(name))
      return value;
  return nullptr;
}

/// Reads `%a, %b`.
bool ModuleParser::parseValueNames(std::vector<NamedPlace> &out) {
  do {
    uint32_t begin = cursor.here().begin;
    if (!cursor.expect("%"))
      return false;
    llvm::StringRef name = cursor.valueName();
    if (name.empty())
      return cursor.expected("the name of a value");
    out.push_back({name.str(), cursor.range(begin)});
  } while (cursor.consume(","));
  return true;
}

/// Reads `%a, %b =` if that comes next.
bool ModuleParser::parseResultNames(std::vector<NamedPlace> &out) {
  if (!cursor.startsWith("%"))
    return true;
  return parseValueNames(out) && cursor.expect("=");
}

/// Operands, unless what follows are the result names of the next operation.
bool ModuleParser::parseOperands(Operation &op) {
  if (!cursor.startsWith("%"))
    return true;
  uint32_t begin = cursor.offset();
  std::vector<NamedPlace> names;
  if (!parseValueNames(names))
    return false;
  if (cursor.startsWith("=")) {
    cursor.reset(begin);
    return true;
  }
  for (const NamedPlace &name : names) {
    Value *value = lookup(name.name);
    if (!value)
      return cursor.error(name.range, diag::UndefinedValue, name.name);
    op.addOperand(*value);
  }
  return true;
}

bool ModuleParser::parseResultTypes(Operation &op, llvm::ArrayRef<NamedPlace> names) {
  uint32_t begin = cursor.here().begin;
  if (cursor.consume(":")) {
    do {
      Type type;
      if (!parseType(cursor, type))
        return false;
      op.addResult(std::move(type));
    } while (cursor.consume(","));
  }
  return op.resultCount() == names.size() ||
         cursor.error(cursor.range(begin), diag::ResultTypeCount, counted(names.size(), "result"),
                      counted(op.resultCount(), "type"));
}

//===-- Operations
//-----------------------------------------------------------------------------===//

bool ModuleParser::parseOpName(const OpDecl *&decl) {
  uint32_t begin = cursor.here().begin;
  std::string name = cursor.word().str();
  if (name.empty())
    return cursor.expected("an operation");
  if (!cursor.startsWith(".") || cursor.here().begin != cursor.lastEnd())
    return cursor.error(cursor.range(begin), diag::UnknownOperation, name);
  cursor.take(1);
  name += "." + cursor.word().str();
  decl = registry.find(name);
  if (decl)
    return true;
  cursor.diagnostics.report(cursor.range(begin), diag::UnknownOperation, name)
      .suggest(name, registry.names());
  return false;
}

/// A value that is wrong is reported, and the operation read to its end.
bool ModuleParser::parseAttributes(Operation &op) {
  if (!cursor.consume("("))
    return true;
  AttrDict attributes;
  std::vector<SourceRange> places;
  if (!parseEntries(cursor, ")", attributes, /*depth=*/0, &places))
    return false;
  for (size_t i = 0; i < places.size(); ++i) {
    const auto &[name, value] = attributes.entries()[i];
    const AttrDecl *decl = op.decl().findAttr(name);
    if (!decl)
      unknownAttribute(op, places[i], name, cursor.diagnostics);
    else if (checkAttribute(op, *decl, value, places[i], cursor.diagnostics))
      op.setAttr(name, value);
  }
  return true;
}

bool ModuleParser::parseOp(Region &region) {
  std::vector<NamedPlace> names;
  const OpDecl *decl = nullptr;
  if (!parseResultNames(names))
    return false;
  uint32_t begin = cursor.here().begin;
  if (!parseOpName(decl))
    return false;
  Operation &op = region.insert(std::make_unique<Operation>(*decl, Location()));
  std::string symbol;
  if (cursor.consume("@")) {
    if (!cursor.name(symbol, "a name"))
      return false;
    op.setSymbol(symbol);
  }
  if (!parseOperands(op) || !parseAttributes(op) || !parseResultTypes(op, names))
    return false;
  op.setLocation(cursor.range(begin));
  if (!parseRegions(op) || !parseLocation(op))
    return false;
  for (size_t i = 0; i < names.size(); ++i)
    if (!define(names[i], op.result(i)))
      return false;
  return true;
}

//===-- Regions
//--------------------------------------------------------------------------------===//

/// Reads `|%x: type, …|` if there is one.
bool ModuleParser::parseArguments(Region &region) {
  if (!cursor.consume("|"))
    return true;
  do {
    uint32_t begin = cursor.here().begin;
    Type type;
    if (!cursor.expect("%"))
      return false;
    llvm::StringRef name = cursor.valueName();
    SourceRange range = cursor.range(begin);
    if (name.empty())
      return cursor.expected("the name of a value");
    if (!cursor.expect(":") || !parseType(cursor, type) ||
        !define({name.str(), range}, region.addArgument(std::move(type))))
      return false;
  } while (cursor.consume(","));
  return cursor.expect("|");
}

bool ModuleParser::parseRegions(Operation &op) {
  size_t next = 0;
  while (cursor.startsWith("{")) {
    if (next == op.regionCount())
      return cursor.error(cursor.here(), diag::NoRegionHere, op.name(), atMost(next, "region"));
    tooDeep = depth == maxIrNesting;
    if (tooDeep)
      return cursor.error(cursor.here(), diag::NestingTooDeep, maxIrNesting);
    cursor.take(1);
    Region &region = op.region(next++);
    ++depth;
    scopes.emplace_back();
    bool valid = parseArguments(region);
    if (valid)
      parseOps(region);
    scopes.pop_back();
    --depth;
    if (!valid || hasStopped() || !cursor.expect("}"))
      return false;
  }
  return true;
}

/// Reads operations up to `}` or the end, going on after errors.
void ModuleParser::parseOps(Region &region) {
  while (!hasStopped() && !cursor.atEnd() && !cursor.startsWith("}")) {
    uint32_t begin = cursor.offset();
    if (!parseOp(region) && !hasStopped())
      skipOp(begin);
  }
}

/// Goes to the end of the line on which the operation that began at `begin` ends, counting braces.
void ModuleParser::skipOp(uint32_t begin) {
  int open = 0;
  uint32_t failed = cursor.offset();
  llvm::StringRef text = cursor.wholeText();
  bool inString = false;
  uint32_t at = begin;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '\\' && inString)
      ++at;
    else if (c == '"')
      inString = !inString;
    else if (!inString && text.substr(at).startswith("//"))
      at = std::min(text.find('\n', at), text.size()) - 1;
    else if (!inString && c == '{')
      ++open;
    else if (!inString && c == '}' && --open < 0)
      break;
    if (at < text.size() && text[at] == '\n') {
      inString = false;
      if (open == 0 && at >= failed)
        break;
    }
  }
  cursor.reset(std::max<uint32_t>(std::min<size_t>(at, text.size()), begin));
}

void ModuleParser::parseTop(Region &top) {
  scopes.emplace_back();
  while (!hasStopped() && !cursor.atEnd()) {
    parseOps(top);
    if (!hasStopped() && cursor.startsWith("}")) {
      cursor.expected("an operation");
      cursor.take(1);
    }
  }
  scopes.pop_back();
}

//===-- Locations
//------------------------------------------------------------------------------===//

bool ModuleParser::parsePlace(LineColumn &place) {
  llvm::StringRef line = cursor.valueName();
  bool valid = !line.getAsInteger(10, place.line) && cursor.consume(":");
  llvm::StringRef column = valid ? cursor.valueName() : llvm::StringRef();
  valid = valid && !column.getAsInteger(10, place.column) && place.line > 0 && place.column > 0;
  return valid || cursor.error(cursor.here(), diag::BadIrLocation);
}

/// Reads `"path":3:5-3:40`; a file that is not to be had adds nothing.
bool ModuleParser::parseRange(Location &location) {
  std::string path;
  LineColumn begin, end;
  if (!cursor.string(path) || !cursor.expect(":") || !parsePlace(begin) || !cursor.expect("-") ||
      !parsePlace(end))
    return false;
  const SourceManager &sources = cursor.diagnostics.sourceManager();
  FileId file = options.openFile ? options.openFile(path) : sources.find(path);
  if (!file)
    return true;
  uint32_t first = sources.offset(file, begin);
  location.fuse(SourceRange{file, first, std::max(first, sources.offset(file, end))});
  return true;
}

bool ModuleParser::parseLocation(Operation &op) {
  uint32_t begin = cursor.here().begin;
  if (cursor.word() != "loc" || !cursor.consume("(")) {
    cursor.reset(begin);
    return true;
  }
  Location location;
  do {
    if (!parseRange(location))
      return false;
  } while (cursor.consume(","));
  if (location.primary().isValid())
    op.setLocation(std::move(location));
  return cursor.expect(")");
}

//===-- Modules
//--------------------------------------------------------------------------------===//

std::vector<SourceRange> ir::moduleParts(FileId file, const SourceManager &sources) {
  llvm::StringRef text = sources.text(file);
  std::vector<SourceRange> parts;
  uint32_t begin = 0;
  for (size_t line = 0; line < text.size();) {
    size_t end = std::min(text.find('\n', line), text.size());
    if (text.slice(line, end).rtrim('\r') == moduleSeparator) {
      parts.push_back({file, begin, static_cast<uint32_t>(line)});
      begin = static_cast<uint32_t>(end);
    }
    line = end + 1;
  }
  parts.push_back({file, begin, static_cast<uint32_t>(text.size())});
  return parts;
}

std::unique_ptr<Module> ir::parseModule(FileId file, const OpRegistry &registry,
                                        DiagnosticEngine &diagnostics,
                                        const ParseOptions &options) {
  auto size = static_cast<uint32_t>(diagnostics.sourceManager().text(file).size());
  return parseModule(SourceRange{file, 0, size}, registry, diagnostics, options);
}

std::unique_ptr<Module> ir::parseModule(SourceRange part, const OpRegistry &registry,
                                        DiagnosticEngine &diagnostics,
                                        const ParseOptions &options) {
  size_t before = diagnostics.errorCount();
  auto module = std::make_unique<Module>();
  TextCursor cursor(part, diagnostics);
  ModuleParser(cursor, registry, options).parseTop(module->body());
  return diagnostics.errorCount() == before ? std::move(module) : nullptr;
}
