// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words behind `by` of a `report` that break a result down; others are names that a sweep sets.
#ifndef PERFC_IR_STUDY_ROWKINDS_H
#define PERFC_IR_STUDY_ROWKINDS_H

#include "llvm/ADT/StringRef.h"

namespace perfc::study {

inline constexpr llvm::StringLiteral rowKinds[] = {"op",    "kernel",    "layer",  "memory",
                                                   "level", "component", "tensor", "pool"};

} // namespace perfc::study

#endif // PERFC_IR_STUDY_ROWKINDS_H
