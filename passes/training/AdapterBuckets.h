// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small tensors of adapters (rows by rank of the adapter) are exchanged among tensor-parallel
// ranks in buckets, as stacks do that have one adapter for queries, keys and values and flatten
// what they exchange: a message for several tensors instead of one each. A collective joins the
// last bucket of its kind unless it depends on what comes out of that bucket.
#ifndef PERFC_PASSES_TRAINING_ADAPTERBUCKETS_H
#define PERFC_PASSES_TRAINING_ADAPTERBUCKETS_H

#include "ir/core/Module.h"

namespace perfc {
namespace passes {

/// Marks the collectives of adapters in the divided `graph`: those that go with a later one are
/// `bucketed`, and that one has their bytes as `with`.
void bucketAdapters(ir::Operation &graph);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_ADAPTERBUCKETS_H
