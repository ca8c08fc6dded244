// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a software stack makes of the chip: the shares of its peaks that kernels reach, the start of
// a kernel, how much communication it hides behind computing. Without a `runtime` everything is
// ideal: peaks are reached, communication with data-parallel ranks is hidden as far as it fits.
#ifndef PERFC_BACKENDS_TRAINING_RUNTIME_H
#define PERFC_BACKENDS_TRAINING_RUNTIME_H

#include "ir/core/Attribute.h"
#include "llvm/ADT/Optional.h"

namespace perfc::training {

struct Runtime {
  double gemm = 1;               ///< share of the peak of large products
  double gemmFp8 = 0;            ///< the same in fp8; 0 for `gemm`
  double attention = 1;          ///< the same inside attention
  double memory = 1;             ///< share of the memory's bandwidth
  double network = 1;            ///< share of the speed that the network's model gives
  llvm::Optional<double> launch; ///< s per kernel; the chip's when not given
  double overlapData = 1;     ///< share of a kernel's time that hides data-parallel communication
  double overlapTensor = 0;   ///< the same for tensor-, context- and expert-parallel communication
  double overlapPipeline = 0; ///< share of the sends between stages that is hidden
  double step = 0;            ///< s that each step takes besides
  double gradientBytes = 0;   ///< of an element; 0 for the format of the weights
  double host = 25e9;         ///< B/s between chip and host memory (PCIe 4.0 x16 as measured)
  double reserve = 0;         ///< B that the stack itself takes
  double fragmentation = 0;   ///< share of the memory that cannot be used

  /// Reads the entry `runtime` of the settings of study.train; the ideal one when there is none.
  static Runtime read(const ir::AttrDict &settings);
  /// How much faster than in their own format products with weights run, where the statement gives
  /// them another one; set by `read` to 1.
  double productSpeed = 1;
  bool usesFp8 = false;
  double product() const { return (usesFp8 && gemmFp8 > 0 ? gemmFp8 : gemm) * productSpeed; }
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_RUNTIME_H
