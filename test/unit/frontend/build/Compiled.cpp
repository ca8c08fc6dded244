// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compiled.h"

#include "ir/core/Printer.h"
#include "ir/core/Verifier.h"
#include "ir/study/AllOps.h"

using namespace perfc;
using namespace perfc::test;

const char *const perfc::test::chip =
    "hardware c { clock 1GHz; memory M { bandwidth 1GB/s }; compute U { rate 1/cycle } }\n";

Compiled::Compiled(std::string text, Compilation::Defines defines)
    : diagnostics(sources), compilation(sources, diagnostics, allOps()) {
  if (compilation.load(sources.add("test.perf", std::move(text)), defines) && compilation.check())
    compilation.buildAll(module);
  if (!diagnostics.hasErrors())
    ir::verify(module, diagnostics);
}

std::string Compiled::errors() const {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    LineColumn at = diagnostic.range.isValid()
                        ? sources.lineColumn(diagnostic.range.file, diagnostic.range.begin)
                        : LineColumn();
    text += fmt::format("{}{}:{} {} {}", text.empty() ? "" : "\n", at.line, at.column,
                        diagnostic.kind->code, diagnostic.message);
  }
  return text;
}

std::string Compiled::ir() const {
  return diagnostics.hasErrors() ? errors() : ir::toString(module);
}

std::vector<std::string> Compiled::lines(llvm::StringRef text) const {
  std::vector<std::string> found;
  std::string all = ir();
  for (llvm::StringRef rest = all; !rest.empty();) {
    auto [line, next] = rest.split('\n');
    if (line.contains(text) || diagnostics.hasErrors())
      found.push_back(line.trim().str());
    rest = next;
  }
  return found;
}

std::string Compiled::line(llvm::StringRef text) const {
  std::vector<std::string> found = lines(text);
  if (found.size() == 1)
    return found[0];
  return fmt::format("{} lines: {}", found.size(), fmt::join(found, " | "));
}

bool test::has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

unsigned perfc::test::codeIn(const std::string &text) {
  Compiled compiled(text);
  llvm::ArrayRef<Diagnostic> all = compiled.diagnostics.all();
  if (all.size() > 1)
    return 10000 + all.size();
  return all.empty() ? 0 : all[0].kind->code;
}

std::string perfc::test::runOp(const std::string &op, const std::string &call) {
  return chip + op + "\nevaluate " + call + " on c\n";
}

std::string perfc::test::runBody(const std::string &before, const std::string &body) {
  return chip + before + "\nworkload w() -> y {\n" + body + "\n}\nevaluate w on c\n";
}
