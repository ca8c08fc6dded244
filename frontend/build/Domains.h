// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration domains: once the extents of the indices are known, each equation's domain is the box
// of the indices it names, cut by the conditions over them.
#ifndef PERFC_FRONTEND_BUILD_DOMAINS_H
#define PERFC_FRONTEND_BUILD_DOMAINS_H

#include "frontend/build/OpModel.h"

namespace perfc {

/// Extent of each index, by name.
using IndexExtents = llvm::StringMap<int64_t>;

/// True for a condition that is the extent of an index, not a cut: `r < R` arrives as R - 1 - r >=
/// 0.
bool isRange(const AffineExpr &condition);

/// Fills the domains of `statements`; a condition holds for every equation that names all its
/// indices. Returns the first index without an extent, with its statement, or null.
struct OpenIndex {
  const OpStatement *statement = nullptr;
  std::string name;
};
OpenIndex setDomains(std::vector<OpStatement> &statements, llvm::ArrayRef<AffineExpr> conditions,
                     const IndexExtents &extents);

/// One more than the largest subscript with which `statements` touch rank `rank` of `tensor`;
/// nothing when no access with known indices does.
llvm::Optional<int64_t> hull(llvm::ArrayRef<OpStatement> statements, llvm::StringRef tensor,
                             size_t rank, const IndexExtents &extents);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_DOMAINS_H
