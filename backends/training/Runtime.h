// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a software stack makes of the chip: the shares of its peaks that kernels reach, the start of
// a kernel, how much communication it hides behind computing. Without a `runtime` everything is
// ideal: peaks are reached, communication with data-parallel ranks is hidden as far as it fits.
#ifndef PERFC_BACKENDS_TRAINING_RUNTIME_H
#define PERFC_BACKENDS_TRAINING_RUNTIME_H

#include "backends/gpu/Limits.h"
#include "ir/common/DType.h"
#include "ir/core/Operation.h"
#include "llvm/ADT/Optional.h"
#include <algorithm>
#include <cmath>

namespace perfc::training {

struct Runtime {
  // Shares, times and sizes as study.runtime declares them; 0 where they are not given and say
  // nothing by themselves.
  double gemm, gemmFp8, gemmFp4; ///< gemm_fp8: 0 for `gemm`; gemm_fp4: 0 for `gemm_fp8`
  double grouped, attention, attentionBackward, attentionNarrow, memory, network;
  double stateSpace; ///< 0 where fused products without a softmax reach what attention does
  double softmaxOverlap;
  llvm::Optional<double> launch; ///< s per kernel; the chip's when not given
  double overlapData, overlapCost, overlapTensor, overlapExpert, overlapPipeline;
  double step;
  double gradientBytes; ///< 0 for the format of the weights
  double gatherBytes;   ///< 0 for its format
  double sumBytes;      ///< of an element of sums over tensor-parallel ranks at least
  double castBytes, permuteBytes, mergedSends, host, hostMemory, drives;
  double accumulateBytes, expertHost, expertLaunch, jitter;
  double measured, reserve, fragmentation;
  bool earlyStop = false;  ///< what is computed again for no gradient takes no time
  bool splitSends = false; ///< ranks of a stage send parts of what they all have
  bool isIdeal = true;     ///< nothing is said

  /// What the study.runtime of `train` says, and the format of products; on `chip` with their
  /// speed. A `serve` has none, which is the ideal one.
  static Runtime read(const ir::Operation &statement);
  static Runtime read(const ir::Operation &train, const ir::Operation &chip);
  /// How much faster than in their own format the layers' products with weights run, where the
  /// statement gives them another one.
  double productSpeed = 1;
  DType format = DType::BF16;     ///< of the tensors
  llvm::Optional<DType> products; ///< that of products in layers, where it is another one
  bool hasProducts = true;        ///< false on a chip that has no rate for that format
  bool isNarrow = false;          ///< of at most 8 bits, so that operands are cast
  bool usesTiles = false;         ///< kernel times come from the tile level
  /// Speed of a product in shares of the peak of its own format. Another format is for layers: what
  /// stands before and behind them (the output layer) keeps its own.
  double product(bool isInLayer, bool isOfExperts) const {
    double own = gemm;
    if (isInLayer && isNarrow)
      own = bitsOf(*products) == 4 && gemmFp4 > 0 ? gemmFp4 : gemmFp8 > 0 ? gemmFp8 : gemm;
    return own * (isInLayer ? productSpeed : 1) * (isOfExperts ? grouped : 1);
  }
  /// s that a kernel of several products, of `seconds` at their peak, takes whose functions, which
  /// take `others`, are not of their results: chunks of state-space layers. Both take turns.
  double chunked(double seconds, double others) const { return (seconds + others) / stateSpace; }
  /// Whether tensor-parallel ranks send a part each of what a stage passes on; those that divide
  /// sequences have parts anyway.
  bool sendsParts(const passes::Strategy &strategy) const {
    return splitSends && strategy.tensor > 1 && !strategy.sequence;
  }
  /// True where attention runs in the format of products.
  bool hasNarrowAttention() const { return isNarrow && attentionNarrow > 0; }
  /// s that a kernel takes in which so many products, of `seconds` at the peak of its own format,
  /// are fused with functions of their results that take `others`: gradients of attention have
  /// five. Both run side by side as at the tile level (docs/cost-model.md); in another format the
  /// products alone are faster.
  double fused(int products, double seconds, double others) const {
    bool isNarrow = hasNarrowAttention();
    seconds /= isNarrow ? productSpeed : 1;
    double own = isNarrow ? attentionNarrow : attention;
    return gpu::normOf(softmaxOverlap, {seconds, others}) /
           (own * (products > 2 ? attentionBackward : 1));
  }
  /// What the slowest of `replicas` takes over their mean: the largest of n normal deviates is
  /// about sqrt(2 ln n) (Cramer, Mathematical Methods of Statistics, 1946, section 28.6).
  double slowest(double replicas) const {
    return 1 + jitter * std::sqrt(2 * std::log(std::max(1.0, replicas)));
  }
  /// Bytes of an element of `format` bytes while layers gather it.
  double gathered(double format) const {
    return isNarrow && gatherBytes > 0 ? std::min(gatherBytes, format) : format;
  }
  /// What of communication along `axis` among `ranks` ranks is exposed. A tensor-parallel exchange
  /// is cut into a part per rank, each beside the product of another part (Jangda et al., CoCoNet,
  /// ASPLOS 2022; Transformer Engine's user buffers): one of them has no product beside it.
  double exposedShare(llvm::StringRef axis, int64_t ranks) const {
    if (axis == "expert")
      return 1 - overlapExpert;
    double parts = axis == "tensor" ? static_cast<double>(std::max<int64_t>(1, ranks)) : 0;
    return 1 - overlapTensor * (parts > 0 ? 1 - 1 / parts : 1);
  }
  /// What remains of exchanges of a token's `choices` copies among `ranks` ranks, where copies for
  /// experts of one rank travel as one: n (1 - (1 - 1/n)^k) of n ranks are chosen at least once.
  double sentShare(int64_t choices, int64_t ranks) const {
    auto n = static_cast<double>(ranks), k = static_cast<double>(choices);
    return choices > 1 && ranks > 1 ? 1 - mergedSends * (1 - n * (1 - std::pow(1 - 1 / n, k)) / k)
                                    : 1;
  }
  /// s until a kernel that hides part of `total` s of communication, all but `exposed`, and what is
  /// exposed are through, beyond the kernel alone.
  double addedTime(double total, double exposed) const {
    return exposed + overlapCost * (total - exposed);
  }
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_RUNTIME_H
