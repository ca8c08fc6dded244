// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of a distribution that a seed settles: those of numpy.random.RandomState. Uniform ones
// are from a Mersenne Twister (MT19937); normal ones by the polar method of Marsaglia and Bray,
// gamma ones by Marsaglia and Tsang (2000), for shapes below 1 by Ahrens and Dieter (1974).
#ifndef PERFC_BACKENDS_SERVING_RANDOM_H
#define PERFC_BACKENDS_SERVING_RANDOM_H

#include <functional>
#include <random>

namespace perfc::serving {

class Random {
public:
  /// Seeded with the one word `seed`.
  explicit Random(uint32_t seed) : engine(seed) {}
  explicit Random(std::mt19937 engine) : engine(engine) {}

  /// In [0, 1): two outputs a and b make ((a >> 5) * 2^26 + (b >> 6)) / 2^53.
  double next();
  /// Of mean 1.
  double exponential();
  /// Of mean 0 and deviation 1.
  double normal();
  /// Of mean and variance `shape`, which is positive.
  double gamma(double shape);

private:
  double smallGamma(double shape);

  std::mt19937 engine;
  double spare = 0; ///< the second of a pair of normal numbers
  bool hasSpare = false;
};

/// A number in [0, 1) that three others settle, for draws that no order may change: the output
/// function of SplitMix64 (Steele et al., OOPSLA 2014) over each in turn.
double uniformOf(uint64_t seed, uint64_t first, uint64_t second);

/// Zipf's law over whole numbers from `least` to `most`, by the inversion of Gray et al. (SIGMOD
/// 1994, "Quickly generating billion-record synthetic databases"); like other generators of request
/// lengths it leaves the last term out of the sum. `theta` is from 0 to below 1.
std::function<double()> zipf(int64_t least, int64_t most, double theta, Random &random);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_RANDOM_H
