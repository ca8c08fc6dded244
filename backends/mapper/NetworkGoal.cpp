// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/NetworkGoal.h"

#include "backends/mapper/SweepRows.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Search.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

/// Most combinations that are kept while fronts are added.
static constexpr size_t combinationLimit = 20000;

NetworkGoal::NetworkGoal(study::SearchStatement search, const Outcome &baseline, Score fixed,
                         const MetricNames &names, const std::vector<NestSpace> &spaces,
                         DiagnosticEngine &diagnostics)
    : search(search), baseline(baseline), names(names), spaces(spaces), diagnostics(diagnostics),
      fixed(fixed) {
  // Only totals matter, and they are copied often.
  this->baseline.cost.breakdown = CostPart();
  this->baseline.cost.accesses.clear();
  study::GoalOp asked = search.goal();
  if (asked.minimize().empty() && asked.maximize().empty() && asked.pareto().empty())
    return; // reported when the statement was checked
  goal = readGoal();
  valid = check(goal);
  std::vector<std::string> texts = asked.paretoTexts();
  for (size_t i = 0; i < texts.size(); ++i)
    valid = valid && check({asked.pareto()[i], texts[i]});
  if (valid)
    classify();
}

/// Without a goal of its own a search with `pareto` has the first metric of that.
NetworkGoal::Aim NetworkGoal::readGoal() const {
  study::GoalOp asked = search.goal();
  if (asked.minimize().empty() && asked.maximize().empty())
    return {asked.pareto().front(), "minimize " + asked.paretoTexts().front()};
  bool maximizes = asked.minimize().empty();
  return {(maximizes ? asked.maximize() : asked.minimize()).front(), asked.describe(),
          maximizes ? -1.0 : 1.0};
}

/// False, reported, for what a search cannot be for.
bool NetworkGoal::check(const Aim &aim) const {
  ExpressionValue now =
      emit::evaluateExpression(aim.expr, {&baseline, names.results, names.module});
  if (!now.unknownName.empty())
    diagnostics.report(search->range(), diag::UnknownMetric, now.unknownName);
  else if (!now.notGiven.empty() || !now.number)
    diagnostics.report(search->range(), diag::GoalNeedsEnergy, now.notGiven);
  else if (!isMonotone(aim))
    diagnostics.report(search->range(), diag::GoalNotMonotone);
  else if (isConstant(aim))
    diagnostics.report(search->range(), diag::NothingToSearch, aim.text,
                       "a search tells mappings apart by their energy and latency, on which this "
                       "does not depend");
  else
    return true;
  return false;
}

Outcome NetworkGoal::outcomeOf(double energy, double latency) const {
  Outcome outcome = baseline;
  Cost &cost = outcome.cost;
  double before = baseline.cost.latency.central();
  cost.energy = Figure(energy);
  cost.energy.missing = baseline.cost.energy.missing;
  cost.latency = latency;
  if (baseline.cost.cycles && before > 0)
    cost.cycles = *baseline.cost.cycles * (latency / before);
  if (latency > 0)
    cost.utilization = baseline.cost.utilization * (before / latency);
  return outcome;
}

/// Of a program with these totals.
ExpressionValue NetworkGoal::evaluate(const ir::Attribute &expr, double energy,
                                      double latency) const {
  Outcome outcome = outcomeOf(energy, latency);
  return emit::evaluateExpression(expr, {&outcome, names.results, names.module});
}

double NetworkGoal::value(const Aim &aim, double energy, double latency) const {
  ExpressionValue result = evaluate(aim.expr, energy, latency);
  return result.number ? aim.sign * result.number->toDouble() : HUGE_VAL;
}

double NetworkGoal::value(double energy, double latency) const {
  return value(goal, energy, latency);
}

/// Seen on a grid around the baseline.
bool NetworkGoal::isMonotone(const Aim &aim) const {
  auto [energy, latency] = around();
  static constexpr double scales[] = {0.01, 0.1, 0.5, 0.9, 1, 1.1, 2, 10};
  for (double e : scales)
    for (double l : scales) {
      double here = value(aim, e * energy, l * latency);
      double slack = 1e-9 * std::abs(here);
      if (value(aim, 1.2 * e * energy, l * latency) < here - slack ||
          value(aim, e * energy, 1.2 * l * latency) < here - slack)
        return false;
    }
  return true;
}

/// Seen where one of the two is different.
bool NetworkGoal::isConstant(const Aim &aim) const {
  auto [energy, latency] = around();
  double here = value(aim, energy, latency);
  for (double scale : {0.01, 0.5, 2.0, 100.0})
    if (value(aim, scale * energy, latency) != here || value(aim, energy, scale * latency) != here)
      return false;
  return true;
}

