// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order that a statement asks of its loops: each point after those that it depends on
// (passes/analysis/Dependences.h).
#ifndef PERFC_BACKENDS_MAPPER_NESTORDER_H
#define PERFC_BACKENDS_MAPPER_NESTORDER_H

#include "backends/loopnest/NestAdapter.h"
#include "passes/analysis/Dependences.h"
#include <memory>
#include <mutex>

namespace perfc::mapper {

class NestOrder {
public:
  NestOrder(op::KernelOp kernel, int64_t statement)
      : kernel(kernel), dependences(this->kernel.statements[static_cast<size_t>(statement)]) {}

  /// Null where nothing constrains the loops of `nest`.
  static std::shared_ptr<const NestOrder> of(const loopnest::AdaptedNest &adapted,
                                             loopnest::NestOp nest);

  /// True when the loops of `nest` run every point after those that it depends on. Its dimensions
  /// are the indices of the statement. Threads may ask side by side.
  bool isKeptBy(const loopnest::Nest &nest) const;

private:
  /// Two points of which the second needs the first.
  using Pair = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

  passes::Kernel kernel;
  passes::Dependences dependences;
  mutable std::mutex mutex;        ///< of `known`
  mutable std::vector<Pair> known; ///< that some loops broke: others most likely do as well
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_NESTORDER_H
