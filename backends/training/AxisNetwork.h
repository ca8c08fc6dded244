// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the ranks of an axis of parallelism stand in a system, and what collectives among them
// take. Ranks are numbered with the tensor axis innermost, then context, data, pipeline (Narayanan
// et al., SC 2021, section 3), or with the pipeline behind tensor where it is to stay inside a
// group: an axis of n ranks, s apart, has min(n, M / s) of them in a group of
// M chips and the rest in other groups. The network provider answers for the part of the system
// that is left. In a system of unlike members the slowest of the places in question counts.
#ifndef PERFC_BACKENDS_TRAINING_AXISNETWORK_H
#define PERFC_BACKENDS_TRAINING_AXISNETWORK_H

#include "backends/core/CostProvider.h"
#include "backends/training/LinkFaults.h"
#include "backends/training/SystemPaths.h"
#include "passes/training/Strategy.h"
#include <tuple>

namespace perfc::training {

/// Ranks of one axis: so many, so far apart.
struct AxisPlace {
  int64_t ranks = 1;
  int64_t stride = 1;
  bool operator<(const AxisPlace &other) const {
    return std::make_pair(ranks, stride) < std::make_pair(other.ranks, other.stride);
  }
};

/// The place of "tensor", "context", "expert", "expert_data" (ranks with the same experts), "data"
/// (all ranks that share gradients) or "pipeline".
AxisPlace placeOf(const passes::Strategy &strategy, llvm::StringRef axis);

class AxisNetwork {
public:
  /// `system` is a target.system or a target.chip.
  AxisNetwork(const ir::Operation &system, ProviderSet &providers, DiagnosticEngine &diagnostics);

  /// The cost of `kind` of a buffer of `bytes` (the larger one of a rank) for ranks among the chips
  /// `first` to `first + count - 1`; null after a report. `count` 0 stands for all chips.
  const Cost *cost(llvm::StringRef kind, const AxisPlace &place, double bytes, SourceRange where,
                   int64_t first = 0, int64_t count = 0);
  /// Reads the algorithms that `train` chooses `with`.
  void readAlgorithms(const ir::Operation &train);
  /// The first of these that no collective has run; "" for none.
  llvm::StringRef unusedAlgorithm() const;
  /// Chips in the group or over the network called `name`; 0 when there is none.
  int64_t chipsUnder(llvm::StringRef name);
  int64_t chips() const { return paths.chips(); }
  /// Reads what is slow or broken in the system; false, reported, where a fault leaves no way to
  /// train.
  bool readFaults(SourceRange where);
  bool hasFaults() const { return !linkFaults.empty() || paths.hasSlowChips(); }
  SystemPaths &places() { return paths; }

private:
  /// What faults leave of the bandwidth of each level of a path, for ranks among some chips.
  using Factors = std::vector<double>;
  struct Algorithm {
    std::string name;
    bool isRing = false; ///< of std, which one switch runs as its closed form says
    std::vector<std::string> kinds;
    std::vector<std::string> schedules; ///< copies in `scratch`
    bool isUsed = false;
  };
  void choose(ir::Operation &collective, llvm::StringRef kind, int64_t ranks,
              const ir::Operation &part);
  ir::Operation &systemOf(const AxisPlace &place, unsigned path, const Factors &factors);
  Factors factorsOf(unsigned path, int64_t first, int64_t count) const;

  const ir::Operation &system;
  ProviderSet &providers;
  DiagnosticEngine &diagnostics;
  SystemPaths paths;
  LinkFaults linkFaults;
  ir::Module scratch;
  HashCache hashes;
  std::map<std::tuple<AxisPlace, unsigned, Factors>, std::string> systems;
  std::vector<Algorithm> algorithms;
  ir::Operation *program = nullptr;
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_AXISNETWORK_H
