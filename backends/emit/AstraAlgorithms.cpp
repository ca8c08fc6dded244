// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/AstraAlgorithms.h"

#include "backends/network/InNetwork.h"
#include "ir/common/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::emit;
using network::CollectiveKind;
using network::NetworkLevel;
using network::Topology;

using Names = std::vector<std::string>;

AlgorithmFamily emit::familyNamed(llvm::StringRef algorithm) {
  static const std::pair<llvm::StringLiteral, AlgorithmFamily> families[] = {
      {"ring", AlgorithmFamily::Ring},
      {"ring_gather", AlgorithmFamily::Ring},
      {"ring_scatter", AlgorithmFamily::Ring},
      {"bidirectional_ring", AlgorithmFamily::BothWays},
      {"bidirectional_ring_gather", AlgorithmFamily::BothWays},
      {"bidirectional_ring_scatter", AlgorithmFamily::BothWays},
      {"direct", AlgorithmFamily::Direct},
      {"direct_gather", AlgorithmFamily::Direct},
      {"direct_scatter", AlgorithmFamily::Direct},
      {"direct_reduce", AlgorithmFamily::Direct},
      {"halving", AlgorithmFamily::Halving},
      {"doubling", AlgorithmFamily::Halving},
      {"halving_doubling", AlgorithmFamily::Halving},
      {"double_binary_tree", AlgorithmFamily::Tree},
      {network::inNetwork, AlgorithmFamily::InNetwork},
  };
  const auto *found =
      llvm::find_if(families, [&](const auto &entry) { return entry.first == algorithm; });
  return found == std::end(families) ? AlgorithmFamily::Other : found->second;
}

static bool isRing(const NetworkLevel &level) {
  return level.topology == Topology::Ring || level.topology == Topology::Line;
}

static constexpr llvm::StringLiteral oneWayAround =
    "goes one way around a ring, with half of a chip's bandwidth";

/// What is nearest to what the networks do of themselves: on a switch an all_to_all is in steps.
static Names wiringNames(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels) {
  Names names;
  for (const NetworkLevel &level : levels) {
    bool isStepwise = kind == CollectiveKind::AllToAll && !isRing(level);
    names.push_back(level.topology == Topology::FullyConnected ? "direct"
                    : isStepwise                               ? "direct1"
                                                               : "ring");
  }
  return names;
}

namespace {
/// The names for one use alone, and what differs; "" where nothing does.
struct Plan {
  Names names;
  std::string difference;
};

class Planner {
public:
  explicit Planner(llvm::ArrayRef<NetworkLevel> levels) : levels(levels) {
    network.levels = levels.vec();
    for (const NetworkLevel &level : levels)
      all *= level.members;
  }

  Plan plan(const CollectiveUse &use) const;
  /// Whether `use` is of two ranks that exchange the same by a ring, directly and in halves.
  bool isPair(const CollectiveUse &use) const;
  /// Whether ASTRA-sim runs `use` by `names`.
  bool canRun(const CollectiveUse &use, const Names &names) const;
  Names wiring(CollectiveKind kind) const { return wiringNames(kind, levels); }
  int64_t ranks() const { return all; }
  /// Whether `use` is of some of the ranks of several dimensions.
  bool isPart(const CollectiveUse &use) const {
    return use.place.ranks() < all && levels.size() > 1;
  }

private:
  Plan planOfAll(const CollectiveUse &use) const;
  Plan planOfWiring(const CollectiveUse &use) const;
  std::string libraryOf(const CollectiveUse &use) const;
  std::string differenceOf(AlgorithmFamily family) const;
  std::string differenceOfGroup(const CollectiveUse &use) const;
  llvm::Optional<NetworkLevel> meetingLevel(const CollectiveUse &use) const;
  bool isDimension(const CollectiveUse &use) const;

  llvm::ArrayRef<NetworkLevel> levels;
  network::NetworkLevels network;
  int64_t all = 1;
};
} // namespace

bool Planner::canRun(const CollectiveUse &use, const Names &names) const {
  if (isPart(use))
    return true; // a ring
  for (size_t i = 0; i < names.size(); ++i) {
    auto ranks = static_cast<uint64_t>(levels.size() > 1 ? levels[i].members : use.place.ranks());
    bool isHalving = names[i] == "halvingDoubling", isTree = names[i] == "doubleBinaryTree";
    if ((isHalving || isTree) && !llvm::isPowerOf2_64(ranks))
      return false;
    if (isTree && (levels.size() > 1 || use.place.ranks() != all))
      return false;
  }
  return true;
}

