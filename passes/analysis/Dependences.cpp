// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Dependences.h"

#include "passes/analysis/IslConjunction.h"
#include "llvm/ADT/STLExtras.h"
#include <isl/ilp.h>
#include <isl/point.h>
#include <isl/val.h>

using namespace perfc;
using namespace perfc::passes;

/// Operations of isl after which a question is left open.
static constexpr uint64_t operationsPerQuestion = 2000000;

static int64_t takeNumber(__isl_take isl_val *value) {
  int64_t number = isl_val_get_num_si(value);
  isl_val_free(value);
  return number;
}

namespace {

/// { (digits of y, digits of x, …) : y and x are in their domains and meet in one element }, where
/// the digits of a point are its numbers in its loops.
class Pairs {
public:
  Pairs(isl_ctx *context, const OrderedAccess &y, const OrderedAccess &x, unsigned others = 0)
      : rows(context, static_cast<unsigned>(y.loops.size() + x.loops.size()) + others),
        sides{Side(y, 0), Side(x, static_cast<unsigned>(y.loops.size()))} {
    for (const Side &side : sides)
      addDomain(side);
    for (size_t r = 0; r < y.ranks.size(); ++r) {
      if (y.ranks[r].dataDependent || x.ranks[r].dataDependent)
        continue;
      IslConjunction::Terms sum;
      sides[0].append(sum, y.ranks[r].terms, 1);
      sides[1].append(sum, x.ranks[r].terms, -1);
      rows.add(true, sum, y.ranks[r].constant - x.ranks[r].constant);
    }
  }

  void sameDigit(unsigned loop) { rows.add(true, {{loop, 1}, {sides[1].begin + loop, -1}}, 0); }
  /// y is after x in `loop`, or before.
  void differ(unsigned loop, bool isAfter) {
    int64_t sign = isAfter ? 1 : -1;
    rows.add(false, {{loop, sign}, {sides[1].begin + loop, -sign}}, -1);
  }
  /// Coordinate `at` is how far x is from y in `index`.
  void distance(unsigned at, unsigned index) {
    IslConjunction::Terms sum{{at, -1}};
    sides[1].append(sum, {{index, 1}}, 1);
    sides[0].append(sum, {{index, 1}}, -1);
    rows.add(true, sum, 0);
  }
  IslSet take() { return rows.take(); }

private:
  struct Side {
    Side(const OrderedAccess &access, unsigned begin)
        : statement(*access.statement), loops(access.loops), begin(begin),
          digits(statement.extents.size()) {
      for (unsigned l = 0; l < loops.size(); ++l)
        for (auto [index, step] : loops[l].drives)
          digits[index].push_back({begin + l, step});
    }
    void append(IslConjunction::Terms &sum, llvm::ArrayRef<std::pair<unsigned, int64_t>> terms,
                int64_t times) const {
      for (auto [index, coefficient] : terms)
        for (auto [at, step] : digits[index])
          sum.push_back({at, step * coefficient * times});
    }
    const Statement &statement;
    llvm::ArrayRef<OrderedLoop> loops;
    unsigned begin;                            ///< the coordinate of the first digit
    std::vector<IslConjunction::Terms> digits; ///< by index: coordinate and step
  };

  void addDomain(const Side &side) {
    for (unsigned l = 0; l < side.loops.size(); ++l)
      rows.within({{side.begin + l, 1}}, 0, side.loops[l].factor);
    for (unsigned index = 0; index < side.digits.size(); ++index)
      rows.within(side.digits[index], 0, side.statement.extents[index]);
    for (const AffineExpr &condition : side.statement.op.constraints()) {
      IslConjunction::Terms sum;
      for (const AffineExpr::Term &term : condition.terms())
        side.append(sum, {{*side.statement.find(term.name), term.coefficient}}, 1);
      rows.add(false, sum, condition.constant());
    }
  }

  IslConjunction rows;
  Side sides[2];
};

} // namespace

/// One loop per index.
static std::vector<OrderedLoop> plainLoops(const Statement &statement) {
  std::vector<OrderedLoop> loops;
  for (unsigned index = 0; index < statement.extents.size(); ++index)
    loops.push_back({{{index, 1}}, statement.extents[index], false});
  return loops;
}

/// The points that write an element and those that read it, in the same loops.
static std::pair<OrderedAccess, OrderedAccess>
writeAndRead(const Statement &statement, const Access &read, llvm::ArrayRef<OrderedLoop> loops) {
  return {{&statement, statement.write.ranks, loops}, {&statement, read.ranks, loops}};
}

