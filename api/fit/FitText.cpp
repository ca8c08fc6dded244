// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/FitText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>

using namespace perfc;
using namespace perfc::api;

std::string api::textWithInterval(const FitConstant &constant, const FitFindings::Constant &found,
                                  unsigned digits) {
  std::string text = constant.text(found.value, digits);
  if (found.halfWidth <= 0 || found.value == 0)
    return text;
  return text + (found.isLog ? fmt::format(" +- {:.2g}%", 100 * found.halfWidth / found.value)
                             : " +- " + constant.text(found.halfWidth, 2));
}

namespace {

/// A line of a declaration with what was found in its block, or its value.
struct FittedLine {
  std::string head;
  std::vector<FittedLine> inner;

  FittedLine &line(const std::string &text) {
    auto known = llvm::find_if(inner, [&](const FittedLine &each) { return each.head == text; });
    return known != inner.end() ? *known : (inner.push_back({text, {}}), inner.back());
  }
  void print(std::string &out, size_t indent) const {
    out += std::string(indent, ' ') + head;
    if (!inner.empty()) {
      out += " {\n";
      for (const FittedLine &each : inner)
        each.print(out, indent + 2);
      out += std::string(indent, ' ') + "}";
    }
    out += '\n';
  }
};

} // namespace

/// "memory HBM" of `memory HBM off_chip { … }`, "array PE" of `array PE[64] { … }`.
static std::string headOf(const ast::Item &item, const SourceManager &sources) {
  std::string head = item.word.str();
  if (llvm::StringRef part = partName(item); !part.empty())
    head += " " + part.str();
  else if (!item.args.empty())
    head += " " + sources.text(item.args.front().value->range).str();
  return head;
}

static void addConstant(FittedLine &of, const FitConstant &constant, const std::string &value,
                        const SourceManager &sources) {
  FittedLine *line = &of;
  llvm::ArrayRef<const ast::Item *> around = constant.lines;
  llvm::StringRef word = constant.clause;
  if (word.empty()) {
    word = around.back()->word;
    around = around.drop_back();
  }
  for (const ast::Item *item : around)
    line = &line->line(headOf(*item, sources));
  line->inner.push_back({word.str() + " " + value, {}});
}

namespace {
/// A declaration with other values in some places.
struct RewrittenDecl {
  const Decl *decl;
  std::string name;                                            ///< that it gets
  std::map<uint32_t, std::pair<uint32_t, std::string>> values; ///< by where they begin: end, text

  std::string text(const SourceManager &sources) const {
    auto all = values;
    all[decl->nameRange.begin] = {decl->nameRange.end, name};
    SourceRange rest = decl->item->range;
    std::string text;
    for (const auto &[begin, value] : all) {
      text += sources.text({rest.file, rest.begin, begin}).str() + value.second;
      rest.begin = value.first;
    }
    return text + sources.text(rest).str() + '\n';
  }
};
} // namespace

std::string api::importLine(const Decl &decl, llvm::StringRef root, const SourceManager &sources) {
  if (sources.isLibrary(decl.module->file))
    return "import " + decl.module->name;
  return fmt::format("import \"{}\"", llvm::sys::path::filename(root));
}

/// What is written of all constants, with their intervals.
static std::vector<std::pair<const FitConstant *, std::string>>
valuesOf(const FitRows &rows, const FitFindings &findings) {
  std::vector<std::pair<const FitConstant *, std::string>> values;
  for (const FitFindings::Constant &found : findings.constants) {
    const FitConstant &constant = *rows.constants()[found.index];
    values.emplace_back(&constant, textWithInterval(constant, found, 5));
    for (const FitConstant &other : constant.others)
      values.emplace_back(&other, textWithInterval(other, found, 5));
  }
  for (const FitFindings::Interval &interval : findings.intervals) {
    const FitConstant &constant = *interval.constant;
    FitFindings::Constant found;
    found.value = constant.written;
    found.halfWidth = interval.halfWidth * constant.written;
    if (interval.halfWidth > 0)
      values.emplace_back(&constant, textWithInterval(constant, found, 5));
  }
  return values;
}

std::string api::fittedProgram(const FitRows &rows, llvm::ArrayRef<FitFindings> findings,
                               llvm::StringRef root, const SourceManager &sources) {
  std::set<std::string> imports;
  std::vector<FittedLine> declarations;
  std::vector<const Decl *> decls; // in step with these
  std::vector<RewrittenDecl> rewritten;
  std::string comments;
  for (const FitFindings &each : findings) {
    comments += fmt::format("// Fitted by `calibrate{}` to {} rows.\n",
                            each.fit->name.empty() ? "" : " " + each.fit->name, each.rows);
    for (const auto &[place, value] : valuesOf(rows, each)) {
      const FitConstant &constant = *place;
      const Decl &decl = *constant.decl;
      std::string suffix = each.fit->name.empty() ? "fitted" : each.fit->name;
      std::string name = fmt::format("{}_{}", decl.name, suffix);
      bool isWholeLet = constant.place == decl.value;
      if (!isWholeLet)
        imports.insert(importLine(decl, root, sources));
      if (constant.lines.empty()) {
        auto known =
            llvm::find_if(rewritten, [&](const RewrittenDecl &each) { return each.decl == &decl; });
        if (known == rewritten.end())
          known = rewritten.insert(known, {&decl, name, {}});
        known->values[constant.place->range.begin] = {constant.place->range.end, value};
        continue;
      }
      auto known = llvm::find(decls, &decl);
      if (known == decls.end()) {
        declarations.push_back(
            {fmt::format("{} {} from {}", declKindName(decl.kind), name, decl.name), {}});
        decls.push_back(&decl);
        known = decls.end() - 1;
      }
      addConstant(declarations[static_cast<size_t>(known - decls.begin())], constant, value,
                  sources);
    }
  }
  std::string text = comments;
  for (const std::string &import : imports)
    text += import + '\n';
  for (const RewrittenDecl &declaration : rewritten)
    text += declaration.text(sources);
  for (const FittedLine &declaration : declarations) {
    text += declaration.inner.empty() ? "" : "\n";
    declaration.print(text, 0);
  }
  return text;
}
