// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `library nccl { … }` of a network to target.library: how a communication library runs collectives
// there.
#ifndef PERFC_FRONTEND_BUILD_LIBRARYBUILDER_H
#define PERFC_FRONTEND_BUILD_LIBRARYBUILDER_H

#include "frontend/build/Attributes.h"

namespace perfc {

/// Adds a target.library to `group` for each `library` of `network`.
void buildLibraries(BuildContext &context, const Node &network, ir::Region &group,
                    UnitContext units);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_LIBRARYBUILDER_H
