// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/timeloop/Input.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::timeloop;

llvm::Optional<double> Level::energy(llvm::ArrayRef<llvm::StringRef> actions) const {
  for (llvm::StringRef action : actions)
    for (const auto &[name, value] : energies)
      if (name == action)
        return value;
  return llvm::None;
}

template <typename Range, typename NameOf>
static llvm::Optional<unsigned> find(const Range &range, llvm::StringRef name, NameOf nameOf) {
  for (unsigned i = 0; i < std::size(range); ++i)
    if (nameOf(range[i]) == name)
      return i;
  return llvm::None;
}

llvm::Optional<unsigned> Input::findMemory(llvm::StringRef name) const {
  return find(memories, name, [](const Level &level) { return llvm::StringRef(level.name); });
}

llvm::Optional<unsigned> Input::findArray(llvm::StringRef name) const {
  for (unsigned index = 0; index <= memories.size(); ++index)
    if (llvm::is_contained(level(index).arrays, name))
      return index;
  return llvm::None;
}

llvm::Optional<unsigned> Input::findDim(llvm::StringRef name) const {
  return find(problem.dims, name, [](const std::string &dim) { return llvm::StringRef(dim); });
}

llvm::Optional<unsigned> Input::findSpace(llvm::StringRef name) const {
  return find(problem.spaces, name, [](const Space &space) { return llvm::StringRef(space.name); });
}

std::vector<Placement> timeloop::emptyPlacements(const Input &input) {
  Nest nest;
  nest.factors.resize(input.dimCount());
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    nest.order.push_back(dim);
  nest.split = input.dimCount();
  SpaceFlags none(input.spaceCount(), false), all(input.spaceCount(), true);
  Placement placement{nest, nest, all, none, none, none, none, {}};
  std::vector<Placement> placements(input.memories.size(), placement);
  for (unsigned memory = 0; memory < placements.size(); ++memory)
    if (input.memories[memory].storesNothing)
      placements[memory].keep = none;
  return placements;
}

const Density *SparseInput::density(unsigned space) const {
  auto found = llvm::find_if(densities, [&](const Density &one) { return one.space == space; });
  return found == densities.end() ? nullptr : &*found;
}

const Representation *SparseInput::representation(unsigned memory, unsigned space) const {
  auto found = llvm::find_if(representations, [&](const Representation &one) {
    return one.memory == memory && one.space == space;
  });
  return found == representations.end() ? nullptr : &*found;
}

bool SparseInput::skipsLanes() const {
  return llvm::any_of(savings, [](const Saving &one) { return one.kind == SavingKind::Lanes; });
}

/// In the order of SavingKind: the word of the language, and that of the tool.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> savingWords[] = {
    {"gate", "gating"}, {"skip", "skipping"}, {"skip_lanes", "skipping_spatial"}};

llvm::StringRef timeloop::wordOf(SavingKind kind) {
  return savingWords[static_cast<unsigned>(kind)].first;
}

llvm::StringRef timeloop::toolWordOf(SavingKind kind) {
  return savingWords[static_cast<unsigned>(kind)].second;
}

llvm::Optional<SavingKind> timeloop::findSavingKind(llvm::StringRef word) {
  llvm::Optional<unsigned> found =
      find(savingWords, word, [](const auto &pair) { return pair.first; });
  return found ? llvm::Optional<SavingKind>(static_cast<SavingKind>(*found)) : llvm::None;
}
