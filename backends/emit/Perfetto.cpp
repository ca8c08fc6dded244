// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines in the Trace Event Format that chrome://tracing and Perfetto read: complete events with
// microseconds. A training step has a thread per pipeline stage, other results a thread of kernels;
// served requests have their batches on a thread per stage, and a bar each from arrival to end.
#include "backends/emit/Emit.h"

using namespace perfc;
using namespace perfc::emit;

static Json event(llvm::StringRef name, llvm::StringRef category, int64_t process, int64_t thread,
                  double start, double duration) {
  return Json::object()
      .set("name", name)
      .set("cat", category)
      .set("ph", "X")
      .set("pid", process)
      .set("tid", thread)
      .set("ts", start * 1e6)
      .set("dur", duration * 1e6);
}

static Json named(llvm::StringRef what, int64_t process, int64_t thread, const std::string &name) {
  return Json::object()
      .set("name", what)
      .set("ph", "M")
      .set("pid", process)
      .set("tid", thread)
      .set("args", Json::object().set("name", name));
}

/// Of a task of a schedule: W makes the gradients of weights that a zero-bubble schedule puts off.
static const char *categoryOf(char task) {
  return task == 'F' ? "forward" : task == 'B' ? "backward" : "weights";
}

static void addTraining(const TrainingSummary &summary, int64_t process, Json &list) {
  for (size_t stage = 0; stage < summary.stages.size(); ++stage)
    list.push(named("thread_name", process, static_cast<int64_t>(stage),
                    "stage " + std::to_string(stage)));
  for (const TrainingEvent &task : summary.events)
    list.push(
        event(task.name, categoryOf(task.name[0]), process, task.stage, task.start, task.duration));
  double end = summary.pipelineTime;
  double gradients = summary.stepTime - end - summary.optimizerTime - summary.otherTime;
  for (size_t stage = 0; stage < summary.stages.size(); ++stage) {
    auto thread = static_cast<int64_t>(stage);
    if (summary.events.empty())
      list.push(event("microbatches", "forward", process, thread, 0, end));
    if (gradients > 0)
      list.push(event("gradients", "communication", process, thread, end, gradients));
    double updated = end + std::max(0.0, gradients);
    list.push(event("optimizer", "optimizer", process, thread, updated, summary.optimizerTime));
    if (summary.otherTime > 0)
      list.push(event("other", "runtime", process, thread, updated + summary.optimizerTime,
                      summary.otherTime));
  }
}

/// A point in the life of request `number`: "b" its begin, "n" in between, "e" its end.
static Json requestEvent(const char *phase, const std::string &name, int64_t process, size_t number,
                         double time) {
  return Json::object()
      .set("name", name)
      .set("cat", "request")
      .set("ph", phase)
      .set("id", static_cast<int64_t>(number))
      .set("pid", process)
      .set("tid", int64_t(0))
      .set("ts", time * 1e6);
}

static void addServing(const ServingSummary &summary, int64_t process, Json &list) {
  for (int64_t stage = 0; stage < summary.stages; ++stage)
    list.push(named("thread_name", process, stage, "stage " + std::to_string(stage)));
  for (size_t number = 0; number < summary.batches.size(); ++number) {
    const ServedBatch &batch = summary.batches[number];
    const char *kind = batch.decodes == 0 ? "prompt" : batch.promptTokens == 0 ? "decode" : "mixed";
    for (size_t stage = 0; stage < batch.starts.size(); ++stage)
      list.push(event(fmt::format("batch {}", number), kind, process, static_cast<int64_t>(stage),
                      batch.starts[stage], batch.seconds[stage])
                    .set("args", Json::object()
                                     .set("requests", batch.requests)
                                     .set("prompt_tokens", batch.promptTokens)
                                     .set("decodes", batch.decodes)));
  }
  for (size_t number = 0; number < summary.requests.size(); ++number) {
    const ServedRequest &request = summary.requests[number];
    std::string name = fmt::format("request {}", number);
    list.push(requestEvent("b", name, process, number, request.arrival)
                  .set("args", Json::object()
                                   .set("prompt", request.prompt)
                                   .set("answer", request.answer)
                                   .set("restarts", request.restarts)));
    list.push(requestEvent("n", "scheduled", process, number, request.scheduled));
    list.push(requestEvent("n", "first token", process, number, request.first));
    list.push(requestEvent("e", name, process, number, request.done));
  }
}

void perfc::emit::writePerfetto(const Input &input, llvm::raw_ostream &os) {
  Json list = Json::array();
  int64_t process = 0;
  for (const Result *result : input.results) {
    list.push(named("process_name", process, 0, result->label));
    if (result->training) {
      addTraining(*result->training, process, list);
    } else if (result->serving) {
      addServing(*result->serving, process, list);
    } else {
      double start = 0;
      for (const KernelLine &line : flatten(result->cost.breakdown)) {
        double duration = line.latency.central();
        list.push(
            event(line.part->label, partKindName(line.part->kind), process, 0, start, duration));
        start += duration;
      }
    }
    ++process;
  }
  Json::object().set("displayTimeUnit", "ms").set("traceEvents", std::move(list)).print(os);
  os << '\n';
}
