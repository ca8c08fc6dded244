// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/StudySearch.h"

#include "backends/core/Evaluate.h"
#include "backends/loopnest/NestSparsity.h"
#include "backends/loopnest/SystolicNest.h"
#include "backends/mapper/NestSearch.h"
#include "backends/mapper/NetworkGoal.h"
#include "backends/mapper/RefusalReport.h"
#include "backends/mapper/TangentBounds.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/phase/PhaseOps.h"
#include "passes/KernelUses.h"
#include "passes/Levels.h"
#include "passes/Names.h"
#include <ctime>
#include <map>
#include <thread>

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

/// Time limit of a search that does not say one.
static constexpr double defaultLimit = 60;
/// Most weights of the latency that are tried, and what rounding may make of a proof.
static constexpr unsigned mostTangents = 40;
static constexpr double proofTolerance = 1e-9;

namespace {

class StudySearch {
public:
  StudySearch(ir::Module &module, study::SearchStatement search, ProviderSet &providers,
              const MetricNames &names, const SearchSettings &settings,
              DiagnosticEngine &diagnostics)
      : module(module), search(search), providers(providers), names(names), settings(settings),
        diagnostics(diagnostics) {}

  llvm::Optional<SearchSummary> run();

private:
  bool findEvaluation();
  void countRuns(const ir::Region &region, int64_t times);
  void findMapspaces();
  bool makeSpaces();
  bool reportUnsearched(const ir::Operation &nest, const std::string &reason);
  bool findBaseline();
  void findFixedPart();
  using Clock = std::chrono::steady_clock;
  bool searchAll();
  bool searchNests(const SearchGoal &goal, Clock::time_point end, unsigned descents);
  bool searchTangents(Clock::time_point end);
  bool choose();

  ir::Module &module;
  study::SearchStatement search;
  ProviderSet &providers;
  const MetricNames &names;
  const SearchSettings &settings;
  DiagnosticEngine &diagnostics;

  study::EvaluateOp evaluate;
  const ir::Operation *chip = nullptr;
  /// Nests in the order in which they first run.
  std::vector<ir::Operation *> nests;
  struct Runs {
    int64_t count;
    const ir::Operation *placement; ///< the first phase.kernel that runs it
  };
  std::map<const ir::Operation *, Runs> runs;
  std::map<const ir::Operation *, MapspaceOp> mapspaces;
  std::vector<NestSpace> spaces;
  std::vector<unsigned> firstEqual; ///< by space: the first one with the same answer
  std::vector<NestResult> results;  ///< by space; empty for repetitions
  std::vector<unsigned> distinct;   ///< spaces that are searched, in this order
  std::vector<char> settled;        ///< by space: whose result is known
  /// Where the product of sums is at least as good as anywhere.
  llvm::Optional<TangentBounds::Corner> corner;
  Cost baseline;
  Score fixed; ///< of what is not searched
  SearchSummary summary;
};

} // namespace

bool StudySearch::findEvaluation() {
  for (ir::Operation &part : search->body())
    if (auto found = ir::as<study::EvaluateOp>(part))
      evaluate = found;
  target::ChipOp target = evaluate ? passes::chipOf(module, evaluate.on()) : target::ChipOp();
  const ir::Operation *program =
      evaluate ? module.lookup(passes::programSymbol(evaluate)) : nullptr;
  if (!target || !program)
    return false; // lowering has said why
  chip = target.op;
  countRuns(program->body(), 1);
  return true;
}

void StudySearch::countRuns(const ir::Region &region, int64_t times) {
  for (const ir::Operation &op : region) {
    if (auto run = ir::as<collective::RunOp>(op)) {
      if (const ir::Operation *sequence = module.lookup(run.phase()))
        countRuns(sequence->body(), times);
    } else if (auto kernel = ir::as<phase::KernelOp>(op)) {
      ir::Operation *nest = module.lookup(kernel.run());
      if (!nest || !nest->is(NestOp::opName))
        continue;
      auto [known, isNew] = runs.insert({nest, {0, kernel.op}});
      if (isNew)
        nests.push_back(nest);
      known->second.count += times * kernel.count();
    } else if (auto repeat = ir::as<phase::RepeatOp>(op)) {
      countRuns(op.body(), times * repeat.count());
    } else if (auto repeat = ir::as<collective::RepeatOp>(op)) {
      countRuns(op.body(), times * repeat.count());
    }
  }
}

