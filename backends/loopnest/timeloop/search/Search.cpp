// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/search/Search.h"

#include "backends/loopnest/timeloop/search/Estimate.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <cmath>
#include <unordered_map>

using namespace perfc;
using namespace perfc::timeloop;
using Clock = std::chrono::steady_clock;

/// Of a dimension, so that it is factorized at once.
static constexpr int64_t largestSize = int64_t(1) << 40;
static constexpr unsigned descents = 24;             ///< annealings with the estimate
static constexpr unsigned estimates = 10000;         ///< of one of them
static constexpr unsigned climbs = 8;                ///< starting points that are improved further
static constexpr double hottest = 1, coldest = 0.01; ///< in natural logarithms of the goal
static constexpr double warmest = 0.05;              ///< of a climb, likewise
static constexpr double least = 1e-30;               ///< energy of an estimate, in pJ
static constexpr double worthwhile = 1.6; ///< estimate of a move beside that of where it starts

namespace {

struct Figures {
  double energy = 0, cycles = 0;
};

struct Point {
  Placements placements;
  double estimated = 0;
  double value = HUGE_VAL;
};

class LocalSearch {
public:
  LocalSearch(const Input &input, const Constraints &constraints, const SearchOptions &options,
              DiagnosticEngine &diagnostics)
      : trial(input), constraints(constraints), mapspace(input, constraints), options(options),
        diagnostics(diagnostics), random(options.seed), begin(Clock::now()) {}

  llvm::Optional<SearchResult> run();

private:
  void run(Goal goal, const Placements &start);
  bool isOver() const;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }
  double uniform() { return static_cast<double>(random() >> 11) * 0x1p-53; }
  double guess(const Placements &placements);
  bool step(Placements &placements);
  Point anneal(const Placements &start);
  void evaluate(Point &point);
  llvm::Optional<Figures> evaluateNew(const Placements &placements);
  void climb(Point &point, int64_t until);
  llvm::NoneType fail(SourceRange place, llvm::StringRef why);
  llvm::NoneType failAt(const NoStart &why);
  std::string describe(const NoStart &why, SourceRange &place) const;

  Input trial; ///< what is evaluated
  const Constraints &constraints;
  Mapspace mapspace;
  const SearchOptions &options;
  DiagnosticEngine &diagnostics;
  std::mt19937_64 random;
  Clock::time_point begin;
  Goal guide = Goal::Edp; ///< by which points are compared
  int64_t limit = 0;      ///< of `evaluated`
  std::string refusal;
  llvm::Optional<SearchResult> found;
  std::unordered_map<uint64_t, llvm::Optional<Figures>> known; ///< by keyOf
  int64_t evaluated = 0, estimated = 0;
  double longest = 0; ///< s that an evaluation took
};

} // namespace

/// A hash of what an evaluation depends on: the loops that repeat anything, and what is kept.
static uint64_t keyOf(const Placements &placements) {
  llvm::SmallVector<int64_t, 128> key;
  for (const Placement &placement : placements) {
    for (const Nest *nest : {&placement.temporal, &placement.spatial}) {
      for (unsigned place = 0; place < nest->order.size(); ++place)
        if (int64_t factor = nest->factors[nest->order[place]].end; factor > 1)
          key.append({nest->order[place], place < nest->split, factor});
      key.push_back(-1);
    }
    key.append(placement.keep.begin(), placement.keep.end());
  }
  return llvm::hash_combine_range(key.begin(), key.end());
}

/// What a search changes of `from`; the rest is the same.
static void takeChoices(Placements &to, const Placements &from) {
  for (size_t memory = 0; memory < from.size(); ++memory) {
    to[memory].keep = from[memory].keep;
    for (auto nest : {&Placement::temporal, &Placement::spatial}) {
      (to[memory].*nest).factors = (from[memory].*nest).factors;
      (to[memory].*nest).order = (from[memory].*nest).order;
      (to[memory].*nest).split = (from[memory].*nest).split;
    }
  }
}

double timeloop::goalValue(Goal goal, double energy, double cycles) {
  return goal == Goal::Edp ? energy * cycles : goal == Goal::Energy ? energy : cycles;
}

/// Also when what is left of the time is less than the longest evaluation has taken.
bool LocalSearch::isOver() const {
  double next = found ? longest : 0;
  return evaluated >= limit || (options.within && seconds() + next > *options.within);
}

double LocalSearch::guess(const Placements &placements) {
  ++estimated;
  Estimate estimate = timeloop::estimate(trial, mapspace, placements);
  // Of mappings that are as good, the one that is better in the other respect.
  double energy = std::max(estimate.energy, least); // none where no energy is given
  return std::log(goalValue(guide, energy, estimate.cycles)) +
         1e-3 * std::log(energy * estimate.cycles);
}

