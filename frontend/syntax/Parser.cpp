// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/Parser.h"

#include "frontend/syntax/ItemParser.h"
#include "frontend/syntax/ItemReader.h"
#include "ir/common/diagnostics/Syntax.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::syntax;

/// Keeps the names that the dropped line around `at` would have declared: `let x = …`, `… as x`.
static void keepLostNames(llvm::StringRef text, size_t at, ast::SyntaxFile &tree) {
  size_t begin = text.take_front(at).rfind('\n') + 1; // 0 when there is none
  llvm::StringRef line = text.slice(begin, text.find('\n', at));
  auto takeWord = [](llvm::StringRef &from) {
    from = from.drop_until([](char c) { return llvm::isAlnum(c) || c == '_'; });
    llvm::StringRef word = from.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    from = from.drop_front(word.size());
    return word;
  };
  llvm::StringRef result = line.split(" as ").second;
  takeWord(line);
  for (llvm::StringRef name : {takeWord(line), takeWord(result)})
    if (!name.empty())
      tree.lostNames.push_back(name);
}

/// Marks what the syntax errors `found` have damaged: the item of `items` around each, or, where a
/// line would have continued the item before it, that one.
static void markDamage(llvm::ArrayRef<Diagnostic> found, llvm::StringRef text,
                       llvm::ArrayRef<ast::Item *> items, ast::SyntaxFile &tree) {
  for (const Diagnostic &error : found) {
    bool continues = error.kind->code == diag::LineStartsWithClause.code ||
                     error.kind->code == diag::LineStartsWithOperator.code;
    for (ast::Item *item : llvm::reverse(items)) {
      bool isInside =
          error.range.begin >= item->range.begin && error.range.begin <= item->range.end;
      bool isBefore = item->range.end <= error.range.begin;
      item->isDamaged |= isInside || (continues && isBefore);
      if (isInside || isBefore)
        break;
    }
    keepLostNames(text, error.range.begin, tree);
  }
}

llvm::ArrayRef<ast::Item *> perfc::parsePart(ast::SyntaxFile &tree, SourceRange part,
                                             const SourceManager &sources,
                                             DiagnosticEngine &diagnostics) {
  SyntaxErrors errors(sources, part.file, diagnostics);
  size_t before = diagnostics.all().size();
  llvm::SmallVector<ast::Item *, 0> items;
  ItemReader reader(errors, part);
  ItemParser parser(tree, errors);
  for (std::vector<Token> item; reader.next(item);)
    parser.parse(item, items);
  errors.reportIfTooMany(reader.offset());
  markDamage(diagnostics.all().drop_front(before), errors.text(), items, tree);
  tree.isIncomplete |= errors.isFull();
  return tree.copy<ast::Item *>(items);
}

std::unique_ptr<ast::SyntaxFile> perfc::parseFile(const SourceManager &sources, FileId file,
                                                  DiagnosticEngine &diagnostics) {
  auto tree = std::make_unique<ast::SyntaxFile>();
  tree->file = file;
  SourceRange all{file, 0, static_cast<uint32_t>(sources.text(file).size())};
  SyntaxErrors errors(sources, file, diagnostics);
  tree->isIncomplete = !checkUtf8(errors);
  llvm::ArrayRef<ast::Item *> items;
  if (!tree->isIncomplete)
    items = parsePart(*tree, all, sources, diagnostics);
  tree->body = tree->make(ast::Body{items, all});
  return tree;
}
