// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/StepPlan.h"

#include "ir/phase/PhaseOps.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::passes;

//===-- The order
//-------------------------------------------------------------------------------===//

bool passes::hasWholeRounds(ScheduleKind kind, int64_t stages, int64_t microbatches,
                            int64_t chunks) {
  bool isInterleaved = kind == ScheduleKind::Interleaved && chunks > 1 && stages > 1;
  return !isInterleaved || microbatches % stages == 0;
}

/// Forward passes of a stage before its first backward one, but for one more of the steady state.
static int64_t warmUp(ScheduleKind kind, int64_t stage, int64_t stages, int64_t microbatches,
                      int64_t chunks) {
  int64_t behind = stages - stage - 1, total = microbatches * chunks;
  if (kind == ScheduleKind::GPipe)
    return total;
  if (kind == ScheduleKind::Interleaved && chunks > 1)
    return microbatches == stages ? total : std::min(total, behind * 2 + (chunks - 1) * stages);
  return std::min(total, behind);
}

PipelineOrder passes::orderOf(ScheduleKind kind, int64_t stages, int64_t microbatches,
                              int64_t chunks) {
  PipelineOrder order{kind, microbatches, chunks, {}};
  int64_t total = microbatches * chunks;
  for (int64_t stage = 0; stage < stages; ++stage) {
    int64_t ahead = warmUp(kind, stage, stages, microbatches, chunks);
    std::vector<TaskRun> runs = {{ahead, 0, 1}, {1, 1, total - ahead}, {0, ahead, 1}};
    llvm::erase_if(
        runs, [](const TaskRun &run) { return (run.forward + run.backward) * run.times == 0; });
    order.runs.push_back(std::move(runs));
  }
  return order;
}

/// The `number`th forward or backward pass of a stage.
static StageTask taskAt(const PipelineOrder &order, bool isBackward, int64_t number) {
  if (order.kind == ScheduleKind::Interleaved && order.chunks > 1) {
    int64_t stages = order.stages(), round = stages * order.chunks, inRound = number % round;
    int64_t chunk = inRound / stages;
    return {isBackward, number / round * stages + inRound % stages,
            isBackward ? order.chunks - 1 - chunk : chunk};
  }
  bool isReversed = isBackward && order.kind == ScheduleKind::GPipe;
  return {isBackward, isReversed ? order.microbatches - 1 - number : number, 0};
}

std::vector<StageTask> PipelineOrder::tasksOf(int64_t stage) const {
  std::vector<StageTask> tasks;
  tasks.reserve(static_cast<size_t>(2 * microbatches * chunks));
  int64_t next[2] = {0, 0};
  for (const TaskRun &run : runs[stage])
    for (int64_t i = 0; i < run.times; ++i)
      for (bool isBackward : {false, true})
        for (int64_t left = isBackward ? run.backward : run.forward; left > 0; --left)
          tasks.push_back(taskAt(*this, isBackward, next[isBackward]++));
  return tasks;
}

//===-- Layers
//----------------------------------------------------------------------------------===//

std::vector<int64_t> passes::evenStages(const Strategy &strategy, int64_t layers) {
  int64_t p = strategy.pipeline;
  int64_t unit = p * (strategy.schedule == ScheduleKind::Interleaved ? strategy.chunks : 1);
  if (layers % unit == 0)
    return std::vector<int64_t>(p, layers / p);
  std::vector<int64_t> counts;
  if (p > 1 && (layers + 2) % unit == 0) {
    counts.assign(p, (layers + 2) / p);
    --counts.front();
    --counts.back();
  }
  return counts;
}

int64_t passes::leastLayers(const Strategy &strategy, int64_t stage) {
  int64_t others = (stage == 0 ? 1 : 0) + (stage + 1 == strategy.pipeline ? 1 : 0);
  return std::max<int64_t>(0, strategy.chunksOfStages() - others);
}

