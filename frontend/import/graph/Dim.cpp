// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/graph/Dim.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::graph;

Dim Dims::symbol(llvm::StringRef text) {
  auto [entry, isNew] = known.try_emplace(text, names.size());
  if (isNew) {
    names.push_back(text.str());
    inner.emplace_back();
    limits.emplace_back();
    isPositive.push_back(true);
  }
  Dim dim;
  dim.terms.push_back({{entry->second}, 1});
  return dim;
}

void Dims::limit(const Dim &parameter, Dim most) {
  limits[parameter.terms[0].symbols[0]] = std::move(most);
}

Dim Dims::combined(std::string text, llvm::ArrayRef<const Dim *> parts) {
  Dim dim = symbol(text);
  isPositive[dim.terms[0].symbols[0]] = false;
  std::vector<uint32_t> &list = inner[dim.terms[0].symbols[0]];
  if (list.empty())
    for (const Dim *part : parts)
      for (const Dim::Term &term : part->terms)
        list.insert(list.end(), term.symbols.begin(), term.symbols.end());
  return dim;
}

/// Adds `term` to the sorted terms of `dim`; false when a factor does not fit.
static bool addTerm(Dim &dim, const Dim::Term &term) {
  auto place = llvm::lower_bound(dim.terms, term, [](const Dim::Term &a, const Dim::Term &b) {
    return a.symbols < b.symbols;
  });
  if (place == dim.terms.end() || place->symbols != term.symbols) {
    dim.terms.insert(place, term);
    return true;
  }
  if (llvm::AddOverflow(place->factor, term.factor, place->factor))
    return false;
  if (place->factor == 0)
    dim.terms.erase(place);
  return true;
}

Dim Dims::add(const Dim &a, const Dim &b) {
  Dim sum = a;
  failed |= llvm::AddOverflow(a.constant, b.constant, sum.constant) != 0;
  for (const Dim::Term &term : b.terms)
    failed |= !addTerm(sum, term);
  return sum;
}

Dim Dims::multiply(const Dim &a, const Dim &b) {
  Dim product;
  failed |= llvm::MulOverflow(a.constant, b.constant, product.constant) != 0;
  auto addProduct = [&](const Dim::Term &x, const Dim::Term &y) {
    Dim::Term term;
    std::merge(x.symbols.begin(), x.symbols.end(), y.symbols.begin(), y.symbols.end(),
               std::back_inserter(term.symbols));
    failed |= llvm::MulOverflow(x.factor, y.factor, term.factor) != 0;
    if (term.factor)
      failed |= !addTerm(product, term);
  };
  for (const Dim::Term &x : a.terms)
    addProduct(x, {{}, b.constant});
  for (const Dim::Term &y : b.terms)
    addProduct(y, {{}, a.constant});
  for (const Dim::Term &x : a.terms)
    for (const Dim::Term &y : b.terms)
      addProduct(x, y);
  return product;
}

llvm::Optional<Dim> Dims::exactQuotient(const Dim &a, const Dim &b) {
  if (b.is(0))
    return llvm::None;
  if (b.is(-1)) // the quotient of the least number and -1 does not fit
    return multiply(a, b);
  if (a == b)
    return Dim(1);
  if (!b.terms.empty() && (b.constant || b.terms.size() > 1 || a.constant)) {
    // A sum may be a multiple of a sum: 2*seq + 2 of seq + 1.
    if (a.terms.size() != b.terms.size() || a.terms.empty() ||
        a.terms[0].factor % b.terms[0].factor)
      return llvm::None;
    Dim ratio = a.terms[0].factor / b.terms[0].factor;
    return multiply(b, ratio) == a ? llvm::Optional<Dim>(ratio) : llvm::None;
  }
  int64_t factor = b.terms.empty() ? b.constant : b.terms[0].factor;
  llvm::ArrayRef<uint32_t> symbols;
  if (!b.terms.empty())
    symbols = b.terms[0].symbols;
  Dim result;
  if (a.constant % factor)
    return llvm::None;
  result.constant = a.constant / factor;
  for (const Dim::Term &term : a.terms) {
    Dim::Term rest{{}, term.factor / factor};
    if (term.factor % factor ||
        !std::includes(term.symbols.begin(), term.symbols.end(), symbols.begin(), symbols.end()))
      return llvm::None;
    std::set_difference(term.symbols.begin(), term.symbols.end(), symbols.begin(), symbols.end(),
                        std::back_inserter(rest.symbols));
    if (rest.symbols.empty())
      failed |= llvm::AddOverflow(result.constant, rest.factor, result.constant) != 0;
    else
      failed |= !addTerm(result, rest);
  }
  return result;
}

