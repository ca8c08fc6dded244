// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What VIDUR says that a stage of a pipeline takes for a batch, from tables of measured times: each
// layer takes its kernels at the number of tokens rounded up to 8, attention of all requests that
// make a token at their mean context and of all pieces of prompts as one, at the sum of what stands
// before them and the root of the sum of their squares, contexts rounded up to 64, and two
// exchanges among tensor-parallel ranks. What stands before and behind the layers takes no time.
// Beyond the last size of a table its last time counts; between the rows for pieces of prompts
// times are linear in the square of the piece.
#ifndef PERFC_BACKENDS_SERVING_VIDUR_COSTS_H
#define PERFC_BACKENDS_SERVING_VIDUR_COSTS_H

#include "backends/serving/Simulation.h"
#include "ir/study/OpTable.h"

namespace perfc::serving::vidur {

class Costs {
public:
  /// `isGrouped`: several heads share one of the cache, which costs attention of several requests a
  /// tenth more.
  Costs(const study::OpTable &table, int64_t layers, bool isGrouped, int64_t tensor,
        int64_t stages);

  /// Seconds of a batch on each stage, with the message to the next one.
  void run(const BatchShape &shape, std::vector<double> &seconds) const;

private:
  double decode(const BatchShape &shape) const;
  double prefill(const BatchShape &shape) const;

  study::OpTable table;
  std::vector<double> kernels, exchanges; ///< s of a layer, by rows of the table
  double overhead = 1;                    ///< on attention of several requests
  double layers = 0;                      ///< of a stage
  size_t stages = 1;
};

} // namespace perfc::serving::vidur

#endif // PERFC_BACKENDS_SERVING_VIDUR_COSTS_H
