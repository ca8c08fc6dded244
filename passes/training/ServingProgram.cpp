// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/ServingProgram.h"

#include "ir/collective/CollectiveOps.h"
#include "ir/common/diagnostics/Serving.h"
#include "passes/Levels.h"
#include "passes/analysis/KernelModel.h"
#include "passes/analysis/SystemPaths.h"
#include "passes/training/GraphParts.h"
#include "passes/training/StageGraphs.h"
#include "passes/training/Strategy.h"
#include <map>
#include <numeric>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// The kernels of `part`, in order.
static std::vector<phase::KernelOp> kernelsOf(phase::SequenceOp part) {
  std::vector<phase::KernelOp> list;
  if (part)
    part->body().walk([&](Operation &op) {
      if (auto kernel = as<phase::KernelOp>(op))
        list.push_back(kernel);
    });
  return list;
}

/// Whether they move or multiply the same amount.
static bool doesTheSame(const Module &module, phase::KernelOp one, phase::KernelOp other) {
  if (one.run() == other.run())
    return true;
  auto moved = [](phase::KernelOp kernel) {
    return kernel.inputBytes() + kernel.outputBytes() + kernel.weightBytes();
  };
  auto macs = [&](phase::KernelOp kernel) {
    const Operation *run = module.lookup(kernel.run());
    if (!run->is(op::KernelOp::opName)) // its blocks
      run = module.lookup(run->symbolAttr("run"));
    return Kernel(as<op::KernelOp>(*run)).macs();
  };
  return moved(one) == moved(other) && macs(one) == macs(other);
}

/// Pairs of kernels of the same label that `one` and `other` run in the same order, as many as
/// there are (the longest common subsequence), the last ones where several are as long.
static std::vector<std::pair<size_t, size_t>>
alignedKernels(llvm::ArrayRef<phase::KernelOp> one, llvm::ArrayRef<phase::KernelOp> other) {
  std::vector<std::vector<size_t>> length(one.size() + 1, std::vector<size_t>(other.size() + 1));
  auto isSame = [&](size_t i, size_t j) { return one[i].label() == other[j].label(); };
  for (size_t i = 1; i <= one.size(); ++i)
    for (size_t j = 1; j <= other.size(); ++j)
      length[i][j] = isSame(i - 1, j - 1) ? length[i - 1][j - 1] + 1
                                          : std::max(length[i - 1][j], length[i][j - 1]);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = one.size(), j = other.size(); i > 0 && j > 0;) {
    if (isSame(i - 1, j - 1))
      pairs.emplace_back(--i, --j);
    else
      length[i - 1][j] > length[i][j - 1] ? --i : --j;
  }
  return pairs;
}

/// A part of all samples.
struct PartSamples {
  std::vector<phase::SequenceOp> decodes, prompts;
};

/// Marks the kernels of a part of all samples that differ between the same requests in a `near`
/// and a `far` context, and those that either prompts or requests that make a token have alone.
static void markContexts(const Module &module, const PartSamples &samples, phase::SequenceOp near,
                         phase::SequenceOp far) {
  std::vector<phase::KernelOp> low = kernelsOf(near), high = kernelsOf(far);
  if (low.size() != high.size())
    return; // samples that do not go together: the evaluation says so
  std::vector<bool> isCommon(low.size());
  for (size_t i = 0; i < low.size(); ++i)
    isCommon[i] = doesTheSame(module, low[i], high[i]);
  auto mark = [](phase::KernelOp kernel) { kernel->setAttr("of_context", Attribute::unit()); };
  std::vector<bool> isInAll(low.size(), true);
  for (phase::SequenceOp sample : samples.prompts) {
    std::vector<phase::KernelOp> kernels = kernelsOf(sample);
    std::vector<bool> isOwn(kernels.size(), true), isMissing(low.size(), true);
    for (auto [own, other] : alignedKernels(kernels, low)) {
      isOwn[own] = !isCommon[other];
      isMissing[other] = false;
    }
    for (size_t i = 0; i < kernels.size(); ++i)
      if (isOwn[i])
        mark(kernels[i]);
    for (size_t i = 0; i < low.size(); ++i)
      isInAll[i] = isInAll[i] && !isMissing[i];
  }
  for (phase::SequenceOp sample : samples.decodes) {
    std::vector<phase::KernelOp> kernels = kernelsOf(sample);
    for (size_t i = 0; i < std::min(kernels.size(), low.size()); ++i)
      if (!isCommon[i] || !isInAll[i])
        mark(kernels[i]);
  }
}

/// The samples with the fewest requests that make a token, in the nearest and farthest context.
static std::pair<study::SampleOp, study::SampleOp> contextsOf(study::PoolOp pool) {
  study::SampleOp near, far;
  for (study::SampleOp sample : pool.samples()) {
    if (!sample.isDecode() || (near && sample.batch() > near.batch()))
      continue;
    bool isFewer = !near || sample.batch() < near.batch();
    if (isFewer || sample.context() < near.context())
      near = sample;
    if (isFewer || sample.context() > far.context())
      far = sample;
  }
  return {near, far};
}

