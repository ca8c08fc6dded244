// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Diagnostics.h"

#include "ir/common/diagnostics/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace perfc;

static constexpr DiagnosticKind kindTable[] = {
#define DIAG(NAME, CODE, SEVERITY, MESSAGE) {CODE, Severity::SEVERITY, #NAME, MESSAGE},
#include "ir/common/diagnostics/All.inc"
#undef DIAG
};

llvm::ArrayRef<DiagnosticKind> perfc::allDiagnosticKinds() { return kindTable; }

std::string perfc::counted(uint64_t count, llvm::StringRef noun) {
  if (count == 1)
    return fmt::format("1 {}", noun);
  if (noun.endswith("y") && !noun.endswith("ay") && !noun.endswith("ey"))
    return fmt::format("{} {}ies", count, noun.drop_back());
  return fmt::format("{} {}{}", count, noun, noun.endswith("ch") ? "es" : "s");
}

std::string perfc::atMost(uint64_t count, llvm::StringRef noun) {
  return count == 0 ? "no " + noun.str() : "at most " + counted(count, noun);
}

Diagnostic &Diagnostic::note(SourceRange where, std::string text) {
  remarks.push_back({Severity::Note, where, std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::help(std::string text) {
  remarks.push_back({Severity::Help, {}, std::move(text)});
  return *this;
}

Diagnostic &Diagnostic::suggest(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates,
                                std::string otherwise) {
  if (std::string nearest = nearestName(name, candidates); !nearest.empty())
    return help("did you mean `" + nearest + "`?");
  return otherwise.empty() ? *this : help(std::move(otherwise));
}

Diagnostic &DiagnosticEngine::add(Diagnostic diagnostic) {
  if (diagnostic.kind->severity == Severity::Error)
    ++errors;
  diagnostics.push_back(std::move(diagnostic));
  return diagnostics.back();
}

void DiagnosticEngine::truncate(size_t count) {
  for (; diagnostics.size() > count; diagnostics.pop_back())
    if (diagnostics.back().kind->severity == Severity::Error)
      --errors;
}

void DiagnosticEngine::noteSince(size_t first, SourceRange where, llvm::StringRef text) {
  for (Diagnostic &diagnostic : llvm::MutableArrayRef<Diagnostic>(diagnostics).drop_front(first))
    if (diagnostic.range.file != where.file || where.join(diagnostic.range) != where)
      diagnostic.note(where, text.str());
}

void DiagnosticEngine::blame(size_t first, SourceRange where) {
  if (!where.isValid() || sources.isLibrary(where.file) || first >= diagnostics.size())
    return;
  bool isBlamed = false;
  std::vector<Diagnostic> found(diagnostics.begin() + first, diagnostics.end());
  diagnostics.erase(diagnostics.begin() + first, diagnostics.end());
  for (Diagnostic &diagnostic : found) {
    bool isInLibrary = diagnostic.range.isValid() && sources.isLibrary(diagnostic.range.file);
    bool isError = diagnostic.kind->severity == Severity::Error;
    if (isInLibrary && isError && isBlamed)
      continue; // still counted
    isBlamed |= isInLibrary && isError;
    if (isInLibrary) {
      diagnostic.remarks.insert(diagnostic.remarks.begin(),
                                {Severity::Note, diagnostic.range, "found here in the library"});
      diagnostic.range = where;
    }
    diagnostics.push_back(std::move(diagnostic));
  }
}

const char *perfc::severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  case Severity::Help:
    return "help";
  }
  return "";
}

static llvm::raw_ostream::Colors severityColor(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return llvm::raw_ostream::RED;
  case Severity::Warning:
    return llvm::raw_ostream::MAGENTA;
  default:
    return llvm::raw_ostream::CYAN;
  }
}

/// Text as it is shown: tabs become one space, other control bytes but ends of lines, and bytes
/// that are not ASCII or well-formed UTF-8, become `?`.
static std::string visible(llvm::StringRef rest) {
  std::string shown;
  while (!rest.empty()) {
    unsigned char c = rest.front();
    size_t length = 1;
    if (c < 0x80) {
      bool isControl = (c < 0x20 && c != '\n') || c == 0x7f;
      shown += c == '\t' ? ' ' : isControl ? '?' : static_cast<char>(c);
    } else {
      const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(rest.data());
      length = llvm::getNumBytesForUTF8(c);
      bool wellFormed = length <= rest.size() && llvm::isLegalUTF8Sequence(bytes, bytes + length);
      length = wellFormed ? length : 1;
      shown += wellFormed ? rest.take_front(length).str() : "?";
    }
    rest = rest.drop_front(length);
  }
  return shown;
}

