// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of integers given by rows: constraints on its coordinates that all hold.
#ifndef PERFC_PASSES_ANALYSIS_ISLCONJUNCTION_H
#define PERFC_PASSES_ANALYSIS_ISLCONJUNCTION_H

#include "passes/analysis/IslHandle.h"
#include <cstdint>
#include <isl/local_space.h>
#include <vector>

namespace perfc {

class IslConjunction {
public:
  IslConjunction(isl_ctx *context, unsigned dims);
  ~IslConjunction();
  IslConjunction(const IslConjunction &) = delete;
  IslConjunction &operator=(const IslConjunction &) = delete;

  using Terms = std::vector<std::pair<unsigned, int64_t>>; ///< coordinate, coefficient

  /// constant + sum of the terms is 0, or not negative.
  void add(bool isEquality, const Terms &terms, int64_t constant);
  /// 0 <= sum of the terms + constant < end.
  void within(const Terms &terms, int64_t constant, int64_t end);
  IslSet take() { return isl_set_from_basic_set(std::exchange(set, nullptr)); }

private:
  isl_ctx *context;
  isl_local_space *space;
  isl_basic_set *set;
};

} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_ISLCONJUNCTION_H
