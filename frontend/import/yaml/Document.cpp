// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/yaml/Document.h"

#include "ir/common/diagnostics/Timeloop.h"

#include <map>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

using namespace perfc;
using namespace perfc::yaml;

static constexpr size_t maxBytes = 4 << 20;
static constexpr size_t maxNodes = 1 << 20;
static constexpr size_t maxDepth = 100;
/// Entries that all `<<` of a file look at.
static constexpr size_t maxMerged = 1 << 16;

static bool isSameKey(llvm::StringRef a, llvm::StringRef b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if ((a[i] == '-' ? '_' : a[i]) != (b[i] == '-' ? '_' : b[i]))
      return false;
  return true;
}

const Node *Node::find(llvm::StringRef key) const {
  for (const auto &[name, value] : entries)
    if (name->isScalar() && isSameKey(name->text, key)) {
      value->isRead = true;
      return value;
    }
  return nullptr;
}

namespace {

/// Ends the parse; what is wrong has been reported.
struct Stop {};

} // namespace

namespace perfc::yaml {

/// Turns the events of the parser into nodes.
class TreeBuilder : public YAML::EventHandler {
public:
  TreeBuilder(Document &document, DiagnosticEngine &diagnostics)
      : document(document), sources(diagnostics.sourceManager()), diagnostics(diagnostics) {}

  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    add(NodeKind::Null, mark, "", anchor);
  }
  void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                const std::string &value) override {
    add(NodeKind::Scalar, mark, tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(add(NodeKind::Sequence, mark, tag, anchor));
  }
  void OnSequenceEnd() override { levels.pop_back(); }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(add(NodeKind::Map, mark, tag, anchor));
  }
  void OnMapEnd() override {
    for (const Merge &one : levels.back().merges)
      merge(*levels.back().node, *one.from, one.place, one.isDeep);
    levels.pop_back();
  }
  void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override;

  SourceRange placeOf(const YAML::Mark &mark, llvm::StringRef text = "") const;

private:
  struct Merge {
    const Node *from;
    SourceRange place;
    bool isDeep;
  };
  /// A sequence or map that is not closed yet: the key that waits for a value, and what `<<` adds
  /// once the map's own keys are known.
  struct Level {
    Node *node;
    const Node *key = nullptr;
    std::vector<Merge> merges;
  };
  Node *add(NodeKind kind, const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
            const std::string &value = "");
  void attach(const Node *node);
  void addEntry(Node &map, const Node *key, const Node *value);
  void merge(Node &map, const Node &from, SourceRange place, bool isDeep, size_t depth = 0);
  void open(Node *node);
  [[noreturn]] void fail(SourceRange place, const DiagnosticKind &kind, llvm::StringRef text) {
    diagnostics.report(place, kind, text);
    throw Stop();
  }

  Document &document;
  const SourceManager &sources;
  DiagnosticEngine &diagnostics;
  std::vector<Level> levels;
  std::map<YAML::anchor_t, Node *> anchors;
  size_t attached = 0, merged = 0;
};

} // namespace perfc::yaml

SourceRange TreeBuilder::placeOf(const YAML::Mark &mark, llvm::StringRef text) const {
  if (mark.is_null())
    return {document.id, 0, 0};
  uint32_t begin = sources.offset(
      document.id, {static_cast<uint32_t>(mark.line) + 1, static_cast<uint32_t>(mark.column) + 1});
  llvm::StringRef rest = sources.text(document.id).substr(begin);
  uint32_t length = rest.startswith(text) ? static_cast<uint32_t>(text.size()) : 1;
  return {document.id, begin, begin + length};
}

void TreeBuilder::open(Node *node) {
  if (levels.size() >= maxDepth)
    fail(node->place, diag::YamlLimit, "is nested more than 100 deep");
  levels.push_back({node, nullptr, {}});
}

Node *TreeBuilder::add(NodeKind kind, const YAML::Mark &mark, const std::string &tag,
                       YAML::anchor_t anchor, const std::string &value) {
  document.nodes.emplace_back();
  Node *node = &document.nodes.back();
  node->kind = kind;
  node->text = value;
  node->tag = llvm::StringRef(tag).ltrim('!').str();
  node->place = placeOf(mark, value);
  if (anchor)
    anchors[anchor] = node;
  attach(node);
  return node;
}

void TreeBuilder::OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) {
  Node *node = anchors[anchor];
  bool isOpen = false;
  for (const Level &level : levels)
    isOpen |= level.node == node;
  if (!node || isOpen)
    fail(placeOf(mark, "*"), diag::YamlSyntax, "an alias names what stands around it");
  attach(node);
}

void TreeBuilder::attach(const Node *node) {
  if (++attached > maxNodes)
    fail(node->place, diag::YamlLimit, "has more than a million values");
  if (levels.empty()) {
    document.rootNode = node;
    return;
  }
  Level &level = levels.back();
  if (level.node->isSequence()) {
    if (level.node->items.size() >= maxEntries)
      fail(node->place, diag::YamlLimit, "has a list of more than 4096 values");
    level.node->items.push_back(node);
  } else if (!level.key) {
    level.key = node;
  } else {
    addEntry(*level.node, level.key, node);
    level.key = nullptr;
  }
}

