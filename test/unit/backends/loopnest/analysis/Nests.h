// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders of small mapped nests for the tests: from JSON text in the layout of CaseJson.h, and at
// random with a fixed seed.
#ifndef PERFC_TEST_UNIT_BACKENDS_LOOPNEST_ANALYSIS_NESTS_H
#define PERFC_TEST_UNIT_BACKENDS_LOOPNEST_ANALYSIS_NESTS_H

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/CaseJson.h"
#include <random>

namespace perfc {
namespace loopnest {

/// The nest in `text`; fails the test if it is malformed.
Nest parseNest(llvm::StringRef text);

/// A random nest of a matrix product, a contraction, a pointwise op or a convolution with strides,
/// dilation and padding, on two to four memories with up to two arrays, ragged factors included.
Nest randomNest(std::mt19937 &random);

/// The same with random affine subscripts, of which several may share indices, padding included.
Nest randomCoupledNest(std::mt19937 &random);

/// The same of a convolution whose result is written through a window.
Nest randomScatterNest(std::mt19937 &random);

/// A product whose reduction is spread over lanes and time with ragged factors: i, j, k over two or
/// three memories and two arrays.
Nest randomReductionNest(std::mt19937 &random);

/// Gives some tensors networks of their own, which share nothing along an axis.
void setApart(Nest &nest, std::mt19937 &random);

/// The files of test/reference/bruteforce, by name.
std::vector<std::string> fixtures();

/// A nest and figures that were counted elsewhere, in the layout of CaseJson.h.
struct Fixture {
  Nest nest;
  llvm::json::Object expected;
};
Fixture readFixture(const std::string &file);

/// The differences between two results, one per line; hops only where both have them.
std::string compare(const Nest &nest, const Counts &actual, Counts expected);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_TEST_UNIT_BACKENDS_LOOPNEST_ANALYSIS_NESTS_H
