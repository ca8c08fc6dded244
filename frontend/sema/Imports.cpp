// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/ModelFormats.h"
#include "frontend/sema/Program.h"
#include "ir/common/diagnostics/Names.h"

#include "stdlib/Embedded.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace perfc;

FileId perfc::loadLibraryFile(llvm::StringRef path, SourceManager &sources) {
  llvm::StringRef inLibrary = path;
  if (!inLibrary.consume_front("std/"))
    return 0;
  for (const EmbeddedFile &file : embeddedStdlib())
    if (file.path == inLibrary)
      return sources.add(path.str(), file.text.str());
  return 0;
}

std::string perfc::moduleName(llvm::StringRef path) {
  path.consume_back(".perf");
  std::string name = "std." + path.str();
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

static std::string dotted(llvm::ArrayRef<ast::ImportName> path) {
  std::string text;
  for (const ast::ImportName &part : path)
    text += (text.empty() ? "" : ".") + part.name.str();
  return text;
}

const Module *Program::loadLibrary(llvm::StringRef name) {
  if (auto found = byKey.find(name); found != byKey.end())
    return found->second;
  llvm::StringRef path = name;
  if (!path.consume_front("std."))
    return nullptr;
  std::string file = path.str();
  std::replace(file.begin(), file.end(), '.', '/');
  FileId id = loadLibraryFile("std/" + file + ".perf", sources);
  return id ? loadFile(id, name.str(), /*isLibrary=*/true) : nullptr;
}

/// The public ones of these names, at most `most` of them: "`h100_sxm`, `h200_sxm`, …".
static std::string publicNames(llvm::ArrayRef<const Decl *> decls, size_t most) {
  std::string text;
  for (const Decl *decl : decls)
    if (!decl->isPrivate()) {
      if (most-- == 0)
        return text + ", …";
      text += fmt::format("{}`{}`", text.empty() ? "" : ", ", decl->name);
    }
  return text;
}

std::string Program::importHint(const Module &from, llvm::StringRef name) {
  constexpr size_t shown = 4;
  // Rows of a table for configurations, whose parameters are the keys, are seldom what is meant.
  auto isTable = [](llvm::StringRef path) {
    return path.startswith(config::hubTable) || path.startswith(config::ggufTable);
  };
  std::vector<std::string> found, rows;
  std::string brought = "it";
  for (const EmbeddedFile &file : embeddedStdlib()) {
    std::string path = moduleName(file.path);
    bool isModule = llvm::StringRef(path).endswith("." + name.str());
    if (!isModule && !file.text.contains(name))
      continue; // most files need no parsing
    const Module *module = loadLibrary(path);
    const Decl *decl = find(*module, name);
    bool isDeclared = decl && !decl->isPrivate();
    if (!isModule && !isDeclared)
      continue;
    auto known = llvm::find_if(from.imports, [&](const Import &import) {
      return import.module == module && import.only.empty();
    });
    if (known == from.imports.end()) {
      (isTable(file.path) ? rows : found).push_back(std::move(path));
      if (!isDeclared)
        brought = publicNames(declarations(*module), shown);
    } else if (!isDeclared) {
      return fmt::format("`{}` is imported: it has {}", path,
                         publicNames(declarations(*module), shown));
    } else if (!known->alias.empty()) {
      return fmt::format("it is imported as `{}.{}`", known->alias, name);
    }
  }
  if (found.empty())
    found = std::move(rows);
  return found.empty() ? ""
                       : "`import " + llvm::join(found, "` or `import ") + "` brings " + brought;
}

static bool isOps(const EmbeddedFile &file) { return file.path.startswith("ops/"); }

static bool isOp(const Decl *decl) { return decl && decl->kind == DeclKind::Op; }

bool Program::hasOp(llvm::StringRef name) {
  if (llvm::any_of(modules, [&](const Module &module) { return isOp(find(module, name)); }))
    return true;
  return llvm::any_of(embeddedStdlib(), [&](const EmbeddedFile &file) {
    return isOps(file) && file.text.contains(name) && // most files need no parsing
           isOp(find(*loadLibrary(moduleName(file.path)), name));
  });
}

std::vector<llvm::StringRef> Program::opNames() {
  for (const EmbeddedFile &file : embeddedStdlib())
    if (isOps(file))
      loadLibrary(moduleName(file.path));
  std::vector<llvm::StringRef> names;
  for (const Module &module : modules)
    for (const Decl *decl : declarations(module))
      if (isOp(decl) && !decl->isPrivate())
        names.push_back(decl->name);
  return names;
}

Module *Program::loadStd(llvm::ArrayRef<ast::ImportName> path, SourceRange range) {
  std::string name = dotted(path);
  for (const auto &[module, key] : loading)
    if (key == name) {
      auto &error = diagnostics.report(range, diag::ImportCycle, name);
      std::string chain;
      for (const auto &[other, otherKey] : loading)
        chain += otherKey + " imports ";
      error.note(chain + name);
      return nullptr;
    }
  return const_cast<Module *>(loadLibrary(name));
}

/// The modules of the folder of `path` whose names begin like its last one, as variants of a chip
/// or sizes of a model do; "" where there are none.
std::string Program::variantsHint(llvm::ArrayRef<ast::ImportName> path) {
  constexpr size_t shown = 4;
  if (path.size() < 3) // all of the library, or a file of the user's own
    return "";
  std::string folder = dotted(path.drop_back()) + ".", text;
  llvm::StringRef name = path.back().name;
  for (const EmbeddedFile &file : embeddedStdlib()) {
    std::string module = moduleName(file.path);
    if (!llvm::StringRef(module).startswith(folder) || !file.text.contains(" " + name.str()))
      continue; // most files need no parsing
    std::vector<const Decl *> variants;
    llvm::copy_if(declarations(*loadLibrary(module)), std::back_inserter(variants),
                  [&](const Decl *decl) { return decl->name.startswith(name); });
    if (std::string names = publicNames(variants, shown); !names.empty())
      text += fmt::format("{}`import {}` brings {}", text.empty() ? "" : ", ", module, names);
  }
  return text;
}

void Program::reportUnknownModule(const Module &from, llvm::ArrayRef<ast::ImportName> path,
                                  SourceRange range) {
  std::string name = dotted(path);
  std::string hint = variantsHint(path); // loads modules, which may report
  if (hint.empty())
    hint = importHint(from, path.back().name);
  Diagnostic &error = diagnostics.report(range, diag::UnknownModule, name);
  if (!hint.empty()) {
    error.help(std::move(hint));
    return;
  }
  std::vector<std::string> names;
  for (const EmbeddedFile &file : embeddedStdlib())
    names.push_back(moduleName(file.path));
  std::vector<llvm::StringRef> candidates(names.begin(), names.end()), inside;
  for (llvm::StringRef module : candidates)
    if (llvm::StringRef inner = module; inner.consume_front(name + ".")) {
      if (inside.empty())
        error.help(fmt::format("a module is imported by its name, such as `import {}`", module));
      llvm::StringRef part = inner.split('.').first;
      if (!llvm::is_contained(inside, part))
        inside.push_back(part);
    }
  if (!inside.empty()) {
    error.note("it is a folder, with " + llvm::join(inside, ", "));
    return;
  }
  std::string own = "modules of the library begin with `std.`; a file of your own is imported as "
                    "`import \"" +
                    path.back().name.str() + ".perf\"`";
  error.suggest(name, candidates, path[0].name == "std" ? "`perfc list` prints the modules" : own);
}

void Program::addImport(Module &module, llvm::ArrayRef<ast::ImportName> path, llvm::StringRef alias,
                        SourceRange range) {
  size_t errors = diagnostics.errorCount();
  auto lose = [&] {
    if (alias.empty())
      module.lostImport = true;
    else
      module.lostNames.push_back(alias);
  };
  if (Module *whole = loadStd(path, range)) {
    module.imports.push_back({whole, alias, "", "", range});
    return;
  }
  if (diagnostics.errorCount() != errors)
    return lose();
  // A path may end in one name of a module.
  Module *outer = path.size() > 1 ? loadStd(path.drop_back(), range) : nullptr;
  if (diagnostics.errorCount() != errors)
    return lose();
  if (!outer) {
    reportUnknownModule(module, path, range);
    return lose();
  }
  llvm::StringRef name = path.back().name;
  if (const Decl *found = find(*outer, name); !found || found->isPrivate()) {
    module.lostNames.push_back(alias.empty() ? name : alias);
    if (isLost(*outer, name))
      return;
    reportNotInModule(module, *outer, name, path.back().range);
    return;
  }
  module.imports.push_back({outer, "", name, alias.empty() ? name : alias, range});
}

void Program::reportNotInModule(const Module &from, const Module &module, llvm::StringRef name,
                                SourceRange range) {
  Diagnostic &error = diagnostics.report(range, diag::NotInModule, module.name, name);
  if (const Decl *found = find(module, name)) {
    error.note(found->item->range, "a leading `_` keeps a name private to its file");
    return;
  }
  std::vector<llvm::StringRef> candidates;
  for (const Decl *decl : declarations(module))
    if (!decl->isPrivate())
      candidates.push_back(decl->name);
  error.suggest(name, candidates, importHint(from, name));
}

/// An import that failed brings names that nobody knows.
static void loseImport(Module &module, const ast::Item &item) {
  if (item.alias.empty())
    module.lostImport = true;
  else
    module.lostNames.push_back(item.alias);
}

/// Formats that the command makes programs of.
static constexpr llvm::StringLiteral commandFormats[] = {"astra_sim", "chakra", "maestro",
                                                         "scale_sim", "timeloop"};

std::string Program::beside(const Module &module, llvm::StringRef written) const {
  llvm::SmallString<128> path = llvm::sys::path::parent_path(sources.path(module.file));
  if (llvm::sys::path::is_absolute(written))
    path = written;
  else
    llvm::sys::path::append(path, written);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

/// A model becomes a module with one workload, which goes by the name that the import gives it; a
/// pipeline a module of that name with several.
void Program::importModel(Module &module, const ast::Item &item) {
  std::string path = beside(module, item.file->text);
  Module *&entry = byKey[path];
  if (!entry) {
    ModelOptions options;
    options.graph.place = item.file->range;
    llvm::Optional<ModelProgram> program = modelFormat(item.format)->read(path, options, *this);
    if (!program) {
      loseImport(module, item);
      return;
    }
    FileId text = sources.add(path + " as a program", std::move(program->text));
    entry = loadFile(text, path);
  }
  std::vector<const Decl *> workloads = declarations(*entry);
  llvm::erase_if(workloads, [](const Decl *decl) { return decl->kind != DeclKind::Workload; });
  if (workloads.size() > 1)
    module.imports.push_back({entry, item.alias, "", "", item.range});
  else
    for (const Decl *decl : workloads)
      module.imports.push_back(
          {entry, "", decl->name, item.alias.empty() ? decl->name : item.alias, item.range});
}

void Program::importFile(Module &module, const ast::Item &item) {
  llvm::StringRef written = item.file->text;
  if (modelFormat(item.format))
    return importModel(module, item);
  if (!item.format.empty()) {
    auto &error = diagnostics.report(item.range, diag::ImportFormatUnsupported, item.format);
    if (llvm::is_contained(commandFormats, item.format))
      error.help(fmt::format("make a program of it with `perfc import {0} {1} > {2}.perf`, and "
                             "write `import \"{2}.perf\"`",
                             item.format.str(), written.str(),
                             llvm::sys::path::stem(written).str()));
    loseImport(module, item);
    return;
  }
  std::string path = beside(module, written);
  for (const auto &[other, key] : loading)
    if (key == path) {
      auto &error = diagnostics.report(item.file->range, diag::ImportCycle, key);
      for (const auto &[link, linkKey] : loading)
        error.note("through `" + linkKey + "`");
      loseImport(module, item);
      return;
    }
  Module *&entry = byKey[path];
  if (!entry) {
    FileId file = loadOrReport(sources, path, diagnostics, item.file->range);
    if (!file) {
      loseImport(module, item);
      return;
    }
    entry = loadFile(file, path);
  }
  module.imports.push_back({entry, item.alias, "", "", item.range});
}

void Program::collectImport(Module &module, const ast::Item &item) {
  if (item.file) {
    importFile(module, item);
    return;
  }
  if (item.names.empty()) {
    addImport(module, item.path, item.alias, item.range);
    return;
  }
  for (const ast::ImportName &name : item.names) {
    llvm::SmallVector<ast::ImportName, 4> path(item.path.begin(), item.path.end());
    path.push_back(name);
    addImport(module, path, name.alias, name.range);
  }
}
