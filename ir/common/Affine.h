// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Affine expressions over named indices, c0 + c1*i1 + c2*i2 + …, with exact 64-bit coefficients:
// the subscripts of tensors and the conditions of iteration domains.
#ifndef PERFC_IR_COMMON_AFFINE_H
#define PERFC_IR_COMMON_AFFINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace perfc {

class AffineExpr {
public:
  struct Term {
    std::string name;
    int64_t coefficient; ///< never 0
    bool operator==(const Term &other) const {
      return name == other.name && coefficient == other.coefficient;
    }
  };

  AffineExpr(int64_t constant = 0) : offset(constant) {}
  static AffineExpr variable(llvm::StringRef name, int64_t coefficient = 1);

  int64_t constant() const { return offset; }
  /// In the order in which the indices were first added.
  llvm::ArrayRef<Term> terms() const { return list; }
  int64_t coefficient(llvm::StringRef name) const;
  bool isConstant() const { return list.empty(); }
  /// The index that this is (coefficient 1, no constant, nothing else), or "".
  llvm::StringRef asVariable() const;

  bool operator==(const AffineExpr &other) const {
    return offset == other.offset && list == other.list;
  }

  /// "2*p + r - 3"; "0" for zero.
  std::string text() const;
  /// Reads what `text` writes; nothing when it is malformed or does not fit.
  static llvm::Optional<AffineExpr> parse(llvm::StringRef text);

private:
  friend llvm::Optional<AffineExpr> add(const AffineExpr &a, const AffineExpr &b);
  friend llvm::Optional<AffineExpr> scale(const AffineExpr &a, int64_t factor);

  std::vector<Term> list;
  int64_t offset;
};

/// Nothing on overflow.
llvm::Optional<AffineExpr> add(const AffineExpr &a, const AffineExpr &b);
llvm::Optional<AffineExpr> scale(const AffineExpr &a, int64_t factor);

/// Smallest and largest value when each index i runs from 0 to extent(i) - 1; nothing on overflow.
struct AffineBounds {
  int64_t low;
  int64_t high;
};
llvm::Optional<AffineBounds> bounds(const AffineExpr &expr,
                                    llvm::function_ref<int64_t(llvm::StringRef)> extent);

} // namespace perfc

#endif // PERFC_IR_COMMON_AFFINE_H
