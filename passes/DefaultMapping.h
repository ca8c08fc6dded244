// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mapping of a statement for which the user gave none: simple, legal, and made from the extents
// and the chip alone.
//   Space: from the innermost array outward, each axis takes the index that fills it best, then
//   more
//     while lanes are left. A reduction index needs an axis that adds up partial sums; an index
//     that an input lacks needs an axis with multicast.
//   Time: from the innermost memory outward, each group of memories between two arrays takes at its
//     innermost place as much as has room everywhere: reduction indices first, so that sums stay,
//     then the others, innermost first. All that is left runs at the outermost place.
//   Order: at each place reduction indices are innermost.
// Of a statement that reads what it sets, indices along which points depend on each other get no
// lanes, and where that alone does not do, those that carry all of it run outermost.
#ifndef PERFC_PASSES_DEFAULTMAPPING_H
#define PERFC_PASSES_DEFAULTMAPPING_H

#include "passes/NestPlan.h"

namespace perfc {
namespace passes {

/// A plan that passes all checks, of a statement that some order of loops runs; nothing when not
/// even one element of each tensor has room in some memory (see `firstFullMemory`).
llvm::Optional<NestPlan> defaultPlan(const Chip &chip, const Statement &statement);

/// The first memory that lacks room for one element of each tensor that it keeps; null when all
/// have.
const Place *firstFullMemory(const Chip &chip, const Statement &statement);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_DEFAULTMAPPING_H
