// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Program.h"

#include "frontend/sema/Leftovers.h"
#include "frontend/syntax/Parser.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Names.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace perfc;

const Parameter *Decl::findParameter(llvm::StringRef wanted) const {
  for (const Parameter &parameter : parameters)
    if (parameter.name == wanted)
      return &parameter;
  return nullptr;
}

llvm::StringRef perfc::declKindName(DeclKind kind) {
  static constexpr llvm::StringLiteral names[] = {
      "op",         "workload",   "hardware", "system",  "mapping", "mapspace", "dataflow",
      "algorithm",  "collective", "memory",   "compute", "array",   "network",  "runtime",
      "generation", "library",    "trace",    "fn",      "let",     "param",    "metric"};
  return names[static_cast<unsigned>(kind)];
}

llvm::Optional<DeclKind> perfc::declKind(llvm::StringRef word) {
  for (unsigned kind = 0; kind <= static_cast<unsigned>(DeclKind::Metric); ++kind)
    if (declKindName(static_cast<DeclKind>(kind)) == word)
      return static_cast<DeclKind>(kind);
  return llvm::None;
}

//===-- Declarations
//---------------------------------------------------------------------------===//

/// The head of a declaration: its name and the arguments in its parentheses.
struct DeclHead {
  const ast::Expr *name = nullptr;
  llvm::ArrayRef<ast::Arg> parameters;
};

static DeclHead headOf(const ast::Expr *expr) {
  if (expr->kind == ast::ExprKind::Call && expr->operands[0]->kind == ast::ExprKind::Name)
    return {expr->operands[0], expr->args};
  // `array SM[160]`: the brackets hold axes, which belong to the elaboration.
  if (expr->kind == ast::ExprKind::Index && expr->operands[0]->kind == ast::ExprKind::Name)
    return {expr->operands[0], {}};
  return {expr->kind == ast::ExprKind::Name ? expr : nullptr, {}};
}

/// A parameter is `name`, `name = default`, or for ops `tensor[extents]`.
static llvm::Optional<Parameter> parameterOf(const ast::Arg &arg) {
  const ast::Expr *expr = arg.value;
  if (expr->kind == ast::ExprKind::Index)
    expr = expr->operands[0];
  if (expr->kind != ast::ExprKind::Name || (!arg.assign.empty() && arg.assign != "="))
    return llvm::None;
  return Parameter{expr->text, arg.assigned, expr->range};
}

/// The clauses that a declaration of `kind` may have.
static llvm::ArrayRef<llvm::StringRef> clausesOf(DeclKind kind) {
  static const llvm::StringRef mapped[] = {"for", "on"}, served[] = {"for"}, made[] = {"from"};
  switch (kind) {
  case DeclKind::Mapping:
  case DeclKind::Mapspace:
  case DeclKind::Dataflow:
    return mapped;
  case DeclKind::Algorithm:
    return served;
  case DeclKind::Workload:
  case DeclKind::Hardware:
  case DeclKind::System:
  case DeclKind::Memory:
  case DeclKind::Compute:
  case DeclKind::Array:
  case DeclKind::Network:
  case DeclKind::Runtime:
  case DeclKind::Generation:
  case DeclKind::Library:
    return made;
  default:
    return {};
  }
}

/// Whether a value stands behind the name, after `=`.
static bool hasValue(const ast::Item &item, DeclKind kind) {
  return kind == DeclKind::Let || kind == DeclKind::Param || kind == DeclKind::Metric ||
         (kind == DeclKind::Function && !item.block);
}

/// A declaration has one name, and each of its clauses once, with one value; an algorithm may be
/// for several collectives.
static void checkHead(DiagnosticEngine &diagnostics, const ast::Item &item, DeclKind kind,
                      llvm::StringRef name) {
  if (item.args.size() > 1)
    diagnostics.report(item.args[1].range, diag::TooManyValues, item.word, atMost(1, "value"));
  llvm::ArrayRef<llvm::StringRef> allowed = clausesOf(kind);
  if (const ast::Arg &first = item.args[0]; first.assigned && !hasValue(item, kind)) {
    Diagnostic &error = diagnostics.report(first.assignRange, diag::UnexpectedAssignment);
    if (llvm::is_contained(allowed, "from") && first.assigned->kind == ast::ExprKind::Name)
      error.help(fmt::format("`{} {} from {}` is the same under another name", item.word, name,
                             first.assigned->text));
  }
  for (const ast::Clause &clause : item.clauses) {
    auto isSame = [&](const ast::Clause &other) {
      return &other < &clause && other.word == clause.word;
    };
    if (llvm::any_of(item.clauses, isSame))
      diagnostics.report(clause.wordRange, diag::GivenTwice, clause.word);
    else if (llvm::is_contained(allowed, clause.word) && clause.args.size() > 1 &&
             kind != DeclKind::Algorithm)
      diagnostics.report(clause.args[1].range, diag::TooManyValues, clause.word,
                         atMost(1, "value"));
    if (llvm::is_contained(allowed, clause.word))
      continue;
    diagnostics.report(clause.wordRange, diag::UnknownClause, item.word, clause.word)
        .suggest(clause.word, allowed);
  }
}

