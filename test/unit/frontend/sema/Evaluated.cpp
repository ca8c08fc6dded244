// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Evaluated.h"

using namespace perfc;
using namespace perfc::test;

Loaded::Loaded(std::string text, std::string path)
    : diagnostics(sources), program(sources, diagnostics), evaluator(program),
      elaborator(evaluator), root(program.loadRoot(sources.add(path, std::move(text)))) {}

const Decl *Loaded::find(llvm::StringRef name) { return program.find(*root, name); }

std::string Loaded::value(llvm::StringRef name) {
  const Decl *decl = find(name);
  if (!decl)
    return "no " + name.str() + "\n" + errors();
  Value value = evaluator.valueOf(*decl, decl->nameRange);
  return diagnostics.hasErrors() ? errors() : value.text();
}

std::string Loaded::errors() const {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    LineColumn at = sources.lineColumn(diagnostic.range.file, diagnostic.range.begin);
    text += fmt::format("{}{}:{} {} {}", text.empty() ? "" : "\n", at.line, at.column,
                        diagnostic.kind->code, diagnostic.message);
  }
  return text;
}

static std::string nodeText(const Node &node) {
  std::string text = node.word.str();
  if (!node.name.empty() && node.name != text)
    text += " " + node.name;
  for (const NodeArg &arg : node.args) {
    text += &arg == node.args.begin() ? " " : ", ";
    text += (arg.name.empty() ? "" : arg.name + " = ") + arg.value.text();
  }
  std::string inner;
  for (const Node *child : node.children)
    inner += (inner.empty() ? " " : "; ") + nodeText(*child);
  return inner.empty() ? text : text + " {" + inner + " }";
}

std::string Loaded::tree(llvm::StringRef name) {
  const Decl *decl = find(name);
  if (!decl)
    return "no " + name.str() + "\n" + errors();
  Node *node = elaborator.declaration({decl, "", {}, decl->nameRange}, /*allowMissing=*/false);
  return diagnostics.hasErrors() ? errors() : nodeText(*node);
}

std::string perfc::test::valueIn(std::string text) { return Loaded(std::move(text)).value(); }
std::string perfc::test::valueOf(const std::string &expression) {
  return valueIn("let x = " + expression);
}

unsigned perfc::test::codeIn(std::string text) {
  Loaded loaded(std::move(text));
  loaded.value();
  llvm::ArrayRef<Diagnostic> all = loaded.diagnostics.all();
  if (all.size() > 1)
    return 10000 + all.size();
  return all.empty() ? 0 : all[0].kind->code;
}
unsigned perfc::test::codeOf(const std::string &expression) {
  return codeIn("let x = " + expression);
}
