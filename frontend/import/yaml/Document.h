// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A YAML file as a tree whose nodes know their place. Aliases share the node that they name instead
// of copying it, so the tree is never larger than the file; size, depth and number of nodes are
// bounded. `<<` merges maps, `<<<` (of Timeloop's front end) the maps inside them as well. Errors
// of the YAML itself are reported where they stand.
#ifndef PERFC_FRONTEND_IMPORT_YAML_DOCUMENT_H
#define PERFC_FRONTEND_IMPORT_YAML_DOCUMENT_H

#include "ir/common/Diagnostics.h"
#include <deque>
#include <memory>

namespace perfc::yaml {

enum class NodeKind { Null, Scalar, Sequence, Map };

struct Node {
  NodeKind kind = NodeKind::Null;
  std::string tag;  ///< as written, without the "!" of its beginning; "" when there is none
  std::string text; ///< of a scalar
  SourceRange place;
  std::vector<const Node *> items;                            ///< of a sequence
  std::vector<std::pair<const Node *, const Node *>> entries; ///< of a map, in order
  mutable bool isRead = false; ///< of a value in a map: somebody looked for its key

  bool isScalar() const { return kind == NodeKind::Scalar; }
  bool isSequence() const { return kind == NodeKind::Sequence; }
  bool isMap() const { return kind == NodeKind::Map; }
  /// The value under `key` of a map (`-` and `_` are the same in keys); null when there is none.
  const Node *find(llvm::StringRef key) const;
};

/// Keys of a map, values of a list and words of a text that is one: names are looked up one by one.
constexpr size_t maxEntries = 4096;

class Document {
public:
  const Node *root() const { return rootNode; }
  FileId file() const { return id; }

  /// Adds the entries of the map `other`, whose keys this map does not have; of those in `repeated`
  /// the first one stays. False after a report.
  bool add(std::unique_ptr<Document> other, DiagnosticEngine &diagnostics,
           llvm::ArrayRef<llvm::StringLiteral> repeated);

private:
  friend std::unique_ptr<Document> parse(FileId file, DiagnosticEngine &diagnostics);
  friend class TreeBuilder;
  std::deque<Node> nodes;
  std::vector<std::unique_ptr<Document>> added; ///< hold the nodes of what was added
  const Node *rootNode = nullptr;
  FileId id = 0;
};

/// The document of `file`; null when it is no YAML or exceeds a limit (reported).
std::unique_ptr<Document> parse(FileId file, DiagnosticEngine &diagnostics);
/// One document of the sections that are in `files`, at least one; null after a report. Sections in
/// `repeated` may be in several files.
std::unique_ptr<Document> parse(llvm::ArrayRef<FileId> files, DiagnosticEngine &diagnostics,
                                llvm::ArrayRef<llvm::StringLiteral> repeated = {});

} // namespace perfc::yaml

#endif // PERFC_FRONTEND_IMPORT_YAML_DOCUMENT_H
