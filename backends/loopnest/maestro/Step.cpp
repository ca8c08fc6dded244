// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/maestro/Step.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::maestro;

Step::Step(const dataflow::TensorDims &tensors, const Level &level, const Extents &extents,
           std::vector<Phase> phases)
    : tensors(tensors), level(level), extents(extents), phases(std::move(phases)) {
  for (size_t i = 0; i < this->phases.size(); ++i)
    if (this->phases[i].kind != PhaseKind::Init)
      mover = static_cast<int>(i);
}

Checked Step::occurrences() const {
  Checked product = 1;
  for (const Phase &phase : phases)
    product *= phase.count;
  return product;
}

//===-- Sums over sub-clusters
//-----------------------------------------------------------------===//

/// `spatial` are the spatial maps that make the data differ; none: all sub-clusters see the same.
std::vector<Step::Member> Step::members(llvm::ArrayRef<const Map *> spatial) const {
  if (spatial.empty())
    return {};
  bool partial = phaseOf(*spatial.back()).partial;
  int64_t active = extents.activeAtEdge;
  if (llvm::none_of(spatial, [&](const Map *map) { return phaseOf(*map).edge; }))
    return {{1, true, false}, {level.fanout - 1, false, false}};
  if (active <= 1)
    return {{1, true, active == 1 && partial}};
  int64_t cut = partial ? 1 : 0;
  return {
      {1, true, false}, {std::max<int64_t>(active - cut - 1, 0), false, false}, {cut, false, true}};
}

/// The members for a tensor; maps count in the order of its dimensions.
std::vector<Step::Member> Step::membersFor(llvm::StringRef dims) const {
  std::vector<const Map *> spatial;
  for (const Map *map : level.spatial())
    if (dims.contains(map->dim))
      spatial.push_back(map);
  llvm::sort(spatial,
             [&](const Map *a, const Map *b) { return dims.find(a->dim) < dims.find(b->dim); });
  std::vector<Member> found = members(spatial);
  return found.empty() ? std::vector<Member>{{1, true, false}} : found;
}

Checked Step::ingress(llvm::StringRef dims) const {
  Checked sum;
  for (const Member &member : membersFor(dims))
    if (member.count)
      sum += Checked(member.count) * fetched(dims, member);
  return sum;
}

Checked Step::egress() const {
  Checked sum;
  for (const Member &member : membersFor(tensors.output))
    if (member.count)
      sum += Checked(member.count) * produced(Product::Outputs, member);
  return sum;
}

Checked Step::macs() const {
  Checked sum;
  for (const Member &member : members(level.spatial()))
    if (member.count)
      sum += Checked(member.count) *
             produced(Product::Macs, {1, !member.last || member.first, member.last});
  return sum;
}

Checked Step::criticalMacs() const {
  return produced(Product::Macs, {1, true, membersFor(tensors.output).front().last});
}

//===-- One sub-cluster
//------------------------------------------------------------------------===//

Checked Step::wholeTile(llvm::StringRef dims, Member member) const {
  Checked volume = 1;
  for (const Map &map : level.maps) {
    if (!dims.contains(map.dim))
      continue;
    const MappedSize &size = extents.input.at(map.dim);
    bool cut = phaseOf(map).edge;
    if (map.spatial && cut) {
      int64_t active = extents.activeAtEdge;
      cut = member.last || (active == 1 && member.first);
      if (active < 1 || (active == 1 && !member.first && !member.last))
        continue;
    }
    volume *= cut ? size.edge : size.full;
  }
  return volume;
}

Checked Step::fetched(llvm::StringRef dims, Member member) const {
  if (mover < 0)
    return wholeTile(dims, member);
  if (!dims.contains(level.maps[mover].dim))
    return 0;
  bool restarted = false;
  for (size_t place = mover + 1; place < phases.size(); ++place)
    restarted |= dims.contains(level.maps[place].dim) && phases[place].kind == PhaseKind::Init &&
                 !phases[place].unrolled;
  Checked volume = 1;
  for (size_t place = 0; place < phases.size(); ++place)
    if (dims.contains(level.maps[place].dim))
      volume *= fetchedExtent(place, member, static_cast<int>(place) == mover && !restarted);
  return volume;
}

/// `slides`: the loop is the mover and no loop inside it starts anew.
int64_t Step::fetchedExtent(size_t place, Member member, bool slides) const {
  const Phase &phase = phases[place];
  const MappedSize &size = extents.input.at(level.maps[place].dim);
  if (!level.maps[place].spatial) {
    if (phase.kind == PhaseKind::Init)
      return phase.edge ? size.edge : size.full;
    return slides ? std::max<int64_t>(size.fresh, 1) : size.full;
  }
  int64_t full = member.last ? size.edge : size.full;
  int64_t fresh = member.last ? size.edgeFresh : size.fresh;
  if (member.first)
    return full;
  if (phase.kind == PhaseKind::Init)
    return static_cast<int>(place) <= mover ? full : fresh;
  return slides ? fresh : full;
}

Checked Step::produced(Product product, Member member) const {
  Checked volume = 1;
  for (const Map &map : level.maps) {
    bool ofOutput = llvm::StringRef(tensors.output).contains(map.dim);
    if (!ofOutput && product == Product::Outputs)
      continue;
    const MappedSize &size = (ofOutput ? extents.output : extents.input).at(map.dim);
    if (map.spatial)
      volume *= spatialExtent(map, ofOutput, product, member);
    else
      volume *= phaseOf(map).edge ? size.edge : size.full;
  }
  return volume;
}

int64_t Step::spatialExtent(const Map &map, bool ofOutput, Product product, Member member) const {
  const Phase &phase = phaseOf(map);
  const MappedSize &size = (ofOutput ? extents.output : extents.input).at(map.dim);
  bool alone = extents.activeAtEdge == 1;
  if (phase.kind == PhaseKind::Init && phase.edge && member.last)
    return alone || product == Product::Macs ? size.edge : size.edgeFresh;
  if (phase.kind == PhaseKind::Edge && alone)
    return member.first || member.last ? extents.input.at(map.dim).edge : 1;
  if (phase.kind == PhaseKind::Edge && member.last)
    return size.edgeFresh;
  if (member.first)
    return size.full;
  return size.fresh ? size.fresh : 1;
}

//===-- Sub-clusters
//---------------------------------------------------------------------------===//

dataflow::Sizes Step::subSizes(bool last) const {
  dataflow::Sizes sizes = level.sizes;
  for (const Map &map : level.maps) {
    bool cut = phaseOf(map).edge && (!map.spatial || extents.activeAtEdge == 1 || last);
    const MappedSize &size = extents.input.at(map.dim);
    sizes[map.dim] = cut ? size.edge : size.full;
  }
  return sizes;
}

int64_t Step::activeClusters() const {
  return firstSpatialPhase().edge ? extents.activeAtEdge : level.fanout;
}

std::vector<Step::Group> Step::groups() const {
  int64_t active = activeClusters();
  if (!firstSpatialPhase().edge || !firstSpatialPhase().partial)
    return {{active, subSizes(false)}};
  std::vector<Group> groups{{1, subSizes(true)}};
  if (active > 1)
    groups.push_back({active - 1, subSizes(false)});
  return groups;
}
