// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem section of a Timeloop input: dimensions of one letter with their bounds, data spaces
// whose ranks are sums of coefficient * dimension. It is read from a statement and the tensors of
// its nest.
#ifndef PERFC_PASSES_TIMELOOPPROBLEM_H
#define PERFC_PASSES_TIMELOOPPROBLEM_H

#include "ir/loopnest/LoopnestOps.h"
#include "ir/timeloop/Input.h"

namespace perfc {
namespace passes {

struct TimeloopProblem {
  timeloop::Problem problem;
  std::vector<std::string> indices; ///< of the statement, by dimension
  std::vector<std::string> roles;   ///< by data space
  int64_t wordBits = 0;             ///< of every data space
};

/// The problem that `nest` maps; nothing with the reason when Timeloop has no words for it.
llvm::Optional<TimeloopProblem> timeloopProblem(loopnest::NestOp nest, std::string &reason);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TIMELOOPPROBLEM_H
