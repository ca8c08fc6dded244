// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are attention: scores of queries and keys, their exponentials over a row of keys,
// and sums of values by these. In
//     S[…, i, j] += Q[…, i, e] K[…, j, e]      P = exp(S - max S)      U[…, i, f] += P V[…, j, f]
// j runs over the keys, what Q alone has besides over queries and over the heads that share keys,
// and what K has over sequences and heads of keys. Conditions leave out keys behind a query
// (causal) and, with that, those before a window; of queries in stripes those of one rank. Where
// scores are the sum of two products, the keys are made of latent vectors, with features that have
// positions beside them.
#ifndef PERFC_PASSES_ANALYSIS_ATTENTIONS_H
#define PERFC_PASSES_ANALYSIS_ATTENTIONS_H

#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

struct Attention {
  int64_t sequences = 1, heads = 1; ///< of keys
  int64_t group = 1;                ///< query heads that share a key
  int64_t queries = 1, keys = 1;
  int64_t scoreFeatures = 1, valueFeatures = 1;
  int64_t window = 0; ///< keys that a query sees at most; 0 for all
  int64_t stride = 1; ///< positions from a query to the next: above 1 where ranks share them out
  bool isCausal = false;
  bool isLatent = false;
  bool sharesValues = false; ///< keys are the values as well
  const Access *query = nullptr, *key = nullptr, *value = nullptr, *result = nullptr;
  int64_t otherBytes = 0; ///< of biases and the like

  /// Of the kernels that run it: "attention", "decode" with one query of a head for several
  /// keys, and for latent ones "latent_attention" and, where these are keys and values,
  /// "latent_decode".
  llvm::StringRef kind() const;
};

/// `kernel` as attention; nothing when it is none, or when a count does not fit 64 bits.
llvm::Optional<Attention> attentionOf(const Kernel &kernel);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_ATTENTIONS_H