void Program::declare(Module &module, const ast::Item &item, DeclKind kind) {
  if (item.args.empty()) {
    diagnostics.report(item.wordRange.after(), diag::DeclarationWithoutName, item.word);
    return;
  }
  const ast::Arg &first = item.args[0];
  DeclHead head = headOf(first.value);
  if (!head.name) {
    diagnostics.report(first.range, diag::DeclarationWithoutName, item.word);
    return;
  }
  bool hasResults =
      kind == DeclKind::Op || kind == DeclKind::Workload || kind == DeclKind::Collective;
  if (!hasResults && !item.results.empty())
    diagnostics.report(item.results.front().range, diag::ResultsNotHere, item.word);
  checkHead(diagnostics, item, kind, head.name->text);
  Decl decl{kind, head.name->text, head.name->range, &item, &module, {}};
  for (const ast::Arg &arg : head.parameters) {
    auto parameter = parameterOf(arg);
    if (!parameter)
      diagnostics.report(arg.range, diag::BadParameter);
    else if (const Parameter *other = decl.findParameter(parameter->name))
      diagnostics.report(parameter->range, diag::DuplicateParameter, parameter->name)
          .note(other->range, "it stands here already");
    else
      decl.parameters.push_back(*parameter);
  }
  if (hasValue(item, kind)) {
    if (!first.assigned || first.assign != "=") {
      diagnostics.report(first.range.after(), diag::MissingValue, item.word, decl.name);
      module.lostNames.push_back(decl.name);
      return;
    }
    decl.value = first.assigned;
    if (kind == DeclKind::Param && decl.value->kind == ast::ExprKind::Binary &&
        decl.value->text == "in") {
      decl.domain = decl.value->operands[1];
      decl.value = decl.value->operands[0];
    }
  }
  const Decl *&entry = module.byName[decl.name];
  if (entry) {
    diagnostics.report(decl.nameRange, diag::DuplicateDeclaration, decl.name)
        .note(entry->nameRange, "the first declaration is here");
    return;
  }
  decls.push_back(std::move(decl));
  entry = &decls.back();
  module.decls.push_back(entry);
}

void Program::collect(Module &module, llvm::ArrayRef<ast::Item *> items) {
  for (const ast::Item *item : items) {
    if (item->kind == ast::ItemKind::Import) {
      collectImport(module, *item);
      continue;
    }
    auto kind = item->kind == ast::ItemKind::Line ? declKind(item->word) : llvm::None;
    if (kind)
      declare(module, *item, *kind);
    else
      module.statements.push_back(item);
  }
}

//===-- Loading and lookup
//---------------------------------------------------------------------===//

/// Marks those of `items`, of `file`, that `errors` are about.
static void markMistaken(FileId file, llvm::ArrayRef<ast::Item *> items,
                         llvm::ArrayRef<Diagnostic> errors) {
  for (const Diagnostic &error : errors)
    for (ast::Item *item : items) {
      auto isInside = [&](SourceRange range) {
        return range.file == file && range.begin >= item->range.begin &&
               range.begin <= item->range.end;
      };
      bool isError = error.kind->severity == Severity::Error;
      item->isMistaken |= isError && isInside(error.range);
      bool hasOther = error.kind->code == diag::DuplicateDeclaration.code && !error.remarks.empty();
      if (hasOther) // which one is meant?
        item->isMistaken |= isInside(error.remarks[0].range);
    }
}

Module *Program::loadFile(FileId file, const std::string &name, bool isLibrary) {
  modules.emplace_back();
  Module &module = modules.back();
  module.name = name;
  module.file = file;
  byKey[name] = &module;
  loading.push_back({&module, name});
  if (isLibrary) {
    module.syntax = std::make_unique<ast::SyntaxFile>();
    module.syntax->file = file;
    outlineLibrary(module);
  } else {
    size_t before = diagnostics.all().size();
    module.syntax = parseFile(sources, file, diagnostics);
    take(module, module.syntax->body->items, before);
  }
  loading.pop_back();
  return &module;
}

