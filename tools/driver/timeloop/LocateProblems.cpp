// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with the program that an input of Timeloop becomes is wrong with the input, and is
// shown there: by the checks of Timeloop's own model, which know the lines, and where these find
// nothing, at the section that the part of the program comes from.
#include "frontend/import/timeloop/ReadInput.h"
#include "tools/driver/ReportAgain.h"
#include "tools/driver/timeloop/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::driver;

/// The section of the input from which the declaration around `place` is made.
static llvm::StringRef sectionOf(llvm::StringRef program, uint32_t place) {
  while (true) {
    size_t newline = program.take_front(place).rfind('\n');
    size_t begin = newline == llvm::StringRef::npos ? 0 : newline + 1;
    llvm::StringRef line = program.drop_front(begin);
    if (line.startswith("hardware"))
      return "architecture";
    if (line.startswith("mapping"))
      return "mapping";
    if (line.startswith("op") || line.startswith("evaluate") || begin == 0)
      return "problem";
    place = static_cast<uint32_t>(begin - 1);
  }
}

/// The key `section` at the beginning of a line of the input.
static SourceRange placeOfSection(const SourceManager &sources, FileId input,
                                  llvm::StringRef section) {
  llvm::StringRef text = sources.text(input);
  for (size_t at = text.find(section); at != llvm::StringRef::npos;
       at = text.find(section, at + 1)) {
    llvm::StringRef before = text.take_front(at);
    llvm::StringRef line = before.drop_front(before.rfind('\n') + 1);
    if (line.trim(" \"'{").empty() &&
        text.drop_front(at + section.size()).ltrim("\"' ").startswith(":"))
      return {input, static_cast<uint32_t>(at), static_cast<uint32_t>(at + section.size())};
  }
  return {input, 0, 1};
}

/// What Timeloop's model reports of the input.
static std::vector<Diagnostic> modelProblems(Session &session, FileId input) {
  DiagnosticEngine own(session.sources);
  llvm::Optional<timeloop::Input> read = timeloop::readInput(input, own);
  if (read)
    timeloop::evaluate(*read, own);
  std::vector<Diagnostic> errors;
  for (const Diagnostic &diagnostic : own.all())
    if (diagnostic.kind->severity == Severity::Error)
      errors.push_back(diagnostic);
  return errors;
}

void driver::locateProblems(Session &session, FileId input, FileId program) {
  auto isInProgram = [&](const Diagnostic &diagnostic) { return diagnostic.range.file == program; };
  std::vector<Diagnostic> all = session.diagnostics.all().vec();
  auto isError = [&](const Diagnostic &diagnostic) {
    return isInProgram(diagnostic) && diagnostic.kind->severity == Severity::Error;
  };
  if (llvm::none_of(all, isInProgram))
    return;
  std::vector<Diagnostic> better;
  if (llvm::any_of(all, isError))
    better = modelProblems(session, input);
  session.diagnostics.truncate(0);
  for (const Diagnostic &diagnostic : all) {
    if (!better.empty() && isError(diagnostic))
      continue;
    Diagnostic &copy = reportAgain(session.diagnostics, diagnostic);
    if (!isInProgram(diagnostic))
      continue;
    llvm::StringRef section = sectionOf(session.sources.text(program), diagnostic.range.begin);
    copy.range = placeOfSection(session.sources, input, section);
    copy.note(diagnostic.range, "in the program that the input becomes");
  }
  for (const Diagnostic &diagnostic : better)
    reportAgain(session.diagnostics, diagnostic);
}
