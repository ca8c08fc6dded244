// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ASTRA-sim's analytical model knows of a cluster: network dimensions, the system's collective
// algorithms and delays, communicator groups, remote memory. Times are whole nanoseconds; a network
// bandwidth of b GB/s moves b 2^30 / 10^9 bytes per ns; every duration is truncated once.
#ifndef PERFC_BACKENDS_NETWORK_ASTRA_CLUSTER_H
#define PERFC_BACKENDS_NETWORK_ASTRA_CLUSTER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace perfc::astra {

enum class Topology : uint8_t { Ring, Switch, FullyConnected };

/// One network dimension.
struct Dimension {
  Topology topology = Topology::Ring;
  uint32_t npus = 2;
  double bandwidth = 1; ///< GB/s per link
  double latency = 0;   ///< ns per link

  double bytesPerNs() const { return bandwidth * (1 << 30) / 1e9; }
  /// Links between two places of the dimension.
  uint32_t hops(uint32_t from, uint32_t to) const;
  /// Time of a message that shares nothing: floor(hops latency + size / bandwidth).
  int64_t messageTime(uint32_t hops, int64_t size) const {
    return static_cast<int64_t>(hops * latency + static_cast<double>(size) / bytesPerNs());
  }
  /// Time for which a message occupies a link.
  int64_t serialisation(int64_t size) const {
    return static_cast<int64_t>(static_cast<double>(size) / bytesPerNs());
  }
};

using Network = llvm::SmallVector<Dimension, 3>;

/// Ranks of the network: rank = x0 + n0 (x1 + n1 (x2 + ...)).
uint64_t rankCount(const Network &network);

enum class Collective : uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll };
inline constexpr unsigned collectiveCount = 4;

/// The name in tables (`ALL_REDUCE`) and in messages (`all-reduce`).
llvm::StringRef collectiveName(Collective op);
llvm::StringRef collectiveWord(Collective op);

enum class AlgorithmKind : uint8_t { Ring, Direct, HalvingDoubling, DoubleBinaryTree };

/// `ring`, `direct4` (at most 4 messages outstanding), `oneRing` (all ranks as one flat dimension).
struct Algorithm {
  AlgorithmKind kind = AlgorithmKind::Ring;
  uint32_t window = 0; ///< of direct; 0 for no bound
  bool flat = false;

  bool operator==(const Algorithm &other) const {
    return kind == other.kind && window == other.window && flat == other.flat;
  }
};

/// False when there is no such algorithm.
bool parseAlgorithm(llvm::StringRef name, Algorithm &algorithm);
std::string algorithmName(const Algorithm &algorithm);

inline constexpr uint32_t mostQueues = 1024; ///< per dimension

/// The keys of a system file that change simulated time.
struct System {
  std::array<llvm::SmallVector<Algorithm, 3>, collectiveCount> algorithms;
  int64_t endpointDelay = 10;   ///< ns
  double localMemBandwidth = 0; ///< 10^9 B/s; 0 when not given
  int64_t splits = 1;
  int64_t activeChunks = 1;
  uint32_t queues = 1; ///< per dimension
  bool lifo = true;
  bool localBwAware = false;
  bool roofline = false;
  double peakPerf = 0; ///< 10^12 op/s
  bool replayOnly = false;
  bool rendezvous = false;

  llvm::ArrayRef<Algorithm> algorithmsOf(Collective op) const {
    return algorithms[static_cast<unsigned>(op)];
  }
  /// A reduction reads twice and writes once: three passes over memory, each truncated alike.
  int64_t reductionTime(int64_t size) const {
    return 3 * static_cast<int64_t>(static_cast<double>(size) / (localMemBandwidth * 1e9) * 1e9);
  }
};

/// How `size` bytes are cut: `count` chunks of `bytes`; also the last has the full size.
struct Chunks {
  int64_t bytes = 0;
  int64_t count = 0;
};
Chunks cutIntoChunks(Collective op, int64_t size, uint64_t ranks, const System &system);

/// ns, in every group that is not the world, whatever the system says.
inline constexpr int64_t groupEndpointDelay = 10;

/// Communicator groups by id; the order of ranks is the order of rings.
using Groups = std::map<int64_t, std::vector<uint32_t>>;

enum class MemoryKind : uint8_t { None, PerNpu, PerNode, Pool };

/// Memory beyond the chip: an access takes latency + floor(size / bandwidth).
struct RemoteMemory {
  MemoryKind kind = MemoryKind::None;
  int64_t latency = 0;  ///< ns
  double bandwidth = 1; ///< bytes per ns
  int64_t npusPerNode = 1;
};

} // namespace perfc::astra

#endif // PERFC_BACKENDS_NETWORK_ASTRA_CLUSTER_H
