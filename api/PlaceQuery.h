// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program and the library declare: what an editor asks for.
#ifndef PERFC_API_PLACEQUERY_H
#define PERFC_API_PLACEQUERY_H

#include "api/perfc/Program.h"
#include "frontend/build/Compilation.h"

namespace perfc::api {

/// The declaration that the name at byte `offset` of the root leads to, or what the word there
/// means in the blocks that have it.
std::optional<Answer> answerAt(Compilation &compilation, const SourceManager &sources,
                               uint32_t offset);

/// The parameter `decl` of the root with its value now.
Parameter typedParameter(Compilation &compilation, const Decl &decl, const SourceManager &sources);

} // namespace perfc::api

#endif // PERFC_API_PLACEQUERY_H
