// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of an imported graph: whole numbers, or sums of products of parameters (`batch`,
// `12*seq + 1`), each of which is at least 1. What is no such sum, as a quotient with a rest,
// becomes a symbol that stands for its text.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_DIM_H
#define PERFC_FRONTEND_IMPORT_GRAPH_DIM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <utility>
#include <vector>

namespace perfc::graph {

struct Dim {
  struct Term {
    std::vector<uint32_t> symbols; ///< sorted
    int64_t factor;
    bool operator==(const Term &other) const {
      return factor == other.factor && symbols == other.symbols;
    }
  };
  int64_t constant = 0;
  std::vector<Term> terms; ///< sorted by symbols, no factor is 0

  Dim() = default;
  Dim(int64_t value) : constant(value) {}
  bool isNumber() const { return terms.empty(); }
  bool is(int64_t value) const { return terms.empty() && constant == value; }
  bool operator==(const Dim &other) const {
    return constant == other.constant && terms == other.terms;
  }
  bool operator!=(const Dim &other) const { return !(*this == other); }
};

using Shape = llvm::SmallVector<Dim, 4>;

/// Arithmetic of extents, and the texts of their symbols.
class Dims {
public:
  /// The parameter or other term `text`.
  Dim symbol(llvm::StringRef text);
  /// Says that `parameter`, a symbol, is at most `most`, of parameters that were there before it.
  void limit(const Dim &parameter, Dim most);
  /// What the parameter `symbol` is at most; nothing where that is not known.
  const llvm::Optional<Dim> &most(size_t symbol) const { return limits[symbol]; }
  Dim add(const Dim &a, const Dim &b);
  Dim subtract(const Dim &a, const Dim &b) { return add(a, multiply(b, -1)); }
  Dim multiply(const Dim &a, const Dim &b);
  /// The largest whole number that is no larger than `a / b`; 0 with `hasFailed` for b = 0.
  Dim divide(const Dim &a, const Dim &b);
  /// `a / b` where that leaves no rest for any value of the parameters.
  llvm::Optional<Dim> exactQuotient(const Dim &a, const Dim &b);
  Dim smaller(const Dim &a, const Dim &b);
  Dim larger(const Dim &a, const Dim &b);
  Dim product(llvm::ArrayRef<Dim> list);

  /// -1, 0 or 1 as `a` is less than, equal to or more than `b` for all values of the parameters;
  /// nothing where that depends on them.
  llvm::Optional<int> compare(const Dim &a, const Dim &b);

  /// As the language has it: `2*batch + 1`.
  std::string text(const Dim &dim) const;
  /// The same as a factor: `(2*batch + 1)`.
  std::string factorText(const Dim &dim) const;
  /// The symbols that `dim` is made of, those inside of others too.
  void collect(const Dim &dim, std::vector<bool> &used) const;
  llvm::ArrayRef<std::string> symbols() const { return names; }
  /// A number was too large for 64 bits, or divided by 0; reset by `takeFailure`.
  bool takeFailure() { return std::exchange(failed, false); }

private:
  Dim combined(std::string text, llvm::ArrayRef<const Dim *> parts);

  std::vector<std::string> names;
  std::vector<std::vector<uint32_t>> inner; ///< symbols that a symbol is made of
  std::vector<llvm::Optional<Dim>> limits;
  std::vector<bool> isPositive; ///< parameters; quotients and the like may be 0
  llvm::StringMap<uint32_t> known;
  bool failed = false;
};

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_DIM_H
