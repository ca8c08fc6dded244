// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of what a partial mapping can become, from tables over what its loops leave.
// At the last array, for each point outside of it and each dimension whose loop may be the
// innermost one there: the least energy of all that is left, over all lanes and all that memories
// further in can do (InnerFloors); for points further out the least of these over all that is
// inside. A mapping with fewer lanes takes longer, so energies are kept by classes of lane counts.
// What cannot improve on what is known when the tables are made is left out of them.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_FLOORS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_FLOORS_H

#include "backends/loopnest/search/Incumbents.h"
#include "backends/loopnest/search/InnerFloors.h"

namespace perfc {
namespace loopnest {

/// J of what cannot be.
constexpr double infinite = HUGE_VAL;

class Floors {
public:
  /// Most axes of the last array.
  static constexpr unsigned maxAxes = 3;

  /// What a choice of lanes costs, by flow of InnerFloors.
  struct Offer {
    llvm::SmallVector<LaneChoice::Price, 4> prices;
    double rest = 0; ///< J of what ends at the lanes, at least
  };
  /// Choices of the same lanes, on whatever axes.
  struct Group {
    TileGrid::Point lanes;
    size_t index = 0; ///< of that point
    unsigned bucket = 0;
    /// More words cost more: the least of several prices together can be less than nothing.
    bool grows = true;
    std::vector<unsigned> choices;
    std::vector<Offer> offers; ///< those that none is cheaper than in all prices
    Offer least;               ///< of all prices
    LaneChoice cheapest;       ///< with these prices
  };
  /// Nothing when the space is too large for tables, or when time was over.
  static std::unique_ptr<Floors> make(const MapSpace &space, const CostWeights &weights,
                                      const SlotRules &rules, llvm::function_ref<bool()> isOver);
  /// Fills the tables, leaving out what `known` excludes; false when time was over. May be called
  /// again for other goals: what may stand inside the array does not depend on them.
  bool fill(const Incumbents &known, llvm::function_ref<bool()> isOver);

  /// By class of lanes: a lower bound of the energy of what is not decided, and of the latency.
  struct Bucket {
    double latency = 0;
    double most = 0; ///< energy from which on it is excluded
  };
  llvm::ArrayRef<Bucket> buckets() const { return classes; }
  /// J by bucket for all that ends inside `boundary` (at most arrayBegin), whatever is outside;
  /// infinite where nothing has room or improves on what is known.
  llvm::ArrayRef<double> at(unsigned boundary, size_t outside) const {
    return {&suffix[boundary][outside * classes.size()], classes.size()};
  }
  /// The same with what ends at `boundary`.
  llvm::ArrayRef<double> from(unsigned boundary, size_t outside) const {
    return {&ending[boundary][outside * classes.size()], classes.size()};
  }
  /// The memory behind the lanes of an array further out than the last one, as the number of slots
  /// outside of it, when the next slot is an axis of it; 0 else.
  unsigned laneEnd(unsigned boundary) const {
    return across[boundary].empty() ? 0 : laneEnds[boundary];
  }
  /// As `at` there when the innermost loop in time is one of `dim`, without what ends at that
  /// memory.
  llvm::ArrayRef<double> acrossLanes(unsigned boundary, size_t outside, unsigned dim) const {
    size_t rows = across[boundary].size() / (classes.size() * grid.size());
    size_t place = outside * rows + (rows == 1 ? 0 : dim);
    return {&across[boundary][place * classes.size()], classes.size()};
  }
  /// J of a crossing that ends outside of the last array, at least.
  double once(unsigned crossing) const { return onceFloors[crossing]; }
  /// As `at` at arrayBegin, for one bucket, when the innermost loop in time outside is one of
  /// `dim`, the number of dimensions for none; and loops there bring nothing new to a tensor at
  /// most `repeats` times.
  double atArray(size_t outside, unsigned dim, double repeats, unsigned bucket) const {
    return leastAt(place(outside, dim, bucket), repeats);
  }
  /// How often that can be at most, whatever the loops are, and for given ones.
  double mostRepeats(size_t outside, unsigned innermost) const;
  double repeats(const Trails &trails, unsigned innermost) const;
  /// One choice of lanes at one point outside the memories further in.
  struct Priced {
    const LaneChoice *choice;
    const TileGrid::Point *outside;
    double rest = 0; ///< J of what ends at the lanes
  };
  Priced priced(const LaneChoice &choice, const TileGrid::Point &outside) const;
  /// J of what ends in memories from slot `from` on and at the lanes, at the best of what can stand
  /// inside `boundary`, which is arrayEnd or further in; infinite where nothing can.
  double inside(unsigned boundary, unsigned from, size_t outside, const Trails &trails,
                const Priced &priced) const;
  /// The same at the best order of the slot before `boundary`, whose loops are `factor`.
  double insideAtBest(unsigned boundary, size_t outside, const TileGrid::Point &factor,
                      const Trails &before, const Priced &priced) const;
  /// Whether lanes of an array that ends at `boundary`, further out than the last one, are dealt to
  /// its axes in a way that no other is as good as.
  bool isWellDealt(const Mapping &mapping, unsigned boundary) const {
    return llvm::all_of(outerSplits, [&](const LaneSplits &splits) {
      return splits.endSlot() != boundary || splits.contains(mapping);
    });
  }

