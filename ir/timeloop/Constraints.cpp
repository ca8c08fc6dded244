// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/timeloop/Constraints.h"

using namespace perfc;
using namespace perfc::timeloop;

Constraints timeloop::noConstraints(const Input &input) {
  NestRule free;
  free.exact.resize(input.dimCount());
  free.exactPlaces.resize(input.dimCount());
  free.most.resize(input.dimCount());
  PlacementRule rule{free, free, {}, {}};
  rule.keep.resize(input.spaceCount());
  rule.keepPlaces.resize(input.spaceCount());
  Constraints constraints{std::vector<PlacementRule>(input.memories.size(), rule)};
  for (unsigned memory = 0; memory < input.memories.size(); ++memory)
    if (input.memories[memory].storesNothing) {
      PlacementRule &passed = constraints.memories[memory];
      passed.keep.assign(input.spaceCount(), false);
      passed.temporal.exact.assign(input.dimCount(), int64_t(1));
    }
  return constraints;
}
