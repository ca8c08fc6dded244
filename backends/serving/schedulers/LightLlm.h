// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LightLLM: the cache is counted in tokens. Prompts are taken in when nothing runs, or after ten
// iterations of single tokens; a batch is prompts alone, of at most `maxTokens` together, or a
// token of each request that runs. A request is taken in if the most tokens that all will ever hold
// together fit: with requests sorted by what they still have to make, longest first, the i-th one
// ends when the i that are left hold their tokens of now and i times its remainder more.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_LIGHTLLM_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_LIGHTLLM_H

#include "backends/serving/schedulers/Paged.h"

namespace perfc::serving {

class LightLlm : public Paged {
public:
  using Paged::Paged;
  Batch next() override;

protected:
  /// Called where the next token of all that run does not fit; true when it has made room.
  virtual bool makeRoom();
  /// Blocks that the next tokens of all that run take.
  int64_t step() const { return limits.perToken * static_cast<int64_t>(running.size()); }

private:
  struct Load {
    int64_t held, left; ///< tokens in the cache, and that still come
  };
  Batch prompts();
  Load loadOf(const Request &request) const;
  static int64_t peakOf(std::vector<Load> loads);

  int64_t iterations = 0; ///< of single tokens since prompts were looked for
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_LIGHTLLM_H
