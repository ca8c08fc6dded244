// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sarathi (Agrawal et al., OSDI 2024): a token of each request that runs, then prompts that are
// half read, then new ones, in pieces that fill `chunk` tokens. Tokens of those that run are never
// refused.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_SARATHI_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_SARATHI_H

#include "backends/serving/schedulers/Paged.h"

namespace perfc::serving {

class Sarathi : public Paged {
public:
  using Paged::Paged;
  Batch next() override;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_SARATHI_H
