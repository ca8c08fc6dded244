// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a kernel that streams tensors through the units of a chip: elementwise ones, softmax
// and norms. What a row has in a unit's memory is read once; a row that does not fit is read again
// for each further pass over it, and a tensor that is in the last cache does not come from memory:
//     lost   = x^4 / (1 + x^4),  x = row bytes / (held memory of a unit)
//     bytes  = once + passes lost read again
//     memory = bytes (1 - in cache) / bandwidth reached
//     units  = bytes / (unit_bandwidth units)
//     rows   = rows / units (row_time + row length element_time)
//     body   = ((memory^6 + units^6)^(4/6) + compute^4 + rows^4)^(1/4)
//     time   = launch + body, or where the host starts each kernel (H^4 + (ahead H + body)^4)^(1/4)
// in cache = 1 / (1 + (bytes once / cache)^8). Constants: docs/cost-model.md.
#ifndef PERFC_BACKENDS_GPU_STREAMPRICE_H
#define PERFC_BACKENDS_GPU_STREAMPRICE_H

namespace perfc {
namespace gpu {

/// A chip and a kind of kernel, in s and B; 0 for what does not limit.
struct StreamDesign {
  double units = 1;
  double bandwidth = 0; ///< reached, of the outermost memory
  double cache = 0;     ///< of the last cache, what tensors can stay in
  double unitBandwidth = 0;
  double held = 0; ///< memory of a unit in which a row can stay
  double launch = 0;
  double rowTime = 0, elementTime = 0; ///< of a unit
  double unaligned = 1; ///< time of rows that end within 16 bytes over that of others
  double host = 0;      ///< time of the host per call, where it starts each kernel; else 0
  double ahead = 0;     ///< share of that which runs before the kernel
};

struct StreamWork {
  double bytes = 0;     ///< read and written once
  double passBytes = 0; ///< read again by further passes over rows that are lost
  double rows = 0, rowLength = 0, rowBytes = 0; ///< 0 where there are no rows to sum up
  double compute = 0;                           ///< time of the operations on all units
};

/// In s; `body` is what the limits add up to.
struct StreamPrice {
  double total = 0, body = 0;
  double memory = 0, units = 0, rows = 0, compute = 0, launch = 0;
  double bytes = 0, memoryBytes = 0; ///< that units move, and the outermost memory
};

StreamPrice streamPrice(const StreamDesign &design, const StreamWork &work);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_STREAMPRICE_H
