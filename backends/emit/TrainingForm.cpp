// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What results of `train` say of a step.
#include "backends/emit/ChakraNodes.h"
#include "backends/emit/ResultText.h"
#include "backends/emit/StatementForm.h"
#include <cmath>

using namespace perfc;
using namespace perfc::emit;

/// Bytes of the parts of the fullest stage.
static std::vector<std::pair<std::string, double>> memoryParts(const TrainingSummary &summary) {
  const StageMemory *worst = &summary.stages.front();
  for (const StageMemory &stage : summary.stages)
    if (stage.total() > worst->total())
      worst = &stage;
  return {{"parameters", worst->parameters},
          {"gradients", worst->gradients},
          {"optimizer", worst->optimizer},
          {"activations", worst->activations},
          {"temporary", worst->temporary}};
}

/// What a training step comes to.
static std::vector<TotalLine> stepTotals(const emit::Result &result) {
  const Cost &cost = result.cost;
  const TrainingSummary &summary = *result.training;
  std::vector<TotalLine> lines;
  auto add = [&](llvm::StringRef name, std::string text) {
    lines.emplace_back(name.str(), std::move(text));
  };
  auto seconds = [](double value) { return formatEngineering(value, BaseUnit::Second); };
  add("step", metricText(result, "step_time") +
                  fmt::format(": {} times {} forward and {} backward", summary.microbatches,
                              seconds(summary.forward), seconds(summary.backward)));
  if (summary.tokens > 0)
    add("tokens", metricText(result, "tokens_per_s"));
  else
    add("samples", metricText(result, "samples_per_s"));
  double chips = static_cast<double>(summary.chips) * summary.stepTime;
  Dimension rate = Dimension(BaseUnit::Flop) / BaseUnit::Second;
  add("model",
      fmt::format("{} per chip, MFU {}", formatEngineering(summary.modelFlops / chips, rate),
                  percent(summary.mfu())));
  add("executed",
      fmt::format("{} per chip, HFU {}", formatEngineering(summary.executedFlops / chips, rate),
                  percent(summary.hfu())));
  if (summary.droppedTokens > 0)
    add("dropped", percent(summary.droppedTokens) + " of the tokens' choices of experts");
  if (summary.availability < 1)
    add("availability",
        fmt::format("{}: a checkpoint of {} every {}; {} per step", percent(summary.availability),
                    seconds(summary.checkpointTime), seconds(summary.checkpointInterval),
                    metricText(result, "effective_step_time")));
  if (summary.steps > 1)
    add("run", fmt::format("{} in {}", counted(static_cast<int64_t>(summary.steps), "step"),
                           metricText(result, "run_time")));
  if (result.price)
    add("cost",
        metricText(result, "cost") +
            (summary.tokens > 0 ? ", " + metricText(result, "cost_per_token") : std::string()));
  add("bubble", percent(summary.bubble));
  add("exposed", metricText(result, "exposed") + " of communication");
  add("energy", metricText(result, "energy"));
  add("memory", memoryText(cost));
  for (const auto &[name, value] : memoryParts(summary))
    add("  " + name, formatSize(std::round(value), capacityBase(cost)));
  add("chips", formatEngineering(static_cast<double>(cost.chips), {}));
  if (!cost.bottleneck().empty())
    add("bound", cost.bottleneck().str());
  return lines;
}

