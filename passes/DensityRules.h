// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The share of nonzero elements that an equation leaves in its result, when the zeros of what it
// reads lie independently of each other and anywhere:
//     product        d_a d_b, of a tensor with itself d
//     quotient       that of the dividend
//     sum            1 - (1 - d_a)(1 - d_b): the union
//     f(a), f(0) = 0 (relu, abs, sqrt, tanh, sin, …): d_a; of any other function 1
//     max(a, 0)      d_a: how much more it zeroes depends on the values
//     a reduction of K such terms by +, max or min: 1 - (1 - d)^K
// (contractions: Wu et al., "Sparseloop", MICRO 2022, Sec. 5.2). What is known better is stated by
// the user as the density of the result.
#ifndef PERFC_PASSES_DENSITYRULES_H
#define PERFC_PASSES_DENSITYRULES_H

#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {
namespace passes {

/// Shares of nonzero elements by tensor; one that is not listed has no zeros.
using Densities = llvm::StringMap<double>;

/// The share that the right side `text` of an equation leaves at one point.
double densityOfTerm(llvm::StringRef text, const Densities &densities);

/// The share of nonzero elements of what `statement` writes.
double densityOfResult(const Statement &statement, const Densities &densities);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_DENSITYRULES_H
