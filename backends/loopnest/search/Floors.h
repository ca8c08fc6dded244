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

class Floors {
public:
  /// Most axes of the last array.
  static constexpr unsigned maxAxes = 3;

  /// Nothing when the space is too large for tables, or when time was over.
  static std::unique_ptr<Floors> make(const MapSpace &space, const CostWeights &weights,
                                      const SlotRules &rules, llvm::function_ref<bool()> isOver);
  /// Fills the tables, leaving out what `known` excludes; false when time was over.
  bool fill(const Incumbents &known, llvm::function_ref<bool()> isOver);

  /// By class of lanes: a lower bound of the energy of what is not decided, and of the latency.
  struct Bucket {
    double latency = 0;
    double most = 0; ///< energy from which on it is excluded
  };
  llvm::ArrayRef<Bucket> buckets() const { return classes; }
  /// J by bucket for all that ends inside `boundary` (at most arrayBegin), whatever is outside.
  llvm::ArrayRef<double> at(unsigned boundary, size_t outside) const {
    return {&suffix[boundary][outside * classes.size()], classes.size()};
  }
  /// The same at arrayBegin when the innermost loop in time outside is one of `dim`; the number of
  /// dimensions for none.
  llvm::ArrayRef<double> atArray(size_t outside, unsigned dim) const {
    return {&table[(outside * (space.dims() + 1) + dim) * classes.size()], classes.size()};
  }
  /// Points that are worth a look, at a boundary up to arrayBegin.
  llvm::ArrayRef<uint32_t> points(unsigned boundary) const { return lists[boundary]; }
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
  /// J of what ends outside the array but inside `boundary`, at least.
  double outer(unsigned boundary) const { return outerFloors[boundary]; }

  const TileGrid &tiles() const { return grid; }
  const FlowFloors &flows() const { return floors; }
  const CrossingCosts &crossingCosts() const { return costs; }
  const InnerFloors &inner() const { return innerFloors; }
  unsigned arrayBegin() const { return costs.arrayBegin(); }
  unsigned arrayEnd() const { return costs.arrayEnd(); }
  unsigned bucketOf(size_t choice) const { return bucketsOfChoices[choice]; }

private:
  Floors(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
         llvm::function_ref<bool()> isOver);
  void makeBuckets();
  /// Choices of the same lanes, on whatever axes.
  struct Group {
    llvm::SmallVector<unsigned, 4> dims; ///< that have lanes
    std::vector<unsigned> choices;
    llvm::SmallVector<LaneChoice::Price, 8> prices; ///< the least, by flow of InnerFloors
    double rest = 0;                                ///< the least of what ends at the lanes
  };
  void makeGroups();
  bool canImprove(const Group &group, size_t outside, llvm::ArrayRef<double> least) const;
  void addChoice(size_t outside, size_t number, llvm::ArrayRef<double> least);
  double cheapest(llvm::ArrayRef<InnerFloors::Entry> entries, const Priced &priced, unsigned from,
                  const TileGrid::Point &held, llvm::ArrayRef<double> openFlows) const;
  void makeSuffixes();
  double bestFlow(unsigned tensor, size_t outside, const TileGrid::Point &time,
                  const LaneChoice &choice, unsigned innermost) const;

  const MapSpace &space;
  const CostWeights &weights;
  TileGrid grid;
  FlowFloors floors;
  CrossingCosts costs;
  InnerFloors innerFloors;
  std::vector<Bucket> classes;
  std::vector<uint8_t> bucketsOfChoices;
  std::vector<Group> groups;
  double mostOfAll = 0; ///< of all classes
  std::vector<double> table;
  std::vector<std::vector<double>> suffix;
  std::vector<std::vector<uint32_t>> lists;
  std::vector<double> outerFloors; ///< by boundary
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_FLOORS_H