/// "2", or "3 to 5" for equal ones in a row.
static std::string numbersText(size_t first, size_t last) {
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

/// What the stages of a pipeline hold; of more than `limit` unlike ones the first, the fullest and
/// the last.
static DetailTable stageTable(const Result &of, size_t limit) {
  const TrainingSummary &summary = *of.training;
  DetailTable table{{{"stage", /*isText=*/true},
                     {"layers"},
                     {"parameters"},
                     {"gradients"},
                     {"optimizer"},
                     {"activations"},
                     {"temporary"},
                     {"memory", /*isText=*/false, /*stays=*/true}},
                    {}};
  if (summary.stages.size() < 2)
    return table;
  auto bytes = [base = capacityBase(of.cost)](double value) {
    return formatSize(std::round(value), base);
  };
  std::vector<std::vector<std::string>> rows;
  std::vector<std::pair<size_t, size_t>> numbers;
  size_t fullest = 0;
  double most = -1;
  for (size_t stage = 0; stage < summary.stages.size(); ++stage) {
    const StageMemory &use = summary.stages[stage];
    std::vector<std::string> row = {std::to_string(use.layers), bytes(use.parameters),
                                    bytes(use.gradients),       bytes(use.optimizer),
                                    bytes(use.activations),     bytes(use.temporary),
                                    bytes(use.total())};
    if (rows.empty() || rows.back() != row) {
      rows.push_back(std::move(row));
      numbers.emplace_back(stage, stage);
    }
    numbers.back().second = stage;
    if (use.total() > most)
      fullest = rows.size() - 1;
    most = std::max(most, use.total());
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.size() > limit && i > 0 && i != fullest && i + 1 < rows.size())
      continue; // the first, the fullest and the last
    std::vector<std::string> row = {numbersText(numbers[i].first, numbers[i].second)};
    row.insert(row.end(), rows[i].begin(), rows[i].end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Of a task of a schedule: W makes the gradients of weights that a zero-bubble schedule puts off.
static const char *categoryOf(char task) {
  return task == 'F' ? "forward" : task == 'B' ? "backward" : "weights";
}

static void addStages(const Result &of, int64_t process, Json &list) {
  const TrainingSummary &summary = *of.training;
  for (size_t stage = 0; stage < summary.stages.size(); ++stage)
    list.push(timelineName("thread_name", process, static_cast<int64_t>(stage),
                           "stage " + std::to_string(stage)));
  std::vector<ScheduledTask> tasks = summary.tasks ? summary.tasks() : std::vector<ScheduledTask>();
  bool isChunked = llvm::any_of(tasks, [](const ScheduledTask &task) { return task.chunk > 0; });
  for (const ScheduledTask &task : tasks)
    list.push(timelineEvent(fmt::format("{}{}{}", task.kind, task.microbatch,
                                        isChunked ? fmt::format(".{}", task.chunk) : ""),
                            categoryOf(task.kind), process, task.stage, task.start,
                            task.end - task.start));
  double end = summary.pipelineTime;
  double gradients = summary.stepTime - end - summary.optimizerTime - summary.otherTime;
  for (size_t stage = 0; stage < summary.stages.size(); ++stage) {
    auto thread = static_cast<int64_t>(stage);
    if (tasks.empty())
      list.push(timelineEvent("microbatches", "forward", process, thread, 0, end));
    if (gradients > 0)
      list.push(timelineEvent("gradients", "communication", process, thread, end, gradients));
    double updated = end + std::max(0.0, gradients);
    list.push(
        timelineEvent("optimizer", "optimizer", process, thread, updated, summary.optimizerTime));
    if (summary.otherTime > 0)
      list.push(timelineEvent("other", "runtime", process, thread, updated + summary.optimizerTime,
                              summary.otherTime));
  }
}

/// What only a training step has (docs/output.md).
static Json stepJson(const TrainingSummary &summary) {
  Json stages = Json::array(), communication = Json::array();
  for (const StageMemory &stage : summary.stages)
    stages.push(Json::object()
                    .set("layers", stage.layers)
                    .set("parameters", stage.parameters)
                    .set("gradients", stage.gradients)
                    .set("optimizer", stage.optimizer)
                    .set("activations", stage.activations)
                    .set("temporary", stage.temporary)
                    .set("total", stage.total()));
  for (const CommunicationTime &entry : summary.communication)
    communication.push(Json::object()
                           .set("name", entry.name)
                           .set("bytes", entry.bytes)
                           .set("count", entry.count)
                           .set("latency", entry.total)
                           .set("exposed", entry.exposed));
  Json front = Json::array();
  for (const StrategyPoint &point : summary.front)
    front.push(Json::object()
                   .set("strategy", point.strategy)
                   .set("step_time", point.stepTime)
                   .set("memory", point.memory)
                   .set("energy", point.energy < 0 ? Json() : Json(point.energy)));
  return Json::object()
      .set("strategy", summary.strategy)
      .set("samples_per_step", summary.samples)
      .set("tokens_per_step", summary.tokens)
      .set("model_flops", summary.modelFlops)
      .set("microbatches", summary.microbatches)
      .set("forward", summary.forward)
      .set("backward", summary.backward)
      .set("pipeline", summary.pipelineTime)
      .set("optimizer", summary.optimizerTime)
      .set("dropped_tokens", summary.droppedTokens)
      .set("availability", summary.availability)
      .set("checkpoint_time", summary.checkpointTime)
      .set("checkpoint_interval", summary.checkpointInterval)
      .set("steps", summary.steps)
      .set("pareto", std::move(front))
      .set("stages", std::move(stages))
      .set("communication", std::move(communication));
}

const StatementForm &emit::trainingForm() {
  static constexpr llvm::StringLiteral compared[] = {"step_time", "tokens_per_s", "mfu",
                                                     "memory.peak", "energy"};
  auto addStep = [](const Result &of, Json &json) { json.set("training", stepJson(*of.training)); };
  static const StatementForm form = {stepTotals, compared, "latency", addStages,
                                     writeStep,  addStep,  stageTable};
  return form;
}