GoalProbe NetworkGoal::probe() const {
  return [this](const ir::Attribute &part, Score at) -> llvm::Optional<double> {
    ExpressionValue result = evaluate(part, at.energy, at.latency);
    return result.number ? llvm::Optional<double>(result.number->toDouble()) : llvm::None;
  };
}

/// Of the program before the search.
Score NetworkGoal::around() const {
  return {std::max(baseline.cost.energy.known.central(), 1e-30),
          std::max(baseline.cost.latency.central(), 1e-30)};
}

/// The goal as a function of what one nest costs; null where there are several, or it is no plain
/// arithmetic.
GoalFunction NetworkGoal::functionOfOne() const {
  if (spaces.size() != 1)
    return nullptr;
  GoalFunction whole = compileGoal(goal.expr, names.module, probe(), around());
  if (!whole)
    return nullptr;
  auto times = static_cast<double>(spaces.front().count);
  return [whole, times, rest = fixed, sign = goal.sign](const Score &s) {
    return sign * whole({rest.energy + times * s.energy, rest.latency + times * s.latency});
  };
}

void NetworkGoal::classify() {
  llvm::StringRef name = goal.expr.is(ir::AttrKind::String) ? goal.expr.asString() : "";
  ofNests.kind = SearchGoal::Front;
  if (!search.goal().require().empty() || !search.goal().pareto().empty())
    return;
  if (name == "energy" || name == "latency" || name == "cycles") {
    ofNests.kind = SearchGoal::Scalar;
    bool energy = name == "energy";
    ofNests.energyOnly = energy;
    ofNests.latencyOnly = !energy;
    ofNests.value = [energy](const Score &s) { return energy ? s.energy : s.latency; };
  } else if (GoalFunction function = functionOfOne()) {
    ofNests.kind = SearchGoal::Scalar;
    ofNests.value = function;
  } else if (goal.sign > 0 && isPowerOfProduct(goal.expr, names.module, probe(), around())) {
    ofNests.kind = SearchGoal::Hull;
    ofNests.value = [](const Score &s) { return s.energy * s.latency; };
  }
}

bool NetworkGoal::meets(double energy, double latency) const {
  return llvm::all_of(search.goal().require(), [&](const ir::Attribute &condition) {
    ExpressionValue result = evaluate(condition, energy, latency);
    return result.truth && *result.truth;
  });
}

/// One of each run of combinations, which are by ascending energy and descending latency. For a
/// bound it is as good as the best of its run in both, so that it stays below all of them.
std::vector<NetworkGoal::Partial> NetworkGoal::thin(llvm::ArrayRef<Partial> all, bool isBound) {
  std::vector<Partial> fewer;
  for (size_t k = 0; k < combinationLimit; ++k) {
    size_t first = k * all.size() / combinationLimit;
    size_t last = (k + 1) * all.size() / combinationLimit - 1;
    fewer.push_back(all[first]);
    if (isBound)
      fewer.back().latency = all[last].latency;
  }
  return fewer;
}

/// Adds the points of the nests, one nest at a time, keeping what no combination beats. `thinned`
/// becomes true when there were too many to keep.
NetworkGoal::Combinations NetworkGoal::combine(llvm::ArrayRef<std::vector<Score>> points,
                                               bool isBound, bool &thinned) const {
  Combinations steps = {{{fixed.energy, fixed.latency, -1, 0}}};
  for (unsigned i = 0; i < points.size(); ++i) {
    std::vector<Partial> next;
    auto times = static_cast<double>(spaces[i].count);
    for (int64_t b = 0; b < int64_t(steps.back().size()); ++b)
      for (unsigned p = 0; p < points[i].size(); ++p) {
        const Partial &before = steps.back()[b];
        next.push_back({before.energy + times * points[i][p].energy,
                        before.latency + times * points[i][p].latency, b, p});
      }
    std::stable_sort(next.begin(), next.end(), [](const Partial &a, const Partial &b) {
      return std::tie(a.energy, a.latency) < std::tie(b.energy, b.latency);
    });
    std::vector<Partial> kept;
    for (const Partial &partial : next)
      if (kept.empty() || partial.latency < kept.back().latency)
        kept.push_back(partial);
    thinned |= kept.size() > combinationLimit;
    steps.push_back(kept.size() > combinationLimit ? thin(kept, isBound) : std::move(kept));
  }
  return steps;
}

/// The points by nest that lead to the `last`-th combination of all nests.
std::vector<unsigned> NetworkGoal::pointsOf(const Combinations &all, size_t last) {
  std::vector<unsigned> points(all.size() - 1);
  for (size_t i = points.size(); i-- > 0;) {
    const Partial &partial = all[i + 1][last];
    points[i] = partial.point;
    last = static_cast<size_t>(partial.before);
  }
  return points;
}

