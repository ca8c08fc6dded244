// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The network of a group: what the declaration behind `over` says, replaced by what the group says.
// Chips have links of their own (`link nvlink4`). Their network is that of a group of such chips
// which says nothing of its own, and gives its bandwidth to networks that leave it to the chips.
#ifndef PERFC_FRONTEND_BUILD_GROUPNETWORK_H
#define PERFC_FRONTEND_BUILD_GROUPNETWORK_H

#include "frontend/build/Attributes.h"

namespace perfc {

/// Builds the target.network of `group`, its links and libraries, from the node of its equation.
/// `dtype` is that of its chips.
void buildGroupNetwork(BuildContext &context, const Node &given, ir::Operation &group, DType dtype);

/// `chunks 8` of a system or `active_chunks 2` of a network.
void setChunkCount(BuildContext &context, const Node *node, ir::Operation &op);

/// Chips of a group, its inner groups included; nothing when they do not fit 64 bits.
llvm::Optional<int64_t> chipsOfGroup(const ir::Operation &group);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_GROUPNETWORK_H
