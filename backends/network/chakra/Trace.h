// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Chakra execution trace of one rank (schema 0.0.4): nodes that compute, move data or take part
// in a collective, and the edges between them. Nodes are kept by ascending id, edges as index
// lists, so that ranks which run the same file share one Trace and the simulator touches plain
// arrays.
#ifndef PERFC_BACKENDS_NETWORK_CHAKRA_TRACE_H
#define PERFC_BACKENDS_NETWORK_CHAKRA_TRACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace perfc::chakra {

/// The numbers of `NodeType` in the schema.
enum class NodeType : uint8_t {
  Invalid,
  Metadata,
  MemLoad,
  MemStore,
  Compute,
  Send,
  Receive,
  Collective,
};

/// The attributes that simulators read, as indices into Node::values.
enum class Field : uint8_t { CommType, CommSize, CommTag, CommSrc, CommDst, TensorSize, NumOps };
inline constexpr unsigned fieldCount = 7;

/// The name that a field has in a trace: `comm_size`.
llvm::StringRef fieldName(Field field);

enum class FieldState : uint8_t { Absent, Integer, WrongKind };

struct Node {
  uint64_t id = 0;
  uint64_t offset = 0; ///< of its record in the file, in bytes
  uint64_t durationMicros = 0;
  int64_t values[fieldCount] = {};
  FieldState states[fieldCount] = {};
  NodeType type = NodeType::Invalid;
  bool onCpu = false;
  bool groupIsNoString = false; ///< `pg_name` has another type
  uint32_t group = 0;           ///< index into Trace::groupNames; 0 is the world

  FieldState state(Field field) const { return states[static_cast<unsigned>(field)]; }
  int64_t value(Field field) const { return values[static_cast<unsigned>(field)]; }
  bool communicates() const { return type >= NodeType::Send; }
};

/// An edge to a node that the trace does not have.
struct MissingNode {
  uint32_t node; ///< index of the node that waits
  uint64_t id;   ///< of the node that it waits for
};

class Trace {
public:
  std::string path;        ///< as it is to be shown
  std::string version;     ///< of the metadata
  bool hasMetadata = true; ///< record 0 is metadata, not a node
  std::vector<Node> nodes; ///< by ascending id
  std::vector<std::string> groupNames = {""};
  std::vector<MissingNode> missing; ///< in the order of nodes
  std::vector<uint64_t> duplicates; ///< ids of which an earlier node was replaced
  uint64_t partlyInvolved = 0; ///< nodes that leave out dimensions of the network (`involved_dim`)

  llvm::ArrayRef<uint32_t> children(uint32_t node) const {
    return llvm::makeArrayRef(childList).slice(childBegin[node],
                                               childBegin[node + 1] - childBegin[node]);
  }
  /// How many nodes node waits for, each counted once.
  llvm::ArrayRef<uint32_t> parentCounts() const { return parents; }

  /// Adds a node and the ids of the nodes that it waits for.
  void add(Node node, llvm::ArrayRef<uint64_t> dependencies);
  /// Sorts nodes by id, lets a later node of equal id replace the earlier one, and links edges.
  void link();
  /// Leaves out the edges to missing nodes; how many there were.
  size_t dropMissing();
  /// Indices of the nodes that are in or behind a cycle, or wait for a missing node.
  std::vector<uint32_t> unreachable() const;
  /// One cycle of dependencies as indices, each waiting for the next; empty when there is none.
  std::vector<uint32_t> cycle() const;

private:
  std::vector<uint32_t> parents;
  std::vector<uint32_t> childBegin, childList;
  std::vector<uint64_t> dependencyIds;                  // of all nodes in the order of add
  std::vector<uint64_t> dependencyEnds;                 // per added node
  std::vector<std::pair<uint32_t, uint32_t>> linkIds(); // (parent, child)
};

} // namespace perfc::chakra

#endif // PERFC_BACKENDS_NETWORK_CHAKRA_TRACE_H
