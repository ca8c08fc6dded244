// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/StudySearch.h"

#include "backends/core/Evaluate.h"
#include "backends/loopnest/SystolicNest.h"
#include "backends/mapper/NetworkGoal.h"
#include "backends/mapper/RefusalReport.h"
#include "backends/mapper/SearchRounds.h"
#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Evaluation.h"
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
  const ir::Operation &targetOf(const ir::Operation *nest) const;
  void countRuns(const ir::Region &region, int64_t times);
  void findMapspaces();
  bool makeSpaces();
  void reportNothing() const;
  bool reportUnsearched(const ir::Operation &nest, const std::string &reason);
  bool findBaseline();
  const Cost *costAsLowered(NestSpace &space, HashCache &hashes);
  void findFixedPart();
  bool searchAll();
  bool choose(const SearchRounds &rounds);
  void noteBetterDefault(const NetworkGoal &goal);
  void findMappedKernels();
  std::vector<FoundMapping> mappingsOf(const SearchRounds &rounds,
                                       llvm::ArrayRef<unsigned> points) const;
  void findFront(const NetworkGoal &goal, const SearchRounds &rounds,
                 llvm::ArrayRef<const SearchResult *> byNest, llvm::ArrayRef<unsigned> chosen);
  void write(const SearchRounds &rounds, llvm::ArrayRef<unsigned> points);

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
  std::vector<const ir::Operation *> fused; ///< groups of nests that are not searched
  struct Runs {
    int64_t count;
    const ir::Operation *placement; ///< the first phase.kernel that runs it
    bool hasOtherZeros = false;     ///< another one has others
  };
  std::map<const ir::Operation *, Runs> runs;
  std::map<const ir::Operation *, MapspaceOp> mapspaces;
  std::vector<NestSpace> spaces;
  std::map<const ir::Operation *, op::KernelOp> kernels; ///< by nest
  std::vector<unsigned> firstEqual; ///< by space: the first one with the same answer
  Outcome baseline;
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

/// What `nest` runs on: the chip, or the part of it where its kernel is placed.
const ir::Operation &StudySearch::targetOf(const ir::Operation *nest) const {
  const ir::Operation *placement = runs.at(nest).placement;
  return placement->hasAttr("on") ? *module.lookup(placement->symbolAttr("on")) : *chip;
}