/// The library whose figures count for `use`; "" for none.
std::string Planner::libraryOf(const CollectiveUse &use) const {
  std::vector<network::GroupDim> dims;
  for (const AxisDim &dim : use.place.dims())
    dims.push_back({dim.ranks, dim.stride});
  auto met = network::levelsOfGroup(network, dims);
  if (use.family != AlgorithmFamily::Wiring || !met || met->levels.empty())
    return "";
  const network::Library *library = met->levels.front().library(use.algorithm);
  return library ? library->name : "";
}

/// The network that the ranks of `use` meet on, as that of a group of them; nothing for several,
/// also where some of its groups reach over the end of what others are inside of.
llvm::Optional<NetworkLevel> Planner::meetingLevel(const CollectiveUse &use) const {
  std::vector<network::GroupDim> dims;
  for (const AxisDim &dim : use.place.dims()) {
    int64_t reach = dim.ranks * dim.stride, below = 1;
    for (const NetworkLevel &level : levels) {
      below *= level.members;
      if (below % reach != 0 && reach % below != 0)
        return llvm::None;
    }
    dims.push_back({dim.ranks, dim.stride});
  }
  auto met = network::levelsOfGroup(network, dims);
  if (!met || met->levels.size() != 1)
    return llvm::None;
  return std::move(met->levels.front());
}

/// Groups of ranks that stand apart on a ring or line share its links: their forms are not exact.
static bool sharesLinks(const NetworkLevel &level) {
  return isRing(level) && !level.approximation.empty();
}

/// Whether the ranks of `use` are all of one dimension.
bool Planner::isDimension(const CollectiveUse &use) const {
  int64_t below = 1;
  for (const NetworkLevel &level : levels) {
    if (use.place == AxisPlace(level.members, below))
      return true;
    below *= level.members;
  }
  return false;
}

bool Planner::isPair(const CollectiveUse &use) const {
  using Family = AlgorithmFamily;
  if (use.place.ranks() != 2 || use.family == Family::BothWays || use.family == Family::Tree ||
      use.family == Family::InNetwork || use.family == Family::Other || !libraryOf(use).empty())
    return false;
  auto level = meetingLevel(use);
  return level && !sharesLinks(*level);
}

/// What is another way where a group of some of the ranks runs as a ring; "" where nothing is.
std::string Planner::differenceOfGroup(const CollectiveUse &use) const {
  auto level = meetingLevel(use);
  if (!level)
    return levels.size() > 1 ? "is one ring, whose messages pay for one dimension each"
                             : "is one ring";
  bool isWiring = use.family == AlgorithmFamily::Wiring;
  if (use.kind == CollectiveKind::AllToAll || (!isWiring && use.family != AlgorithmFamily::Ring))
    return "runs as a ring";
  if (sharesLinks(*level))
    return "has ranks that stand apart, whose messages share no links";
  if (!isWiring || level->members == 2)
    return "";
  switch (level->topology) {
  case Topology::FullyConnected:
    return "runs as a ring";
  case Topology::Ring:
    return oneWayAround.str();
  case Topology::Line: // there is no way around, but where a whole dimension is written as a ring
    return level->latency.central() > 0 && !isDimension(use) ? "closes its line to a ring" : "";
  case Topology::Switch:
  case Topology::InNetwork:
    break;
  }
  return "";
}

Plan Planner::planOfWiring(const CollectiveUse &use) const {
  Plan plan{wiring(use.kind), ""};
  bool isExchange = use.kind == CollectiveKind::AllToAll, hasGrid = false;
  for (size_t i = 0; i < levels.size(); ++i)
    hasGrid |= network::startOfGrid(levels, i) != i;
  if (hasGrid || (isExchange && levels.size() > 1))
    plan.difference = "goes through the dimensions in turn, which work at the same time";
  else if (llvm::any_of(levels, [](const NetworkLevel &level) {
             return level.topology == Topology::Ring && level.members > 2;
           }))
    plan.difference = oneWayAround.str();
  else if (isExchange && levels.front().topology == Topology::Line)
    plan.difference = "runs as a ring";
  return plan;
}