void TreeBuilder::addEntry(Node &map, const Node *key, const Node *value) {
  // Said only here: a list that is never closed looks like a key until the file ends.
  if (!key->isScalar())
    fail(key->place, diag::YamlSyntax, "a key must be a plain word");
  bool isDeep = key->text == "<<<";
  if ((isDeep || key->text == "<<") && (value->isMap() || value->isSequence())) {
    levels.back().merges.push_back({value, key->place, isDeep});
    return;
  }
  for (const auto &[name, known] : map.entries)
    if (isSameKey(name->text, key->text)) {
      diagnostics.report(key->place, diag::YamlDuplicate, key->text)
          .note(name->place, "it was given here");
      throw Stop();
    }
  if (map.entries.size() >= maxEntries)
    fail(key->place, diag::YamlLimit, "has a map of more than 4096 keys");
  map.entries.emplace_back(key, value);
}

/// Adds the entries of other maps that `map` does not have; a deep merge adds to the maps in it
/// too.
void TreeBuilder::merge(Node &map, const Node &from, SourceRange place, bool isDeep, size_t depth) {
  if (from.isSequence()) {
    for (const Node *one : from.items)
      if (one->isMap())
        merge(map, *one, place, isDeep, depth);
    return;
  }
  for (const auto &[key, value] : from.entries) {
    if (++merged > maxMerged || map.entries.size() > maxEntries || depth > maxDepth)
      fail(place, diag::YamlLimit, "merges too many values");
    auto own = std::find_if(map.entries.begin(), map.entries.end(), [&key = key](auto &entry) {
      return isSameKey(entry.first->text, key->text);
    });
    if (own == map.entries.end()) {
      map.entries.emplace_back(key, value);
    } else if (isDeep && own->second->isMap() && value->isMap()) {
      // Aliases may share the map that stands there.
      Node &together = document.nodes.emplace_back(*own->second);
      own->second = &together;
      merge(together, *value, place, isDeep, depth + 1);
    }
  }
}

bool Document::add(std::unique_ptr<Document> other, DiagnosticEngine &diagnostics,
                   llvm::ArrayRef<llvm::StringLiteral> repeated) {
  Node all = *rootNode;
  for (const Node *root : {rootNode, other->rootNode})
    if (!root->isMap()) {
      diagnostics.report(root->place, diag::YamlKind, "one of several files", "a map of sections",
                         root->isSequence() ? "a list" : "a value");
      return false;
    }
  for (const auto &[key, value] : other->rootNode->entries) {
    auto same = llvm::find_if(
        all.entries, [&key = key](auto &entry) { return isSameKey(entry.first->text, key->text); });
    if (same != all.entries.end() &&
        llvm::any_of(repeated, [&key = key](auto word) { return isSameKey(word, key->text); }))
      continue;
    if (same != all.entries.end()) {
      diagnostics.report(key->place, diag::YamlDuplicate, key->text)
          .note(same->first->place, "it was given here");
      return false;
    }
    all.entries.emplace_back(key, value);
  }
  rootNode = &nodes.emplace_back(std::move(all));
  added.push_back(std::move(other));
  return true;
}

std::unique_ptr<Document> yaml::parse(FileId file, DiagnosticEngine &diagnostics) {
  const SourceManager &sources = diagnostics.sourceManager();
  auto document = std::make_unique<Document>();
  document->id = file;
  if (sources.text(file).size() > maxBytes) {
    diagnostics.report({file, 0, 0}, diag::YamlLimit, "is larger than 4 MiB");
    return nullptr;
  }
  TreeBuilder builder(*document, diagnostics);
  try {
    std::istringstream stream(sources.text(file).str());
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    if (parser) {
      size_t second = sources.text(file).rfind("\n---");
      uint32_t at = second == llvm::StringRef::npos ? 0 : static_cast<uint32_t>(second + 1);
      diagnostics.report({file, at, at}, diag::YamlLimit, "has more than one document");
      return nullptr;
    }
  } catch (const Stop &) {
    return nullptr;
  } catch (const YAML::Exception &error) {
    diagnostics.report(builder.placeOf(error.mark), diag::YamlSyntax, error.msg);
    return nullptr;
  }
  if (!document->rootNode) {
    diagnostics.report({file, 0, 0}, diag::YamlSyntax, "the file is empty");
    return nullptr;
  }
  return document;
}

std::unique_ptr<Document> yaml::parse(llvm::ArrayRef<FileId> files, DiagnosticEngine &diagnostics,
                                      llvm::ArrayRef<llvm::StringLiteral> repeated) {
  std::unique_ptr<Document> all = parse(files.front(), diagnostics);
  for (FileId file : files.drop_front()) {
    std::unique_ptr<Document> part = all ? parse(file, diagnostics) : nullptr;
    if (!part || !all->add(std::move(part), diagnostics, repeated))
      return nullptr;
  }
  return all;
}
