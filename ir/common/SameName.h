// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equality of names that are looked up often, in lists of a few.
#ifndef PERFC_IR_COMMON_SAMENAME_H
#define PERFC_IR_COMMON_SAMENAME_H

#include "llvm/ADT/StringRef.h"

namespace perfc {

/// Whether two names are equal. Names of declarations are mostly one literal, and those of one
/// length mostly differ in their last letter.
inline bool sameName(llvm::StringRef a, llvm::StringRef b) {
  return a.size() == b.size() &&
         (a.data() == b.data() || a.empty() || (a.back() == b.back() && a == b));
}

} // namespace perfc

#endif // PERFC_IR_COMMON_SAMENAME_H
