// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static batches, as in FasterTransformer: as many requests as `maxBatch` and the cache allow start
// together, and nobody joins before all of them are done.
#ifndef PERFC_BACKENDS_SERVING_SCHEDULERS_STATIC_H
#define PERFC_BACKENDS_SERVING_SCHEDULERS_STATIC_H

#include "backends/serving/schedulers/Reserving.h"

namespace perfc::serving {

class Static : public Reserving {
public:
  using Reserving::Reserving;
  Batch next() override;
  void end(const Batch &batch) override;

protected:
  /// Frees what a group holds of which all are done; `last` is the batch that ended it.
  virtual void release(const Batch &group, const Batch &last);

private:
  std::vector<Batch> groups;     ///< requests that started together, while one is not done
  std::deque<size_t> unfinished; ///< groups that wait for their next iteration
  std::deque<size_t> underWay;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SCHEDULERS_STATIC_H
