// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/ValueSet.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

ValueSet::ValueSet(llvm::ArrayRef<Term> terms, llvm::ArrayRef<int64_t> lengths) {
  int64_t high = 0;
  for (unsigned k = 0; k < terms.size(); ++k) {
    int64_t reach = terms[k].coefficient * (lengths[k] - 1);
    (reach < 0 ? lowest : high) += reach;
  }
  bits.assign(high - lowest + 1, false);
  bits[-lowest] = true;
  int64_t top = high - lowest;
  for (unsigned k = 0; k < terms.size(); ++k) {
    int64_t step = std::abs(terms[k].coefficient);
    // Shifting the part found so far by the positive direction keeps the low end at `lowest` once a
    // negative term has been moved to its own low end.
    std::vector<bool> next(bits.size(), false);
    int64_t move = terms[k].coefficient < 0 ? terms[k].coefficient * (lengths[k] - 1) : 0;
    for (int64_t v = 0; v <= top; ++v)
      if (bits[v])
        for (int64_t i = 0; i < lengths[k]; ++i)
          next[v + move + i * step] = true;
    bits = std::move(next);
  }
  for (int64_t v = 0; v <= top; ++v)
    if (bits[v])
      list.push_back(v + lowest);
}

Checked loopnest::countValues(llvm::ArrayRef<Term> terms, llvm::ArrayRef<int64_t> lengths) {
  if (terms.size() == 1)
    return lengths.front();
  if (terms.size() > 2)
    return int64_t(ValueSet(terms, lengths).values().size());
  int64_t a = std::abs(terms[0].coefficient), b = std::abs(terms[1].coefficient);
  int64_t divisor = std::gcd(a, b);
  Checked overlap = std::max<int64_t>(0, lengths[0] - b / divisor);
  overlap *= std::max<int64_t>(0, lengths[1] - a / divisor);
  return Checked(lengths[0]) * Checked(lengths[1]) - overlap;
}

int64_t ValueSet::countWithin(int64_t low, int64_t high) const {
  auto first = std::lower_bound(list.begin(), list.end(), low);
  auto last = std::lower_bound(list.begin(), list.end(), high);
  return std::max<int64_t>(0, last - first);
}

const ValueSet &ValueSets::of(llvm::ArrayRef<int64_t> lengths) {
  auto found = sets.find(lengths.vec());
  if (found == sets.end())
    found = sets.emplace(lengths.vec(), ValueSet(terms, lengths)).first;
  return found->second;
}