/// A mapspace is for a kernel; the nest of a group is one of a statement of its members.
void StudySearch::findMapspaces() {
  if (search.spaces().empty())
    return;
  passes::forEachKernel(evaluate, "search", diagnostics, [&](const passes::KernelUse &use) {
    for (ir::Operation *nest : nests) {
      NestOp view(nest);
      if (view.kernel() != use.kernel.symbol())
        continue;
      const passes::KernelUse::Member *member = &use.members.front();
      for (const passes::KernelUse::Member &candidate : use.members)
        if (candidate.firstStatement <= static_cast<size_t>(view.statement()))
          member = &candidate;
      int64_t number = view.statement() - static_cast<int64_t>(member->firstStatement);
      for (const ir::Attribute &symbol : search.spaces()) {
        auto space = module.lookup<MapspaceOp>(symbol.asSymbol());
        if (space && space.kernel() == member->kernel.symbol() &&
            space->intAttr("statement") == number)
          mapspaces[nest] = space;
      }
    }
  });
}

bool StudySearch::makeSpaces() {
  std::map<std::string, unsigned> known;
  for (ir::Operation *nest : nests) {
    if (NestOp(nest).mapping() != "default")
      continue; // the user's own
    const Runs &run = runs[nest];
    std::string reason;
    llvm::Optional<NestSpace> space = makeNestSpace(
        *nest, *chip, phase::KernelOp(const_cast<ir::Operation *>(run.placement)).extraBytes(),
        mapspaces[nest], reason);
    if (space && sparsityOf(space->adapted, run.placement)) {
      reason = "the search does not weigh zeros";
      space = llvm::None;
    }
    if (!space) {
      if (!reportUnsearched(*nest, reason))
        return false;
      continue;
    }
    if (space->keeps.empty()) {
      diagnostics.report(mapspaces[nest]->range(), diag::TooManyKeeps, mapspaces[nest].source(),
                         mostOpenKeeps);
      return false;
    }
    space->count = run.count;
    auto found = known.insert({searchKey(*space), static_cast<unsigned>(spaces.size())}).first;
    firstEqual.push_back(found->second);
    spaces.push_back(std::move(*space));
  }
  summary.nests = static_cast<unsigned>(spaces.size());
  summary.distinct = static_cast<unsigned>(known.size());
  if (spaces.empty())
    diagnostics.report(search->range(), diag::NothingToSearch, evaluate.subjectLabel());
  return !spaces.empty();
}

/// A nest that is not searched keeps its default mapping, if it has one.
bool StudySearch::reportUnsearched(const ir::Operation &nest, const std::string &reason) {
  llvm::StringRef kernel = NestOp(const_cast<ir::Operation *>(&nest)).kernel();
  if (!nest.hasAttr("unfit")) {
    summary.notes.push_back(fmt::format("`{}` keeps its default mapping: {}", kernel, reason));
    return true;
  }
  Diagnostic &error =
      diagnostics.report(search->range(), diag::NoValidMapping, kernel, chip->symbol());
  error.note("it has no default mapping, and is not searched: " + reason);
  return false;
}

/// The cost of the program as it was lowered, whether its default mappings fit or not: they are
/// replaced.
bool StudySearch::findBaseline() {
  std::vector<ir::Operation *> marked;
  for (ir::Operation *nest : nests)
    if (NestOp(nest).mapping() == "default" && !nest->hasAttr("unfit")) {
      nest->setAttr("unfit", ir::Attribute::unit());
      marked.push_back(nest);
    }
  llvm::Optional<Cost> first = evaluateStudy(module, *evaluate, providers, diagnostics);
  for (ir::Operation *nest : marked)
    nest->removeAttr("unfit");
  if (first)
    baseline = std::move(*first);
  return first.hasValue();
}

/// The baseline less the nests as they were lowered; what rounding leaves of nothing is nothing.
void StudySearch::findFixedPart() {
  fixed = {baseline.energy.known.central(), baseline.latency.central()};
  Score all = fixed;
  HashCache hashes;
  for (NestSpace &space : spaces)
    if (const Cost *cost = providers.evaluate({space.nest, chip, runs[space.nest].placement},
                                              hashes, diagnostics)) {
      fixed.energy -= static_cast<double>(space.count) * cost->energy.known.central();
      fixed.latency -= static_cast<double>(space.count) * cost->latency.central();
      if (!space.hasRules && findSystolic(space.adapted) && !space.nest->hasAttr("unfit"))
        space.asLowered = Score{cost->energy.known.central(), cost->latency.central()};
    }
  if (fixed.energy < 1e-9 * all.energy)
    fixed.energy = 0;
  if (fixed.latency < 1e-9 * all.latency)
    fixed.latency = 0;
}

