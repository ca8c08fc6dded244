// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/EinsumTerms.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::graph;

static constexpr llvm::StringLiteral dots = "...";

/// The letters that `plain` does not have, for as many dimensions as `...` stands for.
static std::string freeLetters(llvm::StringRef plain, size_t count) {
  std::string letters;
  for (char c = 'A'; c <= 'z' && letters.size() < count; ++c)
    if (llvm::isAlpha(c) && !plain.contains(c))
      letters += c;
  return letters;
}

/// Replaces `...` in `term` by the last `count` of `letters`; false where other letters than those
/// of the alphabet are left.
static bool writeOut(std::string &term, llvm::StringRef letters, size_t count) {
  if (size_t at = term.find(dots.str()); at != std::string::npos)
    term.replace(at, dots.size(), letters.take_back(count).str());
  return llvm::all_of(term, llvm::isAlpha);
}

llvm::Optional<EinsumTerms> graph::einsumTerms(llvm::StringRef equation,
                                               llvm::ArrayRef<size_t> ranks) {
  std::string plain = equation.str();
  plain.erase(std::remove(plain.begin(), plain.end(), ' '), plain.end());
  auto [left, right] = llvm::StringRef(plain).split("->");
  llvm::SmallVector<llvm::StringRef, 4> terms;
  left.split(terms, ',');
  if (terms.size() != ranks.size())
    return llvm::None;
  std::vector<size_t> counts; // of dimensions that `...` stands for
  for (size_t i = 0; i < terms.size(); ++i) {
    bool hasDots = terms[i].contains(dots);
    size_t named = terms[i].size() - (hasDots ? dots.size() : 0);
    if (hasDots ? named > ranks[i] : named != ranks[i])
      return llvm::None;
    counts.push_back(ranks[i] - named);
  }
  size_t most = *std::max_element(counts.begin(), counts.end());
  std::string letters = freeLetters(plain, most);
  if (letters.size() < most)
    return llvm::None;
  EinsumTerms result;
  for (size_t i = 0; i < terms.size(); ++i) {
    result.operands.push_back(terms[i].str());
    if (!writeOut(result.operands.back(), letters, counts[i]))
      return llvm::None;
  }
  result.result = right.str();
  if (!llvm::StringRef(plain).contains("->")) {
    result.result = left.contains(dots) ? dots.str() : "";
    std::string single;
    for (char c : left)
      if (llvm::isAlpha(c) && left.count(c) == 1)
        single += c;
    llvm::sort(single);
    result.result += single;
  }
  return writeOut(result.result, letters, most) ? llvm::Optional<EinsumTerms>(std::move(result))
                                                : llvm::None;
}
