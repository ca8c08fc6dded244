// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/Templates.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace perfc;
using namespace perfc::timeloop;

/// Files that include each other without end.
static constexpr unsigned maxDepth = 16;
static constexpr size_t maxBytes = 4 << 20;
static constexpr unsigned maxNesting = 64; ///< of parentheses and signs

//===-- Arithmetic --------------------------------------------------------------------------===//

namespace {

/// Recursive descent: sum > product > sign > power > number or parentheses.
class Arithmetic {
public:
  explicit Arithmetic(llvm::StringRef text) : rest(text.trim()) {}

  llvm::Optional<double> run() {
    double value = sum();
    bool isNumber = good && rest.empty() && std::isfinite(value);
    return isNumber ? llvm::Optional<double>(value) : llvm::None;
  }

private:
  bool skip(llvm::StringRef sign) {
    if (!rest.consume_front(sign))
      return false;
    rest = rest.ltrim();
    return true;
  }
  double sum();
  double product();
  double sign();
  double atom();

  llvm::StringRef rest;
  unsigned depth = 0;
  bool good = true;
};

} // namespace

double Arithmetic::sum() {
  double value = product();
  while (good) {
    if (skip("+"))
      value += product();
    else if (skip("-"))
      value -= product();
    else
      break;
  }
  return value;
}

double Arithmetic::product() {
  double value = sign();
  while (good && !rest.startswith("**")) {
    if (skip("*"))
      value *= sign();
    else if (skip("//"))
      value = std::floor(value / sign());
    else if (skip("/"))
      value /= sign();
    else if (skip("%")) {
      double by = sign();
      value -= by * std::floor(value / by);
    } else
      break;
  }
  return value;
}

double Arithmetic::sign() {
  if (++depth > maxNesting)
    return good = false;
  double value = skip("-") ? -sign() : skip("+") ? sign() : atom();
  if (good && skip("**"))
    value = std::pow(value, sign());
  --depth;
  return value;
}

double Arithmetic::atom() {
  if (skip("(")) {
    double value = sum();
    good &= skip(")");
    return value;
  }
  llvm::StringRef digits =
      rest.take_while([](char c) { return llvm::isDigit(c) || c == '.' || c == '_'; });
  double value = 0;
  good &= !digits.empty() && !digits.contains('_') && !digits.getAsDouble(value);
  rest = rest.drop_front(digits.size()).ltrim();
  return value;
}

llvm::Optional<double> timeloop::arithmeticValue(llvm::StringRef expression) {
  return Arithmetic(expression).run();
}

//===-- Files -------------------------------------------------------------------------------===//

namespace {

class Expander {
public:
  Expander(SourceManager &sources, DiagnosticEngine &diagnostics)
      : sources(sources), diagnostics(diagnostics) {}

  /// Adds the text of `file` to `text`; false after a report.
  bool add(FileId file, unsigned depth);
  std::string text;

private:
  bool addValue(FileId file, size_t begin, llvm::StringRef expression, unsigned depth);
  bool addFile(FileId file, SourceRange place, llvm::StringRef name, unsigned depth);
  bool fail(SourceRange place, const std::string &why) {
    diagnostics.report(place, diag::TimeloopTemplate, sources.text(place).str(), why);
    return false;
  }

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
};

} // namespace

static std::string folderOf(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}

/// `name('…')` or `name("…")`: what is between the quotes.
static llvm::Optional<llvm::StringRef> argumentOf(llvm::StringRef name, llvm::StringRef call) {
  if (!call.consume_front(name))
    return llvm::None;
  call = call.trim();
  if (!call.consume_front("(") || !call.consume_back(")"))
    return llvm::None;
  call = call.trim();
  for (llvm::StringRef quote : {"'", "\""}) {
    llvm::StringRef inside = call;
    if (inside.consume_front(quote) && inside.consume_back(quote) && !inside.contains(quote))
      return inside;
  }
  return llvm::None;
}

bool Expander::addFile(FileId file, SourceRange place, llvm::StringRef name, unsigned depth) {
  llvm::SmallString<128> path(name);
  if (!llvm::sys::path::is_absolute(name)) {
    path = folderOf(sources.path(file));
    llvm::sys::path::append(path, name);
  }
  if (depth >= maxDepth)
    return fail(place, "files include each other more than 16 deep");
  std::string reason;
  FileId included = sources.load(path, reason);
  if (!included)
    return fail(place, fmt::format("`{}` cannot be read: {}", path.str().str(), reason));
  return add(included, depth + 1);
}

bool Expander::addValue(FileId file, size_t begin, llvm::StringRef expression, unsigned depth) {
  auto at = static_cast<uint32_t>(begin);
  SourceRange place{file, at, static_cast<uint32_t>(at + expression.size() + 4)};
  expression = expression.trim();
  if (llvm::Optional<llvm::StringRef> name = argumentOf("include_text", expression))
    return addFile(file, place, *name, depth);
  if (expression == "cwd()") {
    text += folderOf(sources.path(file));
    return true;
  }
  if (llvm::Optional<double> value = arithmeticValue(expression)) {
    text += fmt::format("{:.15g}", *value);
    return true;
  }
  return fail(place, "only include_text('FILE'), cwd() and arithmetic of numbers are; write out "
                     "what it stands for");
}

/// Templates in comments of YAML stay, which nobody reads.
static bool isInComment(llvm::StringRef text, size_t at) {
  llvm::StringRef before = text.slice(text.rfind('\n', at) + 1, at);
  size_t sign = before.find('#');
  return sign == 0 || (sign != llvm::StringRef::npos && llvm::isSpace(before[sign - 1]));
}

bool Expander::add(FileId file, unsigned depth) {
  llvm::StringRef from = sources.text(file);
  for (size_t at = 0; at < from.size();) {
    size_t next = std::min({from.find("{{", at), from.find("{%", at), from.size()});
    text += from.slice(at, next);
    if (text.size() > maxBytes)
      return fail({file, 0, 0}, "the text is larger than 4 MiB");
    if (next == from.size())
      break;
    size_t lineEnd = std::min(from.find('\n', next), from.size());
    bool isValue = from[next + 1] == '{';
    size_t end = from.slice(next, lineEnd).find(isValue ? "}}" : "%}");
    bool stays = isInComment(from, next) || (isValue && end == llvm::StringRef::npos);
    if (stays) {
      text += from.slice(next, next + 2);
      at = next + 2;
      continue;
    }
    if (!isValue) {
      uint32_t first = static_cast<uint32_t>(next);
      return fail({file, first, static_cast<uint32_t>(std::min(next + end + 2, lineEnd))},
                  "statements of Jinja are not; write out what they lead to");
    }
    if (!addValue(file, next, from.slice(next + 2, next + end), depth))
      return false;
    at = next + end + 2;
  }
  return true;
}

std::string timeloop::expandedPath(llvm::StringRef path) {
  return path.str() + " (its templates replaced)";
}

FileId timeloop::expandTemplates(FileId file, SourceManager &sources,
                                 DiagnosticEngine &diagnostics) {
  llvm::StringRef text = sources.text(file);
  if (!text.contains("{{") && !text.contains("{%"))
    return file;
  Expander expander(sources, diagnostics);
  if (!expander.add(file, 0))
    return 0;
  if (expander.text == text)
    return file;
  return sources.add(expandedPath(sources.path(file)), std::move(expander.text));
}
