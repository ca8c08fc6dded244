// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs made by hand for the tests.
#ifndef PERFC_TEST_UNIT_BACKENDS_LOOPNEST_TIMELOOP_INPUTS_H
#define PERFC_TEST_UNIT_BACKENDS_LOOPNEST_TIMELOOP_INPUTS_H

#include "backends/loopnest/timeloop/Result.h"

namespace perfc::timeloop {

/// Z[m, n] += A[m, k] * B[k, n] with 8 of each, on DRAM, Buffer and an array of 2 x 2 multipliers:
/// M, N and K by 2 at DRAM, M and N by 2 and K by 4 at Buffer, M and N over the array.
inline Input gemm() {
  Input input;
  input.problem.dims = {"M", "N", "K"};
  input.problem.bounds = {8, 8, 8};
  input.problem.spaces = {
      {"A", {{{0}}, {{2}}}}, {"B", {{{2}}, {{1}}}}, {"Z", {{{0}}, {{1}}}, true}};
  Level level;
  level.energies = {{"read", 4}, {"write", 5}, {"compute", 1}};
  level.name = "MAC";
  level.instances = 4;
  level.meshX = level.meshY = 2;
  input.compute = level;
  level.instances = level.meshX = level.meshY = 1;
  level.name = "Buffer";
  input.memories.push_back(level);
  level.name = "DRAM";
  level.attributes.reduces = false;
  input.memories.push_back(level);
  input.placements = emptyPlacements(input);
  input.placements[1].temporal = {{{2, 2}, {2, 2}, {2, 2}}, {2, 1, 0}, 3, true, {}};
  input.placements[0].temporal = {{{2, 2}, {2, 2}, {4, 4}}, {2, 1, 0}, 3, true, {}};
  input.placements[0].spatial = {{{2, 2}, {2, 2}, {1, 1}}, {0, 1, 2}, 1, true, {}};
  return input;
}

} // namespace perfc::timeloop

#endif // PERFC_TEST_UNIT_BACKENDS_LOOPNEST_TIMELOOP_INPUTS_H
