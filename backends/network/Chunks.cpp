// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Chunks.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>
#include <queue>
#include <set>

using namespace perfc;
using namespace perfc::network;

Chunking network::chunkingOf(const ir::Operation &system, CollectiveKind kind,
                             llvm::StringRef algorithm) {
  if (kind == CollectiveKind::Barrier || kind == CollectiveKind::Send || !algorithm.empty())
    return {};
  return {system.intAttr("chunks", 1), system.stringAttr("scheduling") == "lifo"};
}

std::string network::inChunks(const Chunking &chunking) {
  return chunking.count > 1 ? fmt::format(" in {} chunks", chunking.count) : "";
}

bool network::shareLevels(const Chunking &chunking, llvm::ArrayRef<NetworkLevel> levels) {
  return chunking.count > 1 && llvm::any_of(levels, [](const NetworkLevel &level) {
           return level.members > 1 && level.activeChunks > 1;
         });
}

bool network::overtakeOnLines(const Chunking &chunking, llvm::ArrayRef<NetworkLevel> levels) {
  return chunking.count > 1 && llvm::any_of(levels, [](const NetworkLevel &level) {
           return level.topology == Topology::Line && level.members > 2;
         });
}

namespace {
/// A stretch that a chunk stays in one level.
struct Stay {
  const NetworkLevel *level;
  Uncertain seconds;
};

/// Chunks that are at the end of a stay, or at the start of all, at one time.
class FlowShop {
public:
  FlowShop(std::vector<Stay> stays, const Chunking &chunking)
      : stays(std::move(stays)), chunking(chunking) {}
  Uncertain run();

private:
  struct Level {
    bool isBusy = false;
    std::set<std::pair<double, size_t>> waiting; ///< since when, and which chunk
  };
  void wait(size_t chunk);
  void serve(const NetworkLevel *level);

  std::vector<Stay> stays;
  const Chunking &chunking;
  std::map<const NetworkLevel *, Level> levels;
  std::vector<size_t> at;        ///< of each chunk, the stay that it is in or waits for
  std::vector<Uncertain> leaves; ///< when it is over
  double now = 0;                ///< whole ps, as the simulation of messages counts
  Uncertain exactly = 0;         ///< the same, s
  using Event = std::pair<double, size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events; ///< ends of stays
};
} // namespace

void FlowShop::wait(size_t chunk) {
  if (at[chunk] < stays.size())
    levels[stays[at[chunk]].level].waiting.insert({now, chunk});
}

void FlowShop::serve(const NetworkLevel *level) {
  Level &place = levels[level];
  if (place.isBusy || place.waiting.empty())
    return;
  auto next = chunking.takesLatest ? std::prev(place.waiting.end()) : place.waiting.begin();
  size_t chunk = next->second;
  place.waiting.erase(next);
  place.isBusy = true;
  leaves[chunk] = exactly + stays[at[chunk]].seconds;
  events.push({now + std::round(stays[at[chunk]].seconds.central() * 1e12), chunk});
}

Uncertain FlowShop::run() {
  auto count = static_cast<size_t>(chunking.count);
  at.assign(count, 0);
  leaves.assign(count, 0);
  for (size_t chunk = 0; chunk < count; ++chunk)
    wait(chunk);
  serve(stays.front().level);
  while (!events.empty()) {
    now = events.top().first;
    // All that ends at one time is over before anything is taken.
    llvm::SmallVector<const NetworkLevel *, 4> concerned;
    for (; !events.empty() && events.top().first == now; events.pop()) {
      size_t chunk = events.top().second;
      exactly = leaves[chunk];
      concerned.push_back(stays[at[chunk]].level);
      levels[concerned.back()].isBusy = false;
      ++at[chunk];
      wait(chunk);
      if (at[chunk] < stays.size())
        concerned.push_back(stays[at[chunk]].level);
    }
    for (const NetworkLevel *level : concerned)
      serve(level);
  }
  return exactly;
}

Uncertain network::chunkedTime(llvm::ArrayRef<CollectiveStep> steps, bool overlap,
                               const Chunking &chunking) {
  std::vector<Stay> stays;
  for (const CollectiveStep &step : steps) {
    if (overlap && !stays.empty())
      stays.back().seconds = max(stays.back().seconds, step.latency);
    else if (!stays.empty() && stays.back().level == step.level)
      stays.back().seconds += step.latency;
    else
      stays.push_back({step.level, step.latency});
  }
  if (stays.size() <= 1) // one after the other
    return stays.empty() ? Uncertain(0)
                         : stays.front().seconds * Uncertain(static_cast<double>(chunking.count));
  return FlowShop(std::move(stays), chunking).run();
}