/// Layers of each stage: as given, else evenly; empty, with a `problem`, where that cannot be.
static std::vector<int64_t> stageCounts(const Strategy &strategy, int64_t total,
                                        std::string &problem) {
  int64_t p = strategy.pipeline, chunks = strategy.chunksOfStages();
  std::vector<int64_t> counts = strategy.stages;
  int64_t sum = std::accumulate(counts.begin(), counts.end(), INT64_C(0));
  if (!counts.empty() && (static_cast<int64_t>(counts.size()) != p || sum != total)) {
    problem = fmt::format("`stages` gives {} with {}, but there are {} with {}",
                          counted(counts.size(), "stage"), counted(sum, "layer"),
                          counted(p, "stage"), counted(total, "layer"));
    return {};
  }
  int64_t unit = p * (strategy.schedule == ScheduleKind::Interleaved ? strategy.chunks : 1);
  if (counts.empty())
    counts = evenStages(strategy, total);
  if (counts.empty()) {
    problem = fmt::format("{} cannot be divided evenly among {}; `stages` can give each its own",
                          counted(total, "layer"),
                          unit == p ? counted(p, "stage")
                                    : fmt::format("{} of {}", counted(p, "stage"),
                                                  counted(strategy.chunks, "chunk")));
    return {};
  }
  for (int64_t stage = 0; stage < p; ++stage) {
    if (counts[stage] >= leastLayers(strategy, stage))
      continue;
    problem = fmt::format("`schedule` cuts stages into {}, but stage {} has {}",
                          counted(chunks, "chunk"), stage, counted(counts[stage], "layer"));
    return {};
  }
  int64_t most = *std::max_element(counts.begin(), counts.end());
  if (strategy.recomputeLayers <= most)
    return counts;
  problem = fmt::format("`recompute {}(layers = {})` is of each stage, but none has more than {}",
                        recomputeName(strategy.recompute).str(), strategy.recomputeLayers,
                        counted(most, "layer"));
  return {};
}

/// The kind of each layer in order. Layers that keep their activations are a kind behind the same
/// ones that recompute: they count as these.
static std::vector<uint32_t> kindsInOrder(llvm::ArrayRef<LayerKind> kinds) {
  std::vector<uint32_t> order;
  for (uint32_t kind = 0; kind < kinds.size(); ++kind)
    order.insert(order.end(), static_cast<size_t>(kinds[kind].count),
                 kind - (kinds[kind].isKept ? 1 : 0));
  return order;
}

/// Of a stage's `count` layers those of chunk `chunk`: as many as of the others. What is left over
/// goes to the last chunks, but on the last stage, which has the output layer behind them, to the
/// first.
static int64_t layersOfChunk(int64_t count, int64_t chunk, int64_t chunks, bool isLastStage) {
  if (isLastStage)
    chunk = chunks - 1 - chunk;
  return (chunk + 1) * count / chunks - chunk * count / chunks;
}

/// Gives stages their layers in order, the first chunk of all stages, then the second (Narayanan et
/// al., SC 2021, section 2.2). Where only some layers of each stage recompute, these are its first.
static void dealLayers(const Strategy &strategy, llvm::ArrayRef<LayerKind> kinds,
                       llvm::ArrayRef<int64_t> counts, StepPlan &plan) {
  std::vector<uint32_t> order = kindsInOrder(kinds);
  int64_t chunks = strategy.chunksOfStages();
  std::vector<int64_t> dealt(counts.size(), 0);
  plan.layers.resize(counts.size());
  size_t next = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    for (size_t stage = 0; stage < counts.size(); ++stage) {
      bool isLast = stage + 1 == counts.size();
      std::vector<uint32_t> &list = plan.layers[stage].emplace_back();
      for (int64_t left = layersOfChunk(counts[stage], chunk, chunks, isLast); left > 0; --left) {
        uint32_t kind = order[next++];
        bool isPair = kind + 1 < kinds.size() && kinds[kind + 1].isKept;
        bool keeps = dealt[stage]++ >= strategy.recomputeLayers;
        list.push_back(isPair && keeps ? kind + 1 : kind);
      }
    }
}