void StudySearch::countRuns(const ir::Region &region, int64_t times) {
  for (const ir::Operation &op : region) {
    if (auto run = ir::as<collective::RunOp>(op)) {
      if (const ir::Operation *sequence = module.lookup(run.phase()))
        countRuns(sequence->body(), times);
    } else if (auto kernel = ir::as<phase::KernelOp>(op)) {
      ir::Operation *nest = module.lookup(kernel.run());
      if (nest && nest->is(FusedOp::opName) && !llvm::is_contained(fused, nest))
        fused.push_back(nest);
      if (!nest || !nest->is(NestOp::opName))
        continue;
      auto [known, isNew] = runs.insert({nest, {0, kernel.op}});
      if (isNew)
        nests.push_back(nest);
      known->second.count += times * kernel.count();
      known->second.hasOtherZeros |= zerosOf(kernel.op) != zerosOf(known->second.placement);
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
      const auto &member = passes::memberOf(use, static_cast<size_t>(view.statement()));
      int64_t number = view.statement() - static_cast<int64_t>(member.firstStatement);
      for (const ir::Attribute &symbol : search.spaces()) {
        auto space = module.lookup<MapspaceOp>(symbol.asSymbol());
        if (space && space.kernel() == member.kernel.symbol() &&
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
    llvm::Optional<NestSpace> space =
        makeNestSpace(*nest, targetOf(nest), run.placement, mapspaces[nest], reason);
    if (space && run.hasOtherZeros) {
      reason = "it runs several times, with different zeros";
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
    std::string key = searchKey(*space) + targetOf(nest).symbol().str();
    auto found = known.insert({std::move(key), static_cast<unsigned>(spaces.size())}).first;
    firstEqual.push_back(found->second);
    spaces.push_back(std::move(*space));
  }
  summary.nests = static_cast<unsigned>(spaces.size());
  summary.distinct = static_cast<unsigned>(known.size());
  if (spaces.empty())
    reportNothing();
  for (const ir::Operation *group : fused)
    summary.notes.push_back(
        fmt::format("`{}` keeps its fused mapping `{}`: fused mappings are not searched",
                    group->symbolAttr("kernel"), group->stringAttr("mapping")));
  return !spaces.empty();
}

void StudySearch::reportNothing() const {
  Diagnostic &error =
      diagnostics.report(search->range(), diag::NothingToSearch, evaluate.subjectLabel(),
                         !nests.empty()   ? "none of its loop nests is searched"
                         : !fused.empty() ? "fused mappings are not searched"
                                          : "no statement runs as a loop nest");
  for (const ir::Operation *group : fused)
    error.note(group->range(),
               fmt::format("`{}` fuses the statements of `{}`", group->stringAttr("mapping"),
                           group->symbolAttr("kernel")));
  if (!fused.empty())
    error.help("without it each statement is searched by itself; `sweep` compares fused mappings "
               "over the parameters of one, such as `mapping m(rows = 2) for …`");
  for (const std::string &note : summary.notes)
    error.note(note);
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
  llvm::Optional<Outcome> first = evaluateStudy(module, *evaluate, providers, diagnostics);
  for (ir::Operation *nest : marked)
    nest->removeAttr("unfit");
  if (first)
    baseline = std::move(*first);
  return first.hasValue();
}

/// The cost of a nest as it was lowered. Where formats take more room than its mapping has, which
/// lowering does not know, it is marked as one that does not fit.
const Cost *StudySearch::costAsLowered(NestSpace &space, HashCache &hashes) {
  CostQuery query{space.nest, &targetOf(space.nest), runs[space.nest].placement};
  size_t reported = diagnostics.all().size();
  if (const Cost *cost = providers.evaluate(query, hashes, diagnostics))
    return cost;
  diagnostics.truncate(reported);
  space.nest->setAttr("unfit", ir::Attribute::unit());
  HashCache marked;
  return providers.evaluate(query, marked, diagnostics);
}

/// The baseline less the nests as they were lowered; what rounding leaves of nothing is nothing.
void StudySearch::findFixedPart() {
  fixed = {baseline.cost.energy.known.central(), baseline.cost.latency.central()};
  Score all = fixed;
  HashCache hashes;
  for (NestSpace &space : spaces)
    if (const Cost *cost = costAsLowered(space, hashes)) {
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

bool StudySearch::searchAll() {
  double limit = settings.within.getValueOr(search.goal().within());
  using Clock = SearchRounds::Clock;
  Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(limit));
  NetworkGoal goal(search, baseline, fixed, names, spaces, diagnostics);
  if (!goal.isValid())
    return false;
  SearchOptions options;
  options.threads =
      settings.threads ? settings.threads : std::max(1u, std::thread::hardware_concurrency());
  options.seed = settings.seed;
  options.stop = settings.stop;
  options.strategy = settings.strategy;
  options.mostEvaluations = settings.mostEvaluations;
  SearchWatch watch(
      spaces, firstEqual, fixed,
      [&](const Score &score) { return goal.value(score.energy, score.latency); },
      settings.onProgress ? settings.onProgress : [](const SearchProgress &) {});
  SearchRounds rounds(spaces, firstEqual, fixed, options, watch);
  bool isProduct = goal.nestGoal().kind == SearchGoal::Hull && rounds.canSearchProduct();
  if (!(isProduct ? rounds.searchProduct(end) : rounds.search(goal.nestGoal(), end))) {
    auto report = rounds.hasNoMapping() ? reportRefusals : reportNothingFound;
    report(rounds.withoutMapping(), search, *chip, diagnostics);
    return false;
  }
  summary.evaluated = rounds.evaluated();
  summary.space = rounds.mappings();
  summary.provenNests = rounds.provenNests();
  return choose(rounds);
}

/// Takes the best combination and writes it into the nests.
bool StudySearch::choose(const SearchRounds &rounds) {
  NetworkGoal goal(search, baseline, fixed, names, spaces, diagnostics);
  std::vector<const SearchResult *> byNest;
  for (unsigned i = 0; i < spaces.size(); ++i)
    byNest.push_back(&rounds.result(i).found);
  llvm::Optional<NetworkGoal::Choice> choice = goal.best(byNest);
  if (!choice)
    return false;
  const auto &corner = rounds.corner();
  summary.goal = goal.text();
  summary.hasValue = true;
  summary.value = choice->value;
  summary.strategy = settings.strategy;
  double bound = corner ? goal.value(corner->energy, corner->latency) : choice->bound;
  summary.bound = std::min(bound, choice->value);
  bool nestsProven =
      !corner && llvm::all_of(byNest, [](const SearchResult *r) { return r->isProven(); });
  summary.hasBound = nestsProven || settings.strategy == SearchStrategy::Bound;
  summary.proven =
      nestsProven || (summary.hasBound && summary.bound >= summary.value * (1 - proofTolerance));
  noteBetterDefault(goal);
  findMappedKernels();
  findFront(goal, rounds, byNest, choice->points);
  write(rounds, choice->points);
  return true;
}

/// The mappings that `pareto` asks for.
void StudySearch::findFront(const NetworkGoal &goal, const SearchRounds &rounds,
                            llvm::ArrayRef<const SearchResult *> byNest,
                            llvm::ArrayRef<unsigned> chosen) {
  if (search.goal().pareto().empty())
    return;
  bool thinned = false;
  summary.front.metrics = search.goal().paretoTexts();
  for (NetworkGoal::FrontPoint &point : goal.front(byNest, thinned))
    summary.front.points.push_back({std::move(point.values), mappingsOf(rounds, point.points),
                                    llvm::ArrayRef<unsigned>(point.points) == chosen});
  summary.front.isProven =
      !thinned && llvm::all_of(byNest, [](const SearchResult *r) { return r->isProven(); });
}

/// Default mappings may have factors that leave a rest, which no perfect mapping comes up to. Rules
/// of a mapspace, or the time, may have kept the search from one as well.
void StudySearch::noteBetterDefault(const NetworkGoal &goal) {
  auto isPerfect = [](const NestSpace &space) { return !space.isImperfect; };
  auto fits = [](const NestSpace &space) { return !space.nest->hasAttr("unfit"); };
  auto hasRules = [](const NestSpace &space) { return space.hasRules; };
  summary.isPerfect = llvm::all_of(spaces, isPerfect);
  double value = goal.value(baseline.cost.energy.known.central(), baseline.cost.latency.central());
  double gain = summary.value - value;
  if (!llvm::all_of(spaces, fits) || gain <= proofTolerance * std::abs(summary.value))
    return;
  bool leavesRests = summary.proven && summary.isPerfect && llvm::none_of(spaces, hasRules);
  summary.notes.push_back(fmt::format(
      "the default mapping is better by {:.2g} %{}", gain / std::abs(summary.value) * 100,
      leavesRests ? ": its factors leave rests; a mapspace with `factors imperfect` has "
                    "such mappings"
                  : ""));
}

/// The kernel that a mapping for a nest is for: of a group the member whose statement it is.
void StudySearch::findMappedKernels() {
  passes::forEachKernel(evaluate, "search", diagnostics, [&](const passes::KernelUse &use) {
    for (ir::Operation *nest : nests)
      if (NestOp view(nest); view.kernel() == use.kernel.symbol())
        kernels[nest] = passes::memberOf(use, static_cast<size_t>(view.statement())).kernel;
  });
}

std::vector<FoundMapping> StudySearch::mappingsOf(const SearchRounds &rounds,
                                                  llvm::ArrayRef<unsigned> points) const {
  std::map<std::string, std::string> cases; // by op, in order
  for (unsigned i = 0; i < spaces.size(); ++i) {
    const NestResult &result = rounds.result(i);
    const Candidate &best = result.found.front[points[i]];
    if (best.space == NestResult::lowered)
      continue;
    NestSpace own = withKeeps(spaces[i], result.spaces[best.space].keeps.front());
    op::KernelOp kernel = kernels.at(own.nest);
    cases[kernel.declaration().str()] += mappingCase(kernel, own, best.mapping);
  }
  std::vector<FoundMapping> mappings;
  for (const auto &[op, text] : cases)
    mappings.push_back({op, chipText(evaluate.onLabel(), chip->symbol()), text});
  return mappings;
}

/// Puts the mappings of the chosen points into the nests, and into the summary as text.
void StudySearch::write(const SearchRounds &rounds, llvm::ArrayRef<unsigned> points) {
  for (unsigned i = 0; i < spaces.size(); ++i) {
    const NestResult &result = rounds.result(i);
    const Candidate &best = result.found.front[points[i]];
    if (best.space == NestResult::lowered) {
      summary.notes.push_back(
          fmt::format("`{}` runs in folds, as without a mapping", NestOp(spaces[i].nest).kernel()));
      continue;
    }
    NestSpace own = withKeeps(spaces[i], result.spaces[best.space].keeps.front());
    writeNest(own, best.mapping);
    if (firstEqual[i] == i && result.spaces.size() > 1)
      summary.notes.push_back(fmt::format("`{}`: best of {} choices of what memories keep: {}",
                                          NestOp(own.nest).kernel(), result.spaces.size(),
                                          keepText(own)));
  }
  summary.mappings = mappingsOf(rounds, points);
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
