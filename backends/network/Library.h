// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a communication library takes for a collective: of its protocols that may run, the fastest
// (as its tuner would choose). A protocol of a pattern with s steps that sends the share T of the S
// bytes of a buffer, n ranks, takes
//     start + s latency + (T S + s exposed min(S / n, window)) / bandwidth + C S / copy
// A step of a ring cannot begin before a share of the previous step's window has arrived; C S is
// what a rank moves within itself. Patterns are NCCL's (S. Jeaugey, NCCL 2.x; Hu et al.,
// "Demystifying NCCL", 2025): protocols LL and LL128 trade bandwidth for short steps, Simple the
// reverse. docs/cost-model.md lists s, T and C. The whole is multiplied by what measurements say of
// the model, a ratio whose interval is the error of the parameters (tools/fit/intervals.perf).
#ifndef PERFC_BACKENDS_NETWORK_LIBRARY_H
#define PERFC_BACKENDS_NETWORK_LIBRARY_H

#include "backends/network/CollectiveKind.h"
#include "ir/common/Source.h"
#include "ir/common/Uncertain.h"
#include "ir/target/TargetOps.h"
#include <string>
#include <vector>

namespace perfc {
namespace network {

enum class Pattern : uint8_t { Ring, Tree, InNetwork, OneShot, TwoShot, Direct };

/// One way in which a library moves data; times in s, rates in B/s of one rank.
struct Protocol {
  std::string name;
  Pattern pattern = Pattern::Ring;
  std::vector<std::string> serves; ///< empty: all that the pattern can do
  Uncertain start;
  llvm::Optional<Uncertain> latency, bandwidth, pair, copy;
  llvm::Optional<Uncertain> channels; ///< what all of them move together
  Uncertain exposed;
  double window = 0;
  double upTo = 0; ///< 0: any size
  double least = 0;
  int64_t leastRanks = 2, mostRanks = INT64_MAX;
  int64_t groups = 1; ///< of the library's network, at least
  /// Of networks between these groups that do not have the library: the least time of a step, and
  /// the share of their bandwidth that is reached.
  Uncertain outerLatency = 0, outerShare = 1;
  SourceRange location;

  /// True when it runs a collective of `kind` on `bytes` of `ranks` ranks.
  bool runs(CollectiveKind kind, int64_t ranks, double bytes) const;
};

/// A library on one network.
struct Library {
  std::string name;
  Uncertain launch, host;
  llvm::Optional<Uncertain> clone;
  /// Measured times over those of the model: large from 1 MiB on, small below.
  Uncertain measuredLarge = 1, measuredSmall = 1;
  std::vector<Protocol> protocols;
  SourceRange location;

  /// The ratio that counts for a buffer of `bytes`.
  const Uncertain &measured(double bytes) const {
    return bytes < 1 << 20 ? measuredSmall : measuredLarge;
  }
};

/// The library of std.networks that runs without parameters as well: systems of several levels run
/// their default pattern, as NCCL sends over the adapters of all chips of a node.
inline constexpr llvm::StringLiteral ncclLibrary = "nccl";

/// The library that a target.library describes.
Library readLibrary(target::LibraryOp op);

struct NetworkLevel;

/// What a collective takes, and where.
struct LibraryTime {
  const Protocol *protocol = nullptr;
  Uncertain launch, start, steps, transfer, copies, host;
  /// Bytes that one rank sends, by level.
  std::vector<double> sentBytes;
  size_t slowest = 0; ///< the level whose steps and bytes take longest
  Uncertain total() const { return launch + start + steps + transfer + copies + host; }
  void scale(const Uncertain &factor) {
    for (Uncertain *part : {&launch, &start, &steps, &transfer, &copies, &host})
      *part = *part * factor;
  }
};

/// The time of `kind` on `bytes` over `levels` (at least one, the innermost of which has
/// `library`). Nothing when no protocol serves it.
llvm::Optional<LibraryTime> libraryTime(const Library &library, CollectiveKind kind,
                                        llvm::ArrayRef<NetworkLevel> levels, double bytes);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_LIBRARY_H
