// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/Parser.h"

#include "frontend/syntax/ItemParser.h"
#include "frontend/syntax/ItemReader.h"

using namespace perfc;
using namespace perfc::syntax;

std::unique_ptr<ast::SyntaxFile> perfc::parseFile(const SourceManager &sources, FileId file,
                                                  DiagnosticEngine &diagnostics) {
  auto tree = std::make_unique<ast::SyntaxFile>();
  tree->file = file;
  SyntaxErrors errors(sources, file, diagnostics);
  llvm::SmallVector<ast::Item *, 0> items;
  if (checkUtf8(errors)) {
    ItemReader reader(errors);
    ItemParser parser(*tree, errors);
    for (std::vector<Token> item; reader.next(item);)
      parser.parse(item, items);
    errors.reportIfTooMany(reader.offset());
  }
  SourceRange all{file, 0, static_cast<uint32_t>(errors.text().size())};
  tree->body = tree->make(ast::Body{tree->copy<ast::Item *>(items), all});
  return tree;
}
