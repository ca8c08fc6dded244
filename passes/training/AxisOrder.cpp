// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the axes of a strategy are nested: as `order` says, else so that each stays inside what
// `over` names.
#include "passes/training/StrategyPlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::passes;

static std::string degreeText(const Strategy &strategy, llvm::StringRef axis) {
  int64_t degree = axis == "sequence" ? strategy.tensor
                   : axis == "data"   ? strategy.data
                                      : strategy.degreeOf(*parseAxis(axis));
  return fmt::format("{} = {}", axis, degree);
}

/// The ranks that stay inside what `over` names for `axis`.
static AxisPlace placeInside(const Strategy &strategy, llvm::StringRef axis) {
  if (axis == "sequence")
    return placeOf(strategy, "tensor");
  if (axis != "data")
    return placeOf(strategy, axis);
  AxisPlace place; // without the context axis, which shares gradients with it
  int64_t stride = 1;
  for (auto [each, degree] : strategy.nested()) {
    if (each == RankAxis::Data || each == RankAxis::Expert)
      place.add(degree, stride);
    stride *= degree;
  }
  return place;
}

/// An axis that leaves what `over` names for it, in words; "" for none. Its groups all stay inside
/// where their span divides what it has, and their steps go along it alone.
static std::string leavesLevel(const Strategy &strategy, SystemPaths &system) {
  for (const auto &entry : strategy.over) {
    llvm::Optional<NetworkRange> range = system.rangeOf(entry.second);
    AxisPlace place = placeInside(strategy, entry.first());
    for (const AxisDim &dim : place.dims())
      if (range && (dim.stride % range->below || range->chips % (dim.stride * dim.ranks)))
        return fmt::format("{} does not fit into `{}` of {}{}", degreeText(strategy, entry.first()),
                           entry.second, counted(range->chips / range->below, "chip"),
                           dim.stride % range->below
                               ? fmt::format(", as its ranks stand {} apart and not {}: no other "
                                             "axes fill what is inside of it",
                                             dim.stride, range->below)
                           : dim.stride > 1
                               ? fmt::format(", as its ranks stand {} apart", dim.stride)
                           : dim.ranks <= range->chips
                               ? ", which it does not divide: some of its groups would reach out"
                               : "");
  }
  return "";
}

/// Axes that together want more of what `over` names than it has, in words; "" for none.
static std::string claimsTooMuch(const Strategy &strategy, SystemPaths &system) {
  for (const auto &entry : strategy.over) {
    llvm::Optional<NetworkRange> range = system.rangeOf(entry.second);
    std::vector<std::string> axes;
    int64_t product = 1;
    for (RankAxis axis : {RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Pipeline})
      if (auto other = strategy.over.find(axisName(axis));
          other != strategy.over.end() && other->second == entry.second) {
        product *= axis == RankAxis::Data ? strategy.data : strategy.degreeOf(axis);
        axes.push_back(degreeText(strategy, axisName(axis)));
      }
    if (range && axes.size() > 1 && product > range->chips / range->below)
      return fmt::format("{} over `{}` are {}, but it has {}", llvm::join(axes, ", "), entry.second,
                         counted(product, "rank"), counted(range->chips / range->below, "chip"));
  }
  return "";
}

/// `order`, and outside of it the axes that it does not name.
static AxisOrder completed(const Strategy &strategy) {
  AxisOrder result = strategy.order;
  for (RankAxis axis : {RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Pipeline})
    if (!llvm::is_contained(result, axis))
      result.push_back(axis);
  return result;
}

/// All orders of the axes, the usual one first.
static std::vector<AxisOrder> possibleOrders(const Strategy &strategy) {
  AxisOrder usual = {RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Pipeline};
  std::vector<AxisOrder> list = {
      usual, {RankAxis::Tensor, RankAxis::Pipeline, RankAxis::Context, RankAxis::Data}};
  auto addAll = [&](AxisOrder order) {
    llvm::sort(order);
    do
      list.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
  };
  addAll(usual);
  if (strategy.over.count("expert") && strategy.data % strategy.expert == 0) {
    usual.push_back(RankAxis::Expert);
    addAll(usual);
  }
  return list;
}

