// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/LibraryTable.h"

#include "stdlib/Embedded.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace perfc;

/// Where `text` declares `name` at the beginning of a line; most files need no parsing.
static bool declares(llvm::StringRef text, llvm::StringRef name) {
  for (llvm::StringRef word : {"\nworkload ", "\nfn ", "\nlet "}) {
    std::string head = (word + name).str();
    for (size_t at = text.find(head); at != llvm::StringRef::npos; at = text.find(head, at + 1)) {
      char next = at + head.size() < text.size() ? text[at + head.size()] : ' ';
      if (!llvm::isAlnum(next) && next != '_')
        return true;
    }
  }
  return false;
}

config::Row LibraryTable::find(llvm::StringRef folder, llvm::StringRef name) {
  for (const EmbeddedFile &file : embeddedStdlib()) {
    if (llvm::sys::path::parent_path(file.path) != folder || !declares(file.text, name))
      continue;
    const Module *module = program.loadLibrary(moduleName(file.path));
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
