// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Printer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::ir;

static const char introduction[] = R"(# The IR

This page is made from the declarations of the operations (`perfc doc --ir`).

A module is a list of operations:

    %y = op.apply @name %x, %w (kernel = @conv, flag) : tensor<1x64xfp16> { … } loc("f.perf":3:5-3:9)

In this order: results, the operation, its symbol, operands, attributes, types of the results, regions,
location; what an operation does not have is left out. A region begins with its arguments, if any:
`{ |%x: none| … }`. Comments begin with `//`; a line `// -----` stands between two modules of one text.

`perfc ir` prints a module for each statement of a program and each point of a sweep, after any pass and, with `--loc`,
with the places it comes from. `perfc run FILE.ir` evaluates what it printed with the same result: a pass leaves alone
what it has done before, so that each module takes the passes that it still needs.

| value of an attribute | text |
|---|---|
| flag | its name alone |
| bool, int | `true`, `-3` |
| quantity | an exact number with its unit in base units, `1600000000B/s`, `7\|3`; a real begins with `~` |
| string | `"text"` with `\\`, `\"`, `\n`, `\t`, `\xHH` |
| @name | another operation: of a region around this one, or of the module |
| affine | `2*p + r - 3` |
| list, dict | `[1, p]`, `{x = 14, y = 12}` |
)";

/// Text of a table cell.
static std::string cell(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

static std::string arity(Arity arity) {
  std::string text = std::to_string(arity.min);
  if (arity.max == Arity::any)
    return text + " or more";
  return arity.max == arity.min ? text : text + " to " + std::to_string(arity.max);
}

static void renderOp(llvm::raw_ostream &os, const OpDecl &decl) {
  os << "\n### " << decl.name << "\n\n" << decl.doc;
  if (decl.symbol != SymbolUse::None)
    os << " Has a symbol" << (decl.symbol == SymbolUse::Optional ? " if wanted." : ".");
  if (decl.topLevel)
    os << " Stands at the top.";
  if (decl.operands.max)
    os << " Operands: " << arity(decl.operands) << '.';
  if (decl.results.max)
    os << " Results: " << arity(decl.results) << '.';
  os << '\n';
  for (const RegionDecl &region : decl.regions) {
    os << "\nHolds ";
    llvm::interleaveComma(region.allowed, os,
                          [&](llvm::StringRef name) { os << '`' << name << '`'; });
    os << (region.hasArguments ? "; has arguments.\n" : ".\n");
  }
  if (decl.attrs.empty())
    return;
  os << "\n| attribute | value | meaning |\n|---|---|---|\n";
  for (const AttrDecl &attr : decl.attrs)
    os << "| " << attr.name << (attr.required ? "" : "?") << " | " << cell(attr.typeText()) << " | "
       << cell(attr.doc) << " |\n";
}

std::string ir::renderIrReference(const OpRegistry &registry) {
  std::string text = introduction;
  llvm::raw_string_ostream os(text);
  llvm::StringRef level;
  for (const OpDecl *decl : registry.all()) {
    llvm::StringRef own = decl->name.split('.').first;
    if (own != level)
      os << "\n## " << own << '\n';
    level = own;
    renderOp(os, *decl);
  }
  return os.str();
}
