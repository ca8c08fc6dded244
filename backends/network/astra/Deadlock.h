// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why ranks never finish: who waits for whom when no event is left. Following the waits from a rank
// leads either round in a cycle (a deadlock) or to a rank that will never send.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_DEADLOCK_H
#define PERFC_BACKENDS_NETWORK_ASTRA_DEADLOCK_H

#include "backends/network/astra/Workload.h"

namespace perfc::astra {

/// One finding for the ranks that did not finish, and one for messages that nobody received.
std::vector<Finding> explainUnfinished(const Workload &workload);

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_DEADLOCK_H