llvm::Optional<NetworkGoal::Choice> NetworkGoal::bestOf(const Combinations &all) const {
  llvm::Optional<size_t> best;
  Choice choice{{}, 0, 0};
  for (size_t k = 0; k < all.back().size(); ++k) {
    const Partial &partial = all.back()[k];
    if (!meets(partial.energy, partial.latency))
      continue;
    double v = value(partial.energy, partial.latency);
    if (!best || v < choice.value) {
      best = k;
      choice.value = v;
    }
  }
  if (!best)
    return llvm::None;
  choice.points = pointsOf(all, *best);
  return choice;
}

/// The least of each figure among what was found, not of one mapping.
std::string NetworkGoal::leastText(llvm::ArrayRef<std::vector<Score>> found) const {
  Score least = fixed;
  for (unsigned i = 0; i < found.size(); ++i) {
    auto times = static_cast<double>(spaces[i].count);
    Score own{HUGE_VAL, HUGE_VAL};
    for (const Score &score : found[i])
      own = {std::min(own.energy, score.energy), std::min(own.latency, score.latency)};
    least = {least.energy + times * own.energy, least.latency + times * own.latency};
  }
  return fmt::format("of those found the least energy is {} and the least latency {}",
                     formatEngineering(least.energy, BaseUnit::Joule),
                     formatEngineering(least.latency, BaseUnit::Second));
}

static std::vector<std::vector<Score>> scoresOf(llvm::ArrayRef<const SearchResult *> results) {
  std::vector<std::vector<Score>> scores;
  for (const SearchResult *result : results) {
    scores.emplace_back();
    for (const Candidate &candidate : result->front)
      scores.back().push_back(candidate.score);
  }
  return scores;
}

std::vector<NetworkGoal::FrontPoint>
NetworkGoal::front(llvm::ArrayRef<const SearchResult *> results, bool &thinned) const {
  Combinations all = combine(scoresOf(results), /*isBound=*/false, thinned);
  std::vector<FrontPoint> found;
  for (size_t k = 0; k < all.back().size(); ++k) {
    auto [energy, latency, before, point] = all.back()[k];
    if (!meets(energy, latency))
      continue;
    FrontPoint next{pointsOf(all, k), {}};
    for (const ir::Attribute &metric : search.goal().pareto())
      next.values.push_back(evaluate(metric, energy, latency).number.getValueOr(Quantity()));
    auto beats = [](const FrontPoint &a, const FrontPoint &b) {
      return llvm::all_of(llvm::zip(a.values, b.values), [](const auto &pair) {
        return std::get<0>(pair).toDouble() <= std::get<1>(pair).toDouble();
      });
    };
    if (llvm::any_of(found, [&](const FrontPoint &known) { return beats(known, next); }))
      continue;
    llvm::erase_if(found, [&](const FrontPoint &known) { return beats(next, known); });
    found.push_back(std::move(next));
  }
  return found;
}

llvm::Optional<NetworkGoal::Choice>
NetworkGoal::best(llvm::ArrayRef<const SearchResult *> results) {
  std::vector<std::vector<Score>> found = scoresOf(results), bounds;
  bool open = false;
  for (const SearchResult *result : results) {
    bounds.push_back(found[bounds.size()]);
    // Only corners matter for the bound, and there may be many open parts.
    Score least{HUGE_VAL, HUGE_VAL};
    for (const Score &bound : result->open) {
      open = true;
      least = {std::min(least.energy, bound.energy), std::min(least.latency, bound.latency)};
    }
    if (result->open.size() > 64)
      bounds.back().push_back(least);
    else
      bounds.back().insert(bounds.back().end(), result->open.begin(), result->open.end());
  }
  llvm::Optional<Choice> choice = bestOf(combine(found, /*isBound=*/false, open));
  if (!choice) {
    std::vector<std::string> texts = search.goal().requireTexts();
    std::string required = fmt::format("{}", fmt::join(texts, ", "));
    if (auto point = ir::as<study::PointOp>(search->parentOp()))
      diagnostics.report(search->range(), diag::PointMeetsNothing, bindingsText(point.bindings()),
                         required);
    else
      diagnostics.report(search->range(), diag::RequirementNotMet, required).note(leastText(found));
    return llvm::None;
  }
  choice->bound = choice->value;
  if (open)
    if (llvm::Optional<Choice> lower = bestOf(combine(bounds, /*isBound=*/true, open)))
      choice->bound = lower->value;
  return choice;
}
