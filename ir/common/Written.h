// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantities as a program writes them, for messages: what Quantity::text says exactly, here in
// prefixes and percent.
#ifndef PERFC_IR_COMMON_WRITTEN_H
#define PERFC_IR_COMMON_WRITTEN_H

#include "ir/common/Quantity.h"

namespace perfc {

/// "12ns +- 10%". An exact decimal stays exact, with the prefix that makes it shortest; other
/// numbers have six digits, intervals four.
std::string written(const Quantity &quantity);

} // namespace perfc

#endif // PERFC_IR_COMMON_WRITTEN_H
