// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A window of smaller steps with the same sums. What tiles of a subscript a*p + b*r share depends
// only on which positions (p, r) of p < P, r < R have one element. With a and b free of common
// factors these are (p, r) and (p + b, r - a): none when |a| >= R or |b| >= P. Then any other steps
// that keep all elements apart will do, and tables by element are no longer than the positions.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_COMPACTWINDOW_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_COMPACTWINDOW_H

#include "backends/loopnest/search/MapSpace.h"

namespace perfc {
namespace loopnest {

/// `window` over dimensions of `firsts` and `seconds`, at least 2 each, with steps that reach over
/// less than 2 * firsts * seconds elements, and the same positions padding. The limits of padding
/// hold in the order of the elements: where shorter steps have another one they stay as they are,
/// and there is nothing where they reach over millions of elements.
llvm::Optional<Window> compactWindow(const Window &window, int64_t firsts, int64_t seconds);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_COMPACTWINDOW_H
