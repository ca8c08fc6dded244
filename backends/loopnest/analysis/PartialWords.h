// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of words. A partial sum of the output has the bits that its memory gives it, every other
// word those of its tensor. A memory which ever holds a partial sum has room for one per element;
// one that only finished words reach holds finished words.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_PARTIALWORDS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_PARTIALWORDS_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

/// Bytes of what has so many bits as the nest counts them.
inline double bytesOf(const Nest &nest, int64_t bits) {
  return static_cast<double>(bits) / static_cast<double>(8 * nest.partsPerBit);
}

/// Bits of a word that moves in or out of `memory` without being finished.
inline int64_t movedBits(const Nest &nest, const Place &memory, unsigned tensor) {
  const Tensor &words = nest.tensors[tensor];
  return words.isOutput ? memory.partialBits.getValueOr(words.bitsPerWord) : words.bitsPerWord;
}

/// Bits of one element that `memory` holds.
inline int64_t heldBits(const Nest &nest, const Place &memory, unsigned tensor,
                        const TensorCounts &counts) {
  return counts.holdsPartial() ? movedBits(nest, memory, tensor) : nest.tensors[tensor].bitsPerWord;
}

/// The same by tensor; 0 where it is not kept.
inline std::vector<int64_t> heldBits(const Nest &nest, const Place &memory,
                                     const MemoryCounts &counts) {
  std::vector<int64_t> bits(counts.tensors.size(), 0);
  for (unsigned t = 0; t < bits.size(); ++t)
    if (counts.tensors[t])
      bits[t] = heldBits(nest, memory, t, *counts.tensors[t]);
  return bits;
}

/// The `number`-th memory of a nest.
inline const Place &memoryOf(const Nest &nest, size_t number) {
  size_t place = 0;
  while (nest.places[place].kind != PlaceKind::Memory || number-- > 0)
    ++place;
  return nest.places[place];
}

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_PARTIALWORDS_H
