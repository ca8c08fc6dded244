// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which results of the points of a sweep something in the program reads after their point, so that
// the others go and memory does not grow with points. It is asked of the text: a name that stands
// there once names a result, and one that stands there twice may also ask for it.
#ifndef PERFC_API_LATERUSE_H
#define PERFC_API_LATERUSE_H

#include "llvm/ADT/StringRef.h"
#include <functional>

namespace perfc::api {

/// For RunOptions::isNeededLater, of the program `text`, which outlives it. Where `writesFiles`, an
/// `emit` may be about all results.
std::function<bool(llvm::StringRef name)> laterUse(llvm::StringRef text, bool writesFiles);

} // namespace perfc::api

#endif // PERFC_API_LATERUSE_H
