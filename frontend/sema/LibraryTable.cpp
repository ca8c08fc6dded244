// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/LibraryTable.h"

#include "stdlib/Embedded.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace perfc;

static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Calls `use` with each name that `text` declares at the beginning of a line; most files need no
/// parsing for it.
static void eachDeclared(llvm::StringRef text, llvm::function_ref<void(llvm::StringRef)> use) {
  while (!text.empty()) {
    auto [line, below] = text.split('\n');
    for (llvm::StringRef word : {"workload ", "fn ", "let "})
      if (line.startswith(word))
        use(line.drop_front(word.size()).take_while(isWordCharacter));
    text = below;
  }
}

const LibraryTable::Files &LibraryTable::filesOf(llvm::StringRef folder) {
  auto [entry, isNew] = folders.try_emplace(folder);
  if (isNew)
    for (const EmbeddedFile &file : embeddedStdlib())
      if (llvm::sys::path::parent_path(file.path) == folder)
        eachDeclared(file.text, [&files = entry->second, &file](llvm::StringRef name) {
          files[name].push_back(&file);
        });
  return entry->second;
}

config::Row LibraryTable::find(llvm::StringRef folder, llvm::StringRef name) {
  const Files &files = filesOf(folder);
  auto declaring = files.find(name);
  if (declaring == files.end())
    return {};
  for (const EmbeddedFile *file : declaring->second) {
    const Module *module = program.loadLibrary(moduleName(file->path));
    if (const Decl *decl = program.find(*module, name); decl && !decl->isPrivate())
      return {module->name, decl->item};
  }
  return {};
}

config::Row LibraryTable::baseOf(const config::Row &row) {
  const ast::Expr *call = config::madeFrom(row);
  const Module *module = call ? program.loadLibrary(row.module) : nullptr;
  if (!module)
    return {};
  const ast::Expr &name = *call->operands[0];
  const Module *other = name.kind == ast::ExprKind::Member
                            ? program.lookup(*module, name.operands[0]->text).alias
                            : nullptr;
  const Decl *decl =
      other ? program.find(*other, name.text) : program.lookup(*module, name.text).decl;
  return decl ? config::Row{decl->module->name, decl->item} : config::Row();
}

std::vector<std::string> LibraryTable::names(llvm::StringRef folder) {
  std::vector<std::string> all;
  for (const EmbeddedFile &file : embeddedStdlib())
    if (llvm::sys::path::parent_path(file.path) == folder)
      for (const Decl *decl : program.declarations(*program.loadLibrary(moduleName(file.path))))
        if (decl->kind == DeclKind::Workload && !decl->isPrivate())
          all.push_back(decl->name.str());
  return all;
}