static void markContexts(const Module &module, study::PoolOp pool, llvm::StringRef chip) {
  auto [near, far] = contextsOf(pool);
  if (!near)
    return;
  std::map<std::string, std::pair<bool, GraphParts>> parts; // with whether they make a token
  for (study::SampleOp sample : pool.samples())
    parts.try_emplace(sample.graph().str(), sample.isDecode(),
                      GraphParts(module, sample.graph(), chip));
  const GraphParts &low = parts.at(near.graph().str()).second,
                   &high = parts.at(far.graph().str()).second;
  if (llvm::any_of(parts, [&](const auto &one) {
        return one.second.second.layers.size() != low.layers.size();
      }))
    return;
  auto mark = [&](llvm::function_ref<phase::SequenceOp(const GraphParts &)> partOf) {
    PartSamples samples;
    for (const auto &[symbol, one] : parts)
      (one.first ? samples.decodes : samples.prompts).push_back(partOf(one.second));
    markContexts(module, samples, partOf(low), partOf(high));
  };
  mark([](const GraphParts &one) { return one.before; });
  mark([](const GraphParts &one) { return one.after; });
  for (size_t kind = 0; kind < low.layers.size(); ++kind)
    mark([kind](const GraphParts &one) { return one.layers[kind]; });
}

/// Stage `number` of `stages`, each on `tensor` of the `chips` of a copy of the model, which runs
/// so many layers of each kind.
static void serveStage(Builder &builder, Operation &program, const GraphParts &parts,
                       llvm::ArrayRef<int64_t> layers, int64_t number, int64_t stages,
                       int64_t tensor, int64_t chips) {
  auto stage = builder.create<collective::StageOp>(program.body(), program.location());
  AttrList place{number * tensor, tensor, chips};
  stage->setAttr("number", number);
  stage->setAttr("chips", place);
  auto pass = builder.create<collective::PassOp>(stage->body(), program.location());
  pass->setAttr("direction", "forward");
  pass->setAttr("chunk", 0);
  if (number == 0)
    runSequence(builder, pass->body(), parts.before);
  for (size_t kind = 0; kind < layers.size(); ++kind)
    runSequence(builder, pass->body(), parts.layers[kind], layers[kind]);
  if (number + 1 == stages) {
    runSequence(builder, pass->body(), parts.after);
    return;
  }
  auto message = builder.create<collective::SendOp>(pass->body(), program.location());
  message->setAttr("bytes", parts.layers.front()->intAttr("input_bytes"));
  message->setAttr("group", "pipeline");
  message->setAttr("ranks", 2);
  place.emplace_back(tensor);
  message->setAttr("senders", std::move(place));
}

/// The program of one pool; false after a report.
static bool schedulePool(Module &module, PassContext &context, study::ServeOp serve,
                         study::PoolOp pool) {
  std::string symbol = stepSymbol(pool.name());
  int64_t tensor = pool.degree("tensor"), stages = pool.degree("pipeline");
  int64_t ranks = tensor * stages; // of each group that has a batch of its own
  SystemPaths system(*module.lookup(pool.on()));
  if (module.lookup(symbol) || pool.samples().empty() ||
      ranks * pool.degree("data") != system.chips() || system.kinds().size() > 1)
    return true;
  llvm::StringRef chip = system.kinds().front().first->symbol();
  GraphParts parts(module, pool.samples().front().graph(), chip);
  std::vector<int64_t> counts;
  for (phase::SequenceOp part : parts.layers)
    counts.push_back(part.layers());
  int64_t layers = std::accumulate(counts.begin(), counts.end(), INT64_C(0));
  if (stages > 1 && layers < stages) {
    context.diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(),
                               fmt::format("it has {} for {}",
                                           counted(static_cast<uint64_t>(layers), "layer"),
                                           counted(static_cast<uint64_t>(stages), "stage")));
    return false;
  }
  markContexts(module, pool, chip);
  Builder builder(context.registry);
  Operation *top = serve.op;
  while (top->parentOp())
    top = top->parentOp();
  Operation *program = builder.createBefore(*top, collective::ProgramOp::opName, pool->location());
  program->setSymbol(symbol);
  program->setAttr("system", Attribute::symbol(pool.on()));
  program->setAttr("parameters", AttrList{"tokens", "requests", "contexts"});
  std::vector<std::vector<int64_t>> dealt = dealEvenly(counts, stages);
  for (int64_t number = 0; number < stages; ++number)
    serveStage(builder, *program, parts, dealt[number], number, stages, tensor, ranks);
  return true;
}

bool passes::scheduleServing(Module &module, PassContext &context, study::ServeOp serve) {
  for (study::PoolOp pool : serve.pools())
    if (!schedulePool(module, context, serve, pool))
      return false;
  return true;
}
