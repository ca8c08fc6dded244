// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What counts of a nest cost, as plain numbers taken from a chip once: energies per word, rates per
// cycle. The formulas are those of NestCost (docs/cost-model.md); here they are arranged so that a
// mapping is weighed without looking at the IR.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_COSTWEIGHTS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_COSTWEIGHTS_H

#include "backends/loopnest/NestCost.h"

namespace perfc {
namespace loopnest {

/// A rate of work: exact per cycle of the chip's clock, or only per second.
struct Rate {
  bool given = false;
  /// Units per cycle as a fraction; 0 / 1 when only `perSecond` is known.
  int64_t numerator = 0;
  int64_t denominator = 1;
  double perSecond = 0;

  bool isExact() const { return numerator > 0; }
};

/// `rate` units per second on a chip with `clock` (or none).
Rate makeRate(const Quantity &rate, const llvm::Optional<Quantity> &clock);

struct MemoryWeights {
  llvm::Optional<int64_t> capacityBits;
  llvm::SmallVector<double, 4> read;             ///< J per word that leaves the cells, by tensor
  llvm::SmallVector<double, 4> write;            ///< J per word that enters them
  llvm::SmallVector<double, 4> update;           ///< J per partial sum that arrives
  Rate bandwidth, readBandwidth, writeBandwidth; ///< bits
  /// J that a finished word of the result costs less than a partial sum, which `read` and `update`
  /// are for: one that is read, and one that arrives.
  double sparedRead = 0, sparedUpdate = 0;
  /// It says how it is buffered: its first tiles come in before compute begins, and the last one of
  /// the result leaves after its end.
  bool isBuffered = false;
};

/// The networks of one array.
struct ArrayWeights {
  llvm::SmallVector<double, 4> word; ///< J per word that crosses, by tensor
  llvm::SmallVector<double, 4> hop;  ///< J per link that a word takes
  llvm::SmallVector<double, 4> copy; ///< J per delivery beyond one per read, or per sum on the way
  struct Network {
    Rate bandwidth;
    llvm::SmallVector<unsigned, 4> tensors;
  };
  std::vector<Network> networks; ///< those with a bandwidth
  bool hasHops() const {
    return llvm::any_of(hop, [](double energy) { return energy != 0; });
  }
};

struct CostWeights {
  std::vector<MemoryWeights> memories; ///< in the order of the nest's memories
  std::vector<ArrayWeights> arrays;
  Rate compute;                     ///< steps
  double clock = 0;                 ///< Hz; 0 without
  double launch = 0;                ///< s, besides the slowest resource
  double leak = 0;                  ///< W, of everything on the chip
  double pointEnergy = 0;           ///< J of a point that is executed
  double constantEnergy = 0;        ///< J, of all points and of fused operands
  double spared = 0;                ///< J that finished words can cost less, at most (see above)
  int64_t extraBits = 0;            ///< read from the outermost memory besides
  std::vector<std::string> missing; ///< whose energies are not given
};

/// Why the search cannot weigh nests on this chip; "" when it can.
std::string notWeighed(const AdaptedNest &nest);

/// The weights of `nest` on its chip; `rate` is that of the unit that executes the points.
CostWeights makeWeights(const AdaptedNest &nest, const UnitRate &rate, const Chip &chip,
                        const llvm::Optional<Quantity> &clock, int64_t extraBytes);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_COSTWEIGHTS_H
