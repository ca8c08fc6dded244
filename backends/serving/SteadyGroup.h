// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of a copy each of which makes a token in every batch: they are counted, not visited, so
// that a batch of thousands takes as long as one of those that come and go. While a request is a
// member its tokens, its blocks and the time of its last token are those of when it joined.
#ifndef PERFC_BACKENDS_SERVING_STEADYGROUP_H
#define PERFC_BACKENDS_SERVING_STEADYGROUP_H

#include "backends/serving/RequestList.h"
#include <tuple>

namespace perfc::serving {

class SteadyGroup {
public:
  /// Of requests whose caches grow by a block with each `blockTokens` tokens.
  SteadyGroup(RequestList &requests, int64_t blockTokens)
      : requests(requests), growing(static_cast<size_t>(blockTokens), 0) {}

  int64_t count() const { return static_cast<int64_t>(members.size()); }
  /// Tokens that all see in the next batch, themselves included.
  int64_t context() const { return seen; }
  /// Blocks that all need for their tokens of the next batch.
  int64_t blocksNeeded() const { return growing[static_cast<size_t>(step) % growing.size()]; }
  /// When all have made their last tokens, in s.
  double lastTokens() const { return last; }
  /// True where `request` arrived behind all members, those that have left included.
  bool isBehind(const Request &request) const {
    return std::tie(request.arrival, request.id) > std::tie(latest, latestId);
  }

  /// Takes in one that has just made a token and holds the blocks of all tokens before it.
  void join(uint32_t number);
  /// Ends a batch at `now`: each has made a token. Those that made their last one leave.
  std::vector<uint32_t> advance(double now);
  /// Lets all go, who have their state from here on; their numbers go to the end of `to`.
  void dissolve(std::vector<uint32_t> &to);

private:
  struct Member {
    int64_t end; ///< the step behind which its last token is made
    uint32_t number;
    bool operator<(const Member &other) const {
      return std::tie(other.end, other.number) < std::tie(end, number);
    }
  };
  size_t phaseOf(const Request &request) const;
  void settle(Request &request);

  RequestList &requests;
  std::vector<Member> members; ///< a heap, whose front ends first
  /// Members that need a block in the steps whose number has this remainder.
  std::vector<int64_t> growing;
  int64_t step = 0; ///< batches that have ended
  int64_t seen = 0;
  double last = 0, latest = -1;
  uint64_t latestId = 0;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_STEADYGROUP_H