/// One to three moves to a valid mapping.
bool LocalSearch::step(Placements &placements) {
  bool changed = false;
  for (uint64_t moves = 1 + (random() % 4 == 0) + (random() % 8 == 0); moves-- > 0;)
    changed |= mapspace.move(placements, random);
  return changed && mapspace.isValid(placements);
}

Point LocalSearch::anneal(const Placements &start) {
  Point here{start, guess(start)}, best = here, next = here;
  for (unsigned count = 0; count < estimates; ++count) {
    if (count % 64 == 0 && found && isOver())
      break;
    double heat = hottest * std::pow(coldest / hottest, double(count) / estimates);
    takeChoices(next.placements, here.placements);
    if (!step(next.placements))
      continue;
    next.estimated = guess(next.placements);
    if (next.estimated - here.estimated > -heat * std::log(1 - uniform()))
      continue;
    std::swap(here, next);
    if (here.estimated < best.estimated)
      best = here;
  }
  return best;
}

/// The value of a point, evaluated when it is met first.
void LocalSearch::evaluate(Point &point) {
  auto [entry, isNew] = known.try_emplace(keyOf(point.placements));
  if (isNew)
    entry->second = evaluateNew(point.placements);
  if (entry->second)
    point.value = goalValue(guide, entry->second->energy, entry->second->cycles);
}

llvm::Optional<Figures> LocalSearch::evaluateNew(const Placements &placements) {
  trial.placements = placements;
  for (Placement &placement : trial.placements) {
    placement.temporal.given = true;
    placement.spatial.given =
        llvm::any_of(placement.spatial.factors, [](const Factor &one) { return one.end > 1; });
    for (Nest *nest : {&placement.temporal, &placement.spatial})
      for (Factor &factor : nest->factors)
        factor.residual = factor.end;
  }
  ++evaluated;
  double from = seconds();
  DiagnosticEngine scratch(diagnostics.sourceManager());
  llvm::Optional<Result> result = timeloop::evaluate(trial, scratch);
  longest = std::max(longest, seconds() - from);
  // Counts that wrap around are no figures to search for.
  if (!result || !scratch.all().empty()) {
    if (!scratch.all().empty())
      refusal = scratch.all().front().message;
    return llvm::None;
  }
  if (options.goal != Goal::Latency && !result->withoutEnergy.empty())
    return llvm::None;
  Figures figures{result->energy, static_cast<double>(result->cycles)};
  double value = goalValue(options.goal, figures.energy, figures.cycles);
  if (!found || value < found->value)
    found = SearchResult{trial, std::move(*result), value};
  return figures;
}

/// From one evaluated point to the next, at first also to a slightly worse one; `point` becomes the
/// best of them.
void LocalSearch::climb(Point &point, int64_t until) {
  int64_t first = evaluated;
  Point here = point, next = here;
  for (int64_t tries = 40 * (until - evaluated); tries > 0 && evaluated < until; --tries) {
    if (isOver())
      return;
    takeChoices(next.placements, here.placements);
    next.value = HUGE_VAL;
    if (!step(next.placements))
      continue;
    next.estimated = guess(next.placements);
    if (next.estimated > here.estimated + std::log(worthwhile))
      continue;
    evaluate(next);
    double heat = warmest * double(until - evaluated) / double(until - first);
    double rise = next.value > here.value ? std::log(next.value / here.value) : 0;
    if (rise > -heat * std::log(1 - uniform()))
      continue;
    std::swap(here, next);
    if (here.value <= point.value)
      point = here;
  }
}

llvm::NoneType LocalSearch::fail(SourceRange place, llvm::StringRef why) {
  llvm::StringRef name = trial.problem.name;
  Diagnostic &error = diagnostics.report(
      place, diag::NoValidMapping, name.empty() ? "the problem" : name, trial.memories.back().name);
  if (!why.empty())
    error.note(why.str());
  return llvm::None;
}

