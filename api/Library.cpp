// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Library.h"

#include "frontend/sema/Program.h"
#include "stdlib/Embedded.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;

/// The comment lines without their slashes.
static std::string docText(llvm::StringRef comment) {
  llvm::SmallVector<llvm::StringRef, 8> lines;
  comment.split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string text;
  for (llvm::StringRef line : lines) {
    line = line.trim();
    line.consume_front("//");
    text += line.trim().str() + "\n";
  }
  return text;
}

/// What was written up to the block, with runs of blanks as one.
static std::string headText(const SourceManager &sources, const ast::Item &item) {
  SourceRange head = item.range;
  if (item.block)
    head.end = item.block->range.begin;
  llvm::SmallVector<llvm::StringRef, 16> words;
  sources.text(head).split(words, '\n', -1, /*KeepEmpty=*/false);
  std::string text;
  for (llvm::StringRef line : words) {
    line = line.split("//").first.trim();
    if (!line.empty())
      text += (text.empty() ? "" : " ") + line.str();
  }
  return text;
}

static bool isRequirement(const ast::Item &item) {
  return item.kind == ast::ItemKind::Line && item.word == "require";
}

/// The lines of the block of an op without what it requires, as far in as they stand there.
static std::string equationsText(const SourceManager &sources, const ast::Item &item) {
  if (!item.block)
    return "";
  SourceRange range = item.block->range;
  std::string block = sources.text(range).str();
  for (const ast::Item *entry : llvm::reverse(item.block->items))
    if (isRequirement(*entry))
      block.erase(entry->range.begin - range.begin, entry->range.end - entry->range.begin);
  std::string text;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(block).drop_front().drop_back(), "\n")) {
    line.consume_front("  ");
    if (!line.trim().empty())
      text += line.rtrim().str() + "\n";
  }
  return llvm::StringRef(text).ltrim().str();
}

/// A line for the condition of each requirement.
static std::string requirementsText(const SourceManager &sources, const ast::Item &item) {
  std::string text;
  for (const ast::Item *entry : item.block ? item.block->items : llvm::ArrayRef<ast::Item *>())
    if (isRequirement(*entry))
      text += sources.text(entry->args[0].range).str() + "\n";
  return text;
}

LibraryEntry api::entryOf(const Decl &decl, llvm::StringRef module, const SourceManager &sources) {
  return {module.str(),
          declKindName(decl.kind).str(),
          decl.name.str(),
          headText(sources, *decl.item),
          docText(decl.item->doc),
          decl.kind == DeclKind::Op ? equationsText(sources, *decl.item) : std::string(),
          requirementsText(sources, *decl.item),
          decl.nameRange};
}

std::vector<LibraryEntry> api::libraryIndex(perfc::Program &program) {
  std::vector<LibraryEntry> entries;
  for (const EmbeddedFile &file : embeddedStdlib()) {
    std::string name = moduleName(file.path);
    const Module *module = program.loadLibrary(name);
    if (!module)
      continue;
    for (const Decl *decl : program.declarations(*module)) {
      if (decl->isPrivate())
        continue;
      entries.push_back(entryOf(*decl, name, program.sourceManager()));
    }
  }
  return entries;
}

std::vector<TableProgram> api::tablePrograms() {
  std::vector<TableProgram> programs;
  for (const EmbeddedFile &file : embeddedStdlib()) {
    llvm::StringRef name = file.path;
    if (!name.consume_front("validate/") || !file.text.contains("\nvalidate "))
      continue;
    name.consume_back(".perf");
    std::string summary = firstSentence(docText(file.text.split("\n\n").first));
    summary.front() = llvm::toLower(summary.front());
    programs.push_back({name.str(), std::move(summary)});
  }
  return programs;
}

std::string api::firstSentence(llvm::StringRef doc) {
  std::string line = doc.trim().str();
  std::replace(line.begin(), line.end(), '\n', ' ');
  size_t end = line.find(". ");
  if (end != std::string::npos)
    line.resize(end + 1);
  if (llvm::StringRef(line).endswith("."))
    line.pop_back();
  return line;
}
