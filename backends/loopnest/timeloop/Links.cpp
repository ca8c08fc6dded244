// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/Links.h"

using namespace perfc;
using namespace perfc::timeloop;

const LinkedGroups &Links::between(const SpatialPattern &before, const SpatialPattern &now,
                                   unsigned space, const Offset &shift, bool noMulticast) {
  auto [entry, isNew] = known.try_emplace(Key{&now, &before, space, shift});
  LinkedGroups &result = entry->second;
  if (!isNew)
    return result;
  std::vector<bool> linked = linkedChildren(now, before, space, shift);
  result.linked = static_cast<double>(llvm::count(linked, true));
  result.groups = groupChildren(now, space, noMulticast, linked);
  for (const GroupSize &size : result.groups)
    result.served += static_cast<double>(size.groups);
  return result;
}