/// Of an algorithm that ASTRA-sim has.
std::string Planner::differenceOf(AlgorithmFamily family) const {
  if (levels.size() > 1)
    return "goes through the dimensions in turn";
  bool isConnected = levels.front().topology == Topology::FullyConnected;
  if (family == AlgorithmFamily::Tree)
    return "passes on whole buffers, not pieces";
  if (family == AlgorithmFamily::Direct && !isConnected)
    return "sends to all others at once, to each at full bandwidth";
  if (family == AlgorithmFamily::Halving)
    return isRing(levels.front()) ? "has messages that share no links"
                                  : "waits for the whole of each step";
  return "";
}

Plan Planner::plan(const CollectiveUse &use) const {
  if (std::string library = libraryOf(use); !library.empty())
    return {wiring(use.kind), fmt::format("takes the figures of library `{}`", library)};
  if (isPart(use)) {
    std::string difference = differenceOfGroup(use);
    if (!difference.empty())
      difference = fmt::format("among its {} {}", all, difference);
    return {wiring(use.kind), std::move(difference)};
  }
  Plan plan = planOfAll(use);
  bool isLikeRing = use.family == AlgorithmFamily::Wiring || use.family == AlgorithmFamily::Ring;
  if (use.place.ranks() < all && isRing(levels.front()) && isLikeRing)
    plan.difference = differenceOfGroup(use);
  return plan;
}

/// Of all ranks, or of some of those of one dimension.
Plan Planner::planOfAll(const CollectiveUse &use) const {
  static const llvm::StringLiteral names[] = {
      "", "ring", "", "direct", "halvingDoubling", "doubleBinaryTree"};
  switch (use.family) {
  case AlgorithmFamily::Wiring:
    return planOfWiring(use);
  case AlgorithmFamily::BothWays:
    return {Names(levels.size(), "ring"), "goes one way around"};
  case AlgorithmFamily::InNetwork:
    return {Names(levels.size(), "ring"), "runs as a ring: its switches neither add nor copy"};
  case AlgorithmFamily::Other:
    return {wiring(use.kind), "runs as its wiring is: in a ring, or directly"};
  default:
    break;
  }
  Plan plan{Names(levels.size(), names[static_cast<unsigned>(use.family)].str()),
            differenceOf(use.family)};
  if (!canRun(use, plan.names))
    return {wiring(use.kind), "runs as its wiring is: in a ring, or directly"};
  return plan;
}

/// "all_to_all of 4 ranks by direct".
static std::string describe(const CollectiveUse &use, int64_t all) {
  std::string text = network::nameOf(use.kind).str();
  if (int64_t ranks = use.place.ranks(); ranks < all)
    text += " of " + counted(static_cast<uint64_t>(ranks), "rank");
  return use.algorithm.empty() ? text : text + " by " + use.algorithm;
}

AstraAlgorithms emit::astraAlgorithms(llvm::ArrayRef<NetworkLevel> levels,
                                      llvm::ArrayRef<CollectiveUse> uses, int64_t chunks) {
  AstraAlgorithms result;
  Planner planner(levels);
  for (unsigned i = 0; i < AstraAlgorithms::kinds; ++i) {
    auto kind = static_cast<CollectiveKind>(i);
    std::vector<std::pair<const CollectiveUse *, Plan>> plans;
    for (const CollectiveUse &use : uses)
      if (use.kind == kind && use.place.ranks() > 1)
        plans.emplace_back(&use, planner.plan(use));
    auto isForAll = [&](const auto &entry) {
      return !planner.isPart(*entry.first) && llvm::all_of(plans, [&](const auto &other) {
        return planner.canRun(*other.first, entry.second.names);
      });
    };
    auto chosen = llvm::find_if(plans, isForAll);
    Names &names = result.names[i];
    names = chosen == plans.end() ? planner.wiring(kind) : chosen->second.names;
    for (auto &[use, plan] : plans) {
      if (!planner.isPart(*use) && plan.names != names)
        plan.difference = fmt::format("runs by {}, as others of its kind", names.front());
      if (planner.isPair(*use) && names.front() != "doubleBinaryTree")
        plan.difference.clear();
      // Algorithms divide buffers by themselves, but there the system divides all.
      if (plan.difference.empty() && use->family != AlgorithmFamily::Wiring && chunks > 1)
        plan.difference = fmt::format("is cut into {}", counted(chunks, "chunk"));
      std::string text = describe(*use, planner.ranks()) + " " + plan.difference;
      if (!plan.difference.empty() && !llvm::is_contained(result.differences, text))
        result.differences.push_back(std::move(text));
    }
  }
  return result;
}
