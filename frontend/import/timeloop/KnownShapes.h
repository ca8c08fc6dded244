// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problem shapes that Timeloop has by name (its folder problem-shapes): `shape: cnn-layer`.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_KNOWNSHAPES_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_KNOWNSHAPES_H

#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// The shape `name`: a problem without bounds, its coefficients at their defaults. Releases of the
/// tool differ in whether names have `-` or `_`, which are the same here; `.yaml` may follow.
/// Nothing when there is none.
llvm::Optional<Problem> knownShape(llvm::StringRef name);

/// The names, for messages.
llvm::StringRef knownShapeNames();

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_KNOWNSHAPES_H
