// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closed forms of collectives on networks in levels. With n ranks, a buffer of S bytes (the larger
// one of a rank, as nccl-tests count), a s per message and B B/s per rank and direction, one level
// takes (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Patarasuk, Yuan, JPDC 69(2), 2009):
//     reduce_scatter, all_gather   ring (n-1) (a + S/(nB));  fully connected a + (n-1)/n S/B
//     all_to_all                   switch (n-1) a + (n-1)/n S/B;  fully connected a + (n-1)/n S/B;
//                                  ring floor(n/2) a + floor(n^2/4)/n S/B
//     broadcast                    the smaller of ceil(log2 n) (a + S/B) and scatter with
//     all_gather,
//                                  (ceil(log2 n) + n-1) a + 2 (n-1)/n S/B
//     reduce                       as broadcast
//     barrier                      ceil(log2 n) a
//     send                         a + S/B
// and over levels of m ranks: all_reduce(S) = reduce_scatter(S) + all_reduce of the levels
// above(S/m)
// + all_gather(S). docs/cost-model.md has the rest.
#ifndef PERFC_BACKENDS_NETWORK_CLOSEDFORMS_H
#define PERFC_BACKENDS_NETWORK_CLOSEDFORMS_H

#include "backends/network/NetworkLevels.h"

namespace perfc {
namespace network {

/// A stretch of a collective on one level.
struct CollectiveStep {
  std::string label; ///< "reduce_scatter over nvswitch"
  const NetworkLevel *level;
  Uncertain latency;
  double sentBytes = 0; ///< by one rank
};

/// What a collective of `bytes` takes, step by step. Steps follow each other, except those of an
/// all_to_all, which use their levels at the same time.
std::vector<CollectiveStep> closedForm(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels,
                                       double bytes);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_CLOSEDFORMS_H
