// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/FoldedForms.h"

#include "backends/network/FabricSimulation.h"
#include "backends/network/Schedule.h"
#include <limits>

using namespace perfc;
using namespace perfc::network;

static constexpr int64_t mostFoldedRanks = 1 << 18; ///< about a second

namespace {
/// The messages of a rank, to whom ever, in the order of the text.
class OneRank {
public:
  explicit OneRank(double part) : part(part) {}

  /// A chunk that the sender counts as `from` and the receiver as `to`, over link `lane`; `way`
  /// tells apart whom it goes to.
  void send(uint32_t from, uint32_t to, uint32_t lane, uint32_t way, bool isReduction) {
    order.add(messages, {0, 1, part, 0, 0, Message::none, lane}, from, to, way, !isReduction);
  }

  /// s until all have arrived, through a switch of each of `levels`.
  llvm::Optional<double> seconds(llvm::ArrayRef<const NetworkLevel *> levels) const {
    std::vector<FabricLink> links;
    for (const NetworkLevel *level : levels) {
      double bandwidth =
          level->bandwidth ? level->bandwidth->central() : std::numeric_limits<double>::infinity();
      links.push_back({0, 1, 0, bandwidth, level->latency.central(), false}); // into the switch
      links.push_back({0, 1, 0, bandwidth, 0, false});                        // and out of it
    }
    uint32_t route[2];
    auto result = simulateOnLinks(links, messages, [&](const Message &message) {
      route[0] = 2 * message.lane;
      route[1] = 2 * message.lane + 1;
      return llvm::Optional<llvm::ArrayRef<uint32_t>>(route);
    });
    return result ? llvm::Optional<double>(result->seconds) : llvm::None;
  }

private:
  double part; ///< bytes of a chunk
  Messages messages;
  SendOrder order;
};
} // namespace

llvm::Optional<double> network::foldedHalving(const NetworkLevel &level, int64_t ranks, bool halves,
                                              bool doubles, double bytes) {
  if (ranks > mostFoldedRanks)
    return llvm::None;
  OneRank rank(bytes / static_cast<double>(ranks));
  auto n = static_cast<uint32_t>(ranks);
  for (uint32_t d = n / 2; halves && d >= 1; d /= 2)
    for (uint32_t k = d; k-- > 0;)
      rank.send(k ^ d, k, 0, d, /*isReduction=*/true);
  for (uint32_t d = 1; doubles && d < n; d *= 2)
    for (uint32_t k = 0; k < d; ++k)
      rank.send(k, k ^ d, 0, d, /*isReduction=*/false);
  return rank.seconds(&level);
}

llvm::Optional<double> network::foldedNodes(const NetworkLevel &inner, const NetworkLevel &outer,
                                            int64_t m, int64_t nodes, bool scatters, bool gathers,
                                            double bytes) {
  if (m * nodes > mostFoldedRanks)
    return llvm::None;
  OneRank rank(bytes / static_cast<double>(m * nodes));
  bool isOne = &inner == &outer;
  // Chunk (a, b) is part a of a node's ranks and piece b of all nodes, counted from the rank's own.
  auto chunk = [&](int64_t a, int64_t b) {
    return static_cast<uint32_t>(((a % m + m) % m) * nodes + (b % nodes + nodes) % nodes);
  };
  auto inside = [&](int64_t a, int64_t b, bool adds) {
    for (int64_t s = 0; s + 1 < m; ++s)
      for (int64_t k = 0; k < nodes; ++k)
        rank.send(chunk(a - s, b - k), chunk(a - s - 1, b - k), 0, 0, adds);
  };
  auto between = [&](int64_t a, int64_t b, bool adds) {
    for (int64_t s = 0; s + 1 < nodes; ++s)
      rank.send(chunk(a, b - s), chunk(a, b - s - 1), isOne ? 0 : 1, 1, adds);
  };
  bool isBoth = scatters && gathers; // then a rank ends up with the next one's part
  if (scatters) {
    inside(isBoth ? 0 : -1, isBoth ? 0 : -1, true);
    between(isBoth, isBoth ? 0 : -1, true);
  }
  if (gathers) {
    between(isBoth, isBoth, false);
    inside(isBoth, isBoth, false);
  }
  if (isOne)
    return rank.seconds(&inner);
  return rank.seconds({&inner, &outer});
}
