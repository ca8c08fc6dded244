// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What VIDUR (Agrawal et al., MLSys 2024; microsoft/vidur 7d47513) takes a deployment to be: the
// model that it knows by a name, and the pool of blocks that weights leave of a device's memory.
#ifndef PERFC_BACKENDS_SERVING_VIDUR_DEPLOYMENT_H
#define PERFC_BACKENDS_SERVING_VIDUR_DEPLOYMENT_H

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace perfc::serving::vidur {

/// Dimensions of a model.
struct Model {
  int64_t layers = 0, hidden = 0, heads = 0, cacheHeads = 0, headSize = 0, feedForward = 0;
  bool isGated = false; ///< the feed-forward layer has three matrices

  bool isGrouped() const { return heads > cacheHeads; }
  /// B of the weights of a rank: matrices of its layers alone, of 2 B.
  double weightBytes(int64_t tensor, int64_t stages) const;
  /// B of the cache of one token on a rank, in all layers, also those of other stages.
  double cacheBytes(int64_t tensor) const;
};

/// One of VIDUR's models by its name, with or without its owner: `meta-llama/Llama-2-7b-hf`.
llvm::Optional<Model> modelNamed(llvm::StringRef name);

/// What a model comes to on a rank.
struct RankFigures {
  int64_t layers = 0;                 ///< of the model
  int64_t tensor = 1, stages = 1;     ///< that it is shared by
  double weights = 0, cacheToken = 0; ///< B, of matrices of a stage, and of a token in all layers
  double tokenBytes = 0;              ///< between layers
};
/// The whole name of the model of VIDUR that comes to `rank`; of several alike the one that
/// `called` has in it. "" for none.
std::string nameOf(const RankFigures &rank, llvm::StringRef called);
/// What a name is without owner and the words that do not change the dimensions.
std::string shortName(llvm::StringRef name);
/// B of a device's memory: a100, h100 or a40.
llvm::Optional<double> deviceMemory(llvm::StringRef device);

/// The pool of a copy of the model.
struct Pool {
  int64_t slots = 0;  ///< requests of the greatest length that fit
  int64_t blocks = 0; ///< of all stages
};

/// A tenth of the memory is kept free. The pool is made of whole requests of `mostTokens`, and
/// counts the cache of all layers once for each stage; none where the weights leave no room for
/// one.
Pool poolOf(double memory, double weights, double cacheBytes, int64_t mostTokens, int64_t block,
            int64_t stages);

} // namespace perfc::serving::vidur

#endif // PERFC_BACKENDS_SERVING_VIDUR_DEPLOYMENT_H
