// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/CollectiveKind.h"

using namespace perfc;
using namespace perfc::network;

static constexpr llvm::StringLiteral kindNames[] = {"all_reduce", "all_gather",  "reduce_scatter",
                                                    "all_to_all", "all_to_allv", "broadcast",
                                                    "reduce",     "barrier",     "send"};

llvm::Optional<CollectiveKind> network::collectiveKindNamed(llvm::StringRef word) {
  for (size_t i = 0; i < std::size(kindNames); ++i)
    if (kindNames[i] == word)
      return static_cast<CollectiveKind>(i);
  return llvm::None;
}

llvm::Optional<CollectiveKind> network::collectiveKind(llvm::StringRef opName) {
  return opName.consume_front("collective.") ? collectiveKindNamed(opName) : llvm::None;
}

llvm::StringRef network::nameOf(CollectiveKind kind) {
  return kindNames[static_cast<size_t>(kind)];
}

double network::busFactor(CollectiveKind kind, int64_t ranks) {
  double n = static_cast<double>(ranks);
  switch (kind) {
  case CollectiveKind::AllReduce:
    return 2 * (n - 1) / n;
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllV:
    return (n - 1) / n;
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
  case CollectiveKind::Barrier:
  case CollectiveKind::Send:
    return 1;
  }
  return 1;
}
