// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/StudySearch.h"

#include "backends/core/Evaluate.h"
#include "backends/loopnest/NestSparsity.h"
#include "backends/loopnest/SystolicNest.h"
#include "backends/mapper/NestSearch.h"
#include "backends/mapper/NetworkGoal.h"
#include "backends/mapper/SweepRows.h"
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
  bool searchAll();
  bool reportRefusals(const NestSpace &nest);
  bool choose();
  void noteKeeps(const NestSpace &nest, size_t choices);

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

static std::string refusalText(const Refusals &refusals, size_t i) {
  const auto &[constraint, count] = refusals.constraints[i];
  return fmt::format("{} exclude{} {} of {} mappings", constraint,
                     llvm::StringRef(constraint).startswith("the capacity") ? "s" : "", count,
                     refusals.sampled);
}

/// The constraints by what they exclude, and the mapping that is nearest to a legal one.
/// Of a sweep, a point without a mapping is one result among others.
bool StudySearch::reportRefusals(const NestSpace &nest) {
  Refusals refusals = explainRefusals(nest);
  if (auto point = ir::as<study::PointOp>(search->parentOp())) {
    Diagnostic &warning =
        diagnostics.report(search->range(), diag::PointWithoutMapping,
                           bindingsText(point.bindings()), NestOp(nest.nest).kernel());
    if (!refusals.constraints.empty())
      warning.note(refusalText(refusals, 0));
    return false;
  }
  Diagnostic &error = diagnostics.report(search->range(), diag::NoValidMapping,
                                         NestOp(nest.nest).kernel(), chip->symbol());
  for (size_t i = 0; i < refusals.constraints.size(); ++i)
    error.note(refusalText(refusals, i));
  for (const SlotRule &rule : nest.rules)
    if (rule.range.file)
      error.note(rule.range, "the mapspace says so of " + rule.name);
  if (!refusals.nearest.empty())
    error.help(fmt::format("nearest is, but for {}:\n{}", refusals.nearestLacks, refusals.nearest));
  return false;
}

bool StudySearch::searchAll() {
  using Clock = std::chrono::steady_clock;
  double limit = settings.within   ? *settings.within
                 : search.within() ? search.within()->toDouble()
                                   : defaultLimit;
  auto toDuration = [](double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  Clock::time_point end = Clock::now() + toDuration(limit);
  NetworkGoal goal(search, baseline, fixed, names, spaces, diagnostics);
  if (!goal.isValid())
    return false;
  SearchOptions options;
  options.threads =
      settings.threads ? settings.threads : std::max(1u, std::thread::hardware_concurrency());
  options.seed = settings.seed;
  options.stop = settings.stop;
  results.resize(spaces.size());
  std::vector<unsigned> distinct;
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
  // Nests side by side; the threads that are left over work together on each.
  unsigned workers = std::min<unsigned>(options.threads, distinct.size());
  unsigned threadsOfEach = std::max(1u, options.threads / workers);
  std::atomic<unsigned> next{0};
  auto work = [&] {
    for (unsigned k = next++; k < distinct.size(); k = next++) {
      // Time that easy nests leave is for those that follow.
      Clock::duration rest = std::max(Clock::duration::zero(), end - Clock::now());
      SearchOptions own = options;
      own.threads = threadsOfEach;
      auto left = static_cast<int64_t>(distinct.size() - k);
      own.deadline =
          Clock::now() + (left < workers ? rest : Clock::duration(rest.count() / left * workers));
      const NestSpace &nest = spaces[distinct[k]];
      results[distinct[k]] = searchNest(nest, goal.nestGoal(), own);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < workers; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i : distinct) {
    summary.evaluated += results[i].found.evaluated;
    summary.provenNests += results[i].found.isProven() ? 1 : 0;
    if (results[i].found.front.empty())
      return reportRefusals(spaces[i]);
  }
  return choose();
}

/// Says what memories keep in the best mapping of a nest, of several choices.
void StudySearch::noteKeeps(const NestSpace &nest, size_t choices) {
  std::string text;
  const Nest &flat = nest.space.nest;
  for (const Place &place : flat.places) {
    if (place.kind != PlaceKind::Memory || &place == &flat.places.front())
      continue;
    std::string names;
    for (unsigned t : place.keep)
      names += (names.empty() ? "" : ", ") + flat.tensors[t].name;
    text += fmt::format("{}{} keeps {}", text.empty() ? "" : "; ", place.name,
                        names.empty() ? "nothing" : names);
  }
  summary.notes.push_back(fmt::format("`{}`: best of {} choices of what memories keep: {}",
                                      NestOp(nest.nest).kernel(), choices, text));
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
  summary.bound = std::min(choice->bound, choice->value);
  summary.proven = llvm::all_of(byNest, [](const SearchResult *r) { return r->isProven(); }) ||
                   summary.bound >= summary.value;
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
      noteKeeps(own, choices.size());
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
