// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links between neighbours: a child whose words a neighbour held in the step before takes them from
// there, and the others form multicast groups without it. The answer depends on where the children
// stood in both steps and on how far the words moved, so it is found once per such pair.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_LINKS_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_LINKS_H

#include "backends/loopnest/timeloop/PatternBuilder.h"

#include <map>

namespace perfc {
namespace timeloop {

/// The children that neighbours serve, and the groups of the others.
struct LinkedGroups {
  double linked = 0;
  double served = 0; ///< groups that are still sent to
  Groups groups;
};

class Links {
public:
  /// The groups of `space` when an array goes from `before` to `now` while its words move by
  /// `shift`. The patterns must stay where they are.
  const LinkedGroups &between(const SpatialPattern &before, const SpatialPattern &now,
                              unsigned space, const Offset &shift, bool noMulticast);

private:
  using Key = std::tuple<const SpatialPattern *, const SpatialPattern *, unsigned, Offset>;
  std::map<Key, LinkedGroups> known;
};

} // namespace timeloop
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_LINKS_H
