// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels beside each other that stacks for language models run as one: products of one input with
// weights (queries, keys and values; gate and up), whose weights stand side by side in memory, an
// addition with the norm that reads the sum, two kernels of one op on different values (rotary
// embeddings of queries and keys, entries of the caches of keys and values), and a layer of experts
// with what brings each token to its experts and adds up what they make of it.
#ifndef PERFC_PASSES_STACKGROUPS_H
#define PERFC_PASSES_STACKGROUPS_H

#include "passes/FusedWorkload.h"
#include "passes/FusionRules.h"

namespace perfc {
namespace passes {

/// True for one equation that adds two activations.
bool addsActivations(const ir::Operation &apply);
/// True for one kernel that is a norm: it reads each row whole before it scales it.
bool isNorm(const ir::Operation &op);

/// Applications that run as one kernel before `place`, the first or last of them.
struct StackGroup {
  ApplyGroup members;
  ir::Operation *place;
};

/// The groups of a region by `rules`. Weights of a group are moved before its place.
class StackGroups {
public:
  StackGroups(ir::Region &region, const FusionRules &rules);

  llvm::ArrayRef<StackGroup> groups() const { return found; }
  bool has(const ir::Operation &op) const { return members.count(&op) != 0; }

private:
  void addProducts(ir::Region &region);
  void addAdditions(ir::Region &region);
  void addPairs(ir::Region &region);
  void addExperts(ir::Region &region);
  void addScores(const ir::Operation &reader, ir::Region &region, ApplyGroup &group) const;
  void add(ApplyGroup group, ir::Operation &place);

  std::vector<StackGroup> found;
  llvm::DenseMap<const ir::Operation *, bool> members;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_STACKGROUPS_H
