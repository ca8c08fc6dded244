// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/SeparableSweep.h"

#include "api/ReportAgain.h"
#include "api/statements/Statements.h"
#include "backends/emit/BreakdownRows.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/study/AllOps.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;

/// Elements of weights add up as runs of kernels do; no kernel has this hash.
static constexpr StructuralHash parametersKey{0, 0};
/// How far a sum may be from an evaluation, as a share of it: what rounding leaves.
static constexpr double roundingShare = 1e-9;

bool SeparableSweep::refuse(std::string why) {
  if (reason.empty())
    reason = std::move(why);
  return false;
}

/// Whether results of its statement are of perfc's own evaluations, and wanted.
bool SeparableSweep::mayBeSum() {
  using Which = RunOptions::Which;
  bool isWanted =
      evaluation.options.which == Which::All || evaluation.options.which == Which::Sweeps;
  if (!isWanted || evaluation.options.sharing)
    return false;
  if (evaluation.options.verifier || evaluation.options.tool)
    return refuse("nests are counted or costed again by another tool");
  return true;
}

/// Whether the point is one evaluation of a graph on a chip, of whose kernels only sums are asked.
bool SeparableSweep::isEvaluation(Built &built) {
  built.point = const_cast<ir::Operation *>(pointOf(built.module));
  for (ir::Operation &op : built.point->body())
    if (!op.is(study::GoalOp::opName)) {
      if (built.evaluate || !op.is(study::EvaluateOp::opName))
        return refuse("a point has more than one `evaluate`, or another statement");
      built.evaluate = &op;
    }
  if (!built.evaluate || built.evaluate->hasAttr("whole") || built.evaluate->hasAttr("tool"))
    return refuse("its points are no sums of kernels on one chip");
  static constexpr llvm::StringLiteral formats[] = {"json", "csv", "markdown", "latex"};
  for (const ir::Operation &op : built.evaluate->body()) {
    if (op.is(study::EmitOp::opName) && !llvm::is_contained(formats, op.stringAttr("format")))
      return refuse("`emit " + op.stringAttr("format").str() + "` shows kernels in their order");
    if (auto report = ir::as<study::ReportOp>(op))
      for (const std::string &rows : report.by())
        if (emit::isBreakdown(rows))
          return refuse("`report` by " + rows + " shows kernels in their order");
  }
  return true;
}

bool SeparableSweep::build(Built &built, const Choice &choice) {
  ir::Module &module = built.module;
  if (!space.build(choice, module))
    return false;
  bool isSupported = true;
  study::walk(module,
              [&](ir::Operation &op) { isSupported &= !op.is(study::UnsupportedOp::opName); });
  return isSupported && evaluation.prepare(module) &&
         lower(module, "collective", evaluation.context.diagnostics) && isEvaluation(built);
}

/// Whether all that the point has besides its kernels is as it is elsewhere. Takes from the
/// statement what is its own.
bool SeparableSweep::isFrame(Built &built) {
  for (llvm::StringRef name : {"subject", "label", "subject_label"})
    built.evaluate->removeAttr(name);
  built.point->removeAttr("bindings");
  StructuralHash hash{0, 0};
  for (const ir::Operation &op : built.module.body())
    if (op.name().startswith("study."))
      hash = combine(hash, structuralHash(op));
  if (!frame)
    frame = hash;
  return hash == *frame;
}

/// The metrics that kernels without an order have, each with its interval.
static std::vector<double> figuresOf(const Outcome &outcome) {
  std::vector<double> figures;
  for (const auto &[name, value] : emit::metricsOf(outcome))
    if (name != "memory.peak") {
      figures.push_back(value.hasNumber() ? value.value.central() : 0);
      figures.push_back(value.hasNumber() ? value.value.halfWidth() : 0);
    }
  return figures;
}

llvm::Optional<KernelRuns> SeparableSweep::evaluate(const Choice &choice) {
  DiagnosticEngine &diagnostics = evaluation.context.diagnostics;
  size_t before = diagnostics.all().size();
  Built built;
  RanKernels ran{kinds};
  llvm::Optional<Outcome> outcome;
  if (build(built, choice))
    outcome = evaluated(evaluation, {built.module, *built.evaluate, built.point, nullptr, &ran});
  Known &point = known[choice];
  point.problems = diagnostics.all().drop_front(before).vec();
  diagnostics.truncate(before);
  if (!outcome || !ran.isAll) {
    refuse(outcome ? "its points are no sums of kernels on one chip" : "a point has an error");
    return llvm::None;
  }
  ResultLabels own = labelsIn(evaluation, *built.evaluate);
  outcome->parameters = own.parameters;
  point.figures = figuresOf(*outcome);
  if (own.parameters)
    ran.runs[parametersKey] = *own.parameters;
  if (known.size() == 1) {
    labels = own;
  } else if (own.label != labels.label) { // what is left is what all points have
    labels.subject = llvm::StringRef(labels.subject).split('(').first.str();
    labels.label = labels.subject + " on " + labels.on;
  }
  if (!isFrame(built)) {
    refuse("more than the kernels of a point depends on what it sets");
    return llvm::None;
  }
  return std::move(ran.runs);
}

