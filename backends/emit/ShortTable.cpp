// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results as a table for a text: Markdown, or LaTeX with booktabs. A line has the label of a
// result, what a sweep sets, what results of such statements are compared by, and metrics of the
// file; a column has one unit, which stands above it.
#include "backends/emit/Emit.h"
#include "backends/emit/ResultTable.h"
#include "backends/emit/StatementForm.h"

#include <cmath>

using namespace perfc;
using namespace perfc::emit;
using Kind = ResultColumn::Kind;

namespace {

/// A column as it is printed.
struct ShortColumn {
  std::string title, unit;
  bool isText = false;
  std::vector<std::string> cells;
};

/// A unit in which numbers are short.
struct Scale {
  std::string unit;
  double factor = 1;
};

} // namespace

static Scale scaleFor(const ResultColumn &column) {
  if (column.isShare)
    return {"%", 0.01};
  if (column.unit == "m2")
    return {"mm2", 1e-6};
  if (column.unit.empty() || column.unit == "cycle" ||
      llvm::StringRef(column.unit).startswith("USD"))
    return {column.unit, 1};
  bool isBinary = column.unit == "B";
  double largest = 0, base = isBinary ? 1024 : 1000;
  for (const ResultCell &cell : column.cells)
    largest = std::max(largest, std::abs(cell.number.getValueOr(0)));
  if (largest == 0)
    return {column.unit, 1};
  static constexpr llvm::StringLiteral prefixes[] = {"f", "p", "n", "u", "m", "",
                                                     "k", "M", "G", "T", "P", "E"};
  static constexpr int one = 5, last = 11;
  int lowest = isBinary ? one : 0;
  int power = static_cast<int>(std::floor(std::log(largest) / std::log(base) + 1e-9));
  int place = std::min(last, std::max(lowest, power + one));
  std::string prefix = prefixes[place].str();
  if (isBinary && place > one)
    prefix = llvm::StringRef(prefix).upper() + "i";
  return {prefix + column.unit, std::pow(base, place - one)};
}

static std::string numberText(double value) {
  if (value == std::round(value) && std::abs(value) < 1e15)
    return fmt::format("{:.0f}", value);
  int digits = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
  return digits >= -3 && digits < 6 ? fmt::format("{:.{}f}", value, std::max(0, 3 - digits))
                                    : fmt::format("{:.3e}", value);
}

static ShortColumn shortColumn(const ResultColumn &column) {
  ShortColumn result{column.name, "", !column.hasNumbers(), {}};
  Scale scale = scaleFor(column);
  result.unit = scale.unit;
  for (const ResultCell &cell : column.cells) {
    std::string text = cell.number ? numberText(*cell.number / scale.factor) : cell.text;
    if (cell.halfWidth > 0)
      text += " +- " + numberText(cell.halfWidth / scale.factor);
    result.cells.push_back(text.empty() ? "-" : std::move(text));
  }
  return result;
}

static std::vector<ShortColumn> shortTable(llvm::ArrayRef<const Result *> results) {
  ShortColumn labels{"result", "", /*isText=*/true, {}};
  std::vector<llvm::StringRef> compared;
  for (const Result *result : results) {
    labels.cells.push_back(result->label);
    for (llvm::StringRef name : result->form->compared)
      if (!llvm::is_contained(compared, name))
        compared.push_back(name);
  }
  std::vector<ShortColumn> table{std::move(labels)};
  for (const ResultColumn &column : resultColumns(results))
    if (column.kind == Kind::Setting || column.kind == Kind::Own || column.name == "bound" ||
        (column.kind == Kind::Metric && llvm::is_contained(compared, llvm::StringRef(column.name))))
      table.push_back(shortColumn(column));
  return table;
}

/// `text` with each character that means something in the format written as `escape` says.
static std::string escaped(llvm::StringRef text, llvm::function_ref<std::string(char)> escape) {
  std::string result;
  for (char c : text)
    result += escape(c);
  return result;
}

static std::string markdownText(llvm::StringRef text) {
  return escaped(text, [](char c) {
    bool isMark = llvm::StringRef("\\|*_`<[").contains(c);
    return c == '\n' ? std::string(" ") : (isMark ? "\\" : "") + std::string(1, c);
  });
}

static std::string latexText(llvm::StringRef text) {
  std::string result = escaped(text, [](char c) -> std::string {
    switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
    case '>':
    case '|':
      return "$" + std::string(c == '|' ? "\\mid" : std::string(1, c)) + "$";
    default:
      return (llvm::StringRef("&%$#_{}").contains(c) ? "\\" : "") + std::string(1, c);
    }
  });
  size_t at = result.find(" +- ");
  return at == std::string::npos ? result : result.replace(at, 4, " $\\pm$ ");
}

/// Prints a line: of titles where `row` is nothing.
static void line(llvm::raw_ostream &os, llvm::ArrayRef<ShortColumn> table,
                 llvm::Optional<size_t> row, llvm::StringRef between,
                 std::string (*textOf)(llvm::StringRef)) {
  llvm::interleave(
      table, os,
      [&](const ShortColumn &column) {
        if (row)
          os << textOf(column.cells[*row]);
        else
          os << textOf(column.title + (column.unit.empty() ? "" : " (" + column.unit + ")"));
      },
      between);
}

void emit::writeMarkdown(const Input &input, llvm::raw_ostream &os) {
  std::vector<ShortColumn> table = shortTable(input.results);
  auto print = [&](llvm::Optional<size_t> row) {
    os << "| ";
    line(os, table, row, " | ", markdownText);
    os << " |\n";
  };
  if (input.results.empty())
    return;
  print(llvm::None);
  for (const ShortColumn &column : table)
    os << (column.isText ? "|---" : "|---:");
  os << "|\n";
  for (size_t row = 0; row < input.results.size(); ++row)
    print(row);
}

void emit::writeLatex(const Input &input, llvm::raw_ostream &os) {
  std::vector<ShortColumn> table = shortTable(input.results);
  if (input.results.empty())
    return;
  os << "% needs \\usepackage{booktabs}\n\\begin{tabular}{";
  for (const ShortColumn &column : table)
    os << (column.isText ? 'l' : 'r');
  os << "}\n\\toprule\n";
  line(os, table, llvm::None, " & ", latexText);
  os << " \\\\\n\\midrule\n";
  for (size_t row = 0; row < input.results.size(); ++row) {
    line(os, table, row, " & ", latexText);
    os << " \\\\\n";
  }
  os << "\\bottomrule\n\\end{tabular}\n";
}
