// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/StackTime.h"

#include "ir/study/TrainOps.h"
#include <utility>

using namespace perfc;

StackTime::StackTime(study::EvaluateOp evaluate)
    : hasRuntime(study::findPart(*evaluate, study::RuntimeOp::opName)) {
  if (!hasRuntime)
    return;
  auto runtime = study::partOf<study::RuntimeOp>(*evaluate);
  kernelTime = runtime->realAttr("kernel_time");
  kernelHost = runtime->realAttr("kernel_host");
  network = runtime->realAttr("network");
  step = runtime->realAttr("step");
  stepEach = runtime->realAttr("step_each");
  measured = runtime->quantityAttr("measured");
  label = runtime.label().str();
}

double StackTime::enter(double count) { return std::exchange(times, times * count); }

void StackTime::addKernel(const Uncertain &latency, double count) {
  runs += times * count;
  kernels += latency * (times * count);
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
  add("stack", kernels * (kernelTime - 1) + exchanges * (1 / network - 1));
  add("host", Uncertain(kernelHost * runs) - total.latency);
  add("step", Uncertain(step + stepEach * sequences));
  if (!measured)
    return;
  total.latency = total.latency * measured->toUncertain();
  if (!measured->toUncertain().isCertain())
    total.errors.addKnown("runs of `" + label + "`");
}
