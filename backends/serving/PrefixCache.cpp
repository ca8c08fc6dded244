// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/PrefixCache.h"

#include <algorithm>

using namespace perfc::serving;

PrefixCache::Match PrefixCache::match(llvm::ArrayRef<PrefixPiece> text, int64_t most) const {
  Match found;
  uint32_t node = 0;
  for (const PrefixPiece &piece : text) {
    auto edge = edges.find({node, piece.id});
    if (edge == edges.end())
      break;
    node = edge->second;
    int64_t tokens = std::min(nodes[node].tokens, most) / blockTokens * blockTokens;
    if (tokens > found.tokens)
      found = {node, tokens};
    if (nodes[node].tokens >= most)
      break;
  }
  return found;
}

/// Takes a node out of the leaves that may go, to change it.
void PrefixCache::touch(uint32_t node) { leaves.erase({nodes[node].lastUse, node}); }

void PrefixCache::settle(uint32_t node) {
  if (isLeaf(node))
    leaves.insert({nodes[node].lastUse, node});
}

int64_t PrefixCache::lock(uint32_t node) {
  int64_t blocks = 0;
  ++clock;
  for (; node != 0; node = nodes[node].parent) {
    touch(node);
    blocks += nodes[node].users++ == 0 ? nodes[node].blocks : 0;
    nodes[node].lastUse = clock;
  }
  unlocked -= blocks;
  return blocks;
}

int64_t PrefixCache::unlock(uint32_t node) {
  int64_t blocks = 0;
  for (; node != 0; node = nodes[node].parent) {
    blocks += --nodes[node].users == 0 ? nodes[node].blocks : 0;
    settle(node);
  }
  unlocked += blocks;
  return blocks;
}

void PrefixCache::drop(uint32_t node) {
  touch(node);
  Node &gone = nodes[node];
  unlocked -= gone.blocks;
  edges.erase({gone.parent, gone.id});
  --nodes[gone.parent].children;
  settle(gone.parent);
  unused.push_back(node);
}

void PrefixCache::shrink(int64_t room) {
  while (unlocked > room && !leaves.empty())
    drop(leaves.begin()->second);
}

uint32_t PrefixCache::insert(llvm::ArrayRef<PrefixPiece> text, int64_t room, int64_t unread) {
  uint32_t node = 0;
  ++clock;
  for (const PrefixPiece &piece : text) {
    auto [edge, isNew] = edges.try_emplace({node, piece.id}, 0);
    if (isNew) {
      int64_t end = nodes[node].end + piece.tokens;
      int64_t tokens = end - (&piece == &text.back() ? unread : 0);
      int64_t blocks = tokens / blockTokens - nodes[node].tokens / blockTokens;
      if (blocks > room) {
        edges.erase(edge);
        break;
      }
      uint32_t made = unused.empty() ? static_cast<uint32_t>(nodes.size()) : unused.back();
      if (unused.empty())
        nodes.emplace_back();
      else
        unused.pop_back();
      touch(node);
      ++nodes[node].children;
      nodes[made] = {node, 0, piece.id, tokens, blocks, 0, clock, end};
      edge->second = made;
      unlocked += blocks;
    }
    node = edge->second;
    touch(node);
    nodes[node].lastUse = clock;
    settle(node);
  }
  shrink(room);
  return node;
}
