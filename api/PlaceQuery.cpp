// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/PlaceQuery.h"

#include "api/Library.h"
#include "api/TypedResult.h"
#include "frontend/sema/Words.h"
#include "frontend/sema/Written.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;

static bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The name around `offset`, with what stands before it and a point: "lib" of `lib.grid`.
static std::pair<llvm::StringRef, llvm::StringRef> nameAt(llvm::StringRef text, size_t offset) {
  size_t begin = std::min(offset, text.size()), end = begin;
  while (begin > 0 && isNameCharacter(text[begin - 1]))
    --begin;
  while (end < text.size() && isNameCharacter(text[end]))
    ++end;
  size_t before = begin;
  if (before > 0 && text[before - 1] == '.')
    for (--before; before > 0 && isNameCharacter(text[before - 1]);)
      --before;
  llvm::StringRef outer = text.slice(before, begin);
  outer.consume_back(".");
  return {outer, text.slice(begin, end)};
}

/// What the language says of `word`, a line for each kind of block that has it.
static std::optional<Answer> wordAnswer(llvm::StringRef word) {
  Answer answer;
  answer.name = word.str();
  answer.kind = "word";
  for (BlockKind kind : blocksWith(word))
    answer.documentation +=
        fmt::format("in {}: {}\n", describeBlock(kind), findWord(kind, word)->doc.str());
  return answer.documentation.empty() ? std::nullopt : std::optional<Answer>(std::move(answer));
}

static Answer answerOf(const LibraryEntry &entry, const SourceManager &sources) {
  return {entry.name,
          entry.kind,
          entry.signature,
          entry.module,
          "",
          entry.doc,
          typedPlace(entry.place, sources)};
}

/// A value as it is written; "" where there is none.
static std::string textOf(const Value &value) { return value.isUnknown() ? "" : written(value); }

std::optional<Answer> api::answerAt(Compilation &compilation, const SourceManager &sources,
                                    uint32_t offset) {
  const Module &root = compilation.rootModule();
  auto [outer, name] = nameAt(sources.text(root.file), offset);
  if (name.empty())
    return std::nullopt;
  const Decl *decl = nullptr;
  if (!outer.empty()) {
    if (const Module *alias = compilation.program().lookup(root, outer).alias)
      decl = compilation.program().find(*alias, name);
  } else {
    decl = compilation.program().lookup(root, name).decl;
  }
  if (!decl)
    return wordAnswer(name);
  Answer answer =
      answerOf(entryOf(*decl, decl->module == &root ? "" : decl->module->name, sources), sources);
  if (decl->kind == DeclKind::Let || decl->kind == DeclKind::Param)
    answer.value = textOf(compilation.valueOf(*decl));
  return answer;
}

api::Parameter api::typedParameter(Compilation &compilation, const Decl &decl,
                                   const SourceManager &sources) {
  Value value = compilation.valueOf(decl);
  const Quantity *quantity = value.getIf<Quantity>();
  api::Parameter parameter{decl.name.str(),
                           entryOf(decl, "", sources).doc,
                           textOf(value),
                           quantity ? quantity->dimension().unitText() : "",
                           {},
                           typedPlace(decl.nameRange, sources)};
  for (const Value &member : compilation.domainOf(decl))
    parameter.values.push_back(textOf(member));
  return parameter;
}

std::vector<Answer> api::library() {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  perfc::Program program(sources, diagnostics);
  std::vector<Answer> answers;
  for (const LibraryEntry &entry : libraryIndex(program))
    answers.push_back(answerOf(entry, sources));
  return answers;
}
