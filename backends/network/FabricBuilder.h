// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From target.system to links: groups from the inside out, each wired by its topology.
#ifndef PERFC_BACKENDS_NETWORK_FABRICBUILDER_H
#define PERFC_BACKENDS_NETWORK_FABRICBUILDER_H

#include "backends/network/Fabric.h"
#include "backends/network/NetworkLevels.h"
#include "ir/target/TargetOps.h"

namespace perfc {
namespace network {

class FabricBuilder {
public:
  FabricBuilder(const ir::Operation &system, Fabric &fabric, DiagnosticEngine &diagnostics)
      : system(system), fabric(fabric), diagnostics(diagnostics) {}

  /// False after a report.
  bool run();

private:
  using Chips = std::vector<uint32_t>;

  /// The network of a group, in numbers.
  struct Wire {
    std::string topology;
    std::vector<std::pair<std::string, int64_t>> arguments;
    double bandwidth, latency;
    uint32_t level;
    SourceRange location;
    std::vector<double> bandwidths, latencies; ///< by dimension, where these are given
    Quantity oversubscription;                 ///< of a fat tree
    int64_t lanes = 1;                         ///< links of a chip, which share out its bandwidth
    llvm::Optional<int64_t> find(llvm::StringRef name) const;
    std::vector<int64_t> dimensions() const;
  };

  uint32_t node(std::string name);
  void link(uint32_t from, uint32_t to, double bandwidth, double latency, const Wire &wire,
            bool counts = true);
  /// `ways` links of `width` each between two switches, in both directions.
  void trunk(uint32_t a, uint32_t b, double ways, double width, const Wire &wire);
  void both(uint32_t a, uint32_t b, double bandwidth, double latency, const Wire &wire);
  Wire wireOf(const ir::Operation &group, uint32_t level);
  bool group(const ir::Operation &op, Chips &chips);
  /// The chips of what a target.members counts; other parts have none.
  bool members(const ir::Operation &part, std::vector<Chips> &all);
  bool connect(const ir::Operation &op, const Wire &wire, llvm::ArrayRef<Chips> members);
  bool bad(const Wire &wire, const std::string &reason);

  // Through switches: every chip has its own link to them.
  void oneSwitch(const Wire &wire, llvm::ArrayRef<Chips> members);
  bool fatTree(const Wire &wire, llvm::ArrayRef<Chips> members);
  bool tree(const Wire &wire, llvm::ArrayRef<Chips> members);
  bool dragonfly(const Wire &wire, llvm::ArrayRef<Chips> members);
  void bus(const Wire &wire, llvm::ArrayRef<Chips> members);
  void attach(uint32_t chip, uint32_t at, const Wire &wire);

  // From member to member: the i-th chips of all members are wired alike.
  bool ring(const Wire &wire, const Chips &line);
  bool grid(const Wire &wire, const Chips &points, bool wraps);
  bool fullyConnected(const Wire &wire, const Chips &line);
  bool linkList(const ir::Operation &op, const Wire &wire, const Chips &line);

  bool fault(target::FaultOp fault, uint32_t level);
  bool chipFault(target::FaultOp fault);
  llvm::Optional<Chips> nodesOf(llvm::StringRef text, uint32_t level, SourceRange where);

  const ir::Operation &system;
  Fabric &fabric;
  DiagnosticEngine &diagnostics;
  /// Nodes by level and name; groups stand for their chips.
  std::map<std::pair<uint32_t, std::string>, Chips> named;
  std::map<std::string, int64_t> counts;
  uint32_t nextChip = 0;
};

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_FABRICBUILDER_H