Dependences::Dependences(const Statement &statement) : statement(statement) {
  auto count = static_cast<unsigned>(statement.extents.size());
  for (const Access &read : statement.reads) {
    auto isKnown = [](const Subscript &rank) { return !rank.dataDependent; };
    if (read.tensor != statement.write.tensor || !llvm::all_of(read.ranks, isKnown))
      continue;
    std::vector<OrderedLoop> loops = plainLoops(statement);
    auto [write, other] = writeAndRead(statement, read, loops);
    IslContext context(operationsPerQuestion);
    Pairs pairs(context.get(), write, other, count);
    for (unsigned index = 0; index < count; ++index)
      pairs.distance(2 * count + index, index);
    IslSet all = pairs.take();
    if (isl_set_is_empty(all.get()) == isl_bool_true)
      continue;
    Distance distance{&read, {}, {}};
    for (unsigned index = 0; index < count; ++index) {
      isl_val *low = isl_set_dim_min_val(all.take(), int(2 * count + index));
      isl_val *high = isl_set_dim_max_val(all.take(), int(2 * count + index));
      bool isBounded = low && high && isl_val_is_int(low) && isl_val_is_int(high);
      int64_t most = statement.extents[index] - 1;
      distance.low.push_back(isBounded ? isl_val_get_num_si(low) : -most);
      distance.high.push_back(isBounded ? isl_val_get_num_si(high) : most);
      isl_val_free(low);
      isl_val_free(high);
    }
    distances.push_back(std::move(distance));
  }
}

bool Dependences::isCarriedBy(unsigned index, bool backward) const {
  return llvm::all_of(distances, [&](const Distance &distance) {
    return backward ? distance.high[index] < 0 : distance.low[index] > 0;
  });
}

bool Dependences::isFree(unsigned index) const {
  return llvm::all_of(distances, [&](const Distance &distance) {
    return distance.low[index] == 0 && distance.high[index] == 0;
  });
}

/// Pairs with equal numbers in the first `equal` loops; with `differ`, in the next one that of y is
/// larger (1) or smaller (-1). Null where isl gives up.
static IslSet pairsOf(isl_ctx *context, const OrderedAccess &y, const OrderedAccess &x,
                      size_t equal, int differ) {
  Pairs pairs(context, y, x);
  for (unsigned l = 0; l < equal; ++l)
    pairs.sameDigit(l);
  if (differ)
    pairs.differ(static_cast<unsigned>(equal), differ > 0);
  return pairs.take();
}

static bool arePairs(const OrderedAccess &y, const OrderedAccess &x, size_t equal, int differ) {
  IslContext context(operationsPerQuestion);
  IslSet set = pairsOf(context.get(), y, x, equal, differ);
  return isl_set_is_empty(set.get()) != isl_bool_true;
}

/// The values of the indices at the point whose digits begin at coordinate `begin` of `sample`.
static std::vector<int64_t> pointAt(isl_point *sample, unsigned begin,
                                    const OrderedAccess &access) {
  std::vector<int64_t> values(access.statement->extents.size(), 0);
  for (unsigned l = 0; l < access.loops.size(); ++l)
    for (auto [index, step] : access.loops[l].drives)
      values[index] +=
          step * takeNumber(isl_point_get_coordinate_val(sample, isl_dim_set, int(begin + l)));
  return values;
}

/// A pair that `loop` runs side by side, or x first, with equal numbers in all loops outside it;
/// without `loop` one with equal numbers in all.
static llvm::Optional<BrokenDependence> brokenIn(const OrderedAccess &y, const OrderedAccess &x,
                                                 llvm::Optional<size_t> loop) {
  for (int differ : {1, -1}) {
    if (differ < 0 && !(loop && y.loops[*loop].isParallel))
      break;
    IslContext context(operationsPerQuestion);
    IslSet set = pairsOf(context.get(), y, x, loop.getValueOr(y.loops.size()), loop ? differ : 0);
    if (isl_set_is_empty(set.get()) == isl_bool_true)
      continue;
    BrokenDependence broken{loop, {}, {}};
    if (isl_point *sample = isl_set_sample_point(isl_set_lexmin(std::move(set).take()))) {
      broken.first = pointAt(sample, 0, y);
      broken.second = pointAt(sample, static_cast<unsigned>(y.loops.size()), x);
      isl_point_free(sample);
    }
    return broken;
  }
  return llvm::None;
}

