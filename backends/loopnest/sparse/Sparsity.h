// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mapped nest moves and executes when its tensors have zeros. Dense counts become expected
// ones, per tensor T and memory:
//     words = dense words * (stored words per element of T) * (share of transfers that happen)
// where `skip T when C == 0` and `gate T when C == 0` leave out a transfer of T when all elements
// of C that meet it are zero (leader and follower: Wu et al., "Sparseloop", MICRO 2022, Sec. 4.1),
// and metadata is moved along with the words. Points with a zero among the conditions are not
// executed, and a word that gets nothing has no first update, which is the one that needs no read:
//     reads of sums = updates - first updates * P(a word gets something while it is first there);
// skipping saves their steps too, as far as the lanes that wait for each other all skip:
//     steps = dense steps * E[max over lanes of the points that they execute] / points,
// with nonzeros distributed as the tensors' are (StepShare.h); skipping at the zeros of one more
// tensor never takes longer. Gating saves energy only.
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_SPARSITY_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_SPARSITY_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/Nest.h"
#include "backends/loopnest/sparse/Format.h"
#include "ir/common/Quantity.h"

namespace perfc {
namespace loopnest {

/// One tensor: its shape, its nonzeros, and how memories store it.
struct SparseTensor {
  llvm::SmallVector<int64_t, 4> shape;
  Density density;
  Storage storage = {};
  /// Memories that store it in another way.
  std::vector<std::pair<std::string, Storage>> storages = {};
  double decodeEnergy = 0; ///< J per word that leaves the last memory which stores it compressed
  /// Words per second that each instance of that memory decodes; unlimited when not given.
  llvm::Optional<Quantity> decodeRate = llvm::None;

  const Storage &storageAt(llvm::StringRef memory) const {
    for (const auto &[name, other] : storages)
      if (name == memory)
        return other;
    return storage;
  }
};

/// `skip tensor when condition == 0`, or `gate`.
struct Saving {
  unsigned tensor;
  unsigned condition;
  bool skips;
};

struct Sparsity {
  std::vector<SparseTensor> tensors; ///< by tensor of the nest
  std::vector<Saving> savings;

  /// The tensors whose zeros leave something out, each once: of every tensor, or of that one alone.
  llvm::SmallVector<unsigned, 4> conditions(bool withGates,
                                            llvm::Optional<unsigned> of = llvm::None) const;
  /// The share of points whose conditions are all nonzero.
  double nonzeroShare(bool withGates) const;
};

class LaneShares;

/// Expected counts, rounded.
struct SparseCounts {
  Counts powered; ///< what costs energy
  Counts timed;   ///< what takes time: with all that is gated
};

/// `dense` are the counts of `nest`. `shares`, if given, are those of the same tensors.
SparseCounts applySparsity(const Nest &nest, const Sparsity &sparsity, const Counts &dense,
                           LaneShares *shares = nullptr);

/// Where a tensor becomes plain: the last memory that stores it compressed.
struct Decoder {
  size_t memory; ///< among the memories of the nest
  int64_t words; ///< stored words that leave it, of all of its instances
};

/// The decoder of `tensor`; nothing when no memory stores it compressed. `counts` are expected
/// ones.
llvm::Optional<Decoder> decoderOf(const Sparsity &sparsity, const Counts &counts, size_t tensor);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_SPARSITY_H
