// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Providers.h"

#include "backends/edge/Edge.h"
#include "backends/gpu/Tile.h"
#include "backends/loopnest/LoopNest.h"
#include "backends/loopnest/maestro/Provider.h"
#include "backends/network/Network.h"
#include "backends/roofline/Roofline.h"

using namespace perfc;

ProviderSet api::defaultProviders(loopnest::CountVerifier *verifier) {
  ProviderSet set; // one for each row of ir/common/Providers.h
  set.add(std::make_unique<edge::EdgeProvider>());
  set.add(std::make_unique<roofline::RooflineProvider>());
  set.add(std::make_unique<loopnest::LoopNestProvider>(verifier));
  set.add(std::make_unique<maestro::MaestroProvider>());
  set.add(std::make_unique<gpu::TileProvider>());
  set.add(std::make_unique<network::NetworkProvider>());
  return set;
}
