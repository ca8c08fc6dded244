// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and copies inside the network (NVLS on NVLink switches, SHARP on InfiniBand; Graham et
// al., COMHPC 2016; Klenk et al., ISCA 2020). A switch adds what its n members send, and sends one
// result to one or to all of them, so that nobody passes on what others sent:
//     reduce_scatter, all_gather   a + S/B: n - 1 parts one way, one part the other way
//     all_reduce                   a + (p+1)/p S/B in p pieces, each added and copied as it comes
//     broadcast, reduce            the same
//     barrier                      a
// Levels whose switches cannot do it, or that are wired chip to chip, run their own pattern.
#ifndef PERFC_BACKENDS_NETWORK_INNETWORK_H
#define PERFC_BACKENDS_NETWORK_INNETWORK_H

#include "backends/network/NetworkLevels.h"

namespace perfc {
namespace network {

/// The name of the algorithm, as operations have it.
inline constexpr llvm::StringLiteral inNetwork = "in_network";

/// Pieces of a buffer that follow each other through a switch.
inline constexpr uint32_t hubPieces = 64;

/// `levels` with those in the network whose switches do what `kind` needs. Nothing, with a
/// `reason`, when there are none.
llvm::Optional<std::vector<NetworkLevel>>
levelsInNetwork(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels, std::string &reason);

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_INNETWORK_H
