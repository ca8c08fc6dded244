// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place in the text of a module: skips blanks and `//` comments, takes the smallest parts, and
// reports what is missing. A part that is not there is reported once and gives nothing.
#ifndef PERFC_IR_CORE_TEXTCURSOR_H
#define PERFC_IR_CORE_TEXTCURSOR_H

#include "ir/common/Diagnostics.h"

namespace perfc {
namespace ir {

/// Whether names hold this byte.
bool isNameByte(char c);

class TextCursor {
public:
  /// Reads `part` of a file.
  TextCursor(SourceRange part, DiagnosticEngine &diagnostics)
      : diagnostics(diagnostics), file(part.file),
        text(diagnostics.sourceManager().text(part.file).take_front(part.end)),
        position(part.begin), end(part.begin) {}

  /// The text from the next part on; empty at the end.
  llvm::StringRef rest();
  bool atEnd() { return rest().empty(); }
  bool startsWith(llvm::StringRef mark) { return rest().startswith(mark); }
  /// Takes `mark` if it stands here.
  bool consume(llvm::StringRef mark);
  /// Takes `mark` or reports that it is missing.
  bool expect(llvm::StringRef mark);
  /// Takes letters, digits and `_` that do not begin with a digit; "" (silent) when there are none.
  llvm::StringRef word();
  /// The same, but may begin with a digit: names of values.
  llvm::StringRef valueName();
  /// A word or a string in quotes; reports "expected `what`" otherwise.
  bool name(std::string &out, llvm::StringRef what);
  /// A string in double quotes.
  bool string(std::string &out);
  /// Takes `length` bytes.
  llvm::StringRef take(size_t length);
  /// Takes bytes as long as `accept` holds, without skipping blanks.
  llvm::StringRef takeWhile(llvm::function_ref<bool(char)> accept);

  uint32_t offset() const { return position; }
  /// Goes back to an offset.
  void reset(uint32_t offset) { position = offset; }
  /// End of the last part that was taken.
  uint32_t lastEnd() const { return end; }
  FileId fileId() const { return file; }
  /// The file up to the end of the part.
  llvm::StringRef wholeText() const { return text; }
  SourceRange range(uint32_t begin) const { return {file, begin, std::max(begin, end)}; }
  /// The next part, for messages.
  SourceRange here();

  /// Reports "expected `what`, found …" here. Returns false.
  bool expected(llvm::StringRef what);
  template <typename... Args>
  bool error(SourceRange where, const DiagnosticKind &kind, const Args &...args) {
    diagnostics.report(where, kind, args...);
    return false;
  }

  DiagnosticEngine &diagnostics;

private:
  void skipBlanks();

  FileId file;
  llvm::StringRef text;
  uint32_t position;
  uint32_t end;
};

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_TEXTCURSOR_H
