// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Energy and latency of a mapping with perfect factors, from its factors and orders alone. With
// perfect factors a tensor whose ranks are single dimensions moves, per crossing,
//     |T| * product of the loops of other dimensions outside the level, without those in time that
//           no loop of the tensor stands inside (what they would bring again is still there)
//         * lanes along dimensions that the tensor lacks, where no message serves them together,
// which is the closed form of ../analysis in one product; sliding windows add their sums
// (WindowSums). Hops are sums over the positions of lanes. The numbers are those of `analyse` and
// NestCost.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGEVALUATOR_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGEVALUATOR_H

#include "backends/loopnest/search/CostWeights.h"
#include "backends/loopnest/search/WindowSums.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {
namespace loopnest {

/// Words that enter a level from its parent, per kind of network.
struct CrossingFlow {
  int64_t shared = 0, separate = 0, declared = 0;
};

/// J per word of one crossing.
struct CrossingCost {
  double declared = 0, separate = 0, shared = 0;
  double copy = 0; ///< per word that is not sent, but delivered
  bool atLanes = false;
  bool readsBack = false; ///< takes links for all that enters but the first time
};

struct Score {
  double energy = 0;  ///< J
  double latency = 0; ///< s, or cycles where the chip has no clock
  bool operator==(const Score &other) const {
    return energy == other.energy && latency == other.latency;
  }
};

/// Evaluates mappings of one mapspace; remembers sums, so one per thread.
class MappingEvaluator {
public:
  MappingEvaluator(const MapSpace &space, const CostWeights &weights);

  /// The cost of a mapping, whatever the capacities are.
  Score evaluate(const Mapping &mapping) { return evaluate(mapping, space.slots.size()); }
  /// A lower bound on the costs of all mappings that begin with the first `decided` slots of
  /// `mapping` (the others have factors 1): all that is left is taken as done inside every level
  /// further in, on all lanes that there are. A loop moved inward adds to no flow.
  Score evaluate(const Mapping &mapping, unsigned decided);
  /// Bits that the memory needs for its tile, which is what the loops outside it leave.
  int64_t tileBits(const Mapping &mapping, unsigned memory) const;
  bool fits(const Mapping &mapping) const;
  int64_t evaluations() const { return count; }

  /// J of one crossing, whose loops are all in the first `decided` slots.
  double crossingEnergy(const Mapping &mapping, const Crossing &crossing, const CrossingCost &cost,
                        unsigned decided);
  /// The same without what links take; sets `separate` to the words with lanes told apart.
  double energyWithoutHops(const Mapping &mapping, const Crossing &crossing,
                           const CrossingCost &cost, double &separate);
  /// Appends the bits that crossings in the first `decided` slots bring to each memory and take
  /// from it, up to constants. There are no lanes there.
  void movedOutside(const Mapping &mapping, unsigned decided, llvm::SmallVectorImpl<double> &bits);

  // Parts, for tests.
  CrossingFlow flowOf(const Mapping &mapping, const Crossing &crossing);
  /// Links that the words of a crossing take in one array, over the declared network.
  double hopsOf(const Mapping &mapping, const Crossing &crossing, unsigned array,
                const CrossingFlow &flow, int64_t readBack);

  const MapSpace &mapSpace() const { return space; }
  const CostWeights &costWeights() const { return weights; }

private:
  /// Loops in time outside a crossing's level, as one tensor sees them.
  struct Outside {
    int64_t others = 1;  ///< product of loops of dimensions that the tensor lacks
    int64_t counted = 1; ///< of those that something of the tensor stands inside
  };
  /// Epochs of a crossing that begin in the same way, as its windows see them.
  struct WindowEvent {
    enum Kind : uint8_t {
      All,    ///< something of the tensor besides windows changes, too: nothing is kept
      Others, ///< a loop of a dimension that the tensor lacks advances
      Slide,  ///< a loop of `window` advances
      Every   ///< any step of the lanes
    };
    Kind kind;
    int8_t window = -1;
    Carry carry = Carry::None;
    unsigned loop = 0; ///< number among the loops in time
    int64_t times = 1; ///< settings of the loops in time that the tensor lacks
    std::array<std::array<uint8_t, 2>, 4> prefix{}; ///< by window: slots whose loops are free
    std::array<uint8_t, 4> inside{};                ///< by window: loops that start again
  };
  using WindowEvents = llvm::SmallVector<WindowEvent, 8>;
  void windowEvents(const Mapping &mapping, const Crossing &crossing, WindowEvents &events) const;
  int64_t windowFlow(const Mapping &mapping, const Crossing &crossing, const WindowEvents &events,
                     uint32_t joint);
  double windowHops(const Mapping &mapping, const Crossing &crossing, unsigned array);
  double eventHops(const Mapping &mapping, const Crossing &crossing, unsigned array,
                   const WindowEvent &event) const;
  std::string hopKey(const Mapping &mapping, const Crossing &crossing, unsigned array) const;
  int64_t idleLanes(const Mapping &mapping, const Crossing &crossing, uint32_t without) const;
  uint32_t sharing(const Crossing &crossing) const;
  uint32_t axesOf(const Crossing &crossing) const;
  void addTimes(const Mapping &mapping, unsigned decided);
  void later(const Rate &rate, double amount, double instances);

  double memoryEnergy();

  /// Words of a tensor in and out of a memory.
  struct Moved {
    int64_t read = 0, filled = 0, updated = 0;
  };
  struct Totals {
    std::vector<llvm::SmallVector<Moved, 4>> moved;          ///< by memory and tensor
    std::vector<int64_t> readBits, writeBits;                ///< by memory
    std::vector<llvm::SmallVector<int64_t, 4>> crossingBits; ///< by array and tensor
  };

  const MapSpace &space;
  const CostWeights &weights;
  std::vector<std::vector<WindowSums>> windows; ///< by tensor
  std::vector<unsigned> arrayBegin, arrayEnd;   ///< slots
  llvm::StringMap<double> hopsOfEvent;          ///< per setting of what the event does not fix
  Totals totals;
  double slowest = 0; ///< approximate, in cycles or seconds
  double slowestExact = 0;
  int64_t count = 0;
  unsigned decidedSlots = ~0u; ///< of the mapping being evaluated
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGEVALUATOR_H
