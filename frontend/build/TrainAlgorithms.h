// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `train … with double_binary_tree`: the algorithms of the collectives that a step makes. A library
// runs where a network has its parameters; the schedule of any other algorithm is made for each
// number of ranks that an axis of the strategy has, or with holes may have.
#ifndef PERFC_FRONTEND_BUILD_TRAINALGORITHMS_H
#define PERFC_FRONTEND_BUILD_TRAINALGORITHMS_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Adds the algorithms among `with` to `train`, a study.train on `system`. With holes one may have
/// no form for some numbers of ranks; it is refused for these. False after a report.
bool trainAlgorithms(BuildContext &context, const Node &with, const ir::Operation &system,
                     ir::Operation &train);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_TRAINALGORITHMS_H
