// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyntaxText.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace perfc;
using namespace perfc::test;
using ast::ExprKind;
using ast::ItemKind;

Parsed::Parsed(std::string text)
    : file(sources.add("test.perf", std::move(text))), diagnostics(sources),
      tree(parseFile(sources, file, diagnostics)) {}

static std::string argsText(llvm::ArrayRef<ast::Arg> args) {
  std::string out;
  for (const ast::Arg &arg : args) {
    out += (out.empty() ? "" : ", ") + treeText(arg.value);
    if (arg.value->role)
      out += ": " + treeText(arg.value->role);
    if (arg.assigned)
      out += " " + arg.assign.str() + " " + treeText(arg.assigned);
  }
  return out;
}

static std::string operatorText(const ast::Expr *expr) {
  auto operand = [&](size_t i) { return treeText(expr->operands[i]); };
  switch (expr->kind) {
  case ExprKind::Unary:
    return "(" + expr->text.str() + " " + operand(0) + ")";
  case ExprKind::Binary:
    return "(" + operand(0) + " " + expr->text.str() + " " + operand(1) + ")";
  case ExprKind::Range:
    return "(" + operand(0) + ".." + operand(1) +
           (expr->operands.size() > 2 ? " step " + operand(2) : "") + ")";
  default:
    return "(if " + operand(0) + " then " + operand(1) + " else " + operand(2) + ")";
  }
}

std::string test::treeText(const ast::Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Number:
  case ExprKind::Name:
  case ExprKind::Ellipsis:
    return expr->text.str();
  case ExprKind::String:
    return (expr->format.empty() ? "" : expr->format.str() + " ") + "\"" + expr->text.str() + "\"";
  case ExprKind::Call:
    return treeText(expr->operands[0]) + "(" + argsText(expr->args) + ")";
  case ExprKind::Index:
    return treeText(expr->operands[0]) + "[" + argsText(expr->args) + "]";
  case ExprKind::Member:
    return treeText(expr->operands[0]) + "." + expr->text.str();
  case ExprKind::Tuple:
    return "tuple(" + argsText(expr->args) + ")";
  case ExprKind::List:
    return "list[" + argsText(expr->args) + "]";
  default:
    return operatorText(expr);
  }
}

static std::string importText(const ast::Item &item) {
  std::string out = "import";
  if (!item.format.empty())
    out += " " + item.format.str();
  if (item.file)
    out += " " + treeText(item.file);
  for (size_t i = 0; i < item.path.size(); ++i)
    out += (i == 0 ? " " : ".") + item.path[i].name.str();
  for (const ast::ImportName &name : item.names)
    out += " {" + name.name.str() + (name.alias.empty() ? "" : " as " + name.alias.str()) + "}";
  return out + (item.alias.empty() ? "" : " as " + item.alias.str());
}

static std::string bodyText(const ast::Body *body, unsigned depth);

static std::string headText(const ast::Item &item) {
  if (item.kind == ItemKind::Import)
    return importText(item);
  if (item.kind == ItemKind::If)
    return "if " + treeText(item.value);
  if (item.kind == ItemKind::Equation)
    return treeText(item.target) + " " + item.assign.str() + " " + treeText(item.value);
  std::string out = item.word.str();
  if (!item.args.empty())
    out += " " + argsText(item.args);
  if (!item.results.empty())
    out += " -> " + argsText(item.results);
  return out;
}

static std::string bodyText(const ast::Body *body, unsigned depth) {
  std::string out;
  for (const ast::Item *item : body->items) {
    out += std::string(2 * depth, ' ') + headText(*item);
    for (const ast::Clause &clause : item->clauses)
      out += " <" + clause.word.str() + " " + argsText(clause.args) + ">";
    out += item->block ? " {\n" + bodyText(item->block, depth + 1) : "\n";
    if (item->otherwise)
      out += std::string(2 * depth, ' ') + "else {\n" + bodyText(item->otherwise, depth + 1);
  }
  return out;
}

std::string test::treeText(const Parsed &parsed) { return bodyText(parsed.tree->body, 0); }

static std::vector<std::string> errorTexts(const Parsed &parsed) {
  std::vector<std::string> errors;
  for (const Diagnostic &diagnostic : parsed.diagnostics.all()) {
    LineColumn place = parsed.sources.lineColumn(parsed.file, diagnostic.range.begin);
    errors.push_back(fmt::format("{}:{} {} {}", place.line, place.column, diagnostic.kind->code,
                                 diagnostic.message));
  }
  return errors;
}

std::vector<std::string> test::errorsOf(std::string text) {
  return errorTexts(Parsed(std::move(text)));
}

std::string test::parseText(std::string text) {
  Parsed parsed(std::move(text));
  std::string errors;
  for (const std::string &error : errorTexts(parsed))
    errors += error + "\n";
  return errors.empty() ? treeText(parsed) : errors;
}

std::string test::formatText(std::string text) {
  SourceManager sources;
  FileId file = sources.add("test.perf", std::move(text));
  DiagnosticEngine diagnostics(sources);
  return formatFile(sources, file, diagnostics).getValueOr("error");
}

std::vector<std::string> test::samplePaths() {
  std::filesystem::path root = std::filesystem::path(PERFC_TEST_DIR) / "samples";
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(root))
    if (entry.path().extension() == ".perf")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string test::readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string test::repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}
