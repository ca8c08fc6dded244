// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/timeloop/ReadInput.h"

#include "frontend/import/timeloop/Sections.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::timeloop;

/// Sections of definitions for another tool, which may stand in any number of files.
static constexpr llvm::StringLiteral definitions[] = {"compound_components", "components"};

/// A file of the first releases is no YAML but in the form of libconfig: it begins with `arch : {`,
/// and settings end in semicolons.
static bool isLibconfig(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n');
  for (llvm::StringRef &line : lines)
    line = line.split('#').first.split("//").first.trim();
  llvm::erase_if(lines, [](llvm::StringRef line) { return line.empty(); });
  if (lines.empty())
    return false;
  llvm::StringRef rest = lines.front().drop_while(llvm::isAlpha).ltrim();
  if (rest == lines.front() || !(rest.consume_front(":") || rest.consume_front("=")))
    return false;
  rest = rest.ltrim();
  if (rest.empty() && lines.size() > 1)
    rest = lines[1];
  bool isOpen = rest.startswith("{") || rest.startswith("(");
  return isOpen && llvm::any_of(lines, [](llvm::StringRef line) { return line.endswith(";"); });
}

std::unique_ptr<yaml::Document> timeloop::parseFiles(llvm::ArrayRef<FileId> files,
                                                     DiagnosticEngine &diagnostics) {
  for (FileId file : files)
    if (isLibconfig(diagnostics.sourceManager().text(file))) {
      diagnostics
          .report({file, 0, 0}, diag::TimeloopNotModelled,
                  "a file of Timeloop's first form, in the notation of libconfig")
          .help("write it as YAML, with the sections `architecture`, `problem` and `mapping`");
      return nullptr;
    }
  return yaml::parse(files, diagnostics, definitions);
}

bool timeloop::hasMapping(const yaml::Document &document) {
  const yaml::Node *mapping = document.root()->find("mapping");
  return mapping && mapping->kind != yaml::NodeKind::Null &&
         !(mapping->isSequence() && mapping->items.empty());
}

/// Before `problem` and `architecture`, Timeloop had other names for what they hold.
static bool refuseOldForm(const yaml::Node &root, yaml::NodeReader &reader) {
  const yaml::Node *old = root.find("arch");
  if (!old || root.find("architecture"))
    return false;
  reader.diagnostics
      .report(old->place, diag::TimeloopNotModelled,
              "an architecture in Timeloop's first form, `arch` with `arithmetic` and "
              "`storage`")
      .help("write it as `architecture`: `subtree` with `local` components (v0.3), or `nodes` "
            "(v0.4)");
  return true;
}

static bool isUsed(const yaml::Node &node) {
  auto isUsedValue = [](const auto &entry) {
    return entry.second->isRead || isUsed(*entry.second);
  };
  return llvm::any_of(node.entries, isUsedValue) ||
         llvm::any_of(node.items, [](const yaml::Node *item) { return isUsed(*item); });
}

/// Sections that nobody knows; those that others take parts of by an alias are used.
static void warnOfSections(const yaml::Node &root, yaml::NodeReader &reader) {
  static constexpr llvm::StringLiteral known[] = {"architecture",
                                                  "problem",
                                                  "mapping",
                                                  "ERT",
                                                  "sparse_optimizations",
                                                  "version",
                                                  "architecture_constraints",
                                                  "mapspace_constraints",
                                                  "constraints",
                                                  "mapspace",
                                                  "mapper",
                                                  "variables",
                                                  "globals",
                                                  "ART",
                                                  "ART_summary",
                                                  "ERT_summary",
                                                  "compound_components",
                                                  "components",
                                                  "dumped_by_timeloop_front_end"};
  for (const auto &[name, value] : root.entries)
    if (!llvm::is_contained(known, llvm::StringRef(name->text)) && !value->isRead &&
        !isUsed(*value))
      reader.diagnostics.report(name->place, diag::TimeloopUnread, name->text, "a Timeloop input");
}

llvm::Optional<Input> timeloop::readInput(const yaml::Document &document,
                                          DiagnosticEngine &diagnostics, ReadOptions options) {
  yaml::NodeReader reader(diagnostics);
  const yaml::Node &root = *document.root();
  Input input;
  input.place = {document.file(), root.place.begin, root.place.begin};
  auto section = [&](llvm::StringRef key) { return reader.need(root, key, "a Timeloop input"); };
  if (root.isMap() && refuseOldForm(root, reader))
    return llvm::None;
  const yaml::Node *architecture = section("architecture");
  const yaml::Node *problem = architecture ? section("problem") : nullptr;
  if (!problem || !readArchitecture(*architecture, input, reader) ||
      !readEnergies(root.find("ERT"), input, reader) || !readProblem(*problem, input, reader))
    return llvm::None;
  input.placements = emptyPlacements(input);
  if (options.needsMapping || hasMapping(document)) {
    const yaml::Node *mapping = section("mapping");
    if (!mapping || !readMapping(*mapping, input, reader))
      return llvm::None;
  }
  if (!readSparse(root, input, reader))
    return llvm::None;
  warnOfSections(root, reader);
  return input;
}

llvm::Optional<Input> timeloop::readInput(llvm::ArrayRef<FileId> files,
                                          DiagnosticEngine &diagnostics, ReadOptions options) {
  std::unique_ptr<yaml::Document> document = parseFiles(files, diagnostics);
  if (!document)
    return llvm::None;
  return readInput(*document, diagnostics, options);
}
