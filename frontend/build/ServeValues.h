// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that arguments of the words of `serve` may have, within the kind that the word tables
// give them.
#ifndef PERFC_FRONTEND_BUILD_SERVEVALUES_H
#define PERFC_FRONTEND_BUILD_SERVEVALUES_H

#include "frontend/build/BuildContext.h"
#include "frontend/sema/Words.h"

namespace perfc {

enum class Wants : uint8_t { Count, Tokens, Seed, Positive, NotNegative, Index, Share, Theta };

/// What the argument `argument` may be, whose dimension is `dims`.
Wants wantsOf(llvm::StringRef argument, Dims dims = Dims::Any);
/// "a whole number from 1 to 1000000": for messages.
llvm::StringRef describe(Wants wants);
bool meets(const Quantity &value, Wants wants);

/// Sets what the choice of `node`, a word of `serve`, says in parentheses as attributes of `into`,
/// by name, and the defaults of what it does not say. The choice; null where it is not known, or
/// something was reported.
const WordValue *readChoice(BuildContext &context, const Node &node, ir::Operation &into);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_SERVEVALUES_H
