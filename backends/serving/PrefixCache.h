// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stays in the cache of prompts and answers whose requests are done, for requests that begin
// alike: a radix tree. A node is a piece of a text behind the pieces of its parents; it takes the
// blocks that it fills beyond those that they fill, so that a path takes floor(tokens / block).
// Nodes that requests use are locked; of the others the leaf that was used longest ago goes first.
#ifndef PERFC_BACKENDS_SERVING_PREFIXCACHE_H
#define PERFC_BACKENDS_SERVING_PREFIXCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace perfc::serving {

/// A piece of a text: equal numbers behind equal pieces are the same tokens.
struct PrefixPiece {
  uint64_t id;
  int64_t tokens;
};

class PrefixCache {
public:
  explicit PrefixCache(int64_t blockTokens) : blockTokens(blockTokens) { nodes.emplace_back(); }

  struct Match {
    uint32_t node = 0;   ///< the last one; 0 for none
    int64_t tokens = 0;  ///< in whole blocks
    int64_t fetched = 0; ///< those behind them that come from the host
    int64_t all() const { return tokens + fetched; }
  };
  /// The longest beginning of `text` that is there, of at most `most` tokens.
  Match match(llvm::ArrayRef<PrefixPiece> text, int64_t most) const;
  /// Keeps the path to `node`; how many blocks this locks that were not.
  int64_t lock(uint32_t node);
  /// Undoes `lock`; how many blocks nobody keeps now.
  int64_t unlock(uint32_t node);
  /// Adds `text`, as far as its pieces fit into `room` blocks, of which nobody keeps more then. The
  /// last node of it; 0 for none. The cache lacks the last `unread` tokens of a text: who goes on
  /// behind it reads them, and has them with his own piece.
  uint32_t insert(llvm::ArrayRef<PrefixPiece> text, int64_t room, int64_t unread = 0);
  /// Drops nodes that nobody keeps until they have at most `room` blocks.
  void shrink(int64_t room);
  /// Blocks of the path to `node`.
  int64_t blocksTo(uint32_t node) const { return nodes[node].tokens / blockTokens; }
  /// Blocks of nodes that nobody keeps.
  int64_t freeBlocks() const { return unlocked; }

private:
  struct Node {
    uint32_t parent = 0, children = 0;
    uint64_t id = 0;
    int64_t tokens = 0; ///< from the root on that the cache has
    int64_t blocks = 0;
    int64_t users = 0; ///< requests that keep it
    uint64_t lastUse = 0;
    int64_t end = 0; ///< tokens from the root on
  };

  void touch(uint32_t node);
  bool isLeaf(uint32_t node) const {
    return node != 0 && nodes[node].users == 0 && nodes[node].children == 0;
  }
  /// Adds or takes out of the leaves that may go, as it is now.
  void settle(uint32_t node);
  void drop(uint32_t node);

  int64_t blockTokens;
  std::vector<Node> nodes; ///< the root first
  std::vector<uint32_t> unused;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> edges; ///< by parent and id
  std::set<std::pair<uint64_t, uint32_t>> leaves;          ///< that may go, by last use
  int64_t unlocked = 0;
  uint64_t clock = 0;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_PREFIXCACHE_H
