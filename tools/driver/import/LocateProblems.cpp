// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/import/LocateProblems.h"

#include "api/ReportAgain.h"
#include "backends/loopnest/timeloop/Result.h"
#include "frontend/import/maestro/PerfText.h"
#include "frontend/import/timeloop/ReadInput.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// The line of `text` that holds `place`, from its beginning to the end of the text.
static llvm::StringRef lineAt(llvm::StringRef text, uint32_t place) {
  return text.drop_front(text.take_front(place).rfind('\n') + 1);
}

/// The first line of the declaration or statement around `place`, from its beginning on.
static llvm::StringRef itemAt(llvm::StringRef text, uint32_t place) {
  llvm::StringRef line = lineAt(text, place);
  while (line.data() != text.data() && (line.empty() || !llvm::isAlpha(line.front())))
    line = lineAt(text, static_cast<uint32_t>(line.data() - text.data() - 1));
  return line;
}

//===-- Timeloop
//-------------------------------------------------------------------------------===//

/// The key of the section of a Timeloop input from which the item at `place` is made.
static SourceRange sectionAt(const SourceManager &sources, llvm::ArrayRef<FileId> inputs,
                             llvm::StringRef item) {
  llvm::StringRef key = item.startswith("hardware")  ? "architecture"
                        : item.startswith("mapping") ? "mapping"
                                                     : "problem";
  for (FileId input : inputs) {
    llvm::StringRef text = sources.text(input);
    for (size_t at = text.find(key); at != llvm::StringRef::npos; at = text.find(key, at + 1)) {
      auto begin = static_cast<uint32_t>(at), end = static_cast<uint32_t>(at + key.size());
      llvm::StringRef line = lineAt(text, begin);
      bool isFirst = line.take_front(text.data() + at - line.data()).trim(" \"'{").empty();
      if (isFirst && text.drop_front(end).ltrim("\"' ").startswith(":"))
        return {input, begin, end};
    }
  }
  return {inputs.front(), 0, 1};
}

/// What Timeloop's model, which knows the lines, reports of its input.
static std::vector<Diagnostic> modelErrors(Session &session, llvm::ArrayRef<FileId> inputs) {
  DiagnosticEngine own(session.sources);
  std::unique_ptr<yaml::Document> document = timeloop::parseFiles(inputs, own);
  if (document && timeloop::hasMapping(*document))
    if (llvm::Optional<timeloop::Input> read = timeloop::readInput(*document, own))
      timeloop::evaluate(*read, own);
  std::vector<Diagnostic> errors;
  for (const Diagnostic &diagnostic : own.all())
    if (diagnostic.kind->severity == Severity::Error)
      errors.push_back(diagnostic);
  return errors;
}

//===-- MAESTRO
//--------------------------------------------------------------------------------===//

/// The layer of the statement or dataflow at `item`: statements stand in the order of the layers.
static SourceRange layerAt(const SourceManager &sources, FileId input, llvm::StringRef program,
                           llvm::StringRef item) {
  std::string use = "evaluate ";
  if (item.consume_front("dataflow "))
    use = fmt::format(" with {} ", item.take_until([](char c) { return c == ' '; }));
  size_t number = 0;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  program.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (!line.startswith("evaluate "))
      continue;
    if (use == "evaluate " ? line.data() == item.data() : line.contains(use))
      break;
    ++number;
  }
  DiagnosticEngine own(sources);
  auto file = maestro::readMappingFile(input, own);
  return file && number < file->layers.size() ? file->layers[number].range
                                              : SourceRange{input, 0, 1};
}

void driver::locateProblems(Session &session, llvm::StringRef format, llvm::ArrayRef<FileId> inputs,
                            FileId program) {
  bool isTimeloop = format == "timeloop";
  auto isInProgram = [&](const Diagnostic &diagnostic) { return diagnostic.range.file == program; };
  std::vector<Diagnostic> all = session.diagnostics.all().vec();
  if ((!isTimeloop && format != "maestro") || llvm::none_of(all, isInProgram))
    return;
  auto isError = [&](const Diagnostic &diagnostic) {
    return isInProgram(diagnostic) && diagnostic.kind->severity == Severity::Error;
  };
  std::vector<Diagnostic> better;
  if (isTimeloop && llvm::any_of(all, isError))
    better = modelErrors(session, inputs);
  llvm::StringRef text = session.sources.text(program);
  session.diagnostics.truncate(0);
  for (const Diagnostic &diagnostic : all) {
    if (!better.empty() && isError(diagnostic))
      continue;
    Diagnostic &copy = reportAgain(session.diagnostics, diagnostic);
    if (!isInProgram(diagnostic))
      continue;
    llvm::StringRef item = itemAt(text, diagnostic.range.begin);
    // Layers may share a dataflow: a note says for which of them.
    for (const Remark &remark : diagnostic.remarks)
      if (!isTimeloop && remark.range.file == program &&
          itemAt(text, remark.range.begin).startswith("evaluate "))
        item = itemAt(text, remark.range.begin);
    copy.range = isTimeloop ? sectionAt(session.sources, inputs, item)
                            : layerAt(session.sources, inputs.front(), text, item);
    copy.note(diagnostic.range, "in the program that the input becomes");
  }
  for (const Diagnostic &diagnostic : better)
    reportAgain(session.diagnostics, diagnostic);
}
