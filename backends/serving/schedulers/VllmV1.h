// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vLLM's second engine. A batch is up to `chunk` tokens: those of requests that run come first, in
// order of arrival (or priority), one token or as much of their prompt as is left of the
// budget; then new ones, unless one had to give way. Blocks are taken as tokens need them, also
// those of prompts, and none is kept free. Who gives way reads again what it has read and made.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_VLLMV1_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_VLLMV1_H

#include "backends/serving/schedulers/Paged.h"

namespace perfc::serving {

class VllmV1 : public Paged {
public:
  using Paged::Paged;

protected:
  Batch next() override;
  bool isSteady(const Request &request) const override;

private:
  /// Batches after the steady group was dissolved in which none joins it.
  static constexpr int64_t batchesApart = 64;

  /// False where somebody would find no room or come too late in the next batch, in which all that
  /// are steady are to have a token.
  bool fitsSteady() const;
  /// Blocks for `tokens` more of a request; false when it had to give way itself.
  bool extend(uint32_t number, int64_t tokens);
  void sortByArrival();

  int64_t untilJoin = 0; ///< batches
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_VLLMV1_H
