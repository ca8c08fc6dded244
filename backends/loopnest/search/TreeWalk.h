// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branch and bound below partial mappings. A node has decided the loops of the outermost slots; its
// children are the choices for the next ones: the axes of the last array together, any other slot
// alone. Without tables (Floors) a child is bounded by what it costs when all that is left is done
// inside every level further in; with tables also by what memories and lanes further in can do.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_TREEWALK_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_TREEWALK_H

#include "backends/loopnest/search/Futures.h"
#include "backends/loopnest/search/Search.h"
#include "backends/loopnest/search/SlotChoices.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <tuple>

namespace perfc {
namespace loopnest {

/// What is left of time; asked often, so the clock is read rarely.
class Patience {
public:
  explicit Patience(const SearchOptions &options) : options(options) {}
  bool isOver() {
    if (over || ++asked % 64 != 0)
      return over;
    over = (options.stop && *options.stop) ||
           (options.deadline && std::chrono::steady_clock::now() >= *options.deadline);
    return over;
  }

private:
  const SearchOptions &options;
  unsigned asked = 0;
  bool over = false;
};

/// A partial mapping with the bound of what it begins.
struct Node {
  struct Slice {
    std::array<int64_t, maxDims> factors;
    std::array<uint8_t, maxDims> order;
  };
  llvm::SmallVector<Slice, 2> slices; ///< of the first slots
  Score bound;
  double key = 0;     ///< nodes are visited by growing key
  double decided = 0; ///< J of what ends outside; with tables only
  double latency = 0; ///< of what the slots so far bring, at least; with tables only
  /// Before lanes of an array further out, with tables: J of what ends at the memory behind them,
  /// at least, and the dimension of the innermost loop in time.
  double behindLanes = 0;
  unsigned innermost = 0;
  unsigned lanes = 0;  ///< number of the choice of lanes, once it is made; with tables only
  unsigned orders = 0; ///< and of the orders of its axes
  /// Factors of the next slot whose orders are not looked at yet: the point that they lead to.
  struct Pending {
    double key;
    uint32_t outside;
    bool operator<(const Pending &other) const {
      return std::tie(key, outside) > std::tie(other.key, other.outside);
    }
  };
  std::vector<Pending> pending; ///< the least key last
  bool isListed = false;        ///< `pending` has been filled
  Score whole;                  ///< its bound before that
};

class TreeWalk {
public:
  TreeWalk(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
           const SlotChoices &choices, const Symmetry &symmetry, const SearchGoal &goal,
           const SearchOptions &options)
      : evaluator(space, weights), patience(options), known(goal), space(space), weights(weights),
        rules(rules), choices(choices), symmetry(symmetry), goal(goal),
        futures(space, weights, evaluator) {}

  /// Tables to bound with, or null.
  void useFloors(const Floors *tables) { floors = tables; }
  /// Forgets what partial mappings have cost, so that a task does not depend on those before it.
  void forget() { futures.forget(); }
  /// The node that has decided nothing.
  Node root();
  /// The children of `node` that are not excluded; complete mappings are taken at once. False when
  /// time was over.
  bool children(const Node &node, std::vector<Node> &nodes);
  /// Whether the children of `node` can be had piece by piece: outside the last array, with tables
  /// and one number to minimise.
  bool isDivisible(const Node &node) const {
    return floors && goal.kind == SearchGoal::Scalar && node.slices.size() < floors->arrayBegin();
  }
  /// The children with the factors of the least bound; the first call only lists the factors. The
  /// node keeps the others and has their bound. False when time was over.
  bool nextChildren(Node &node, std::vector<Node> &nodes);
  /// Searches below `node`.
  void visit(const Node &node);
  bool isComplete(const Node &node) const { return node.slices.size() == space.slots.size(); }
  /// Whether the node is one of those that begin the lanes of the last array.
  bool isAtArray(const Node &node) const {
    return floors && node.slices.size() == floors->arrayBegin();
  }
  void addFound(const Mapping &mapping, const Score &score);
  static void sort(std::vector<Node> &nodes);