/// Searches each space once that differs from those before it; false when one has no mapping.
bool StudySearch::searchNests(const SearchGoal &goal, Clock::time_point end, unsigned descents) {
  SearchOptions options;
  options.threads =
      settings.threads ? settings.threads : std::max(1u, std::thread::hardware_concurrency());
  options.seed = settings.seed;
  options.stop = settings.stop;
  options.descents = descents;
  // Nests side by side; the threads that are left over work together on each.
  unsigned workers = std::min<unsigned>(options.threads, distinct.size());
  unsigned threadsOfEach = std::max(1u, options.threads / workers);
  std::atomic<unsigned> next{0};
  auto work = [&] {
    for (unsigned k = next++; k < distinct.size(); k = next++) {
      if (settled[distinct[k]])
        continue;
      // Time that easy nests leave is for those that follow.
      Clock::duration rest = std::max(Clock::duration::zero(), end - Clock::now());
      SearchOptions own = options;
      own.threads = threadsOfEach;
      auto left = static_cast<int64_t>(distinct.size() - k);
      own.deadline =
          Clock::now() + (left < workers ? rest : Clock::duration(rest.count() / left * workers));
      const NestSpace &nest = spaces[distinct[k]];
      own.known = results[distinct[k]].found.front;
      results[distinct[k]] = searchNest(nest, goal, own);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < workers; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i : distinct) {
    summary.evaluated += settled[i] ? 0 : results[i].found.evaluated;
    if (results[i].found.front.empty()) {
      reportRefusals(spaces[i], search, *chip, diagnostics);
      return false;
    }
  }
  return true;
}

/// The best product of sums: one weight of the latency after the other, for all nests alike.
bool StudySearch::searchTangents(Clock::time_point end) {
  Score least = fixed;
  for (unsigned i = 0; i < spaces.size(); ++i) {
    Score own = leastScore(spaces[i].space, spaces[i].weights);
    least.energy += static_cast<double>(spaces[i].count) * own.energy;
    least.latency += static_cast<double>(spaces[i].count) * own.latency;
  }
  TangentBounds bounds(least.energy, least.latency);
  std::vector<NestAnswers> answers(spaces.size());
  double best = HUGE_VAL, weight = least.energy / least.latency;
  for (unsigned round = 0; round < mostTangents; ++round) {
    SearchGoal goal{SearchGoal::Scalar,
                    [=](const Score &s) { return s.energy + weight * s.latency; }};
    for (unsigned i : distinct)
      if (const Candidate *answer = answers[i].at(weight)) {
        settled[i] = 1;
        results[i].found = {{*answer}, {}, 0};
      } else {
        settled[i] = 0;
      }
    if (!searchNests(goal, end, round == 0 ? SearchOptions().descents : 0))
      return false;
    Score sum = fixed;
    double line = goal.value(fixed);
    for (unsigned i = 0; i < spaces.size(); ++i) {
      const SearchResult &result = results[firstEqual[i]].found;
      const Score &score = result.front.front().score;
      double bound = goal.value(score);
      for (const Score &rest : result.open)
        bound = std::min(bound, goal.value(rest));
      auto times = static_cast<double>(spaces[i].count);
      sum = {sum.energy + times * score.energy, sum.latency + times * score.latency};
      line += times * bound;
    }
    for (unsigned i : distinct)
      answers[i].add(weight, results[i].found.front.front(), results[i].found.isProven());
    bounds.add(weight, line, sum.energy, sum.latency);
    best = std::min(best, sum.energy * sum.latency);
    llvm::Optional<double> next = bounds.nextWeight();
    if (!next || bounds.leastCorner().product() >= best * (1 - proofTolerance) ||
        Clock::now() >= end || (settings.stop && *settings.stop))
      break;
    weight = *next;
  }
  for (unsigned i : distinct) {
    results[i].found = {answers[i].all(), {}, 0};
    summary.provenNests += answers[i].areProven() ? 1 : 0;
  }
  corner = bounds.leastCorner();
  return choose();
}

/// Whether a nest is one space whose mappings the closed form weighs: only there does `leastScore`
/// bound all that is open.
static bool hasClosedForm(const NestSpace &nest) {
  return nest.keeps.size() == 1 && !nest.asLowered && !nest.isImperfect &&
         nest.beyondClosedForm.empty() && nest.space.isFlat;
}

bool StudySearch::searchAll() {
  double limit = settings.within   ? *settings.within
                 : search.within() ? search.within()->toDouble()
                                   : defaultLimit;
  Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(limit));
  NetworkGoal goal(search, baseline, fixed, names, spaces, diagnostics);
  if (!goal.isValid())
    return false;
  results.resize(spaces.size());
  settled.assign(spaces.size(), 0);
  for (unsigned i = 0; i < spaces.size(); ++i)
    if (firstEqual[i] == i)
      distinct.push_back(i);
  // Those with few factors first: the time that they leave is for the others.
  auto factors = [&](unsigned i) {
    double product = 1;
    for (const Dim &dim : spaces[i].space.nest.dims)
      product *= static_cast<double>(divisors(dim.size).size());
    return product;
  };
  llvm::stable_sort(distinct, [&](unsigned a, unsigned b) { return factors(a) < factors(b); });
  if (goal.nestGoal().kind == SearchGoal::Hull && llvm::all_of(spaces, hasClosedForm))
    return searchTangents(end);
  if (!searchNests(goal.nestGoal(), end, SearchOptions().descents))
    return false;
  for (unsigned i : distinct)
    summary.provenNests += results[i].found.isProven() ? 1 : 0;
  return choose();
}

