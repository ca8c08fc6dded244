// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/ValueSet.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

ValueSet::ValueSet(llvm::ArrayRef<Term> terms, llvm::ArrayRef<int64_t> lengths) : before({0}) {
  llvm::SmallVector<int64_t, 2> coefficients;
  for (const Term &term : terms)
    coefficients.push_back(term.coefficient);
  list = imageOf(coefficients, lengths, SIZE_MAX);
  for (const Interval &one : list)
    before.push_back(before.back() + one.high - one.low);
}

Checked loopnest::countValues(llvm::ArrayRef<Term> terms, llvm::ArrayRef<int64_t> lengths) {
  if (terms.size() == 1)
    return lengths.front();
  if (terms.size() > 2)
    return ValueSet(terms, lengths).count();
  int64_t a = std::abs(terms[0].coefficient), b = std::abs(terms[1].coefficient);
  int64_t divisor = std::gcd(a, b);
  Checked overlap = std::max<int64_t>(0, lengths[0] - b / divisor);
  overlap *= std::max<int64_t>(0, lengths[1] - a / divisor);
  return Checked(lengths[0]) * Checked(lengths[1]) - overlap;
}

int64_t ValueSet::countBelow(int64_t value) const {
  auto next = llvm::partition_point(list, [&](const Interval &one) { return one.low < value; });
  size_t whole = next - list.begin();
  return before[whole] - (whole ? std::max<int64_t>(0, list[whole - 1].high - value) : 0);
}

int64_t ValueSet::countWithin(int64_t low, int64_t high) const {
  return std::max<int64_t>(0, countBelow(high) - countBelow(low));
}

const ValueSet &ValueSets::of(llvm::ArrayRef<int64_t> lengths) {
  auto found = sets.find(lengths.vec());
  if (found == sets.end())
    found = sets.emplace(lengths.vec(), ValueSet(terms, lengths)).first;
  return found->second;
}
