// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `serve` as VIDUR would run it (`--mode vidur`): its pool of blocks, its times of batches, its
// schedulers with their defects and its stream, from what the program says of model, chip and
// requests.
#ifndef PERFC_BACKENDS_SERVING_VIDUR_MODE_H
#define PERFC_BACKENDS_SERVING_VIDUR_MODE_H

#include "backends/serving/Model.h"
#include "backends/serving/vidur/Costs.h"

namespace perfc::serving::vidur {

/// What of `serve` VIDUR does not have; "" for nothing.
std::string lacks(study::ServeOp serve, int64_t copies);
/// B of the cache of a token on a rank, in all layers.
double cacheOf(const ServedModel &model);

/// What VIDUR serves the requests of `serve` with; `why` says what it cannot do. Of copies it takes
/// that with the fewest requests waiting where the program says least_loaded.
PoolSetup setupOf(study::ServeOp serve, const ServedModel &model, std::string &why);

/// Of the measured times that the program names, which it does.
Costs costsOf(const ServedModel &model);

/// VIDUR's stream where it has the distributions that `serve` asks for, with the seed of the
/// arrivals, or of the lengths where all arrive at once; else that of the program. `why` says what
/// VIDUR fails on.
std::vector<RequestSpec> requestsOf(study::ServeOp serve, std::string &why);

} // namespace perfc::serving::vidur

#endif // PERFC_BACKENDS_SERVING_VIDUR_MODE_H
