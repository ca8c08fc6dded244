// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree of `.perf`: what was written, before names mean anything. A body is a list of
// items; an item is one of the four forms of the language (generic line, equation, choice, import).
// Nodes live in the arena of their SyntaxFile; strings point into the source text.
#ifndef PERFC_FRONTEND_SYNTAX_AST_H
#define PERFC_FRONTEND_SYNTAX_AST_H

#include "ir/common/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"

namespace perfc::ast {

struct Expr;

/// An argument of a head, a call, an index, a tuple, a record or a list:
/// `x` · `x: role` · `x = 1` · `[i, j] += e` · `[i] max= e`.
struct Arg {
  Expr *value = nullptr;  ///< never null
  llvm::StringRef assign; ///< "" (no assignment), "=", "+=" or "max=" and the like
  SourceRange assignRange;
  Expr *assigned = nullptr; ///< after the assignment sign
  SourceRange range;
};

enum class ExprKind : uint8_t {
  Number,   ///< text = digits with unit, as written
  String,   ///< text = contents between the quotes, escapes not yet replaced; `format` may precede
  Name,     ///< text
  Ellipsis, ///< ...
  Unary,    ///< op `-` or `not`; operands[0]
  Binary,   ///< op in + - * / % ^ < <= > >= == != in and or +-; operands[0], [1]
  Range,    ///< operands[0] .. operands[1] [step operands[2]]
  If,       ///< if operands[0] then operands[1] else operands[2]
  Call,     ///< operands[0] ( args )
  Index,    ///< operands[0] [ args ]
  Member,   ///< operands[0] . text
  Tuple,    ///< ( args ): one unnamed arg is a parenthesised expression
  List,     ///< [ args ]
};

struct Expr {
  ExprKind kind = ExprKind::Name;
  llvm::StringRef text;   ///< number, string, name or member text; operator of Unary and Binary
  llvm::StringRef format; ///< of a String: the name right before it, or ""
  llvm::ArrayRef<Expr *> operands;
  llvm::ArrayRef<Arg> args;
  bool trailingComma = false; ///< of Tuple and List
  Expr *role = nullptr;       ///< after `:`, where this is an argument or is assigned
  SourceRange range;          ///< without the role
  SourceRange opRange;        ///< of the operator, the member name or the format
};

/// `word value, value` after the head's values: `on chip`, `at GLB`. A clause and an attribute are
/// the same thing in two places.
struct Clause {
  llvm::StringRef word;
  SourceRange wordRange;
  llvm::ArrayRef<Arg> args;
};

struct Body;

enum class ItemKind : uint8_t {
  Line,     ///< word args [-> results] clauses [block]
  Equation, ///< word = expr, word[...] += expr (target in `target`)
  If,       ///< if condition block [else block | else if]
  Import,   ///< the three forms of import
};

/// One name of `import path.{a, b as c}`.
struct ImportName {
  llvm::StringRef name;
  SourceRange range;
  llvm::StringRef alias; ///< or ""
};

struct Item {
  ItemKind kind = ItemKind::Line;
  llvm::StringRef word; ///< Line: the word; Equation: the name that is set
  SourceRange wordRange;
  SourceRange range;       ///< the item without its line ending
  bool isDamaged = false;  ///< a line of this top-level item was dropped after a syntax error
  bool isMistaken = false; ///< of a top-level item: it has an error, and nothing may use it
  llvm::StringRef doc;     ///< the comment lines directly above, with their `//`, or ""
  // Line
  llvm::ArrayRef<Arg> args;
  llvm::ArrayRef<Arg> results; ///< after `->`
  llvm::ArrayRef<Clause> clauses;
  Body *block = nullptr; ///< Line and If
  // Equation: `word` [ indices ] assign expr
  Expr *target = nullptr; ///< Name or Index expression
  llvm::StringRef assign; ///< "=", "+=", "max=", …
  SourceRange assignRange;
  Expr *value = nullptr; ///< Equation: right side. If: the condition
  // If
  Body *otherwise = nullptr; ///< else block; `else if` is a body with one If item
  // Import
  llvm::ArrayRef<ImportName> path;  ///< std . hardware . a100
  llvm::ArrayRef<ImportName> names; ///< of `.{…}`
  llvm::StringRef format;           ///< `onnx` of `import onnx "m.onnx"`
  Expr *file = nullptr;             ///< String
  llvm::StringRef alias;            ///< after `as`
};

struct Body {
  llvm::ArrayRef<Item *> items;
  SourceRange range; ///< with its braces; the whole file for the outermost
};

/// A parsed file; owns its nodes.
struct SyntaxFile {
  FileId file = 0;
  Body *body = nullptr;
  llvm::BumpPtrAllocator arena;
  /// Names that dropped lines would have declared: using them is no further mistake.
  llvm::SmallVector<llvm::StringRef, 0> lostNames;
  bool isIncomplete = false; ///< the rest was not read, so any name may be lost

  template <typename T> T *make(const T &node) { return new (arena.Allocate<T>()) T(node); }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) { return list.copy(arena); }
};

} // namespace perfc::ast

#endif // PERFC_FRONTEND_SYNTAX_AST_H