  std::vector<Candidate> found;
  std::vector<Score> open;
  MappingEvaluator evaluator;
  Patience patience;
  Incumbents known;

private:
  double keyOf(const Score &score) const {
    return goal.kind == SearchGoal::Scalar ? goal.value(score) : score.energy * score.latency;
  }
  /// Where what fits depends on more than the factors outside a memory: false when what is decided
  /// does not fit any more.
  bool mayFit(const Mapping &mapping, unsigned slots) const {
    return !evaluator.tellsPartial() || evaluator.fits(mapping, 0, slots);
  }
  void takeComplete(const Mapping &mapping);
  void load(const Node &node, Mapping &mapping) const;
  Node extended(const Node &node, const Mapping &mapping, unsigned slots, const Score &bound) const;
  bool plainChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes);
  bool isPossible(const Node &node, double base, llvm::ArrayRef<double> left) const;
  /// Of what a node begins, with the lanes of a class.
  double latencyOf(const Node &node, unsigned bucket) const {
    return std::max(node.latency, floors->buckets()[bucket].latency);
  }
  bool boundOf(const Score &own, double base, llvm::ArrayRef<double> left, unsigned firstBucket,
               Score &bound, double &key) const;
  using Energies = llvm::SmallVector<double, 12>; ///< J by bucket
  void addAcross(unsigned boundary, size_t outside, double behindLanes, unsigned innermost,
                 Energies &left) const;
  double behindLanes(const Mapping &mapping, unsigned boundary);
  llvm::ArrayRef<double> leftFrom(const Node &node, size_t outside, Energies &left) const;
  template <typename Visit> bool forOuterFactors(const Node &node, Mapping &mapping, Visit visit);
  void outerOrders(const Node &node, Mapping &mapping, size_t outside, std::vector<Node> &nodes);
  void outerChild(const Node &node, Mapping &mapping, size_t outside, std::vector<Node> &nodes);
  bool outerChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes);
  bool arrayChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes);
  void innerChild(const Node &node, Mapping &mapping, size_t outside, const Trails &trails,
                  const Floors::Priced &priced, std::vector<Node> &nodes);
  bool innerOrders(const Node &node, Mapping &mapping, size_t outside, const Trails &before,
                   const Floors::Priced &priced, std::vector<Node> &nodes);
  bool innerChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes);
  bool laneOrders(const Node &node, Mapping &mapping, unsigned slot, unsigned choice,
                  unsigned number, const Trails &trails, std::vector<Node> &nodes);
  bool lanesChild(const Node &node, Mapping &mapping, unsigned choice, unsigned number,
                  const Trails &trails, std::vector<Node> &nodes);
  const LaneChoice &orderedLanes(unsigned choice, unsigned number, const Mapping &mapping);
  void take(const Node &node, const Mapping &mapping, unsigned slots, double decided,
            llvm::ArrayRef<double> left, unsigned firstBucket, std::vector<Node> &nodes);
  bool isExcluded(double energy, double latency) const {
    return known.excludes({energy + weights.leak * latency, latency});
  }
  const std::vector<std::array<uint8_t, maxDims>> &ordersOf(const Mapping &mapping, unsigned slot);
  bool setFactors(Mapping &mapping, unsigned slot, const TileGrid::Point &factor) const;
  /// A lower bound of what `decide` adds at one more slot, without the sums that links take.
  double almostDecide(const Mapping &mapping, unsigned slots, const LaneChoice &choice,
                      const TileGrid::Point &lanesAt, const TileGrid::Point &held);
  double decide(const Node &node, const Mapping &mapping, unsigned slots);
  TileGrid::Point pointOf(const Mapping &mapping, unsigned slots) const;

  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  const SlotChoices &choices;
  const Symmetry &symmetry; ///< of a mapping and its image one is looked at
  const SearchGoal &goal;
  const Floors *floors = nullptr;
  std::map<uint64_t, std::vector<std::array<uint8_t, maxDims>>> orders; ///< by slot and loops
  /// By number of a choice of lanes and of its orders.
  llvm::DenseMap<uint64_t, std::unique_ptr<LaneChoice>> ordered;
  Futures futures;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_TREEWALK_H