/// Takes `items`, just parsed, into `module`; `before` diagnostics were there before that.
void Program::take(Module &module, llvm::ArrayRef<ast::Item *> items, size_t before) {
  if (!module.syntax->isIncomplete)
    reportLeftovers(items, diagnostics);
  collect(module, items);
  markMistaken(module.file, items, diagnostics.all().drop_front(before));
}

void Program::readPart(Module &module, SourceRange part) {
  size_t before = diagnostics.all().size();
  take(module, parsePart(*module.syntax, part, sources, diagnostics), before);
}

void Program::outlineLibrary(Module &module) {
  for (const Heading &heading : outline(sources, module.file))
    if (declKind(heading.word))
      module.unread[heading.name] = heading.range;
    else
      readPart(module, heading.range);
}

const Decl *Program::find(const Module &module, llvm::StringRef name) {
  auto unread = module.unread.find(name);
  if (unread == module.unread.end())
    return module.byName.lookup(name);
  SourceRange part = unread->second;
  Module &reading = toRead(module);
  reading.unread.erase(name);
  readPart(reading, part);
  return module.byName.lookup(name);
}

llvm::ArrayRef<const Decl *> Program::declarations(const Module &module) {
  if (module.unread.empty())
    return module.decls;
  Module &reading = toRead(module);
  std::vector<SourceRange> parts;
  for (const auto &entry : module.unread)
    parts.push_back(entry.second);
  reading.unread.clear();
  auto isBefore = [](SourceRange a, SourceRange b) { return a.begin < b.begin; };
  llvm::sort(parts, isBefore);
  for (SourceRange part : parts)
    readPart(reading, part);
  llvm::sort(reading.decls,
             [&](const Decl *a, const Decl *b) { return isBefore(a->nameRange, b->nameRange); });
  return module.decls;
}

const Module *Program::loadRoot(FileId file) {
  llvm::SmallString<128> path = sources.path(file);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return root = loadFile(file, path.str().str());
}

bool Program::setParameter(llvm::StringRef name, const std::string &text) {
  auto found = root->byName.find(name);
  if (found == root->byName.end() || found->second->kind != DeclKind::Param)
    return false;
  std::string line = "let " + name.str() + " = " + text;
  if (const ast::Expr *known = overridesByText.lookup(line)) {
    overrides[found->second] = known;
    return true;
  }
  size_t errors = diagnostics.errorCount();
  FileId file = sources.add("-D " + name.str(), line);
  overrideFiles.push_back(parseFile(sources, file, diagnostics));
  const ast::Body *body = overrideFiles.back()->body;
  if (body->items.size() == 1 && body->items[0]->args.size() == 1)
    overrides[found->second] = body->items[0]->args[0].assigned;
  else if (diagnostics.errorCount() == errors)
    diagnostics.report({}, diag::BadDefine, name.str() + "=" + text);
  if (diagnostics.errorCount() == errors)
    overridesByText[line] = overrides[found->second];
  return true;
}

const ast::Expr *Program::overrideOf(const Decl *param) const { return overrides.lookup(param); }

bool perfc::isLost(const Module &module, llvm::StringRef name) {
  return module.syntax->isIncomplete || module.lostImport ||
         llvm::is_contained(module.syntax->lostNames, name) ||
         llvm::is_contained(module.lostNames, name);
}

NameResult Program::lookup(const Module &module, llvm::StringRef name) {
  NameResult result;
  result.decl = find(module, name);
  if (result.decl)
    return result;
  for (const Import &import : module.imports) {
    if (!import.alias.empty()) {
      if (import.alias == name && !result.alias)
        result.alias = import.module;
      continue;
    }
    if (!import.only.empty() && import.rename != name)
      continue;
    const Decl *found = find(*import.module, import.only.empty() ? name : import.only);
    if (!found || found->isPrivate() || found == result.decl)
      continue;
    if (result.decl) {
      result.second = &import;
      return result;
    }
    result.decl = found;
    result.first = &import;
  }
  auto mayBring = [&](const Import &import) {
    return import.alias.empty() && import.only.empty() && isLost(*import.module, name);
  };
  if (!result.decl && !result.alias)
    result.isLost = isLost(module, name) || llvm::any_of(module.imports, mayBring);
  return result;
}

std::vector<llvm::StringRef> Program::visibleNames(const Module &module) {
  std::vector<llvm::StringRef> names;
  for (const Decl *decl : declarations(module))
    names.push_back(decl->name);
  for (const Import &import : module.imports) {
    if (!import.alias.empty())
      names.push_back(import.alias);
    else if (!import.only.empty())
      names.push_back(import.rename);
    else
      for (const Decl *decl : declarations(*import.module))
        if (!decl->isPrivate())
          names.push_back(decl->name);
  }
  return names;
}