static size_t displayWidth(llvm::StringRef text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

static void printExcerpt(llvm::raw_ostream &os, const SourceManager &sources, SourceRange range) {
  LineColumn place = sources.lineColumn(range.file, range.begin);
  llvm::StringRef line = sources.line(range.file, place.line);
  size_t start = std::min<size_t>(place.column - 1, line.size());
  size_t first = start > 100 ? start - 60 : 0;
  while (first > 0 && first < line.size() && (line[first] & 0xC0) == 0x80)
    --first;
  std::string number = std::to_string(place.line);
  std::string gutter(number.size(), ' ');
  os << ' ' << number << " | " << visible(line.substr(first, 160)) << '\n';
  size_t width = displayWidth(
      line.slice(start, std::min<size_t>(start + (range.end - range.begin), line.size())));
  width = std::min<size_t>(std::max<size_t>(width, 1), 160);
  os << ' ' << gutter << " | " << std::string(displayWidth(line.slice(first, start)), ' ') << '^'
     << std::string(width - 1, '~') << '\n';
}

static void printOne(llvm::raw_ostream &os, const SourceManager &sources, Severity severity,
                     llvm::StringRef code, SourceRange range, llvm::StringRef message, bool color) {
  if (range.isValid())
    os << visible(sources.describe(range)) << ": ";
  if (color)
    os.changeColor(severityColor(severity), /*Bold=*/true);
  os << severityName(severity);
  if (!code.empty())
    os << '[' << code << ']';
  os << ": ";
  if (color)
    os.resetColor();
  os << visible(message) << '\n';
  if (range.isValid() && !sources.isBinary(range.file))
    printExcerpt(os, sources, range);
}

static std::string codeText(const DiagnosticKind &kind) {
  return fmt::format("PERF{:04}", kind.code);
}

/// What there is to say: a mistake in a declaration is found again by each statement that uses it.
static std::vector<const Diagnostic *> distinct(const DiagnosticEngine &engine) {
  std::set<std::tuple<uint16_t, FileId, uint32_t, uint32_t, llvm::StringRef>> seen;
  std::vector<const Diagnostic *> result;
  for (const Diagnostic &diagnostic : engine.all()) {
    const SourceRange &range = diagnostic.range;
    if (seen.emplace(diagnostic.kind->code, range.file, range.begin, range.end, diagnostic.message)
            .second)
      result.push_back(&diagnostic);
  }
  return result;
}

void perfc::printDiagnostics(llvm::raw_ostream &os, const DiagnosticEngine &engine, bool color,
                             size_t limit) {
  size_t shown = 0;
  std::vector<const Diagnostic *> diagnostics = distinct(engine);
  for (const Diagnostic *entry : diagnostics) {
    const Diagnostic &diagnostic = *entry;
    if (shown++ == limit) {
      os << "… and " << diagnostics.size() - limit << " more diagnostics\n";
      break;
    }
    const SourceManager &sources = engine.sourceManager();
    printOne(os, sources, diagnostic.kind->severity, codeText(*diagnostic.kind), diagnostic.range,
             diagnostic.message, color);
    for (const Remark &remark : diagnostic.remarks)
      printOne(os, sources, remark.severity, "", remark.range, remark.message, color);
  }
  os.flush();
}

static llvm::json::Object placeJson(const SourceManager &sources, SourceRange range) {
  llvm::json::Object object;
  if (!range.isValid())
    return object;
  object["file"] = llvm::json::fixUTF8(sources.path(range.file));
  if (sources.isBinary(range.file)) {
    object["byte"] = range.begin;
    return object;
  }
  LineColumn begin = sources.lineColumn(range.file, range.begin);
  LineColumn end = sources.lineColumn(range.file, range.end);
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["end_line"] = end.line;
  object["end_column"] = end.column;
  return object;
}

void perfc::printDiagnosticsJson(llvm::raw_ostream &os, const DiagnosticEngine &engine) {
  const SourceManager &sources = engine.sourceManager();
  llvm::json::Array list;
  for (const Diagnostic *entry : distinct(engine)) {
    const Diagnostic &diagnostic = *entry;
    llvm::json::Object object = placeJson(sources, diagnostic.range);
    object["code"] = codeText(*diagnostic.kind);
    object["severity"] = severityName(diagnostic.kind->severity);
    object["message"] = llvm::json::fixUTF8(diagnostic.message);
    llvm::json::Array remarks;
    for (const Remark &remark : diagnostic.remarks) {
      llvm::json::Object entry = placeJson(sources, remark.range);
      entry["severity"] = severityName(remark.severity);
      entry["message"] = llvm::json::fixUTF8(remark.message);
      remarks.push_back(std::move(entry));
    }
    object["remarks"] = std::move(remarks);
    list.push_back(std::move(object));
  }
  llvm::json::Object document{{"schema", 1}, {"diagnostics", std::move(list)}};
  os << llvm::json::Value(std::move(document)) << '\n';
}

FileId perfc::loadOrReport(SourceManager &sources, llvm::StringRef path,
                           DiagnosticEngine &diagnostics, SourceRange place) {
  std::string reason;
  FileId file = sources.load(path, reason);
  if (!file)
    diagnostics.report(place, diag::CannotRead, path.str(), reason);
  return file;
}

std::string perfc::nearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  unsigned limit = name.size() <= 3 ? 1 : name.size() <= 5 ? 2 : 3;
  std::string best;
  for (llvm::StringRef candidate : candidates) {
    if (name.equals_insensitive(candidate))
      return candidate.str();
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance > limit || distance >= candidate.size() || distance >= name.size())
      continue;
    if (best.empty() || distance < limit || (distance == limit && candidate.str() < best)) {
      // A nearer one lowers the limit, so the nearest and then the first by name wins.
      if (!best.empty() && distance == limit && candidate.str() >= best)
        continue;
      best = candidate.str();
      limit = distance;
    }
  }
  return best;
}
