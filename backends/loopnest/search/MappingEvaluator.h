// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Energy and latency of a mapping with perfect factors, from its factors and orders alone. With
// perfect factors a tensor whose ranks are single dimensions moves, per crossing,
//     |T| * product of the loops of other dimensions outside the level, without those in time that
//           no loop of the tensor stands inside (what they would bring again is still there)
//         * lanes along dimensions that the tensor lacks, where no message serves them together,
// which is the closed form of ../analysis in one product; sliding windows add their sums
// (WindowSums). Hops are sums over the positions of lanes. The numbers are those of `analyse` and
// NestCost. The evaluator keeps what it knows about the mapping before: crossings that see nothing
// of what differs are not counted again, so neighbours are cheap, and they cost exactly what they
// would alone.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGEVALUATOR_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGEVALUATOR_H

#include "backends/loopnest/search/CostWeights.h"
#include "backends/loopnest/search/HopSums.h"
#include "backends/loopnest/search/MappingViews.h"
#include "backends/loopnest/search/TileSizes.h"
#include "backends/loopnest/search/WindowSums.h"
#include "backends/loopnest/search/WordMemo.h"
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
  bool linksAsPartial = false; ///< what finished words spare on links is accounted for elsewhere
  bool readsBack = false;      ///< takes links for all that enters but the first time
};

struct Score {
  double energy = 0;  ///< J
  double latency = 0; ///< s, or cycles where the chip has no clock
  bool operator==(const Score &other) const {
    return energy == other.energy && latency == other.latency;
  }
};

/// What moves in a crossing.
struct CrossingWords {
  CrossingFlow flow;
  double hops = 0;     ///< J of the links that words take
  double backHops = 0; ///< J of the links of a partial sum that is read back
};

/// What one tensor adds to the cost of a mapping.
struct TensorCost {
  double energy = 0; ///< J
  /// Bits out of each memory and into it, then those over each network with a bandwidth.
  llvm::SmallVector<int64_t, 12> bits;
  bool known = false;
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
  int64_t tileBits(const Mapping &mapping, unsigned memory) const {
    return tiles.bits(mapping, memory);
  }
  /// The least and the most of any mapping with these factors outside the memory.
  int64_t leastTileBits(const Mapping &mapping, unsigned memory) const {
    return tiles.leastBits(mapping, memory);
  }
  int64_t mostTileBits(const Mapping &mapping, unsigned memory) const {
    return tiles.mostBits(mapping, memory);
  }
  /// Whether partial sums have a size of their own: what fits depends on all loops then.
  bool tellsPartial() const { return partial; }
  bool fits(const Mapping &mapping) const { return fits(mapping, 0, space.slots.size()); }
  /// The same of the memories at slots up to `high` and, unless that is 0, further in than `low`:
  /// those whose tiles change when a loop moves from one of these slots to the other.
  bool fits(const Mapping &mapping, unsigned low, unsigned high) const;
  /// Complete mappings that were evaluated, and partial ones that were bounded.
  int64_t evaluations() const { return count; }
  int64_t bounds() const { return boundCount; }

  /// J of one crossing, whose loops are all in the first `decided` slots.
  double crossingEnergy(const Mapping &mapping, const Crossing &crossing, const CrossingCost &cost,
                        unsigned decided);
  /// The same without what links take, at least, when axes among these slots that have no loops may
  /// still get some; `least` where that is not known to add to it.
  double energyBeforeLanes(const Mapping &mapping, const Crossing &crossing,
                           const CrossingCost &cost, unsigned decided, double least);
  /// The same without what links take; sets `separate` to the words with lanes told apart.
  double energyWithoutHops(const Mapping &mapping, const Crossing &crossing,
                           const CrossingCost &cost, double &separate);
  /// Appends the bits that crossings in the first `decided` slots bring to each memory and take
  /// from it, up to constants. There are no lanes there.
  void movedOutside(const Mapping &mapping, unsigned decided, llvm::SmallVectorImpl<double> &bits);

  CrossingFlow flowOf(const Mapping &mapping, const Crossing &crossing);

  // Parts, for walks that put mappings together from them (OrderTables.h).
  /// Looks at a complete mapping, which differs from the one before in `slots` at most; what
  /// follows is about it.
  const MappingViews &moveTo(const Mapping &mapping, uint32_t slots = ~uint32_t(0)) {
    moveTo(mapping, static_cast<unsigned>(space.slots.size()), slots);
    return views;
  }
  const CrossingWords &wordsOf(unsigned crossing) { return hops(crossing).words; }
  /// How many numbers of bits a mapping has.
  size_t bitNumbers() const { return bits.size(); }
  /// Adds what a crossing costs, outer ones of the tensor first, to J and to the `bitNumbers` from
  /// `moved` on. `fromZero` are the partial sums that start from zero further out; `plainSize` of
  /// the result for the outermost.
  void addCrossing(unsigned crossing, const CrossingWords &words, int64_t &fromZero, double &energy,
                   int64_t *moved) const;
  /// Numbers of the crossings of a tensor: those from the first up to the second.
  std::pair<unsigned, unsigned> crossingsOf(unsigned tensor) const {
    return {firstCrossing[tensor], firstCrossing[tensor + 1]};
  }
  /// The cost of a mapping with the same factors, from what its tensors cost together.
  Score scoreOf(double energy, const int64_t *allBits) const;
  void addEvaluations(int64_t number) { count += number; }

