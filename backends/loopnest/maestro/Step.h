// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One combination of phases at one level: the words that enter and leave its sub-clusters and the
// MACs that they execute. Of the loops only the innermost one that is not at its start (the mover)
// decides what is reused.
#ifndef PERFC_BACKENDS_LOOPNEST_MAESTRO_STEP_H
#define PERFC_BACKENDS_LOOPNEST_MAESTRO_STEP_H

#include "backends/loopnest/analysis/Checked.h"
#include "backends/loopnest/maestro/Phases.h"

namespace perfc::maestro {

using loopnest::Checked;

class Step {
public:
  /// `phases` by loop of `level`.
  Step(const dataflow::TensorDims &tensors, const Level &level, const Extents &extents,
       std::vector<Phase> phases);

  /// Every loop is at its start.
  bool isFirst() const { return mover < 0; }
  Checked occurrences() const;

  Checked inputIngress() const { return ingress(tensors.input); }
  Checked filterIngress() const { return ingress(tensors.filter); }
  /// Output words sent up: the whole tile at every step.
  Checked egress() const;
  /// MACs of all sub-clusters.
  Checked macs() const;
  /// MACs of the sub-cluster that has most.
  Checked criticalMacs() const;

  /// Sub-clusters with equal sizes.
  struct Group {
    int64_t count;
    dataflow::Sizes sizes; ///< what each of them iterates over
  };
  /// All sub-clusters that work; at most two groups.
  std::vector<Group> groups() const;
  int64_t activeClusters() const;

private:
  /// Sub-clusters that see different data: how many, and which end of the row they stand at.
  struct Member {
    int64_t count;
    bool first;
    bool last; ///< the partial one
  };
  enum class Product { Outputs, Macs };

  std::vector<Member> members(llvm::ArrayRef<const Map *> spatial) const;
  std::vector<Member> membersFor(llvm::StringRef dims) const;
  Checked ingress(llvm::StringRef dims) const;
  Checked wholeTile(llvm::StringRef dims, Member member) const;
  Checked fetched(llvm::StringRef dims, Member member) const;
  int64_t fetchedExtent(size_t place, Member member, bool slides) const;
  Checked produced(Product product, Member member) const;
  int64_t spatialExtent(const Map &map, bool ofOutput, Product product, Member member) const;
  dataflow::Sizes subSizes(bool last) const;
  const Phase &phaseOf(const Map &map) const { return phases[&map - level.maps.data()]; }
  const Phase &firstSpatialPhase() const { return phaseOf(*level.spatial().front()); }

  const dataflow::TensorDims &tensors;
  const Level &level;
  const Extents &extents;
  std::vector<Phase> phases;
  int mover = -1;
};

} // namespace perfc::maestro

#endif // PERFC_BACKENDS_LOOPNEST_MAESTRO_STEP_H
