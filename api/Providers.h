// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The providers of costs that this binary has, in the order in which they are asked.
#ifndef PERFC_API_PROVIDERS_H
#define PERFC_API_PROVIDERS_H

#include "backends/core/CostProvider.h"

namespace perfc::loopnest {
class CountVerifier;
}

namespace perfc::api {

/// `verifier`, if given, counts loop nests again and must outlive the result.
ProviderSet defaultProviders(loopnest::CountVerifier *verifier = nullptr);

} // namespace perfc::api

#endif // PERFC_API_PROVIDERS_H
