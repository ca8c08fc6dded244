// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that arguments of the words of `serve` may have, within the kind that the word tables
// give them.
#ifndef PERFC_FRONTEND_BUILD_SERVEVALUES_H
#define PERFC_FRONTEND_BUILD_SERVEVALUES_H

#include "ir/common/Quantity.h"
#include "llvm/ADT/StringRef.h"

namespace perfc {

enum class Wants : uint8_t { Count, Tokens, Seed, Positive, NotNegative, Theta };

/// What the argument `argument` may be.
Wants wantsOf(llvm::StringRef argument);
/// "a whole number from 1 to 1000000": for messages.
llvm::StringRef describe(Wants wants);
bool meets(const Quantity &value, Wants wants);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SERVEVALUES_H
