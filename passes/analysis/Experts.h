// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of layers of experts: products whose weights data choose, row by row (`w[choice[t], d,
// f]`), with elementwise equations between them. Products of the same rows count as one that is
// wider (a gate and the linear part beside it). Where rows are read through data as well
// (`x[token[a], d]`), or copied for each expert first (`y[t, k, d] = x[t, d]`), the kernel brings
// them together itself, and where an intermediate is (`y[slot[t, k], d]`), or is summed up in the
// end, it adds up the results of each token. Sums before all products are scores of the router,
// whose time is that of a launch.
#ifndef PERFC_PASSES_ANALYSIS_EXPERTS_H
#define PERFC_PASSES_ANALYSIS_EXPERTS_H

#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

struct Experts {
  int64_t experts = 0;
  int64_t rows = 0;       ///< of all experts: choices of tokens
  int64_t allRows = 0;    ///< of all ranks, where results are added up for each token
  int64_t tokens = 0;     ///< whose rows are brought together; 0 where they stand so already
  int64_t tokenBytes = 0; ///< that bringing one together moves
  int64_t rowBytes = 0;   ///< of one that are moved beside what products read
  std::vector<int64_t> widths, depths; ///< n and k of each product
  DType format, left, weights;
  op::OperandOp keys; ///< how rows choose experts
};

/// `kernel` as a layer of experts; nothing when it is none, or when a count does not fit 64 bits.
llvm::Optional<Experts> expertsOf(const Kernel &kernel);

/// One equation that copies each row of a tensor for every expert of it.
bool bringsRows(const Kernel &kernel);
/// One equation that adds up what the experts of a token make, weighted or not.
bool addsResults(const Kernel &kernel);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_EXPERTS_H
