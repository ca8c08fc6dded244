// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Runtime.h"

using namespace perfc;
using namespace perfc::training;

Runtime Runtime::read(const ir::AttrDict &settings) {
  Runtime result;
  const ir::Attribute *entry = settings.find("runtime");
  if (!entry)
    return result;
  const ir::AttrDict &given = entry->asDict();
  auto set = [&](const char *name, double &into) {
    if (const ir::Attribute *value = given.find(name))
      into = value->asQuantity().toDouble();
  };
  set("gemm", result.gemm);
  set("gemm_fp8", result.gemmFp8);
  set("attention", result.attention);
  set("memory", result.memory);
  set("network", result.network);
  set("overlap_data", result.overlapData);
  set("overlap_tensor", result.overlapTensor);
  set("overlap_pipeline", result.overlapPipeline);
  set("step", result.step);
  set("gradient_bytes", result.gradientBytes);
  set("host", result.host);
  set("reserve", result.reserve);
  set("fragmentation", result.fragmentation);
  if (const ir::Attribute *launch = given.find("launch"))
    result.launch = launch->asQuantity().toDouble();
  return result;
}
