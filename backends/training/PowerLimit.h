// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the power limit of a chip makes of a layer of a microbatch: the rule of all long runs
// (backends/core/PowerHold.h), from times at the highest clock f, with
//     energy of a multiply-accumulate = energy * sustained * (f / 1.5 GHz)^2
// of the chip's generation, as voltages follow the clock, and its `byte_energy`, `idle` and
// `reached_power`. It is taken over a layer and not over a kernel, since kernels that only move
// data lend their power to products (docs/training.md).
#ifndef PERFC_BACKENDS_TRAINING_POWERLIMIT_H
#define PERFC_BACKENDS_TRAINING_POWERLIMIT_H

#include "backends/core/PowerHold.h"
#include "ir/common/DType.h"
#include "ir/core/Operation.h"
#include <map>

namespace perfc::training {

class PowerLimit {
public:
  /// `chip` is a target.chip. Without a power limit, a generation or its `sustained` it limits
  /// nothing.
  explicit PowerLimit(const ir::Operation &chip);

  /// The highest clock over the quoted one; 1 where nothing is limited.
  double boost() const { return boostShare; }
  /// What so many multiply-accumulates in `format` draw, and bytes of the outermost memory, in
  /// which units compute for `clocked` seconds.
  PowerDemand demand(double macs, DType format, double bytes, double clocked) const;
  /// How much longer what draws `demand` in `seconds` runs at the limit; at least 1.
  double stretch(PowerDemand demand, double seconds) const;

private:
  double boostShare = 1;
  double watts = 0;               ///< the most that the board gives
  double idle = 0;                ///< of these, drawn whatever runs
  double perByte = 0;             ///< J
  std::map<DType, double> perMac; ///< J
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_POWERLIMIT_H