llvm::Optional<BrokenDependence> passes::firstBroken(const OrderedAccess &first,
                                                     const OrderedAccess &second, size_t shared) {
  for (size_t loop = 0; loop < shared; ++loop)
    if (auto broken = brokenIn(first, second, loop))
      return broken;
  return llvm::None;
}

bool Dependences::needsItself(const Distance &distance) const {
  for (unsigned index = 0; index < statement.extents.size(); ++index)
    if (distance.low[index] > 0 || distance.high[index] < 0)
      return false;
  std::vector<OrderedLoop> loops = plainLoops(statement);
  auto [write, read] = writeAndRead(statement, *distance.read, loops);
  return brokenIn(write, read, llvm::None).hasValue();
}

llvm::Optional<BrokenDependence> Dependences::firstBroken(llvm::ArrayRef<OrderedLoop> loops) const {
  for (const Distance &distance : distances) {
    auto [write, read] = writeAndRead(statement, *distance.read, loops);
    std::vector<unsigned> left(statement.extents.size(), 0); // loops of an index further in
    for (const OrderedLoop &loop : loops)
      for (auto [index, step] : loop.drives)
        ++left[index];
    auto isCarried = [&] { // by an index all of whose loops have been passed
      for (unsigned index = 0; index < left.size(); ++index)
        if (left[index] == 0 && (distance.low[index] > 0 || distance.high[index] < 0))
          return true;
      return false;
    };
    for (size_t l = 0; l < loops.size() && !isCarried(); ++l) {
      // Between points whose index only grows, its next digit does as well.
      bool isSafe = llvm::all_of(loops[l].drives, [&](const auto &drive) {
        return distance.low[drive.first] >= 0 &&
               (!loops[l].isParallel || distance.high[drive.first] == 0);
      });
      if (!isSafe)
        if (auto broken = brokenIn(write, read, l))
          return broken;
      for (auto [index, step] : loops[l].drives)
        --left[index];
    }
    if (needsItself(distance))
      return brokenIn(write, read, llvm::None);
  }
  return llvm::None;
}

llvm::Optional<LoopOrder> Dependences::someOrder() const {
  LoopOrder order;
  for (unsigned index = 0; index < statement.extents.size(); ++index)
    order.serial.push_back(!isFree(index));
  if (llvm::any_of(distances, [&](const Distance &one) { return needsItself(one); }))
    return llvm::None;
  auto grows = [&](unsigned index) {
    return llvm::all_of(distances, [&](const Distance &one) { return one.low[index] >= 0; });
  };
  bool isPermutable = true;
  for (unsigned index = 0; index < statement.extents.size(); ++index)
    isPermutable &= grows(index);
  if (isPermutable)
    return order;
  // Indices that carry what is left, one after the other, until nothing is. One that may come next
  // may do so in any order that serves, so the first will do.
  std::vector<OrderedLoop> loops = plainLoops(statement);
  auto areLeft = [&](size_t equal, int differ) {
    return llvm::any_of(distances, [&](const Distance &one) {
      auto [write, read] = writeAndRead(statement, *one.read, loops);
      return arePairs(write, read, equal, differ);
    });
  };
  size_t chosen = 0;
  for (; areLeft(chosen, 0); ++chosen) {
    size_t next = chosen;
    for (; next < loops.size(); ++next) {
      std::swap(loops[chosen], loops[next]);
      if (!areLeft(chosen, 1) && areLeft(chosen, -1))
        break;
      std::swap(loops[chosen], loops[next]);
    }
    if (next == loops.size())
      return llvm::None;
    order.outermost.push_back(loops[chosen].drives.front().first);
  }
  for (unsigned index = 0; index < statement.extents.size(); ++index)
    order.serial[index] = llvm::is_contained(order.outermost, index);
  return order;
}

bool passes::readsWhatItSets(op::StatementOp statement) {
  const ir::AttrDict &write = statement.write();
  return llvm::any_of(statement.reads(), [&](const ir::Attribute &read) {
    return *read.asDict().find("tensor") == *write.find("tensor") &&
           *read.asDict().find("map") != *write.find("map");
  });
}

std::string passes::pointText(const Statement &statement, llvm::ArrayRef<int64_t> point) {
  std::string text;
  for (unsigned index = 0; index < point.size(); ++index)
    text += fmt::format("{}{} = {}", index ? ", " : "", statement.writtenName(index), point[index]);
  return text;
}
