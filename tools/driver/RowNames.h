// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What results are called in a table, each so that it can be told from the others.
#ifndef PERFC_TOOLS_DRIVER_ROWNAMES_H
#define PERFC_TOOLS_DRIVER_ROWNAMES_H

#include "backends/emit/Result.h"

namespace perfc::driver {

/// For the rows of a comparison: what they run on, where that does not suffice with what else they
/// are compared on it, `pod with my_ring`.
std::vector<std::string> comparedNames(llvm::ArrayRef<const emit::Result *> results);

/// For the rows of a point of a sweep, whose values stand beside them: without arguments where that
/// suffices, so that all points read alike.
std::vector<std::string> pointNames(llvm::ArrayRef<const emit::Result *> results);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_ROWNAMES_H
