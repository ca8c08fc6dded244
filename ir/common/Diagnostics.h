// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics: what is wrong, where, why, and how to fix it. Each kind is declared once, in the
// table of its area in diagnostics/, DIAG(Name, code, severity, message): a stable code (PERF0123)
// and a message in lower case, one line, without a full stop, names in `backquotes`. CMake makes a
// header of each table, and who reports a kind includes that one. `note` points at another place
// involved, `help` proposes a fix. Kinds are explained by docs/diagnostics.md (`perfc explain
// PERF0123`).
#ifndef PERFC_IR_COMMON_DIAGNOSTICS_H
#define PERFC_IR_COMMON_DIAGNOSTICS_H

#include "ir/common/Source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>
#include <string>
#include <vector>

namespace perfc {

enum class Severity { Error, Warning, Note, Help };
/// "error", "warning", "note", "help".
const char *severityName(Severity severity);

/// One kind of diagnostic.
struct DiagnosticKind {
  uint16_t code;       ///< 123 for PERF0123
  Severity severity;   ///< Error or Warning
  const char *name;    ///< the identifier in its table
  const char *message; ///< an fmt format string
};

/// Every kind: the tables one after the other, each by ascending code.
llvm::ArrayRef<DiagnosticKind> allDiagnosticKinds();

/// A note or help line below a diagnostic.
struct Remark {
  Severity severity;
  SourceRange range; ///< may be nowhere
  std::string message;
};

struct Diagnostic {
  const DiagnosticKind *kind;
  SourceRange range;
  std::string message;
  llvm::SmallVector<Remark, 2> remarks;

  Diagnostic &note(SourceRange where, std::string text);
  Diagnostic &note(std::string text) { return note({}, std::move(text)); }
  Diagnostic &help(std::string text);
  /// Proposes the candidate nearest to the misspelt `name`; when none is near enough to be meant,
  /// gives `otherwise` as help unless it is empty.
  Diagnostic &suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates,
                      std::string otherwise = "");
};

/// Collects the diagnostics of one run, in the order in which they are found.
class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}

  /// Adds a diagnostic; the reference is valid until the next report.
  template <typename... Args>
  Diagnostic &report(SourceRange range, const DiagnosticKind &kind, const Args &...args) {
    return add({&kind, range, fmt::format(fmt::runtime(kind.message), args...), {}});
  }

  /// Counts an error again that was reported where it is: what uses the mistaken part is no good
  /// either.
  void meetAgain() { ++errors; }

  bool hasErrors() const { return errors != 0; }
  size_t errorCount() const { return errors; }
  llvm::ArrayRef<Diagnostic> all() const { return diagnostics; }
  const SourceManager &sourceManager() const { return sources; }
  /// Forgets everything from the `count`-th diagnostic on (used by speculative checks).
  void truncate(size_t count);
  /// Adds `text` as a note at `where` to the diagnostics from the `first`-th on that are about
  /// another place: what was being done when they were found.
  void noteSince(size_t first, SourceRange where, llvm::StringRef text);
  /// Moves the diagnostics from the `first`-th on that stand in the library to `where`, the place
  /// in a file of the user that led there; a note keeps the place in the library. One call is one
  /// mistake: the errors after the first that it leads to are dropped.
  void blame(size_t first, SourceRange where);

private:
  Diagnostic &add(Diagnostic diagnostic);

  const SourceManager &sources;
  std::vector<Diagnostic> diagnostics;
  size_t errors = 0;
};

/// What is found in the library while this lives is blamed on `where` in the end.
class BlameScope {
public:
  BlameScope(DiagnosticEngine &diagnostics, SourceRange where)
      : diagnostics(diagnostics), first(diagnostics.all().size()), where(where) {}
  BlameScope(const BlameScope &) = delete;
  BlameScope &operator=(const BlameScope &) = delete;
  ~BlameScope() { diagnostics.blame(first, where); }

private:
  DiagnosticEngine &diagnostics;
  size_t first;
  SourceRange where;
};

/// Reads the file at `path`, which stands at `place`; 0 after a report that it cannot be read.
FileId loadOrReport(SourceManager &sources, llvm::StringRef path, DiagnosticEngine &diagnostics,
                    SourceRange place = {});

/// Prints `diagnostics` as `file:line:col: error[PERF0123]: …`, the source line and a caret range.
/// At most `limit` are shown, then a count of the rest. `color` uses ANSI escapes.
void printDiagnostics(llvm::raw_ostream &os, const DiagnosticEngine &engine, bool color,
                      size_t limit = 50);

/// The same as one JSON document: {"schema":1,"diagnostics":[{code,severity,message,file,…}]}.
void printDiagnosticsJson(llvm::raw_ostream &os, const DiagnosticEngine &engine);

/// `0 values`, `1 value`, `2 values`: a count and what is counted.
std::string counted(uint64_t count, llvm::StringRef noun);
/// `no value`, `at most 1 value`, `at most 2 values`.
std::string atMost(uint64_t count, llvm::StringRef noun);

/// The candidate that is `name` but for case, or the nearest by edit distance, or "" when none is
/// near enough to be meant.
std::string nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace perfc

template <> struct fmt::formatter<llvm::StringRef> : fmt::formatter<fmt::string_view> {
  template <typename Context> auto format(llvm::StringRef text, Context &context) const {
    return fmt::formatter<fmt::string_view>::format({text.data(), text.size()}, context);
  }
};

#endif // PERFC_IR_COMMON_DIAGNOSTICS_H
