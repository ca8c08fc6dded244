// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/Templates.h"

#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
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
  bool addValue(FileId file, SourceRange place, llvm::StringRef expression, unsigned depth);
  bool addFile(FileId file, SourceRange place, llvm::StringRef name, unsigned depth);
  bool run(FileId file, SourceRange place, llvm::StringRef statement);
  llvm::Optional<std::string> valueOf(FileId file, llvm::StringRef expression) const;
  bool failToEvaluate(SourceRange place, llvm::StringRef expression);
  /// True outside of branches that are not taken.
  bool isShown() const {
    return llvm::all_of(branches, [](const Branch &branch) { return branch.isTaken; });
  }
  bool fail(SourceRange place, const std::string &why) {
    diagnostics.report(place, diag::TimeloopTemplate, sources.text(place).str(), why);
    return false;
  }

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  llvm::StringMap<std::string> variables;
  struct Branch {
    bool isTaken;
    SourceRange place; ///< of its `if`
  };
  std::vector<Branch> branches; ///< around what is read
};

} // namespace

static std::string folderOf(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}

/// `name(…)`: what is between the parentheses.
static llvm::Optional<llvm::StringRef> argumentOf(llvm::StringRef name, llvm::StringRef call) {
  if (!call.consume_front(name))
    return llvm::None;
  call = call.trim();
  if (!call.consume_front("(") || !call.consume_back(")"))
    return llvm::None;
  return call.trim();
}

/// `'…'` or `"…"`: what is between the quotes.
static llvm::Optional<llvm::StringRef> quoted(llvm::StringRef text) {
  for (llvm::StringRef quote : {"'", "\""}) {
    llvm::StringRef inside = text;
    if (inside.consume_front(quote) && inside.consume_back(quote) && !inside.contains(quote))
      return inside;
  }
  return llvm::None;
}

/// Where `sign` first stands outside of quotes and parentheses.
static size_t findOutside(llvm::StringRef text, char sign) {
  char quote = 0;
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '(' || c == ')')
      depth += c == '(' ? 1 : -1;
    else if (c == sign && depth == 0)
      return at;
  }
  return llvm::StringRef::npos;
}

static bool isVariable(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The text of a value; nothing where it is none of those that are evaluated.
llvm::Optional<std::string> Expander::valueOf(FileId file, llvm::StringRef expression) const {
  expression = expression.trim();
  if (size_t at = findOutside(expression, '~'); at != llvm::StringRef::npos) {
    auto left = valueOf(file, expression.take_front(at));
    auto right = left ? valueOf(file, expression.drop_front(at + 1)) : llvm::None;
    return right ? llvm::Optional<std::string>(*left + *right) : llvm::None;
  }
  if (size_t bar = findOutside(expression, '|'); bar != llvm::StringRef::npos) {
    llvm::StringRef name = expression.take_front(bar).trim();
    auto otherwise = argumentOf("default", expression.drop_front(bar + 1).trim());
    if (!otherwise)
      return llvm::None;
    return valueOf(file, isVariable(name) && !variables.count(name) ? *otherwise : name);
  }
  if (llvm::Optional<llvm::StringRef> text = quoted(expression))
    return text->str();
  if (expression == "cwd()")
    return folderOf(sources.path(file));
  if (llvm::Optional<double> number = arithmeticValue(expression))
    return fmt::format("{:.15g}", *number);
  if (expression == "True" || expression == "False")
    return expression.str();
  auto known = variables.find(expression);
  return known == variables.end() ? llvm::None : llvm::Optional<std::string>(known->second);
}

bool Expander::failToEvaluate(SourceRange place, llvm::StringRef expression) {
  expression = expression.trim();
  if (isVariable(expression))
    return fail(place, fmt::format("`{0}` has no value: `{{% set {0} = … %}}` before it gives it "
                                   "one",
                                   expression.str()));
  return fail(place, "only include_text('FILE'), cwd(), arithmetic of numbers, texts and variables "
                     "are; write out what it stands for");
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

bool Expander::addValue(FileId file, SourceRange place, llvm::StringRef expression,
                        unsigned depth) {
  expression = expression.trim();
  llvm::Optional<llvm::StringRef> included = argumentOf("include_text", expression);
  llvm::Optional<std::string> value = valueOf(file, included ? *included : expression);
  if (!value)
    return failToEvaluate(place, included ? *included : expression);
  if (included)
    return addFile(file, place, *value, depth);
  text += *value;
  return true;
}

/// `set NAME = …`, `if …`, `else`, `endif`.
bool Expander::run(FileId file, SourceRange place, llvm::StringRef statement) {
  statement = statement.trim("-").trim();
  auto [word, rest] = statement.split(' ');
  if (word == "else" || word == "endif") {
    if (branches.empty() || !rest.trim().empty())
      return fail(place, "no `if` stands before it");
    if (word == "else")
      branches.back().isTaken = !branches.back().isTaken;
    else
      branches.pop_back();
    return true;
  }
  auto [name, assigned] = rest.split('=');
  bool isSet = word == "set" && isVariable(name.trim()) && !assigned.empty();
  if (!isSet && word != "if")
    return fail(place, "of the statements of Jinja `set`, `if`, `else` and `endif` are; write out "
                       "what it leads to");
  if (!isShown()) {
    if (!isSet)
      branches.push_back({false, place});
    return true;
  }
  llvm::StringRef expression = isSet ? assigned : rest;
  llvm::Optional<std::string> value = valueOf(file, expression);
  if (!value)
    return failToEvaluate(place, expression);
  if (isSet)
    variables[name.trim()] = *value;
  else
    branches.push_back({!value->empty() && *value != "False" && *value != "0", place});
  return true;
}

/// Templates in comments of YAML stay, which nobody reads.
static bool isInComment(llvm::StringRef text, size_t at) {
  llvm::StringRef before = text.slice(text.rfind('\n', at) + 1, at);
  size_t sign = before.find('#');
  return sign == 0 || (sign != llvm::StringRef::npos && llvm::isSpace(before[sign - 1]));
}

bool Expander::add(FileId file, unsigned depth) {
  llvm::StringRef from = sources.text(file);
  size_t outer = branches.size();
  for (size_t at = 0; at < from.size();) {
    size_t next = std::min({from.find("{{", at), from.find("{%", at), from.size()});
    if (isShown())
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
      if (isShown())
        text += from.slice(next, next + 2);
      at = next + 2;
      continue;
    }
    size_t last = end == llvm::StringRef::npos ? lineEnd : next + end + 2;
    SourceRange place{file, static_cast<uint32_t>(next), static_cast<uint32_t>(last)};
    if (!isValue && end == llvm::StringRef::npos)
      return fail(place, "it does not end on its line");
    llvm::StringRef inside = from.slice(next + 2, next + end);
    if (isValue ? isShown() && !addValue(file, place, inside, depth) : !run(file, place, inside))
      return false;
    at = last;
  }
  if (branches.size() > outer)
    return fail(branches.back().place, "it has no `endif`");
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
