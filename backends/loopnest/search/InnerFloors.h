// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the memories inside the last array can do at best, for everything that may be left to them.
// From the inside outward: for each point (what the loops outside take) the sets of flows that none
// beats, over all loops of the memories further in that their capacities admit. A flow is settled
// once a loop of its tensor stands outside its level; one that is not settled yet depends on the
// loops further out. This is the dynamic program over remaining factors and stationarity.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_INNERFLOORS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_INNERFLOORS_H

#include "backends/loopnest/search/CrossingCosts.h"
#include "backends/loopnest/search/Symmetry.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>
#include <memory>

namespace perfc {
namespace loopnest {

class InnerFloors {
public:
  static constexpr unsigned maxFlows = 6;
  static constexpr double open = -1;
  /// By flow (see flows()): words, or open; and for windows the most padding that may be among them
  /// and a point with the size of the tiles.
  struct Entry {
    std::array<double, maxFlows> words, padding;
    std::array<uint32_t, maxFlows> held;
  };

  InnerFloors(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
              const TileGrid &grid, const FlowFloors &floors, const CrossingCosts &costs,
              const Symmetry &symmetry, llvm::function_ref<bool()> isOver);

  /// False when there are more flows than entries hold, or when time was over; the tables are not
  /// complete then.
  bool isValid() const { return valid; }
  /// Whether anything can stand inside the array at a point.
  bool mayFit(size_t outside) const { return tables.size() == 1 || fits.front()[outside]; }
  /// Fills the table inside the array at one point and at its mirror image; before that nothing
  /// stands there.
  void fillPoint(size_t outside);
  /// What is known of a flow at a point before its table is filled.
  struct Outlook {
    double words = HUGE_VAL; ///< where it is settled, at least
    double padding = 0;      ///< among them, at most
    bool mayBeOpen = false;
  };
  Outlook outlook(unsigned flow, size_t outside) const {
    if (tables.size() == 1)
      return {HUGE_VAL, 0, true}; // nothing stands there
    Outlook result = outlooks[flow][outside];
    unsigned t = space.crossings[crossings[flow]].tensor;
    result.words = std::min(result.words, floors.missing(t, outside) * fresh[flow][outside]);
    return result;
  }
  /// The crossings that end in memories inside the last array, in the order of entries.
  llvm::ArrayRef<unsigned> flows() const { return crossings; }
  /// What can stand inside a boundary (the number of slots outside of it), by point; none where
  /// nothing fits. Flows that end further out are open.
  llvm::ArrayRef<Entry> at(unsigned boundary, size_t outside) const {
    return tables[boundary - first][outside];
  }
  /// The points at which something fits.
  llvm::ArrayRef<uint32_t> points(unsigned boundary) const { return lists[boundary - first]; }

private:
  bool admits(unsigned slot, const TileGrid::Point &factor) const;
  void addSlot(unsigned slot, llvm::function_ref<bool()> isOver);
  void mirror(unsigned slot, size_t from, size_t to);
  void addOutlooks();
  using Order = llvm::SmallVector<unsigned, maxDims>;
  /// The orders of a slot, and which of them look alike to each tensor.
  struct Orders {
    std::vector<Order> list;
    std::vector<llvm::SmallVector<unsigned, 4>> views; ///< by order and tensor: the first like it
  };
  Order viewOf(const Order &order, unsigned tensor) const;
  bool isNoWorse(const Order &a, const Order &b, unsigned tensor) const;
  Orders makeOrders(unsigned slot, const TileGrid::Point &factor) const;
  const Orders &ordersOf(unsigned slot, const TileGrid::Point &factor);
  void addEntries(unsigned slot, size_t inside, const TileGrid::Point &factor,
                  std::vector<Entry> &result, const TileGrid::Point *steps);
  llvm::ArrayRef<Entry> settledBy(unsigned slot, size_t inside, const TileGrid::Point &factor);
  void addSettled(unsigned slot, size_t inside, const TileGrid::Point &factor,
                  std::vector<Entry> &result);
  FlowFloors::Brought settled(unsigned tensor, size_t inside,
                              llvm::ArrayRef<FlowFloors::SlotLoop> loops) const;
  void insert(std::vector<Entry> &list, const Entry &entry, const TileGrid::Point *steps) const;
  bool covers(const Entry &a, const Entry &b, const TileGrid::Point *steps) const;
  size_t alone(DimMask dims, size_t point) const;

  const MapSpace &space;
  const SlotRules &rules;
  const TileGrid &grid;
  const FlowFloors &floors;
  const Symmetry &symmetry;
  llvm::SmallVector<unsigned, maxFlows> crossings;
  std::vector<std::vector<char>> fits; ///< by memory slot from the first on, and point
  std::vector<std::vector<std::vector<Entry>>> tables;
  std::vector<char> filled; ///< by point: whether the first table is
  std::vector<std::vector<uint32_t>> lists;
  std::vector<std::unique_ptr<Orders>> orders; ///< by slot and dimensions that have loops
  std::vector<std::vector<Outlook>> outlooks;  ///< by flow and point: of what is settled further in
  std::vector<std::vector<double>> fresh;      ///< of what is not: words per setting of the others
  DimMask windowed = 0;                        ///< dimensions of windows
  /// Of `settledBy`: what is known, and where by slot and windows inside, and by factors.
  std::vector<Entry> settledEntries;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, std::pair<size_t, size_t>> settledRanges;
  unsigned first;
  bool valid = true;
};

/// Whether the tile of the memory at `slot` has room, by point.
std::vector<char> roomAt(const MapSpace &space, const CostWeights &weights, const TileGrid &grid,
                         unsigned slot);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_INNERFLOORS_H
