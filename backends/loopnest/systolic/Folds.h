// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix product M x K times K x N on a systolic array of R rows and C columns, in folds. With
// Sr, Sc, T = (M, N, K) for stationary outputs, (K, N, M) for weights, (K, M, N) for inputs:
//     folds    = fr * fc,  fr = ceil(Sr / R),  fc = ceil(Sc / C), fr inside fc
//     fold     = T + R + C - 2 cycles (outputs),  T + 2 R + C - 2 (weights, inputs)
//     cycles   = fr fc fold, or with overlapping folds (fr fc - 1) max(T, R) + fold
// The stationary operand enters row by row (R cycles), what streams is skewed by one cycle per row
// and column (R + C - 2), and every fold takes the time of the whole array, as in SCALE-Sim v2
// (Samajdar et al., ISPASS 2020). Folds overlap where the registers of the stationary operand are
// doubled: the next fold enters behind the last, every max(T, R) cycles.
#ifndef PERFC_BACKENDS_LOOPNEST_SYSTOLIC_FOLDS_H
#define PERFC_BACKENDS_LOOPNEST_SYSTOLIC_FOLDS_H

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace perfc {
namespace loopnest {

/// The operand that stays in the processing elements.
enum class Stationary : uint8_t { Output, Weight, Input };

/// "output", "weight" or "input", also "os", "ws" or "is"; nothing for other words.
llvm::Optional<Stationary> parseStationary(llvm::StringRef word);

/// Outputs m, n; reduction k. All at least 1.
struct Gemm {
  int64_t m = 1, n = 1, k = 1;
};

struct SystolicArray {
  int64_t rows = 1, columns = 1;
  Stationary stationary = Stationary::Output;
  bool overlapFolds = false;
};

/// How a product runs on an array, and what its edges move in words.
struct FoldPlan {
  int64_t rowExtent = 1, columnExtent = 1, stream = 1; ///< Sr, Sc, T
  int64_t rowFolds = 1, columnFolds = 1;
  int64_t foldCycles = 0; ///< of one fold by itself
  int64_t cycles = 0;     ///< of all
  /// Sr / (fr R) * Sc / (fc C): the share of processing elements that folds occupy.
  double mappingEfficiency = 0;
  /// Mean over the folds of used elements * T / (R C * length of a fold).
  double computeUtilization = 0;
  int64_t inputReads = 0, weightReads = 0, outputWrites = 0;
};

/// Nothing when a count does not fit 64 bits.
llvm::Optional<FoldPlan> planFolds(const Gemm &gemm, const SystolicArray &array);

/// Cycles of `products` equal products one after the other, whose folds overlap where the array's
/// do. The caller knows that `products` times `plan.cycles` fits 64 bits.
int64_t cyclesOf(const FoldPlan &plan, const SystolicArray &array, int64_t products);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SYSTOLIC_FOLDS_H
