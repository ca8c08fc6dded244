// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `joins` of a runtime: which ops run as part of the kernel before them, by the op that this ends
// with, "conv2d depthwise + batchnorm relu".
#ifndef PERFC_FRONTEND_BUILD_JOINRULES_H
#define PERFC_FRONTEND_BUILD_JOINRULES_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// The texts of the line. Reports one of another form, and a name that no op has.
std::vector<std::string> joinsIn(BuildContext &context, const Node &line);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_JOINRULES_H