Dim Dims::divide(const Dim &a, const Dim &b) {
  if (b.is(0)) {
    failed = true;
    return 0;
  }
  if (a.isNumber() && b.isNumber() && !b.is(-1)) {
    int64_t quotient = a.constant / b.constant;
    return a.constant % b.constant && (a.constant < 0) != (b.constant < 0) ? quotient - 1
                                                                           : quotient;
  }
  if (llvm::Optional<Dim> exact = exactQuotient(a, b))
    return *exact;
  return combined(fmt::format("floor({} / {})", factorText(a), factorText(b)), {&a, &b});
}

llvm::Optional<int> Dims::compare(const Dim &a, const Dim &b) {
  bool before = failed;
  Dim difference = subtract(a, b);
  if (std::exchange(failed, before) != before)
    return llvm::None;
  if (difference.isNumber())
    return difference.constant < 0 ? -1 : difference.constant > 0;
  // A product of parameters is at least 1, one with a quotient in it at least 0.
  auto allSigned = [&](int sign) {
    return llvm::all_of(difference.terms,
                        [&](const Dim::Term &term) { return (term.factor > 0) == (sign > 0); });
  };
  for (int sign : {1, -1}) {
    int64_t bound = difference.constant;
    bool fits = allSigned(sign);
    for (const Dim::Term &term : difference.terms)
      if (llvm::all_of(term.symbols, [&](uint32_t symbol) { return isPositive[symbol]; }))
        fits = fits && !llvm::AddOverflow(bound, term.factor, bound);
    if (fits && (sign > 0 ? bound > 0 : bound < 0))
      return sign;
  }
  return llvm::None;
}

Dim Dims::smaller(const Dim &a, const Dim &b) {
  if (llvm::Optional<int> order = compare(a, b))
    return *order <= 0 ? a : b;
  return combined(fmt::format("min({}, {})", text(a), text(b)), {&a, &b});
}

Dim Dims::larger(const Dim &a, const Dim &b) {
  if (llvm::Optional<int> order = compare(a, b))
    return *order >= 0 ? a : b;
  return combined(fmt::format("max({}, {})", text(a), text(b)), {&a, &b});
}

Dim Dims::product(llvm::ArrayRef<Dim> list) {
  Dim result = 1;
  for (const Dim &dim : list)
    result = multiply(result, dim);
  return result;
}

std::string Dims::text(const Dim &dim) const {
  std::string result;
  auto append = [&](int64_t factor, const std::string &rest) {
    if (factor < 0)
      result += result.empty() ? "-" : " - ";
    else if (!result.empty())
      result += " + ";
    std::string number = std::to_string(factor);
    if (factor < 0)
      number.erase(0, 1);
    result += rest.empty() ? number : number == "1" ? rest : number + "*" + rest;
  };
  for (const Dim::Term &term : dim.terms) {
    std::string symbols;
    for (uint32_t symbol : term.symbols)
      symbols += (symbols.empty() ? "" : "*") + names[symbol];
    append(term.factor, symbols);
  }
  if (dim.constant || dim.terms.empty())
    append(dim.constant, "");
  return result;
}

std::string Dims::factorText(const Dim &dim) const {
  bool isSum = dim.terms.size() + (dim.constant != 0) > 1 || dim.constant < 0 ||
               (!dim.terms.empty() && dim.terms[0].factor != 1);
  return isSum ? "(" + text(dim) + ")" : text(dim);
}

void Dims::collect(const Dim &dim, std::vector<bool> &used) const {
  std::vector<uint32_t> open;
  for (const Dim::Term &term : dim.terms)
    open.insert(open.end(), term.symbols.begin(), term.symbols.end());
  used.resize(names.size());
  while (!open.empty()) {
    uint32_t symbol = open.back();
    open.pop_back();
    if (used[symbol])
      continue;
    used[symbol] = true;
    open.insert(open.end(), inner[symbol].begin(), inner[symbol].end());
    if (limits[symbol])
      for (const Dim::Term &term : limits[symbol]->terms)
        open.insert(open.end(), term.symbols.begin(), term.symbols.end());
  }
}
