// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/FusedCounts.h"

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Number among the memories of the nest of the memory `place`.
static llvm::Optional<size_t> memoryNumber(const AdaptedNest &adapted, llvm::StringRef place) {
  size_t number = 0;
  for (const Place &one : adapted.nest.places) {
    if (one.kind != PlaceKind::Memory)
      continue;
    if (one.name == place)
      return number;
    ++number;
  }
  return llvm::None;
}

static void dropOutside(const AdaptedNest &adapted, size_t memory, size_t tensor, Counts &counts) {
  for (size_t outer = 0; outer < memory; ++outer) {
    MemoryCounts &held = counts.memories[outer];
    if (!held.tensors[tensor])
      continue;
    held.maxResident -= held.tensors[tensor]->maxResident;
    held.maxResidentBits -=
        held.tensors[tensor]->maxResident *
        heldBits(adapted.nest, memoryOf(adapted.nest, outer), tensor, *held.tensors[tensor]);
    held.tensors[tensor] = llvm::None;
  }
  size_t memories = 0, arrays = 0;
  for (const Place &place : adapted.nest.places) {
    if (place.kind == PlaceKind::Memory) {
      if (memories++ == memory)
        return;
    } else {
      counts.arrays[arrays++].hops[tensor] = NetworkCount();
    }
  }
}

bool loopnest::keepInside(const AdaptedNest &adapted, llvm::StringRef place,
                          llvm::ArrayRef<std::string> tensors, Counts &counts,
                          std::string &reason) {
  llvm::Optional<size_t> memory = memoryNumber(adapted, place);
  for (size_t t = 0; t < adapted.nest.tensors.size(); ++t) {
    const Tensor &tensor = adapted.nest.tensors[t];
    if (!llvm::is_contained(tensors, tensor.name))
      continue;
    if (!memory || !counts.memories[*memory].tensors[t]) {
      reason = "that memory does not keep it";
      return false;
    }
    TensorCounts &here = *counts.memories[*memory].tensors[t];
    if (tensor.isOutput && here.fills > 0) {
      reason = fmt::format("{} of its partial sums are needed again after their tile was left",
                           here.fills);
      return false;
    }
    here.fills = here.writebacks = 0;
    dropOutside(adapted, *memory, t, counts);
  }
  return true;
}

void loopnest::holdKept(const AdaptedNest &adapted, const KeptElements &kept, Counts &counts) {
  for (size_t t = 0; t < adapted.nest.tensors.size(); ++t) {
    const Tensor &tensor = adapted.nest.tensors[t];
    if (tensor.isOutput || tensor.name != kept.tensor)
      continue;
    auto holds = [&](const MemoryCounts &memory) { return memory.tensors[t].hasValue(); };
    auto memory = llvm::find_if(counts.memories, holds);
    if (memory == counts.memories.end())
      continue;
    auto number = static_cast<size_t>(memory - counts.memories.begin());
    TensorCounts &held = *memory->tensors[t];
    int64_t more = std::max<int64_t>(0, kept.count - held.maxResident);
    held.maxResident += more;
    memory->maxResident += more;
    memory->maxResidentBits +=
        more * heldBits(adapted.nest, memoryOf(adapted.nest, number), t, held);
  }
}

static void repeat(NetworkCount &count, int64_t factor) {
  for (int64_t *one : {&count.shared, &count.separate, &count.declared})
    *one *= factor;
}

/// The part of `nest` from place `from` on, which keeps everything, over one tile.
static Nest oneTile(const Nest &nest, size_t from) {
  Nest tile{
      nest.dims, nest.tensors, {nest.places.begin() + static_cast<long>(from), nest.places.end()}};
  std::vector<int64_t> cover(nest.dims.size(), 1);
  for (const Place &place : tile.places)
    for (const Loop &loop : place.loops)
      for (const Drive &drive : loop.drives)
        cover[drive.dim] *= loop.factor;
  for (size_t d = 0; d < tile.dims.size(); ++d)
    tile.dims[d].size = std::min(tile.dims[d].size, cover[d]);
  tile.places.front().keep.clear();
  for (unsigned t = 0; t < tile.tensors.size(); ++t)
    tile.places.front().keep.push_back(t);
  return tile;
}

bool loopnest::fetchForEachTile(const AdaptedNest &adapted, llvm::StringRef place, Counts &counts) {
  const Nest &nest = adapted.nest;
  size_t from = 0, memories = 0, arrays = 0;
  int64_t tiles = 1;
  for (; nest.places[from].name != place; ++from) {
    ++(nest.places[from].kind == PlaceKind::Memory ? memories : arrays);
    for (const Loop &loop : nest.places[from].loops)
      tiles *= loop.factor;
  }
  Nest tile = oneTile(nest, from);
  AnalysisResult one = analyse(tile, {});
  if (!one.counts)
    return false;
  for (size_t t = 0; t < nest.tensors.size(); ++t) {
    if (nest.tensors[t].isOutput || !counts.memories[memories].tensors[t])
      continue;
    for (size_t m = 0; m < one.counts->memories.size(); ++m) {
      const auto &own = one.counts->memories[m].tensors[t];
      auto &all = counts.memories[memories + m].tensors[t];
      if (!own || !all)
        continue;
      all->reads = own->reads;
      repeat(all->reads, tiles);
      if (m > 0)
        all->fills = own->fills * tiles;
    }
    for (size_t a = 0; a < one.counts->arrays.size(); ++a) {
      auto &hops = counts.arrays[arrays + a].hops[t];
      hops = one.counts->arrays[a].hops[t];
      if (hops)
        repeat(*hops, tiles);
    }
  }
  return one.counts->macs * tiles != counts.macs;
}

static void increase(NetworkCount &to, int64_t count) {
  for (int64_t *one : {&to.shared, &to.separate, &to.declared})
    *one += count;
}

bool loopnest::addReads(const AdaptedNest &adapted, const FusedTensor &tensor, int64_t words,
                        Counts &counts) {
  const Tensor &made = adapted.nest.tensors.back();
  llvm::Optional<size_t> memory = memoryNumber(adapted, tensor.memory);
  if (made.name != tensor.name || !memory || !counts.memories[*memory].tensors.back())
    return false;
  increase(counts.memories[*memory].tensors.back()->reads, words);
  return true;
}

/// The innermost memory that keeps `tensor`; null where none does.
static TensorCounts *innermost(Counts &counts, size_t tensor) {
  for (MemoryCounts &memory : llvm::reverse(counts.memories))
    if (memory.tensors[tensor])
      return &*memory.tensors[tensor];
  return nullptr;
}

void loopnest::addRescaling(const AdaptedNest &adapted, llvm::StringRef tensor, int64_t count,
                            bool isUpdated, Counts &counts) {
  for (size_t t = 0; t < adapted.nest.tensors.size(); ++t) {
    TensorCounts *at = innermost(counts, t);
    if (!at || adapted.nest.tensors[t].name != tensor || !adapted.nest.tensors[t].isOutput)
      continue;
    increase(at->reads, count);
    if (isUpdated)
      increase(at->updates, count);
  }
}