/// Why the nesting of `strategy` cannot be; "" when it can.
static std::string whyNot(const Strategy &strategy, SystemPaths &system) {
  bool hasExperts = llvm::is_contained(strategy.nesting, RankAxis::Expert);
  if (hasExperts && strategy.data % strategy.expert)
    return fmt::format("`order` has the experts' ranks apart, but expert = {} does not divide "
                       "data = {}",
                       strategy.expert, strategy.data);
  return leavesLevel(strategy, system);
}

/// Puts axes over dimensions of the network where these are, and fills the chips inside of them
/// with the others in their usual order, a part of an axis where the whole is too much. False where
/// that leaves gaps or takes the stages of a pipeline apart.
static bool fillDimensions(Strategy &strategy, SystemPaths &system) {
  struct Fixed {
    int64_t below;
    RankAxis axis;
  };
  std::vector<Fixed> fixed;
  std::vector<std::pair<RankAxis, int64_t>> others;
  for (RankAxis axis : strategy.nesting) {
    auto over = strategy.over.find(axisName(axis));
    auto range = over == strategy.over.end() ? llvm::None : system.rangeOf(over->second);
    if (range && range->below > 1)
      fixed.push_back({range->below, axis});
    else
      others.insert(range ? others.begin() : others.end(), {axis, strategy.degreeOf(axis)});
  }
  std::stable_sort(fixed.begin(), fixed.end(),
                   [](const Fixed &a, const Fixed &b) { return a.below < b.below; });
  int64_t inside = 1;
  auto fillUpTo = [&](int64_t chips) {
    for (auto &[axis, left] : others) {
      int64_t part = chips == 0 ? left : std::gcd(chips / inside, left);
      if (axis == RankAxis::Pipeline && part != left)
        part = 1;
      if (part > 1)
        strategy.factors.emplace_back(axis, part);
      inside *= part;
      left /= part;
    }
  };
  for (const Fixed &next : fixed) {
    if (inside < next.below)
      fillUpTo(next.below);
    if (inside < next.below)
      return false;
    strategy.factors.emplace_back(next.axis, strategy.degreeOf(next.axis));
    inside *= strategy.degreeOf(next.axis);
  }
  fillUpTo(0);
  return !fixed.empty();
}

bool passes::placeAxes(Strategy &strategy, SystemPaths &system, std::string &problem) {
  strategy.factors.clear();
  problem = claimsTooMuch(strategy, system);
  if (!problem.empty())
    return false;
  strategy.nesting = completed(strategy);
  problem = whyNot(strategy, system);
  if (problem.empty() || !strategy.order.empty())
    return problem.empty();
  AxisOrder usual = strategy.nesting;
  for (const AxisOrder &order : possibleOrders(strategy)) {
    strategy.nesting = order;
    if (whyNot(strategy, system).empty())
      return true;
  }
  strategy.nesting = usual;
  if (fillDimensions(strategy, system) && whyNot(strategy, system).empty())
    return true;
  strategy.factors.clear();
  return false;
}

std::vector<Strategy> passes::nestingsOf(const Strategy &strategy, SystemPaths &system) {
  std::vector<AxisOrder> orders = {strategy.order}, known;
  if (strategy.anyOrder)
    orders = possibleOrders(strategy);
  std::vector<Strategy> list;
  for (const AxisOrder &order : orders) {
    Strategy nested = strategy;
    nested.order = order;
    nested.anyOrder = false;
    std::string ignored;
    if (!placeAxes(nested, system, ignored))
      continue;
    AxisOrder seen;
    for (auto [axis, degree] : nested.nested())
      if (degree > 1)
        seen.push_back(axis);
    if (llvm::is_contained(known, seen))
      continue;
    known.push_back(std::move(seen));
    list.push_back(std::move(nested));
  }
  return list;
}
