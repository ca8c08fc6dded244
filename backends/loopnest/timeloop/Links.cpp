// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/Links.h"

using namespace perfc;
using namespace perfc::timeloop;

const LinkedGroups &Links::between(const SpatialPattern &before, const SpatialPattern &now,
                                   unsigned space, const Offset &shift, bool noMulticast) {
  Key key{&now, &before, space, std::vector<int64_t>(shift.begin(), shift.end())};
  auto [entry, isNew] = known.try_emplace(std::move(key));
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
