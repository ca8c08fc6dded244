// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closed forms of collectives on networks in levels. With n ranks, a buffer of S bytes (the larger
// one of a rank, as nccl-tests count), a s per message and B B/s per rank and direction, one level
// takes (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005; Patarasuk, Yuan, JPDC 69(2), 2009):
//     reduce_scatter, all_gather   ring (n-1) (a + S/(nB));  fully connected a + (n-1)/n S/B;
//                                  line (n-1) (a + 2S/(nB))
//     all_to_all                   switch (n-1) a + (n-1)/n S/B;  fully connected a + (n-1)/n S/B;
//                                  ring a + floor(n^2/4)/n S/B
//     broadcast                    switch the smaller of ceil(log2 n) (a + S/B) and scatter with
//                                  all_gather, n a + 2 (n-1)/n S/B
//     reduce                       as broadcast
//     barrier                      ceil(log2 n) a
//     send                         a + S/(width of a link)
// and over levels of m ranks: all_reduce(S) = reduce_scatter(S) + all_reduce of the levels
// above(S/m) + all_gather(S). The d dimensions of a torus or mesh work at the same time, each on
// another one of d shares (Sack, Gropp, "Collective Algorithms for Multiported Torus Networks", ACM
// TOPC 1(2), 2015). docs/cost-model.md has the rest, and Messages.h the same patterns as
// messages.
#ifndef PERFC_BACKENDS_NETWORK_CLOSEDFORMS_H
#define PERFC_BACKENDS_NETWORK_CLOSEDFORMS_H

#include "backends/network/CollectiveSteps.h"
#include "backends/network/PairSizes.h"

namespace perfc {
namespace network {

/// What a collective of `bytes` takes, step by step. Steps follow each other, except those of an
/// all_to_all, which use their levels at the same time. `pairs` are the sizes of an all_to_allv,
/// null for equal ones.
CollectiveSteps closedForm(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels, double bytes,
                           const PairSizes *pairs = nullptr, bool isChunk = false);

/// True when the closed form is what a simulation comes to; else it is what no simulation goes
/// below: an all_to_all over several levels that are wired chip to chip, unequal sizes, and
/// topologies that block.
bool isClosedFormExact(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels,
                       const PairSizes *pairs = nullptr);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_CLOSEDFORMS_H
