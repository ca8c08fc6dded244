// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collectives of the native network level, by the names of their operations. The size S of one
// is that of nccl-tests: the larger buffer of one rank.
#ifndef PERFC_BACKENDS_NETWORK_COLLECTIVEKIND_H
#define PERFC_BACKENDS_NETWORK_COLLECTIVEKIND_H

#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace perfc {
namespace network {

enum class CollectiveKind : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  AllToAllV,
  Broadcast,
  Reduce,
  Barrier,
  Send
};

/// The kind of `collective.all_reduce` and so on; nothing for other operations.
llvm::Optional<CollectiveKind> collectiveKind(llvm::StringRef opName);
/// The kind of `all_reduce` and so on; nothing for other words.
llvm::Optional<CollectiveKind> collectiveKindNamed(llvm::StringRef word);
/// "all_reduce".
llvm::StringRef nameOf(CollectiveKind kind);

/// Bytes that each rank must send at least, as a share of the buffer: bus bandwidth = factor * S /
/// t (nccl-tests, doc/PERFORMANCE.md).
double busFactor(CollectiveKind kind, int64_t ranks);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_COLLECTIVEKIND_H
