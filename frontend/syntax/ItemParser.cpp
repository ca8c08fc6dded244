// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/ItemParser.h"

#include "frontend/syntax/AstBuilder.h"
#include "frontend/syntax/ErrorStrategy.h"
#include "frontend/syntax/TokenList.h"
#include "grammar/PerfParser.h"

using namespace perfc;
using namespace perfc::syntax;
using antlr4::atn::ParserATNSimulator;
using antlr4::atn::PredictionMode;
using perfc::grammar::PerfParser;

struct ItemParser::Machine {
  Machine(ast::SyntaxFile &file, SyntaxErrors &errors)
      : parser(&tokens), builder(file, errors), bail(std::make_shared<antlr4::BailErrorStrategy>()),
        careful(std::make_shared<ErrorStrategy>(errors)) {
    parser.removeErrorListeners();
    // The labels of the grammar hold all that the tree builder reads.
    parser.setBuildParseTree(false);
  }

  PerfParser::FileContext *parse(PredictionMode mode,
                                 const std::shared_ptr<antlr4::ANTLRErrorStrategy> &strategy) {
    parser.reset();
    parser.getInterpreter<ParserATNSimulator>()->setPredictionMode(mode);
    parser.setErrorHandler(strategy);
    return parser.file();
  }

  /// Fast first; only text with an error is read again, to say what is wrong.
  PerfParser::FileContext *parse() {
    try {
      return parse(PredictionMode::SLL, bail);
    } catch (const antlr4::ParseCancellationException &) {
    }
    try {
      return parse(PredictionMode::LL, careful);
    } catch (const GiveUp &) {
      return nullptr;
    }
  }

  TokenList tokens;
  PerfParser parser;
  AstBuilder builder;
  std::shared_ptr<antlr4::ANTLRErrorStrategy> bail;
  std::shared_ptr<antlr4::ANTLRErrorStrategy> careful;
};

ItemParser::ItemParser(ast::SyntaxFile &file, SyntaxErrors &errors)
    : machine(std::make_unique<Machine>(file, errors)) {}
ItemParser::~ItemParser() = default;

void ItemParser::parse(llvm::ArrayRef<Token> tokens, llvm::SmallVectorImpl<ast::Item *> &items) {
  machine->tokens.assign(tokens);
  if (PerfParser::FileContext *file = machine->parse())
    machine->builder.buildFile(file, items);
  machine->parser.reset();
}
