// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/Sums.h"
#include <isl/space.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// Events between one level and its parent.
class Events {
public:
  Events(const NestSets &sets, unsigned level)
      : above(sets.nest().parent(level, sets.nest().output)), epochs(sets.epochDims(level)),
        instances(sets.instanceDims(level)), outerEpochs(sets.epochDims(above)),
        outerInstances(sets.instanceDims(above)),
        keyDims(outerInstances + sets.ranks(sets.nest().output)) {}

  /// { (e, j, x) } of { (e, i, x) }.
  IslSet grouped(const IslSet &set) const {
    return without(set, epochs + outerInstances, instances - outerInstances);
  }
  /// { (e, phase, j, x) } of { (e, j, x) }.
  IslSet timed(const IslSet &groups, int phase) const {
    return isl_set_fix_si(withAny(groups, epochs, 1).take(), isl_dim_set, epochs, phase);
  }
  /// { (e, j, x) } of { (e, phase, j, x) }.
  IslSet untimed(const IslSet &events, int phase) const {
    return without(isl_set_fix_si(events.take(), isl_dim_set, epochs, phase), epochs, 1);
  }
  /// Entries into the parent, { (e_A, j, x) }, as events.
  IslSet outer(const IslSet &entries) const {
    IslSet result = withAny(entries, outerEpochs, epochs + 1 - outerEpochs);
    for (unsigned c = outerEpochs; c <= epochs; ++c)
      result = isl_set_fix_si(std::move(result).take(), isl_dim_set, c, 0);
    return result;
  }
  IslSet afterSum(const IslSet &events, const IslSet &withSum, const IslSet &without) const;
  IslSet firstChild(const IslSet &entering, const IslSet &groups) const;

private:
  unsigned above, epochs, instances, outerEpochs, outerInstances;
  unsigned keyDims; ///< of (j, x)
};

} // namespace

/// The `events` before which the last one was one `withSum`, not one `withoutSum`.
IslSet Events::afterSum(const IslSet &events, const IslSet &withSum,
                        const IslSet &withoutSum) const {
  IslMap earlier =
      isl_map_lex_gt_first(isl_space_map_from_set(isl_set_get_space(events.get())), epochs + 1);
  for (unsigned c = epochs + 1; c < epochs + 1 + keyDims; ++c)
    earlier = isl_map_equate(std::move(earlier).take(), isl_dim_in, int(c), isl_dim_out, int(c));
  earlier = isl_map_intersect_domain(std::move(earlier).take(), events.take());
  IslSet all = isl_set_union(withSum.take(), withoutSum.take());
  earlier = isl_map_intersect_range(std::move(earlier).take(), std::move(all).take());
  IslMap last = isl_map_lexmax(std::move(earlier).take());
  return isl_map_domain(isl_map_intersect_range(std::move(last).take(), withSum.take()));
}

/// Of the `entering`, the first instance in each of the `groups`.
IslSet Events::firstChild(const IslSet &entering, const IslSet &groups) const {
  unsigned at = epochs + outerInstances, inner = instances - outerInstances;
  IslSet asking = intersection(entering, withAny(groups, at, inner));
  if (inner == 0)
    return asking;
  IslMap children = isl_map_from_domain(std::move(asking).take());
  children = isl_map_move_dims(std::move(children).take(), isl_dim_out, 0, isl_dim_in, at, inner);
  children = isl_map_lexmin(std::move(children).take());
  children = isl_map_move_dims(std::move(children).take(), isl_dim_in, at, isl_dim_out, 0, inner);
  return isl_map_domain(std::move(children).take());
}

SumFlow loopnest::sumFlow(const NestSets &sets, unsigned level, const Residence &residence,
                          const Entries *entriesAbove) {
  Events events(sets, level);
  IslSet entering = events.timed(events.grouped(residence.entering), 1);
  IslSet leaving = events.timed(events.grouped(residence.leaving), 2);
  IslSet withSum = leaving, withoutSum = entering;
  if (entriesAbove) {
    withSum = isl_set_union(std::move(withSum).take(), events.outer(entriesAbove->withSum).take());
    withoutSum =
        isl_set_union(std::move(withoutSum).take(), events.outer(entriesAbove->fromZero).take());
  }
  IslSet both = isl_set_union(entering.take(), leaving.take());
  IslSet after = events.afterSum(both, withSum, withoutSum);
  SumFlow flow;
  flow.merges = events.untimed(after, 2);
  flow.entries.withSum = events.firstChild(residence.entering, events.untimed(after, 1));
  flow.entries.fromZero = difference(residence.entering, flow.entries.withSum);
  return flow;
}
