// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closed forms of the algorithms of std.networks, for systems on which their schedules would be too
// long to write out. With n ranks, x = S/(nB) and a on one level (Thakur et al. 2005; Patarasuk,
// Yuan 2009; Sanders et al. 2009):
//     ring                   2 (n-1) (a + x), its halves n - 1 steps; over several levels a ring
//                            of unlike links (below)
//     bidirectional_ring     the same, around a ring
//     direct                 a + (n-1) x, an all_reduce twice that
//     chain in p pieces      (n-1) a + (n+p-2) S/(pB)
//     binomial_tree          T(n) = max(a + S/B + T(n - 2^(l-1)), S/B + (l-1) (a + S/B)), l =
//                            ceil(log2 n), which is l (a + S/B) for powers of two; towards the root
//                            the children of a rank may also meet on its link
//     halving, doubling      a power of two of ranks: what one rank does (FoldedForms.h); of
//                            halving_doubling with n = p + r, p a power of two, at least
//                            2 log2 p (a + x) and a + 2 (p-1) x, x = S/(pB), and 2 (a + x) more or
//                            a + x + S/B
//     double_binary_tree     in p pieces each, l = ceil(log2 n): at least
//                            2 l a + (2 l + p - 2) S/(pB) and a + 2 S/B
//     hierarchical           what one rank does; for more ranks than are followed at least the
//                            way of a chunk through the rings of both levels, in nodes behind the
//                            other chunks, and what the links carry
// Those without "at most" or "at least" are what the schedules come to, message by message. In a
// ring of unlike links the first message leaves at once, and each of its K steps waits for the one
// before on its own link (x) and on the link before (a + x): the longest such path counts.
#ifndef PERFC_BACKENDS_NETWORK_NAMEDFORMS_H
#define PERFC_BACKENDS_NETWORK_NAMEDFORMS_H

#include "backends/network/NetworkLevels.h"

namespace perfc {
namespace network {

/// An algorithm by its name, with the number that its declaration may have besides the ranks:
/// "double_binary_tree(8)".
struct NamedAlgorithm {
  std::string name;
  int64_t number = 8;

  static NamedAlgorithm parse(llvm::StringRef text);
};

struct NamedTime {
  double seconds = 0;
  std::vector<double> sentBytes; ///< of a mean rank, by level
  /// "" for what a simulation comes to, else "at most" or "at least".
  std::string bound;
};

/// What `algorithm` takes for `kind` of `bytes` over `levels`; nothing where it has no form there.
llvm::Optional<NamedTime> namedTime(const NamedAlgorithm &algorithm, CollectiveKind kind,
                                    llvm::ArrayRef<NetworkLevel> levels, double bytes);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_NAMEDFORMS_H
