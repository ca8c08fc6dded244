// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small level of operations for tests of ir/core, and a text with its diagnostics.
#ifndef PERFC_TEST_UNIT_IR_CORE_TESTOPS_H
#define PERFC_TEST_UNIT_IR_CORE_TESTOPS_H

#include "ir/core/Parser.h"
#include "ir/core/Printer.h"
#include "ir/core/Verifier.h"

namespace perfc {

inline const ir::OpRegistry &testOps() {
  using namespace ir;
  static const std::vector<llvm::StringRef> inner = {"t.leaf", "t.nest", "t.use", "t.make"};
  static const std::vector<OpDecl> table = {
      {.name = "t.any",
       .doc = "Anything.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = {AttrDecl{"a", AttrKind::Any, "first"}.optional(),
                 AttrDecl{"b", AttrKind::Any, "second"}.optional(), flagAttr("flag", "a flag")}},
      {.name = "t.nest",
       .doc = "A region.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .operands = {0, 1},
       .results = {0, 2},
       .regions = {{inner, /*hasArguments=*/true}}},
      {.name = "t.leaf",
       .doc = "Typed attributes.",
       .attrs = {intAttr("count", "how many").atLeast(1),
                 quantityAttr("time", BaseUnit::Second, "how long").optional(),
                 stringAttr("kind", "which").oneOf({"one", "two"}).optional(),
                 symbolAttr("of", "what").oneOf({"t.nest"}).optional(),
                 listAttr("list", AttrKind::String, "names").optional()}},
      {.name = "t.make", .doc = "Results.", .topLevel = true, .results = {1, Arity::any}},
      {.name = "t.use", .doc = "Operands.", .topLevel = true, .operands = {1, Arity::any}}};
  static const OpRegistry registry = [] {
    OpRegistry ops;
    ops.add(table);
    return ops;
  }();
  return registry;
}

/// A text that was read, with what was wrong about it.
struct ParsedText {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::unique_ptr<ir::Module> module;

  explicit ParsedText(std::string text, const ir::OpRegistry &registry = testOps()) {
    FileId file = sources.add("test.ir", std::move(text));
    module = ir::parseModule(file, registry, diagnostics);
  }
  /// Codes and lines: "712@3 …".
  std::string errors() const {
    std::string list;
    for (const Diagnostic &error : diagnostics.all())
      list += (list.empty() ? "" : " ") +
              fmt::format("{}@{}", error.kind->code,
                          sources.lineColumn(error.range.file, error.range.begin).line);
    return list;
  }
  bool verifies() { return module && ir::verify(*module, diagnostics); }
};

} // namespace perfc

#endif // PERFC_TEST_UNIT_IR_CORE_TESTOPS_H
