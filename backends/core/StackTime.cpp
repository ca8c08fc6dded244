// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/StackTime.h"

#include "ir/study/TrainOps.h"
#include "ir/tile/AttentionOps.h"
#include <utility>

using namespace perfc;

bool perfc::isPromptAttention(const ir::Operation &run) {
  tile::AttentionOp attention = tile::attentionOf(run);
  return attention && !attention.isDecode();
}

StackFigures StackFigures::of(const ir::Operation &statement) {
  StackFigures figures;
  if (!study::findPart(statement, study::RuntimeOp::opName))
    return figures;
  auto runtime = study::partOf<study::RuntimeOp>(statement);
  figures.kernelTime = runtime->realAttr("kernel_time");
  figures.kernelHost = runtime->realAttr("kernel_host");
  figures.attentionStarts = runtime->realAttr("attention_starts");
  figures.network = runtime->realAttr("network");
  figures.step = runtime->realAttr("step");
  figures.request = runtime->realAttr("request");
  figures.promptEach = runtime->realAttr("prompt_each");
  figures.stepEach = runtime->realAttr("step_each");
  if (auto measured = runtime->quantityAttr("measured"))
    figures.measured = measured->toUncertain();
  return figures;
}

StackTime::StackTime(study::EvaluateOp evaluate)
    : hasRuntime(study::findPart(*evaluate, study::RuntimeOp::opName)) {
  if (!hasRuntime)
    return;
  figures = StackFigures::of(*evaluate);
  label = study::partOf<study::RuntimeOp>(*evaluate).label().str();
}

double StackTime::enter(double count) { return std::exchange(times, times * count); }

void StackTime::addKernel(const Uncertain &latency, phase::KernelOp placed,
                          const ir::Operation &run, double count) {
  starts.runs += placed.isJoined() ? 0 : count;
  starts.attentions += isPromptAttention(run) ? count : 0;
  kernels += latency * count;
}

void StackTime::add(const StackTime &other, double count) {
  starts.add(other.starts, count);
  kernels += other.kernels * count;
  exchanges += other.exchanges * count;
}

void StackTime::finish(Cost &total, double sequences) const {
  if (!hasRuntime)
    return;
  auto add = [&](const char *resource, const Uncertain &seconds) {
    if (seconds.central() <= 0)
      return;
    total.latency += seconds;
    total.addBound(resource, seconds);
    total.breakdown.children.emplace_back(PartKind::Phase, resource, SourceRange(), seconds,
                                          Figure());
  };
  add("stack", kernels * (figures.kernelTime - 1) + exchanges * (1 / figures.network - 1));
  add("host", Uncertain(figures.host(starts)) - total.latency);
  add("step", Uncertain(figures.step + figures.stepEach * sequences));
  total.latency = total.latency * figures.measured;
  if (!figures.measured.isCertain())
    total.errors.addKnown("runs of `" + label + "`");
}
