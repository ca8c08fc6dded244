// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the points of a statement need of each other. An equation may read elements of the tensor
// that it sets, `H[t, d] = A[t, d] * H[t - 1, d] + X[t, d]`; those are the ones that it sets, so
// a point depends on the points that write what it reads:
//     { y -> x : write(y) = read(x), x and y in the domain }
// (a system of recurrence equations: Karp, Miller, Winograd, J. ACM 14(3), 1967; as a relation of
// integers: Feautrier, IJPP 20(1), 1991). Sums onto one element come in any order, and are complete
// when the last one is done. Loops respect the relation when y runs before x: of the loops in which
// the two have different numbers, the outermost one is in time, and that of y is the smaller. Loops
// in space run side by side and bring no order.
// Most statements read nothing that they set: they have no dependences, and nothing is computed.
// Rows that depend on data are not known, and not looked at.
#ifndef PERFC_PASSES_ANALYSIS_DEPENDENCES_H
#define PERFC_PASSES_ANALYSIS_DEPENDENCES_H

#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

/// A loop of a nest, as far as order goes: its number times a step is added to each of its indices.
struct OrderedLoop {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 1> drives; ///< index, step
  int64_t factor;
  bool isParallel;
};

/// What a statement does to a tensor, with the loops that run it, outermost first.
struct OrderedAccess {
  const Statement *statement;
  llvm::ArrayRef<Subscript> ranks;
  llvm::ArrayRef<OrderedLoop> loops;
};

/// Two points of which the second needs the first one, and runs no later.
struct BrokenDependence {
  /// Of the list of loops, the one that tells the two apart; nothing where a point needs itself.
  llvm::Optional<size_t> loop;
  std::vector<int64_t> first, second; ///< an example, by index; empty where none was found in time
};

/// Two statements that share their outermost `shared` loops and run one after the other in each of
/// their steps: a point of `second` that comes before one of `first` though both access one
/// element.
llvm::Optional<BrokenDependence> firstBroken(const OrderedAccess &first,
                                             const OrderedAccess &second, size_t shared);

/// Indices whose loops have to stand where they respect every dependence.
struct LoopOrder {
  llvm::SmallVector<unsigned, 2> outermost; ///< whole, in time, outside of all others
  llvm::SmallVector<bool, 8> serial;        ///< by index: not in space
};

class Dependences {
public:
  /// `statement` must outlive this.
  explicit Dependences(const Statement &statement);

  bool empty() const { return distances.empty(); }
  /// The first dependence that `loops`, outermost first, break.
  llvm::Optional<BrokenDependence> firstBroken(llvm::ArrayRef<OrderedLoop> loops) const;
  /// Some order that breaks none; nothing where no order of loops that run upward does.
  llvm::Optional<LoopOrder> someOrder() const;
  /// True when every dependence goes from smaller to larger values of `index`, or the other way.
  bool isCarriedBy(unsigned index, bool backward = false) const;
  /// True when points that depend on each other have the same values of `index`.
  bool isFree(unsigned index) const;

private:
  /// How far the points of one read are from those that they depend on, by index.
  struct Distance {
    const Access *read;
    std::vector<int64_t> low, high;
  };
  bool needsItself(const Distance &distance) const;

  const Statement &statement;
  std::vector<Distance> distances; ///< of each read with dependences
};

/// True when `statement` reads other elements of the tensor that it sets.
bool readsWhatItSets(op::StatementOp statement);

/// "t = 1, d = 0": a point by the names of the statement's indices.
std::string pointText(const Statement &statement, llvm::ArrayRef<int64_t> point);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_DEPENDENCES_H