  const TileGrid &tiles() const { return grid; }
  const FlowFloors &flows() const { return floors; }
  const CrossingCosts &crossingCosts() const { return costs; }
  const InnerFloors &inner() const { return innerFloors; }
  unsigned arrayBegin() const { return costs.arrayBegin(); }
  unsigned arrayEnd() const { return costs.arrayEnd(); }
  /// What the points take with the most lanes that factors leave busy: no mapping is faster.
  double leastLatency() const;
  llvm::ArrayRef<Group> laneGroups() const { return groups; }
  Priced priced(const Group &group, const TileGrid::Point &outside) const {
    return {&group.cheapest, &outside, group.least.rest};
  }
  unsigned bucketOf(size_t choice) const { return bucketsOfChoices[choice]; }

private:
  Floors(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
         llvm::function_ref<bool()> isOver);
  double timeOf(double lanes) const;
  void makeBuckets(const Incumbents &known);
  /// J that are `fixed`, and what repeats divide.
  struct Line {
    double fixed, divided;
    double at(double repeats) const { return fixed + divided / repeats; }
  };
  struct LinkedLine {
    Line line;
    uint32_t next;
  };
  static constexpr uint32_t noLine = ~0u;
  struct Reached;
  Reached reached(size_t outside) const;
  void makeGroups();
  static void addTo(Group &group, const Offer &offer);
  struct Visit;
  void visitPoint(const Reached &at, std::vector<Visit> &visits) const;
  void setEntries(Reached &at) const;
  bool visitGroup(const Reached &at, Visit &visit) const;
  void addOffers(const Reached &at, const Visit &visit);
  void addLines(const Reached &at, const Visit &visit, llvm::ArrayRef<double> settled,
                llvm::ArrayRef<FlowFloors::Brought> open, unsigned idle, size_t place, double most);
  size_t place(size_t outside, unsigned dim, unsigned bucket) const;
  double leastAt(size_t place, double repeats) const;
  void insert(size_t place, const Line &line, double most);
  double cheapest(llvm::ArrayRef<InnerFloors::Entry> entries, const Priced &priced, unsigned from,
                  size_t held, llvm::ArrayRef<double> openFlows) const;
  FlowFloors::Brought everything(unsigned tensor, size_t outside) const;
  // From the array outward (OuterFloors.cpp)
  struct Layer;
  double lanesOn(const Crossing &crossing) const;
  double leastWords(const Crossing &crossing, size_t outside, unsigned innermost) const;
  double endingAt(unsigned boundary, size_t outside, unsigned innermost) const;
  std::vector<double> leastOfRows(const Layer &layer) const;
  void addSlot(Layer &layer, unsigned slot) const;
  void addLanes(Layer &layer, unsigned slot) const;
  void addAcross(Layer layer, unsigned end);
  void makeSuffixes();
  FlowFloors::Brought bestFlow(unsigned tensor, size_t outside, const TileGrid::Point &time,
                               const TileGrid::Point &lanes, unsigned innermost) const;

  const MapSpace space; ///< own ones: tables outlive the search that made them
  const CostWeights weights;
  const SlotRules rules;
  TileGrid grid;
  Symmetry symmetry; ///< of a point and its image the tables hold the one that comes first
  std::vector<uint32_t> images; ///< by point
  FlowFloors floors;
  CrossingCosts costs;
  InnerFloors innerFloors;
  std::vector<LaneSplits> outerSplits; ///< of the arrays further out
  std::vector<Bucket> classes;
  std::vector<uint8_t> bucketsOfChoices;
  std::vector<Group> groups;
  std::vector<uint32_t> heads; ///< by point, dimension and bucket: the first line
  std::vector<LinkedLine> lines;
  std::vector<std::vector<double>> suffix;
  std::vector<std::vector<double>> ending;
  std::vector<std::vector<double>> across; ///< as Layer, where the next slot is an outer axis
  std::vector<unsigned> laneEnds;
  /// By crossing that ends outside the array: J when each word moves once.
  std::vector<double> onceFloors;
  double outerFloor = 0; ///< all of them
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_FLOORS_H
