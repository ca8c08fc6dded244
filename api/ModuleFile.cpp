// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/ModuleFile.h"

#include "backends/gpu/TileSearch.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/core/Parser.h"
#include "ir/core/Printer.h"
#include "ir/core/Verifier.h"
#include "ir/op/OpOps.h"
#include "ir/study/AllOps.h"
#include "passes/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::api;

/// The file that a location names: one that is loaded, of the library, or on disk.
static FileId openFile(llvm::StringRef path, SourceManager &sources) {
  if (FileId known = sources.find(path))
    return known;
  if (FileId library = loadLibraryFile(path, sources))
    return library;
  std::string ignored; // the operation is then placed in the text of the module
  return sources.load(path, ignored);
}

Modules api::readModules(FileId file, SourceManager &sources, DiagnosticEngine &diagnostics) {
  size_t errors = diagnostics.errorCount();
  llvm::StringSet<> missing; // not looked for again at each operation
  auto open = [&](llvm::StringRef path) -> FileId {
    FileId found = missing.count(path) ? 0 : openFile(path, sources);
    if (!found)
      missing.insert(path);
    return found;
  };
  ir::ParseOptions options;
  options.openFile = open;
  Modules modules;
  for (SourceRange part : ir::moduleParts(file, sources)) {
    std::unique_ptr<ir::Module> module = ir::parseModule(part, allOps(), diagnostics, options);
    if (module && ir::verify(*module, diagnostics))
      modules.push_back(std::move(module));
  }
  if (diagnostics.errorCount() != errors)
    modules.clear();
  return modules;
}

bool api::haveStatements(const Modules &modules, FileId file, DiagnosticEngine &diagnostics) {
  auto isStatement = [](const ir::Operation &op) { return op.name().startswith("study."); };
  for (const std::unique_ptr<ir::Module> &module : modules) {
    if (llvm::any_of(module->body(), isStatement))
      continue;
    bool isEmpty = module->body().empty();
    diagnostics
        .report(isEmpty ? SourceRange{file, 0, 0} : module->body().front().range(),
                diag::ModuleWithoutStatement)
        .help("a module runs what its `study` operations ask for, such as `study.evaluate`");
    return false;
  }
  return true;
}

/// Where an operation stands for a reader: what a statement runs on, then level by level what it
/// runs, the parts of a graph before the graph, in the end the statement.
static size_t rankOf(const ir::Operation &op) {
  llvm::StringRef level = op.name().split('.').first;
  if (level == "target")
    return 0;
  auto found = llvm::find(passes::levelNames(), level);
  return 2 * (found - passes::levelNames().begin()) + (op.is(op::GraphOp::opName) ? 2 : 1);
}

/// Puts the operations of a module into the order of a reader; what is of one kind stays as it is.
static void sortForReading(ir::Module &module) {
  std::vector<ir::Operation *> operations;
  for (ir::Operation &op : module.body())
    operations.push_back(&op);
  llvm::stable_sort(operations, [](const ir::Operation *a, const ir::Operation *b) {
    return rankOf(*a) < rankOf(*b);
  });
  for (ir::Operation *op : operations)
    module.body().insert(module.body().take(*op));
}

llvm::Optional<std::string> api::printModules(Compilation &program,
                                              const passes::Pipeline &pipeline,
                                              const SourceManager *locations,
                                              DiagnosticEngine &diagnostics) {
  ir::PrintOptions options;
  options.locations = locations;
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool good = true, isFirst = true;
  good &= program.forEachUnit([&](ir::Module &module) {
    passes::PassContext context{diagnostics, allOps()};
    passes::PassManager manager(pipeline);
    if (!ir::verify(module, diagnostics) || !manager.run(module, context) ||
        !gpu::chooseTiles(module, diagnostics))
      return good = false;
    if (!isFirst)
      stream << ir::moduleSeparator << '\n';
    isFirst = false;
    sortForReading(module);
    ir::print(stream, module, options);
    return true;
  });
  return good ? llvm::Optional<std::string>(std::move(stream.str())) : llvm::None;
}