/// Evaluates the points that tell all others; false where they do not.
bool SeparableSweep::find() {
  std::vector<unsigned> sizes;
  for (const SweepAxis &axis : space.names())
    sizes.push_back(static_cast<unsigned>(axis.values.size()));
  // What is half of all points saves nothing.
  separation = Separation::find(
      sizes,
      [&](const Choice &choice) {
        return evaluation.context.watcher.isCancelled() ? llvm::None : evaluate(choice);
      },
      space.pointCount() / 2);
  if (!separation)
    return refuse("so many of its names act on the same kernels that half of all points would be "
                  "evaluated");
  DiagnosticEngine &diagnostics = evaluation.context.diagnostics;
  size_t before = diagnostics.all().size();
  bool isBuilt = build(base, space.first());
  diagnostics.truncate(before); // what it says has been kept
  if (!isBuilt)
    return false;
  makeParts();
  ofSum = outcomesOf(base.module, *base.evaluate, evaluation.perfcs, diagnostics);
  return reason.empty() && areAsEvaluated();
}

SeparableSweep::Part SeparableSweep::partOf(const KernelRuns &runs) {
  Part part{StudySum(study::EvaluateOp(base.evaluate))};
  for (const auto &[kernel, count] : runs)
    if (kernel == parametersKey)
      part.parameters = count;
    else if (part.sum.add(kinds.find(kernel)->second, count))
      refuse("what its kernels do together does not fit 64 bits");
  return part;
}

void SeparableSweep::makeParts() {
  for (const Separation::Group &group : separation->groups()) {
    std::vector<Part> &list = parts.emplace_back();
    for (const KernelRuns &runs : group.parts) {
      KernelRuns all = runs;
      for (const auto &[kernel, count] : separation->common())
        if (parts.size() == 1)
          all[kernel] += count;
      list.push_back(partOf(all));
    }
  }
}

llvm::Optional<Outcome> SeparableSweep::outcomeOf(const Part &part) {
  llvm::Optional<Outcome> outcome = ofSum(part.sum);
  if (outcome)
    outcome->parameters = part.parameters;
  return outcome;
}

/// Calls `each` with every point in order until that returns false. Parts of names that run slowly
/// are added up once for all points that share them.
void SeparableSweep::visit(Visitor each) {
  llvm::ArrayRef<Separation::Group> groups = separation->groups();
  std::vector<Part> sums; // of the groups up to here
  Choice choice = space.first(), before;
  do {
    size_t same = 0; // groups, since their last names are in order
    while (same < sums.size() &&
           llvm::all_of(groups[same].names, [&](unsigned i) { return choice[i] == before[i]; }))
      ++same;
    sums.erase(sums.begin() + static_cast<ptrdiff_t>(same), sums.end());
    for (size_t i = same; i < groups.size(); ++i) {
      const Part &part = parts[i][separation->partOf(groups[i], choice)];
      sums.push_back(i == 0 ? part : sums.back());
      if (i > 0) {
        sums.back().sum.add(part.sum);
        sums.back().parameters += part.parameters;
      }
    }
    before = choice;
    if (!each(choice, sums.back()))
      return;
  } while (space.advance(choice));
}

/// Whether the points that were evaluated come out again.
bool SeparableSweep::areAsEvaluated() {
  auto isClose = [](double a, double b) {
    return std::fabs(a - b) <= roundingShare * std::fabs(b);
  };
  for (const Choice &choice : separation->evaluated()) {
    llvm::ArrayRef<Separation::Group> groups = separation->groups();
    Part sum = parts[0][separation->partOf(groups[0], choice)];
    for (size_t i = 1; i < groups.size(); ++i) {
      const Part &part = parts[i][separation->partOf(groups[i], choice)];
      sum.sum.add(part.sum);
      sum.parameters += part.parameters;
    }
    llvm::Optional<Outcome> outcome = outcomeOf(sum);
    const std::vector<double> &figures = known[choice].figures;
    std::vector<double> found = outcome ? figuresOf(*outcome) : std::vector<double>();
    if (!std::equal(found.begin(), found.end(), figures.begin(), figures.end(), isClose))
      return refuse("what its points take depends on the order of their kernels");
  }
  return true;
}

void SeparableSweep::point(const Part &part, const Evaluation::Listener &listener) {
  if (evaluation.isDone(*base.point))
    return;
  llvm::Optional<Outcome> outcome = outcomeOf(part);
  if (!outcome)
    return;
  Evaluation::Summed summed{std::move(*outcome), labels, known.size()};
  size_t firstResult = evaluation.found.size(), firstSearch = evaluation.searched.size();
  evaluation.statement({base.module, *base.evaluate, base.point}, listener, &summed);
  evaluation.finishPoint(*base.point);
  evaluation.drop(firstResult, firstSearch);
}

bool SeparableSweep::run(const Evaluation::Listener &listener) {
  DiagnosticEngine &diagnostics = evaluation.context.diagnostics;
  if (!mayBeSum() || !find()) {
    if (!reason.empty() && !evaluation.context.watcher.isCancelled())
      diagnostics.report(space.place(), diag::PointsAreNoSums, reason);
    return false;
  }
  evaluation.pointCount = space.pointCount();
  evaluation.kinds.insert(study::PointOp::opName);
  visit([&](const Choice &choice, const Part &part) {
    base.point->setAttr("bindings", space.bindings(choice));
    evaluation.blaming(base.point->range(), base.point, [&] {
      auto evaluated = known.find(choice);
      if (evaluated != known.end())
        for (const Diagnostic &problem : evaluated->second.problems)
          reportAgain(diagnostics, problem);
      point(part, listener);
    });
    return !evaluation.context.watcher.isCancelled();
  });
  return true;
}
