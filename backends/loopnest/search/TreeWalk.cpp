// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/TreeWalk.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

Node TreeWalk::root() {
  Mapping mapping = space.emptyMapping();
  mapping.factor[0].fill(1);
  Node node;
  node.bound = evaluator.evaluate(mapping, 0);
  node.key = keyOf(node.bound);
  return node;
}

void TreeWalk::addFound(const Mapping &mapping, const Score &score) {
  Candidate candidate{mapping, score};
  if (known.add(candidate))
    found.push_back(candidate);
}

void TreeWalk::takeComplete(const Mapping &mapping) {
  if (mayFit(mapping, space.slots.size()))
    addFound(mapping, evaluator.evaluate(mapping));
}

void TreeWalk::sort(std::vector<Node> &nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const Node &a, const Node &b) { return a.key < b.key; });
}

/// The loops of the node; nothing further in.
void TreeWalk::load(const Node &node, Mapping &mapping) const {
  mapping = space.emptyMapping();
  mapping.factor[0].fill(1);
  for (unsigned s = 0; s < node.slices.size(); ++s) {
    mapping.factor[s] = node.slices[s].factors;
    mapping.order[s] = node.slices[s].order;
  }
}

Node TreeWalk::extended(const Node &node, const Mapping &mapping, unsigned slots,
                        const Score &bound) const {
  Node result;
  result.slices = node.slices;
  for (unsigned s = node.slices.size(); s < slots; ++s)
    result.slices.push_back({mapping.factor[s], mapping.order[s]});
  result.bound = bound;
  result.key = keyOf(bound);
  return result;
}

bool TreeWalk::children(const Node &node, std::vector<Node> &nodes) {
  Mapping mapping;
  load(node, mapping);
  if (!floors)
    return plainChildren(node, mapping, nodes);
  if (node.slices.size() < floors->arrayBegin())
    return outerChildren(node, mapping, nodes);
  if (node.slices.size() < floors->arrayEnd())
    return arrayChildren(node, mapping, nodes);
  return innerChildren(node, mapping, nodes);
}

bool TreeWalk::plainChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes) {
  unsigned slot = node.slices.size();
  bool complete = slot + 1 == space.slots.size();
  return choices.forEach(mapping, slot, evaluator, [&] {
    if (patience.isOver())
      return false;
    if (symmetry.compare(mapping, slot + 1) > 0 || !mayFit(mapping, slot + 1))
      return true;
    Score bound = evaluator.evaluate(mapping, slot + 1);
    if (known.excludes(bound))
      return true;
    if (complete)
      addFound(mapping, bound);
    else
      nodes.push_back(extended(node, mapping, slot + 1, bound));
    return true;
  });
}

void TreeWalk::visit(const Node &node) {
  if (known.excludes(node.bound))
    return;
  std::vector<Node> nodes;
  if (patience.isOver() || !children(node, nodes)) {
    open.push_back(node.bound);
    return;
  }
  sort(nodes);
  for (const Node &child : nodes)
    visit(child);
}
