// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vLLM's first engine (Kwon et al., SOSP 2023). A batch is prompts alone, if one can be taken in:
// first come first served, as long as their number times the longest is at most `maxTokens`; a
// longer prompt runs alone. Else it is a token of each request that runs.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_VLLM_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_VLLM_H

#include "backends/serving/schedulers/Paged.h"

namespace perfc::serving {

class Vllm : public Paged {
public:
  using Paged::Paged;
  Batch next() override;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_VLLM_H
