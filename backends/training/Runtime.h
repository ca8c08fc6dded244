// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a software stack makes of the chip: the shares of its peaks that kernels reach, the start of
// a kernel, how much communication it hides behind computing. Without a `runtime` everything is
// ideal: peaks are reached, communication with data-parallel ranks is hidden as far as it fits.
#ifndef PERFC_BACKENDS_TRAINING_RUNTIME_H
#define PERFC_BACKENDS_TRAINING_RUNTIME_H

#include "ir/common/DType.h"
#include "ir/core/Operation.h"
#include "llvm/ADT/Optional.h"
#include <algorithm>

namespace perfc::training {

struct Runtime {
  double gemm = 1;               ///< share of the peak of large products
  double gemmFp8 = 0;            ///< the same in fp8; 0 for `gemm`
  double attention = 1;          ///< the same inside attention
  double memory = 1;             ///< share of the memory's bandwidth
  double network = 1;            ///< share of the speed that the network's model gives
  llvm::Optional<double> launch; ///< s per kernel; the chip's when not given
  double overlapData = 1;   ///< share of a kernel's time that hides data-parallel communication
  double overlapCost = 0;   ///< s that kernels lose for each s of communication hidden behind them
  double overlapTensor = 0; ///< the same for tensor-, context- and expert-parallel communication
  double overlapPipeline = 0; ///< share of the sends between stages that is hidden
  double step = 0;            ///< s that each step takes besides
  double gradientBytes = 0;   ///< of an element; 0 for the format of the weights
  double gatherBytes = 0; ///< of an element that is gathered for products in fp8; 0 for its format
  double castBytes = 2;   ///< moved to make an operand in fp8, for each of its products
  double host = 25e9;     ///< B/s between chip and host memory (PCIe 4.0 x16 as measured)
  double reserve = 0;     ///< B that the stack itself takes
  double fragmentation = 0; ///< share of the memory that cannot be used

  /// Reads the entry `runtime` of the settings of a study.train, the ideal one when there is none,
  /// and the format of products; on `chip` with their speed.
  static Runtime read(const ir::Operation &train);
  static Runtime read(const ir::Operation &train, const ir::Operation &chip);
  /// How much faster than in their own format the layers' products with weights run, where the
  /// statement gives them another one.
  double productSpeed = 1;
  llvm::Optional<DType> products; ///< their format in layers, where it is another one
  bool usesFp8 = false;
  bool usesTiles = false; ///< kernel times come from the tile level
  /// Speed of a product in shares of the peak of its own format. Another format is for layers: what
  /// stands before and behind them (the output layer) keeps its own.
  double product(bool isInLayer) const {
    if (!isInLayer)
      return gemm;
    return (usesFp8 && gemmFp8 > 0 ? gemmFp8 : gemm) * productSpeed;
  }
  /// Bytes of an element of `format` bytes while layers gather it.
  double gathered(double format) const {
    return usesFp8 && gatherBytes > 0 ? std::min(gatherBytes, format) : format;
  }
  /// s until a kernel that hides part of `total` s of communication, all but `exposed`, and what is
  /// exposed are through, beyond the kernel alone.
  double addedTime(double total, double exposed) const {
    return exposed + overlapCost * (total - exposed);
  }
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_RUNTIME_H