/// Takes the best combination and writes it into the nests.
bool StudySearch::choose() {
  NetworkGoal goal(search, baseline, fixed, names, spaces, diagnostics);
  std::vector<const SearchResult *> byNest;
  for (unsigned i = 0; i < spaces.size(); ++i)
    byNest.push_back(&results[firstEqual[i]].found);
  llvm::Optional<NetworkGoal::Choice> choice = goal.best(byNest);
  if (!choice)
    return false;
  summary.goal = goal.text();
  summary.hasValue = true;
  summary.value = choice->value;
  double bound = corner ? goal.value(corner->energy, corner->latency) : choice->bound;
  summary.bound = std::min(bound, choice->value);
  bool nestsProven =
      !corner && llvm::all_of(byNest, [](const SearchResult *r) { return r->isProven(); });
  summary.proven = nestsProven || summary.bound >= summary.value * (1 - proofTolerance);
  std::map<std::string, std::string> mappings; // by op, in order
  for (unsigned i = 0; i < spaces.size(); ++i) {
    const Candidate &best = byNest[i]->front[choice->points[i]];
    if (best.space == NestResult::lowered) {
      summary.notes.push_back(
          fmt::format("`{}` runs in folds, as without a mapping", NestOp(spaces[i].nest).kernel()));
      continue;
    }
    const std::vector<NestSpace> &choices = results[firstEqual[i]].spaces;
    NestSpace own = withKeeps(spaces[i], choices[best.space].keeps.front());
    writeNest(own, best.mapping);
    if (firstEqual[i] == i && choices.size() > 1)
      summary.notes.push_back(fmt::format("`{}`: best of {} choices of what memories keep: {}",
                                          NestOp(own.nest).kernel(), choices.size(),
                                          keepText(own)));
    auto kernel = ir::as<op::KernelOp>(*module.lookup(NestOp(spaces[i].nest).kernel()));
    std::string condition;
    const ir::AttrDict &parameters = kernel->dictAttr("parameters");
    for (const auto &[name, value] : parameters.entries())
      if (value.is(ir::AttrKind::Int))
        condition +=
            fmt::format("{}{} == {}", condition.empty() ? "" : " and ", name, value.asInt());
    std::string lines = mappingLines(own, best.mapping, condition.empty() ? "  " : "    ");
    std::string &text = mappings[kernel.declaration().str()];
    text += condition.empty() ? lines : fmt::format("  if {} {{\n{}  }}\n", condition, lines);
  }
  std::string chipName = evaluate.onLabel().split('(').first.str();
  for (const auto &[op, text] : mappings)
    summary.mappings +=
        fmt::format("mapping best_{} for {} on {} {{\n{}}}\n", op, op, chipName, text);
  return true;
}

llvm::Optional<SearchSummary> StudySearch::run() {
  std::clock_t begin = std::clock();
  if (!findEvaluation())
    return llvm::None;
  if (!findBaseline())
    return llvm::None;
  findMapspaces();
  if (!makeSpaces())
    return llvm::None;
  findFixedPart();
  if (!searchAll())
    return llvm::None;
  summary.cpuSeconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  return summary;
}

llvm::Optional<SearchSummary> mapper::searchStudy(ir::Module &module, study::SearchStatement search,
                                                  ProviderSet &providers, const MetricNames &names,
                                                  const SearchSettings &settings,
                                                  DiagnosticEngine &diagnostics) {
  return StudySearch(module, search, providers, names, settings, diagnostics).run();
}