/// Also the place of what is wrong, where a constraint says it.
std::string LocalSearch::describe(const NoStart &why, SourceRange &place) const {
  unsigned dim = why.dims.front();
  std::vector<std::string> sizes, factors;
  for (unsigned each : why.dims)
    sizes.push_back(fmt::format("`{}` = {}", trial.problem.dims[each], trial.problem.bounds[each]));
  if (why.slot) {
    const Level &child = trial.level(*why.slot / 2), &parent = trial.memories[*why.slot / 2];
    place = constraints.memories[*why.slot / 2].spatial.exactPlaces[dim];
    return fmt::format("what is fixed along the array of `{}` is more than its {} x {}", child.name,
                       child.meshX / parent.meshX, child.meshY / parent.meshY);
  }
  for (const PlacementRule &rule : constraints.memories)
    for (const NestRule *nest : {&rule.temporal, &rule.spatial})
      if (const llvm::Optional<int64_t> &factor = nest->exact[dim]) {
        place = nest->exactPlaces[dim];
        factors.push_back(std::to_string(*factor));
      }
  if (factors.empty() || why.dims.size() > 1)
    return fmt::format("the constraints leave no place for {}{}", llvm::join(sizes, " and "),
                       why.dims.size() > 1 ? " together" : "");
  return fmt::format("the factors of `{}` that the constraints fix, {}, do not divide {}, or leave "
                     "no place for the rest of it",
                     trial.problem.dims[dim], llvm::join(factors, " * "),
                     trial.problem.bounds[dim]);
}

llvm::NoneType LocalSearch::failAt(const NoStart &why) {
  SourceRange place = trial.place;
  if (!why.gaveUp) {
    std::string reason = describe(why, place);
    return fail(place, reason);
  }
  diagnostics.report(place, diag::SearchTooShort, trial.problem.name, trial.memories.back().name)
      .note("there are too many ways to put the factors along the arrays and under the limits of "
            "the constraints to try them all");
  return llvm::None;
}

/// One search by `goal`, with `options.evaluations`.
void LocalSearch::run(Goal goal, const Placements &start) {
  guide = goal;
  limit = evaluated + options.evaluations;
  std::vector<Point> points{{start, guess(start)}};
  evaluate(points.front());
  for (unsigned count = 0; count < descents && !isOver(); ++count) {
    points.push_back(anneal(start));
    if (!found || !isOver())
      evaluate(points.back());
  }
  auto isBetter = [](const Point &a, const Point &b) { return a.value < b.value; };
  llvm::stable_sort(points, isBetter);
  for (unsigned index = 0; index < climbs && index < points.size(); ++index)
    climb(points[index], evaluated + (limit - evaluated) / 2);
  llvm::stable_sort(points, isBetter);
  climb(points.front(), limit);
}

/// Of equally long ways to few cycles or little energy alone most lead nowhere: a search for one of
/// them follows one for both, and is no worse than that.
llvm::Optional<SearchResult> LocalSearch::run() {
  NoStart why;
  llvm::Optional<Placements> start = mapspace.start(why);
  if (!start)
    return failAt(why);
  bool hasEnergies = !trial.compute.energies.empty();
  if (options.goal == Goal::Edp || hasEnergies)
    run(Goal::Edp, *start);
  if (options.goal != Goal::Edp)
    run(options.goal, *start);
  if (!found)
    return fail(trial.place, refusal);
  found->evaluated = evaluated;
  found->estimated = estimated;
  return found;
}

/// A level that has no energies may only be one that no tensor stops at.
static bool checkEnergies(const Input &input, const Constraints &constraints,
                          DiagnosticEngine &diagnostics) {
  for (unsigned index = 0; index <= input.memories.size(); ++index) {
    const Level &level = input.level(index);
    auto isBypassed = [](const llvm::Optional<bool> &keep) { return keep && !*keep; };
    if (!level.energies.empty() ||
        (index && llvm::all_of(constraints.memories[index - 1].keep, isBypassed)))
      continue;
    diagnostics.report(level.place, diag::TimeloopNoEnergy, level.name, index ? "read" : "compute")
        .help("only a search for cycles needs no energies: `--minimize latency`");
    return false;
  }
  return true;
}

/// What the search takes for granted before it evaluates anything.
static bool checkSizes(const Input &input, DiagnosticEngine &diagnostics) {
  if (input.memories.empty()) {
    diagnostics.report(input.place, diag::TimeloopTooLarge, "an architecture has a memory");
    return false;
  }
  for (unsigned dim = 0; dim < input.dimCount(); ++dim)
    if (input.problem.bounds[dim] < 1 || input.problem.bounds[dim] > largestSize) {
      diagnostics.report(input.problem.place, diag::TimeloopSize, input.problem.dims[dim],
                         input.problem.bounds[dim]);
      return false;
    }
  return true;
}

llvm::Optional<SearchResult> timeloop::search(const Input &input, const Constraints &constraints,
                                              const SearchOptions &options,
                                              DiagnosticEngine &diagnostics) {
  if (!checkSizes(input, diagnostics) ||
      (options.goal != Goal::Latency && !checkEnergies(input, constraints, diagnostics)))
    return llvm::None;
  Input empty = input;
  empty.placements = emptyPlacements(input);
  return LocalSearch(empty, constraints, options, diagnostics).run();
}
