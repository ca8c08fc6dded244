// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reuse analysis takes of an iteration domain and of access relations, as isl tells it of
// the sets and maps that IslText.h writes:
//   { op[i, j] : 0 <= i <= 7 and 0 <= j <= i }   the conditions that the box of its indices lacks
//   { op[i, j] -> A[2i + j - 1, j] : i + j >= 1 } per rank its subscript, and where elements end
// A rank that isl fixes to nothing depends on data. Where padding leaves one position of a
// subscript, the relation ties indices and shows a constant: that is one more rank, of extent 1;
// and another subscript of tied indices may count its elements more than one apart.
#ifndef PERFC_PASSES_ANALYSIS_NORMALFORM_H
#define PERFC_PASSES_ANALYSIS_NORMALFORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <vector>

namespace perfc {
namespace passes {

/// constant + sum of coefficient * index.
struct AffineRow {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms; ///< index, coefficient; by index
  int64_t constant = 0;
};

struct NormalRank {
  AffineRow position;
  bool dependsOnData = false;
  /// Elements outside [0, extent) do not exist; none where no point of the box leads there.
  llvm::Optional<int64_t> extent;
};

struct NormalDomain {
  std::vector<std::string> indices;
  std::vector<AffineRow> conditions; ///< each at least 0; beside those of the box
};

/// Reads both, and remembers some thousands of texts. Threads may read side by side.
class NormalForms {
public:
  NormalForms();
  ~NormalForms();
  NormalForms(const NormalForms &) = delete;
  NormalForms &operator=(const NormalForms &) = delete;

  /// Of the box of as many indices as there are `extents`, which loops run over. Nothing where
  /// `text` is no set of as many integers with affine conditions.
  llvm::Optional<NormalDomain> domain(llvm::StringRef text, llvm::ArrayRef<int64_t> extents);
  /// Nothing where `text` is no affine relation from as many indices as there are `extents`.
  llvm::Optional<std::vector<NormalRank>> access(llvm::StringRef text,
                                                 llvm::ArrayRef<int64_t> extents);

private:
  struct Context;
  std::unique_ptr<Context> context;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_NORMALFORM_H
