// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the power limit of a chip lets it do in runs of seconds, where the clock settles at the
// energy of all that runs:
//     seconds = (multiply-accumulates * energy of one + bytes * energy of one) / power limit
// with energies of the chip's generation (`energy` times `sustained`, `byte_energy`). Beside the
// time that kernels take without the limit it counts as (time^p + seconds^p)^(1/p), p the `overlap`
// of the generation. It is taken over a layer of a microbatch and not over a kernel, since kernels
// that only move data lend their power to products (docs/training.md).
#ifndef PERFC_BACKENDS_TRAINING_POWERLIMIT_H
#define PERFC_BACKENDS_TRAINING_POWERLIMIT_H

#include "ir/common/DType.h"
#include "ir/core/Operation.h"
#include <map>

namespace perfc::training {

class PowerLimit {
public:
  /// `chip` is a target.chip. Without a power limit, a generation or its `sustained` it limits
  /// nothing.
  explicit PowerLimit(const ir::Operation &chip);

  /// s for so many multiply-accumulates in `format` and bytes of the outermost memory.
  double seconds(double macs, DType format, double bytes) const;
  /// How much longer than `seconds` what takes `limit` at the power limit runs; at least 1.
  double stretch(double seconds, double limit) const;

private:
  double watts = 0;
  double perByte = 0;             ///< J
  std::map<DType, double> perMac; ///< J
  double overlap = 0;             ///< 0: the longer time counts
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_POWERLIMIT_H
