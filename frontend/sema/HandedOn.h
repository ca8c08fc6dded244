// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters that a declaration made `from` another one hands on to it. `workload b(batch = 8) from
// a(layers = 4)` uses its `batch` nowhere: it is that of `a`, with another default. A parameter
// that stands in what follows `from`, in the block or in another default is used, and not handed
// on.
#ifndef PERFC_FRONTEND_SEMA_HANDEDON_H
#define PERFC_FRONTEND_SEMA_HANDEDON_H

#include "frontend/sema/Evaluator.h"

namespace perfc {

/// Those parameters of `decl` that nothing in it uses.
std::vector<const Parameter *> handedOn(const Decl &decl);

/// `base`, what `decl` is made from, with those of these that it has as well and is not given, by
/// their values in `scope`.
Instance withHandedOn(const Decl &decl, const Scope &scope, const Instance &base);

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_HANDEDON_H
