// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/astra/ClusterTexts.h"

#include "api/astra/ClusterReader.h"
#include "frontend/import/yaml/NodeReader.h"
#include "ir/common/JsonText.h"
#include "ir/common/diagnostics/Cluster.h"
#include "llvm/ADT/STLExtras.h"
#include <yaml-cpp/yaml.h>

using namespace perfc;
using namespace perfc::api;
using llvm::json::Object;

/// A number where it is one; `isWhole` of NPUs, which the tool reads as yaml-cpp does integers.
static llvm::json::Value scalarOf(const std::string &text, bool isWhole) {
  double number = 0;
  if (auto whole = isWhole ? yaml::wholeNumber(text) : llvm::None)
    return static_cast<double>(*whole);
  if (!(isWhole && yaml::isBadOctal(text)) && !llvm::StringRef(text).getAsDouble(number))
    return number;
  return llvm::json::fixUTF8(text);
}

/// Numbers as numbers, lists and maps by their entries; what nests deeper than two is no network.
/// Keys that a map has already go to `repeated`.
static llvm::json::Value jsonOf(const YAML::Node &node, std::vector<YAML::Node> &repeated,
                                bool isWhole = false, unsigned depth = 0) {
  if (node.IsScalar())
    return scalarOf(node.Scalar(), isWhole);
  if (node.IsSequence() && depth < 3) {
    llvm::json::Array list;
    for (const YAML::Node &entry : node)
      list.push_back(jsonOf(entry, repeated, isWhole, depth + 1));
    return list;
  }
  if (node.IsMap() && depth < 3) {
    Object object;
    for (const auto &entry : node)
      if (entry.first.IsScalar() &&
          !object
               .try_emplace(
                   llvm::json::fixUTF8(entry.first.Scalar()),
                   jsonOf(entry.second, repeated, entry.first.Scalar() == "npus_count", depth + 1))
               .second)
        repeated.push_back(entry.first);
    return object;
  }
  return nullptr;
}

llvm::Optional<llvm::json::Value> api::parseYaml(DiagnosticEngine &diagnostics, FileId file) {
  llvm::StringRef path = diagnostics.sourceManager().path(file);
  llvm::StringRef text = diagnostics.sourceManager().text(file);
  // A byte 0 would make the parser take the text for UTF-16 or UTF-32.
  size_t wrong = 0;
  if (llvm::json::isUTF8(text, &wrong))
    wrong = llvm::StringRef::npos;
  wrong = std::min(wrong, text.find('\0'));
  if (wrong != llvm::StringRef::npos) {
    auto at = static_cast<uint32_t>(wrong);
    diagnostics.report({file, at, at}, diag::BadClusterFile, path.str(), "YAML",
                       "it is not UTF-8 here");
    return llvm::None;
  }
  try {
    std::vector<YAML::Node> repeated;
    llvm::json::Value document = jsonOf(YAML::Load(text.str()), repeated);
    if (repeated.empty())
      return document;
    auto at = static_cast<uint32_t>(std::max(0, repeated.front().Mark().pos));
    diagnostics.report({file, at, at}, diag::BadClusterValue, repeated.front().Scalar(),
                       "is given twice");
    return llvm::None;
  } catch (const YAML::Exception &error) {
    uint32_t at = error.mark.is_null() ? 0 : static_cast<uint32_t>(std::max(0, error.mark.pos));
    at = std::min<uint32_t>(at, static_cast<uint32_t>(text.size()));
    diagnostics.report({file, at, at}, diag::BadClusterFile, path.str(), "YAML", error.msg);
    return llvm::None;
  }
}

static const Object *objectOf(DiagnosticEngine &diagnostics, const llvm::json::Value &document,
                              FileId file, llvm::StringRef what) {
  const Object *object = document.getAsObject();
  if (!object)
    diagnostics.report({file, 0, 0}, diag::BadClusterFile,
                       diagnostics.sourceManager().path(file).str(), what.str(),
                       "it is no map of keys");
  return object;
}

/// Reads the JSON text `file` by `read`; true as well when there is none.
static bool readPart(DiagnosticEngine &diagnostics, FileId file, llvm::StringRef what,
                     llvm::function_ref<bool(ClusterReader &, const Object &)> read) {
  if (!file)
    return true;
  std::string name = diagnostics.sourceManager().path(file).str();
  JsonProblem problem;
  llvm::Optional<llvm::json::Value> document =
      parseJson(diagnostics.sourceManager().text(file), problem);
  if (!document) {
    diagnostics.report({file, problem.byte, problem.byte}, diag::BadClusterFile, name, what.str(),
                       problem.reason);
    return false;
  }
  const Object *object = objectOf(diagnostics, *document, file, what);
  if (!object)
    return false;
  if (auto twice = repeatedKey(diagnostics.sourceManager().text(file))) {
    auto length = twice->end - twice->second;
    diagnostics
        .report({file, twice->second, twice->end}, diag::BadClusterValue, twice->key,
                "is given twice")
        .note({file, twice->first, twice->first + length}, "the first one is here");
    return false;
  }
  ClusterReader reader(diagnostics, file, name);
  return read(reader, *object);
}

bool api::readGroupText(DiagnosticEngine &diagnostics, FileId file, uint64_t ranks,
                        astra::Groups &groups) {
  return readPart(diagnostics, file, "file of communicator groups",
                  [&](ClusterReader &reader, const Object &object) {
                    return reader.readGroups(object, ranks, groups);
                  });
}

bool api::readClusterTexts(DiagnosticEngine &diagnostics, const ClusterTexts &texts,
                           astra::Cluster &cluster) {
  std::string name = diagnostics.sourceManager().path(texts.network).str();
  llvm::Optional<llvm::json::Value> document = parseYaml(diagnostics, texts.network);
  if (!document)
    return false;
  const Object *network = objectOf(diagnostics, *document, texts.network, "network file");
  if (!network ||
      !ClusterReader(diagnostics, texts.network, name).readNetwork(*network, cluster.network))
    return false;
  return readPart(diagnostics, texts.system, "system file",
                  [&](ClusterReader &reader, const Object &object) {
                    return reader.readSystem(object, cluster.system) &&
                           reader.warnOfUnused(cluster);
                  }) &&
         readGroupText(diagnostics, texts.groups, astra::rankCount(cluster.network),
                       cluster.groups) &&
         readPart(diagnostics, texts.memory, "file of remote memory",
                  [&](ClusterReader &reader, const Object &object) {
                    return reader.readMemory(object, cluster.memory);
                  });
}

void api::reportFindings(DiagnosticEngine &diagnostics, llvm::ArrayRef<astra::Finding> findings,
                         NodePlaces places) {
  for (const astra::Finding &finding : findings) {
    SourceRange place = places ? places(finding.node) : SourceRange();
    Diagnostic &report = diagnostics.report(place, *finding.kind, finding.subject, finding.reason);
    for (const astra::FindingNote &note : finding.notes)
      report.note(places && note.node ? places(note.node) : SourceRange(), note.text);
  }
}

std::string api::firstProblem(llvm::ArrayRef<astra::Finding> findings) {
  for (const astra::Finding &finding : findings)
    if (finding.kind->severity == Severity::Error)
      return fmt::format(fmt::runtime(finding.kind->message), finding.subject, finding.reason);
  return "";
}