llvm::Optional<StepPlan> passes::planStep(const Strategy &strategy, llvm::ArrayRef<LayerKind> kinds,
                                          std::string &problem) {
  int64_t total = 0;
  for (const LayerKind &kind : kinds)
    total += kind.count;
  std::vector<int64_t> counts = stageCounts(strategy, total, problem);
  if (counts.empty())
    return llvm::None;
  StepPlan plan;
  dealLayers(strategy, kinds, counts, plan);
  // The last microbatch may be a part of one.
  double microbatches = static_cast<double>(strategy.batch) /
                        static_cast<double>(strategy.data * strategy.microbatch);
  plan.order =
      orderOf(strategy.schedule, strategy.pipeline,
              static_cast<int64_t>(std::ceil(microbatches - 1e-9)), strategy.chunksOfStages());
  return plan;
}

//===-- In the IR
//--------------------------------------------------------------------------------===//

std::vector<phase::SequenceOp> passes::layerSequences(const ir::Module &module,
                                                      llvm::StringRef graph, llvm::StringRef chip) {
  std::vector<phase::SequenceOp> list;
  for (const ir::Operation &op : module.body())
    if (auto part = ir::as<phase::SequenceOp>(op);
        part && part.part() == "layers" && part.of() == graph && part.target() == chip)
      list.push_back(part);
  return list;
}

/// Calls `visit` with the kinds of the layers that a pass runs, and how many of each.
static void eachLayer(const ir::Module &module, const ir::Region &pass,
                      llvm::function_ref<void(uint32_t, int64_t)> visit) {
  for (const ir::Operation &op : pass) {
    auto repeat = ir::as<collective::RepeatOp>(op);
    auto run = ir::as<collective::RunOp>(op);
    if (repeat) // beside it stand exchanges of its weights
      for (ir::Operation &inner : repeat->body())
        if (inner.is(collective::RunOp::opName))
          run = collective::RunOp(&inner);
    auto part = module.lookup<phase::SequenceOp>(run ? run.phase() : "");
    if (!part || part.part() != "layers")
      continue;
    std::vector<phase::SequenceOp> kinds = layerSequences(module, part.of(), part.target());
    auto same = [&](phase::SequenceOp other) { return other.op == part.op; };
    auto kind = static_cast<uint32_t>(llvm::find_if(kinds, same) - kinds.begin());
    visit(kind, repeat ? repeat.count() : 1);
  }
}

StepPlan passes::readPlan(const ir::Module &module, collective::ProgramOp program) {
  StepPlan plan;
  plan.order = {parseSchedule(program.schedule()), program.microbatches(), program.chunks(), {}};
  for (const ir::Operation &stage : program->body()) {
    std::vector<std::vector<uint32_t>> &chunks = plan.layers.emplace_back();
    std::vector<TaskRun> &runs = plan.order.runs.emplace_back();
    for (const ir::Operation &op : stage.body()) {
      if (auto pass = ir::as<collective::PassOp>(op); pass && !pass.isBackward()) {
        std::vector<uint32_t> &list = chunks.emplace_back();
        eachLayer(module, op.body(), [&](uint32_t kind, int64_t count) {
          list.insert(list.end(), static_cast<size_t>(count), kind);
        });
      }
      if (auto tasks = ir::as<collective::TasksOp>(op))
        runs.push_back({tasks.forward(), tasks.backward(), tasks.times()});
    }
  }
  return plan;
}

std::vector<std::vector<int64_t>> passes::layerCounts(const ir::Module &module,
                                                      collective::ProgramOp program) {
  std::vector<std::vector<int64_t>> counts;
  for (const ir::Operation &stage : program->body()) {
    std::vector<int64_t> &own = counts.emplace_back();
    for (const ir::Operation &op : stage.body())
      if (op.is(collective::PassOp::opName))
        eachLayer(module, op.body(), [&](uint32_t kind, int64_t count) {
          own.resize(std::max<size_t>(own.size(), kind + 1), 0);
          own[kind] += count;
        });
  }
  return counts;
}
