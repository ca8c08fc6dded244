// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads values out of YAML nodes: each function says what it wants, and reports what stands there
// instead, with its place.
#ifndef PERFC_FRONTEND_IMPORT_YAML_NODEREADER_H
#define PERFC_FRONTEND_IMPORT_YAML_NODEREADER_H

#include "frontend/import/yaml/Document.h"

namespace perfc::yaml {

/// The whole number that `text` is as yaml-cpp reads it, by which Timeloop and ASTRA-sim read their
/// inputs, and as YAML 1.1 does: 0400 is octal, 0x100 hexadecimal. So is 0o400, of YAML 1.2.
/// Nothing when it is none or exceeds 64 bits. Reals are decimal whatever they begin with.
llvm::Optional<int64_t> wholeNumber(llvm::StringRef text);
/// `text` would be a whole number, but for digits that its leading 0 makes octal (`089`).
bool isBadOctal(llvm::StringRef text);

class NodeReader {
public:
  explicit NodeReader(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}

  /// The value under `key`; null when it is missing (reported: "`key` is missing in OWNER").
  const Node *need(const Node &map, llvm::StringRef key, llvm::StringRef owner);
  /// The same, and it must be of this kind.
  const Node *needList(const Node &map, llvm::StringRef key, llvm::StringRef owner);
  bool expect(const Node &node, NodeKind kind, llvm::StringRef what);

  /// A `wholeNumber` of at least `least`, also if written as a real.
  bool readInteger(const Node &node, int64_t least, int64_t &value);
  /// A finite number of at least `least`.
  bool readReal(const Node &node, double least, double &value);
  bool readFlag(const Node &node, bool &value);
  /// A word; `what` names it for the error.
  bool readText(const Node &node, llvm::StringRef what, std::string &value);
  /// A list of words, or one string of words between blanks and commas.
  bool readWords(const Node &node, llvm::StringRef what,
                 std::vector<std::pair<std::string, SourceRange>> &words);

  /// Warns of the keys of `map` that nobody has looked for, but for `others`.
  void warnOfUnread(const Node &map, llvm::StringRef owner,
                    llvm::ArrayRef<llvm::StringLiteral> others = {});

  template <typename... Args>
  bool fail(SourceRange place, const DiagnosticKind &kind, const Args &...args) {
    diagnostics.report(place, kind, args...);
    return false;
  }

  DiagnosticEngine &diagnostics;
};

} // namespace perfc::yaml

#endif // PERFC_FRONTEND_IMPORT_YAML_NODEREADER_H
