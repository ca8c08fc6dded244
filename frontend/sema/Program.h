// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program: the root file, the modules that it imports, and the declarations of each. Nothing is
// evaluated here; this is where names at file level lead. A declaration of the library is parsed
// when it is first asked for.
#ifndef PERFC_FRONTEND_SEMA_PROGRAM_H
#define PERFC_FRONTEND_SEMA_PROGRAM_H

#include "frontend/sema/Words.h"
#include "frontend/syntax/AST.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <memory>

namespace perfc {

struct Module;

enum class DeclKind : uint8_t {
  Op,
  Workload,
  Hardware,
  System,
  Mapping,
  Mapspace,
  Dataflow,
  Algorithm,
  Collective,
  Memory,
  Compute,
  Array,
  Network,
  Runtime,
  Generation,
  Library,
  Trace,
  Function,
  Let,
  Param,
  Metric,
};

/// A parameter of a declaration.
struct Parameter {
  llvm::StringRef name;
  const ast::Expr *byDefault = nullptr; ///< null: an argument is needed
  SourceRange range;
};

/// A declaration at file level, as written.
struct Decl {
  DeclKind kind;
  llvm::StringRef name;
  SourceRange nameRange;
  const ast::Item *item;
  const Module *module;
  /// Of `name(a, b = 1)`. An op's include its tensors (see OpSignature for the extents).
  std::vector<Parameter> parameters;
  /// let, param, metric, fn without a block: what it stands for.
  const ast::Expr *value = nullptr;
  /// param: the values it may take (after `in`), or null.
  const ast::Expr *domain = nullptr;

  const Parameter *findParameter(llvm::StringRef wanted) const;
  bool isPrivate() const { return name.startswith("_"); }
};

/// The declaration of a cycle that stands first: each cycle is reported at one place.
const Decl *earliest(llvm::ArrayRef<const Decl *> cycle);

/// "op", "workload", …
llvm::StringRef declKindName(DeclKind kind);
/// What a line that begins with `word` declares; nothing for statements and the like.
llvm::Optional<DeclKind> declKind(llvm::StringRef word);

struct Import {
  const Module *module;
  llvm::StringRef alias;  ///< visible only under `alias.`; "" makes names visible as they are
  llvm::StringRef only;   ///< the one name that is brought, or "" for all public ones
  llvm::StringRef rename; ///< what `only` is called here
  SourceRange range;
};

/// One `.perf` file.
struct Module {
  std::string name; ///< std.hardware.a100, or the path of a local file
  FileId file = 0;
  std::unique_ptr<ast::SyntaxFile> syntax;
  /// Those that were parsed; Program::declarations has all, in file order.
  std::vector<const Decl *> decls;
  std::vector<Import> imports;
  llvm::SmallVector<llvm::StringRef, 0> lostNames; ///< that failed imports would have brought
  bool lostImport = false;                   ///< an import failed that might have brought any name
  std::vector<const ast::Item *> statements; ///< evaluate, sweep, for, if, … in file order

private:
  friend class Program; // whose `find` parses what nobody asked for before
  llvm::StringMap<const Decl *> byName;
  llvm::StringMap<SourceRange> unread; ///< items of the library
};

/// True when `name` may be missing from `module` because a line of it was dropped.
bool isLost(const Module &module, llvm::StringRef name);

/// Where a name leads at file level.
struct NameResult {
  const Decl *decl = nullptr;
  /// Nothing is found, but a line or an import that was already reported may have brought it.
  bool isLost = false;
  const Module *alias = nullptr;
  /// A second import that brings the same name.
  const Import *first = nullptr, *second = nullptr;
};

/// "hardware/a100.perf" is imported as std.hardware.a100.
std::string moduleName(llvm::StringRef path);
/// Loads a file of the library, "std/hardware/a100.perf"; 0 where there is none.
FileId loadLibraryFile(llvm::StringRef path, SourceManager &sources);

class Program {
public:
  Program(SourceManager &sources, DiagnosticEngine &diagnostics)
      : sources(sources), diagnostics(diagnostics) {}

  /// Parses `file` and everything it imports. Mistakes are reported; what is sound stays usable.
  const Module *loadRoot(FileId file);
  /// A module of the standard library by its dotted path (std.ops.conv2d), for `list` and `doc`.
  const Module *loadLibrary(llvm::StringRef name);

  /// How `from` gets `name`, a module of the library or a public name in one, as a help: by an
  /// import, or as what one that is there calls it; "" when the library has no such name.
  std::string importHint(const Module &from, llvm::StringRef name);

  /// Whether a file that is loaded or std.ops declares an op of that name, and what these declare.
  bool hasOp(llvm::StringRef name);
  std::vector<llvm::StringRef> opNames();

  /// Sets `param` `name` from the command line; false when the root has no such parameter.
  bool setParameter(llvm::StringRef name, const std::string &text);
  /// The text given with -D for this parameter, parsed, or null.
  const ast::Expr *overrideOf(const Decl *param) const;
  /// Takes `text`, of an earlier override or null for none, as that of the parameter again.
  void restoreOverride(const Decl *param, const ast::Expr *text) { overrides[param] = text; }

  /// What `module` itself declares as `name`; null for nothing.
  const Decl *find(const Module &module, llvm::StringRef name);
  /// All that `module` itself declares, in file order.
  llvm::ArrayRef<const Decl *> declarations(const Module &module);
  NameResult lookup(const Module &module, llvm::StringRef name);
  /// All names visible at file level, for suggestions.
  std::vector<llvm::StringRef> visibleNames(const Module &module);

  /// Reports that `name` is not a public name of `module`.
  void reportNotInModule(const Module &from, const Module &module, llvm::StringRef name,
                         SourceRange range);

  SourceManager &sourceManager() { return sources; }
  DiagnosticEngine &diags() { return diagnostics; }

private:
  /// Reads nothing yet of the declarations of a file of the library.
  Module *loadFile(FileId file, const std::string &name, bool isLibrary = false);
  void outlineLibrary(Module &module);
  void readPart(Module &module, SourceRange part);
  void take(Module &module, llvm::ArrayRef<ast::Item *> items, size_t before);
  void collect(Module &module, llvm::ArrayRef<ast::Item *> items);
  Module &toRead(const Module &module) { return const_cast<Module &>(module); }
  void collectImport(Module &module, const ast::Item &item);
  void addImport(Module &module, llvm::ArrayRef<ast::ImportName> path, llvm::StringRef alias,
                 SourceRange range);
  void importFile(Module &module, const ast::Item &item);
  void importModel(Module &module, const ast::Item &item);
  /// The path of a file that `module` names by `written`.
  std::string beside(const Module &module, llvm::StringRef written) const;
  Module *loadStd(llvm::ArrayRef<ast::ImportName> path, SourceRange range);
  std::string variantsHint(llvm::ArrayRef<ast::ImportName> path);
  void reportUnknownModule(const Module &from, llvm::ArrayRef<ast::ImportName> path,
                           SourceRange range);
  void declare(Module &module, const ast::Item &item, DeclKind kind);

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  std::deque<Module> modules;
  std::deque<Decl> decls;
  llvm::StringMap<Module *> byKey;                             ///< by library path or absolute file
  std::vector<std::pair<const Module *, std::string>> loading; ///< for cycles
  llvm::DenseMap<const Decl *, const ast::Expr *> overrides;
  llvm::StringMap<const ast::Expr *> overridesByText; ///< that were read: they may come again
  std::vector<std::unique_ptr<ast::SyntaxFile>> overrideFiles;
  const Module *root = nullptr;
};

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_PROGRAM_H
