// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/SteadyGroup.h"

#include <algorithm>

using namespace perfc::serving;

/// A request that holds p - 1 tokens needs a block for the next one where these fill whole blocks,
/// as do those of all later steps of the same remainder.
size_t SteadyGroup::phaseOf(const Request &request) const {
  auto blockTokens = static_cast<int64_t>(growing.size());
  int64_t over = (request.processed - 1 - request.joined) % blockTokens;
  return static_cast<size_t>((blockTokens - over) % blockTokens) % growing.size();
}

void SteadyGroup::join(uint32_t number) {
  Request &request = requests[number];
  request.joined = step;
  ++growing[phaseOf(request)];
  seen += request.processed;
  members.push_back({step + request.total() - request.processed, number});
  std::push_heap(members.begin(), members.end());
  if (isBehind(request))
    std::tie(latest, latestId) = std::tie(request.arrival, request.id);
}

void SteadyGroup::settle(Request &request) {
  auto blockTokens = static_cast<int64_t>(growing.size());
  auto blocks = [&] { return (request.processed - 1 + blockTokens - 1) / blockTokens; };
  --growing[phaseOf(request)];
  int64_t before = blocks();
  request.processed += step - request.joined;
  request.blocks += blocks() - before;
  request.last = last;
  seen -= request.processed;
}

std::vector<uint32_t> SteadyGroup::advance(double now) {
  std::vector<uint32_t> ended;
  ++step;
  seen += count();
  last = now;
  while (!members.empty() && members.front().end == step) {
    ended.push_back(members.front().number);
    std::pop_heap(members.begin(), members.end());
    members.pop_back();
    settle(requests[ended.back()]);
  }
  return ended;
}

void SteadyGroup::dissolve(std::vector<uint32_t> &to) {
  for (const Member &member : members) {
    settle(requests[member.number]);
    to.push_back(member.number);
  }
  members.clear();
}
