// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of all orders of a mapping's loops. What a tensor costs depends on the order of a slot
// only by what it sees of it (SlotView), and most orders look alike to one tensor; and what crosses
// into a level depends on no loop outside of the innermost one that changes the whole tile. So each
// crossing is counted once per combination that it can tell apart, each tensor's cost is added up
// from its crossings, and each mapping from its tensors. Energy and latency are exactly those of
// MappingEvaluator::evaluate.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_ORDERTABLES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_ORDERTABLES_H

#include "backends/loopnest/search/MappingEvaluator.h"
#include "backends/loopnest/search/OrderWalk.h"
#include "llvm/ADT/DenseMap.h"

namespace perfc {
namespace loopnest {

class OrderTables {
public:
  OrderTables(MappingEvaluator &evaluator, const SlotRules &rules)
      : evaluator(evaluator), space(evaluator.mapSpace()),
        walk(space, rules, &evaluator.costWeights()), tensors(space.tensors.size()),
        crossings(space.crossings.size()), width(evaluator.bitNumbers()), sum(width),
        classes(space.slots.size()) {}

  /// How many orders the factors of `mapping` have.
  double count(const Mapping &mapping) { return walk.count(mapping); }
  /// Calls `visit(score)` with `mapping` in each combination of orders that can differ, innermost
  /// slot fastest, from the number `from` on (modulo their count), until it returns false.
  template <typename Visit> bool forEach(Mapping &mapping, Visit visit, uint64_t from = 0) {
    prepare(mapping);
    goTo(mapping, from);
    int64_t visited = 0;
    bool going = true;
    do {
      ++visited;
      going = visit(score(mapping));
    } while (going && next(mapping));
    evaluator.addEvaluations(visited);
    return going;
  }

private:
  /// What one tensor costs, by what it sees of the slots whose order is open.
  struct TensorTable {
    /// By open slot and number of the order: which of the views it has, and where that leads to.
    std::array<llvm::SmallVector<unsigned, 16>, maxSlots> view, offset;
    std::array<unsigned, maxSlots> views{};
    unsigned size = 0;          ///< entries
    std::vector<double> energy; ///< by entry
    std::vector<int64_t> bits;  ///< by entry
    std::vector<uint8_t> known;
  };
  /// What moves in one crossing, by what it can tell apart.
  struct CrossingTable {
    std::array<unsigned, maxSlots> stride{}; ///< by open slot; 0 where it sees nothing
    std::vector<CrossingWords> words;
    std::vector<uint8_t> known;
  };
  /// Orders that look alike to a tensor whatever the factors are.
  struct Classes {
    std::vector<unsigned> of;    ///< by order
    std::vector<unsigned> first; ///< by class: the first order of it
  };
  void prepare(Mapping &mapping);
  void addSlot(unsigned slot);
  void layOut(unsigned crossing);
  void goTo(Mapping &mapping, uint64_t number);
  bool next(Mapping &mapping);
  void follow(unsigned from);
  Score score(const Mapping &mapping);
  void fill(const Mapping &mapping, unsigned tensor, unsigned entry);
  const std::vector<Classes> &classesOf(unsigned slot, const std::vector<OrderWalk::Order> &orders);

  MappingEvaluator &evaluator;
  const MapSpace &space;
  OrderWalk walk;
  const MappingViews *views = nullptr; ///< of the mapping at hand
  std::vector<TensorTable> tensors;
  std::vector<CrossingTable> crossings;
  llvm::SmallVector<unsigned, maxSlots> open; ///< slots with several orders, outermost first
  uint32_t openSlots = 0;                     ///< the same as a mask
  std::array<const std::vector<OrderWalk::Order> *, maxSlots> lists{}; ///< by open slot
  std::array<unsigned, maxSlots> at{};
  std::vector<unsigned> partial; ///< entry so far, by open slot and tensor
  size_t width;                  ///< numbers of bits
  llvm::SmallVector<int64_t, 32> sum;
  /// By slot and list of orders: the classes of each tensor.
  std::vector<llvm::DenseMap<const void *, std::vector<Classes>>> classes;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_ORDERTABLES_H
