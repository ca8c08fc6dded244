// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws without replacement: of N elements r are marked, and n are drawn. None of the drawn is
// marked with probability
//     C(N - r, n) / C(N, n) = product over i < min(r, n) of (N - max(r, n) - i) / (N - i).
#ifndef PERFC_BACKENDS_CORE_HYPERGEOMETRIC_H
#define PERFC_BACKENDS_CORE_HYPERGEOMETRIC_H

namespace perfc {

/// ln of the number of ways to choose `k` of `n`; real arguments interpolate.
long double logChoose(long double n, long double k);

/// The probability that none of `drawn` of `total` elements is among the `marked`; whole numbers,
/// as reals because tensors may have more elements than an integer counts. A product of up to 2^16
/// factors, beyond that by logarithms.
double probabilityOfNone(double marked, double drawn, double total);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_HYPERGEOMETRIC_H
