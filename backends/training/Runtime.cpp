// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Runtime.h"

#include "backends/core/Chip.h"
#include "passes/training/Strategy.h"

using namespace perfc;
using namespace perfc::training;

Runtime Runtime::read(const ir::Operation &train) {
  const ir::AttrDict &settings = train.dictAttr("settings");
  Runtime result;
  if (const ir::Attribute *products = settings.find("products"))
    result.products = parseDType(products->asString());
  const ir::Attribute *provider = settings.find("using");
  result.usesTiles = provider && provider->asString() == "tile";
  result.isNarrow = result.products && bitsOf(*result.products) <= 8;
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
  set("gemm_fp4", result.gemmFp4);
  set("grouped", result.grouped);
  set("attention", result.attention);
  set("memory", result.memory);
  set("network", result.network);
  set("overlap_data", result.overlapData);
  set("overlap_cost", result.overlapCost);
  set("overlap_tensor", result.overlapTensor);
  result.overlapExpert = result.overlapTensor;
  set("overlap_expert", result.overlapExpert);
  set("overlap_pipeline", result.overlapPipeline);
  set("step", result.step);
  set("gradient_bytes", result.gradientBytes);
  set("gather_bytes", result.gatherBytes);
  set("cast_bytes", result.castBytes);
  set("permute_bytes", result.permuteBytes);
  set("merged_sends", result.mergedSends);
  set("host", result.host);
  set("host_memory", result.hostMemory);
  set("drives", result.drives);
  set("measured", result.measured);
  set("reserve", result.reserve);
  set("fragmentation", result.fragmentation);
  if (const ir::Attribute *launch = given.find("launch"))
    result.launch = launch->asQuantity().toDouble();
  return result;
}

Runtime Runtime::read(const ir::Operation &train, const ir::Operation &chipOp) {
  Runtime result = read(train);
  if (!result.products)
    return result;
  Chip chip(chipOp);
  DType format = passes::readStrategy(ir::as<study::TrainOp>(train)).dtype;
  double own = 0, other = 0;
  result.hasProducts = false;
  for (const UnitRate &unit : chip.macUnits(format))
    own += unit.rate.central();
  for (const UnitRate &unit : chip.macUnits(*result.products)) {
    other += unit.rate.central();
    result.hasProducts |= !unit.dtype || *unit.dtype == *result.products;
  }
  if (own > 0 && other > 0)
    result.productSpeed = other / own;
  return result;
}
