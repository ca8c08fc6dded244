// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How requests go to copies of the model.
#ifndef PERFC_BACKENDS_SERVING_ROUTER_H
#define PERFC_BACKENDS_SERVING_ROUTER_H

#include "backends/serving/Scheduler.h"

namespace perfc::serving {

/// The copy that request `request` goes to, of those that serve it; called in order of arrival.
using Router = std::function<size_t(const RequestList &requests, uint32_t request,
                                    llvm::ArrayRef<const Scheduler *> copies)>;

/// One after the other.
Router roundRobin();
/// The first one with the fewest requests that are not taken in.
Router leastQueued();
/// The first one with the fewest requests, taken in or not.
Router leastOutstanding();
/// The one with the most of its beginning in the prefix cache, of these the one with the fewest
/// requests.
Router mostCached();
/// Where others that begin alike have gone; new ones in turn.
Router bySession();
/// Any, equally likely.
Router atRandom(int64_t seed);

/// That of the word `kind`: round_robin, random (with `seed`), least_loaded, cache_aware or
/// session.
Router routerOf(llvm::StringRef kind, int64_t seed);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_ROUTER_H
