// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/search/MappingFile.h"

#include "api/Library.h"
#include "api/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

namespace {

/// Where the names of mappings lead.
class HeaderText {
public:
  HeaderText(Session &session, FileId root, llvm::StringRef path)
      : sources(session.sources), scratch(session.sources), program(session.sources, scratch),
        root(*program.loadRoot(root)), path(path) {}

  /// The lines before the mappings, which name `names`.
  std::string text(const std::set<std::string> &names);

private:
  bool isFile() const { return llvm::sys::fs::is_regular_file(sources.path(root.file)); }
  void addName(const std::string &name);
  void addModule(const Module &module);
  std::string copiedText() const;

  SourceManager &sources;
  DiagnosticEngine scratch; ///< of what a run has reported already
  Program program;
  const Module &root;
  llvm::StringRef path;
  std::set<std::string> imports;
  std::vector<LibraryEntry> library; ///< filled when it is first needed
};

} // namespace

/// The path of `file` as one beside `written` names it.
static std::string relativePath(llvm::StringRef file, llvm::StringRef written) {
  namespace path = llvm::sys::path;
  llvm::SmallString<128> target(file), folder(written == "-" ? "" : path::parent_path(written));
  for (llvm::SmallString<128> *each : {&target, &folder}) {
    llvm::sys::fs::make_absolute(*each);
    path::remove_dots(*each, /*remove_dot_dot=*/true);
  }
  auto from = path::begin(folder), fromEnd = path::end(folder);
  auto to = path::begin(target), toEnd = path::end(target);
  for (; from != fromEnd && to != toEnd && *from == *to; ++from)
    ++to;
  llvm::SmallString<128> result;
  for (; from != fromEnd; ++from)
    path::append(result, "..");
  for (; to != toEnd; ++to)
    path::append(result, *to);
  return result.str().str();
}

void HeaderText::addModule(const Module &module) {
  bool isLibrary = llvm::StringRef(module.name).startswith("std.");
  imports.insert(isLibrary ? "import " + module.name
                           : "import \"" + relativePath(sources.path(module.file), path) + "\"");
}

/// Imports what declares `name`: the root, a file that it imports, or the library.
void HeaderText::addName(const std::string &name) {
  if (program.find(root, name))
    return isFile() ? addModule(root) : void();
  for (const Import &import : root.imports)
    if (import.module && program.find(*import.module, name))
      return addModule(*import.module);
  if (library.empty())
    library = libraryIndex(program);
  for (const LibraryEntry &entry : library)
    if (entry.name == name)
      imports.insert("import " + entry.module);
}

/// Declarations and imports as they are written.
std::string HeaderText::copiedText() const {
  std::string text;
  for (const ast::Item *item : root.syntax->body->items)
    if (!llvm::is_contained(root.statements, item))
      text += (item->doc.empty() ? "" : item->doc.rtrim().str() + "\n") +
              sources.text(item->range).str() + "\n\n";
  return text;
}

std::string HeaderText::text(const std::set<std::string> &names) {
  for (const std::string &name : names)
    addName(name);
  if (!isFile())
    return copiedText();
  std::string text;
  for (const std::string &line : imports)
    text += line + "\n";
  return text + "\n";
}

bool driver::writeMappings(Session &session, const Evaluation &evaluation, FileId root,
                           llvm::StringRef path) {
  std::string mappings;
  llvm::StringSet<> taken;
  std::set<std::string> names;
  for (const Searched &entry : evaluation.searches()) {
    mappings +=
        "// " + entry.result->label + "\n" + mapper::printMappings(entry.summary.mappings, taken);
    mappings += mapper::printMappings(entry.summary.front, taken);
    for (const mapper::FoundMapping &mapping : entry.summary.mappings) {
      names.insert(mapping.op);
      names.insert(llvm::StringRef(mapping.chip).split('(').first.str());
    }
  }
  return writeOutput(path, HeaderText(session, root, path).text(names) + mappings, {},
                     session.diagnostics);
}
