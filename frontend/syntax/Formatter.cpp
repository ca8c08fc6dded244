// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one style of `.perf`:
// - A block indents by two spaces; at most one empty line stays, none at the edges of a block.
// - One space around binary operators and `=`, after commas and `;`, before `{`, and inside the
//   braces of a block on one line; none around `..`, `^` and `.`, nor inside ( ), [ ] and the
//   braces of an import. `*` may be tight on both sides (`2*x`), as the author wrote it.
// - What the author put on one line stays there, `;` and blocks included, up to 110 columns. A
//   longer line gets one item per line, then its block is opened up, then it is broken after a
//   comma, an operator or an opening parenthesis. Where the author broke it at such a place it
//   stays broken. What follows a break is indented by four more spaces.
// - What the author lined up stays lined up: when tokens of neighbouring lines start in the same
//   column, after two spaces or more in one of them, they start in one column, the leftmost
//   possible. A single space too many that meets another column by chance does not line up: it
//   needs all the lines, or tokens that do the same. All other runs of spaces become one.
// - A comment behind code keeps its column, two spaces from the code at least, and so does a
//   comment below it in the same column; any other comment has the indent of its block. The text of
//   a comment is not touched.
#include "frontend/syntax/FormatLines.h"
#include "frontend/syntax/Parser.h"

using namespace perfc;

llvm::Optional<std::string> perfc::formatFile(const SourceManager &sources, FileId file,
                                              DiagnosticEngine &diagnostics) {
  size_t before = diagnostics.errorCount();
  parseFile(sources, file, diagnostics);
  if (diagnostics.errorCount() != before)
    return llvm::None;
  std::vector<syntax::FormatLine> lines = syntax::splitLines(sources.text(file));
  return syntax::printLines(lines);
}