  const MapSpace &mapSpace() const { return space; }
  const CostWeights &costWeights() const { return weights; }

private:
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

  /// What is known about one crossing of the mapping at hand.
  struct State {
    uint32_t outside = 0; ///< slots outside the level
    uint32_t axes = 0;    ///< axes between the parent and the level
    uint32_t sharing = 0; ///< those of them where one message serves all lanes
    unsigned arrayEnd = 0;
    bool atLanes = false, hasHops = false;
    DimMask uneven = 0;              ///< dimensions of windows and those with padding
    int64_t bits = 0, levelBits = 0; ///< of a word as the parent and the level move it
    double wider = 1;                ///< how much more the parent's are than those of the tensor
    bool flowKnown = false, hopsKnown = false;
    CrossingWords words;
    WindowEvents events; ///< of tensors with windows, as old as the flow
  };

  void addState(const Crossing &crossing);
  void moveTo(const Mapping &mapping, unsigned decided, uint32_t slots);
  const CrossingFlow &flow(unsigned crossing);
  CrossingFlow plainFlow(const Crossing &crossing, const State &state) const;
  CrossingFlow windowedFlow(const Crossing &crossing, State &state);
  int64_t declaredLanes(const Crossing &crossing, const State &state) const;
  struct TimeLoops;
  void windowEvents(const Crossing &crossing, bool atLanes, WindowEvents &events) const;
  int64_t windowFlow(const Crossing &crossing, const WindowEvents &events, uint32_t joint);
  double weighed(unsigned crossing, const CrossingCost &cost, double &separate);
  int64_t finishedAt(unsigned memory, unsigned end) const;
  double linkShare(unsigned crossing, int64_t words) const;
  unsigned numberOf(const Crossing &crossing) const {
    return static_cast<unsigned>(&crossing - space.crossings.data());
  }

  // Links (EvaluatorHops.cpp)
  const State &hops(unsigned crossing);
  void addHops(unsigned crossing, unsigned array);
  double windowHops(unsigned crossing, unsigned array);
  double eventHops(const Crossing &crossing, unsigned array, const WindowEvent &event) const;
  int64_t coveredHops(const Crossing &crossing, const WindowEvent &event);
  void hopKey(const Crossing &crossing, const State &state, unsigned array,
              llvm::SmallVectorImpl<uint64_t> &key);

  // Times (EvaluatorTimes.cpp)
  /// Something that takes time for the bits that it moves.
  struct Resource {
    const Rate *rate;
    unsigned first; ///< into the bits of a mapping
    int second;     ///< added to it; -1 for none
    unsigned slot;  ///< one instance for all lanes of the slots before
    bool exact;     ///< whole cycles are known
  };
  void listResources();
  void addResource(const Rate &rate, unsigned first, int second, unsigned slot);
  void countInstances(unsigned decided);

  const TensorCost &tensorCost(unsigned tensor);

  const MapSpace &space;
  const CostWeights &weights;
  TileSizes tiles;
  MappingViews views;
  std::vector<State> states;                    ///< by crossing
  std::vector<std::vector<WindowSums>> windows; ///< by tensor
  std::vector<unsigned> firstCrossing;          ///< by tensor, and the end
  std::vector<unsigned> arrayBegin, arrayEnd;   ///< slots
  uint32_t axisSlots = 0;
  HopSums hopSums;
  WordMemo hopsOfEvent;                               ///< per setting of what is not fixed
  std::vector<llvm::StringMap<uint64_t>> loopNumbers; ///< by slot: of loops outside or on axes
  std::vector<TensorCost> costs;                      ///< by tensor
  std::vector<int64_t> bits;                          ///< of all tensors
  std::vector<unsigned> firstNetwork;                 ///< by array: where its bits are
  std::vector<Resource> resources;
  std::vector<int64_t> instances; ///< by resource
  std::vector<double> perBit;     ///< by resource: cycles, or seconds where they are not exact
  /// Of the steps, one after the other: cycles where these are exact, seconds elsewhere.
  double computeCycles = 0, computeSeconds = 0;
  int64_t count = 0, boundCount = 0;
  bool partial;
  unsigned decidedSlots = ~0u; ///< of the mapping being evaluated
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGEVALUATOR_H
