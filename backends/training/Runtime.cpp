// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Runtime.h"

#include "backends/core/Chip.h"
#include "ir/study/TrainOps.h"

using namespace perfc;
using namespace perfc::training;

static constexpr std::pair<llvm::StringLiteral, double Runtime::*> fields[] = {
    {"gemm", &Runtime::gemm},
    {"gemm_fp8", &Runtime::gemmFp8},
    {"gemm_fp4", &Runtime::gemmFp4},
    {"grouped", &Runtime::grouped},
    {"attention", &Runtime::attention},
    {"attention_backward", &Runtime::attentionBackward},
    {"attention_narrow", &Runtime::attentionNarrow},
    {"softmax_overlap", &Runtime::softmaxOverlap},
    {"memory", &Runtime::memory},
    {"network", &Runtime::network},
    {"overlap_data", &Runtime::overlapData},
    {"overlap_cost", &Runtime::overlapCost},
    {"overlap_tensor", &Runtime::overlapTensor},
    {"overlap_pipeline", &Runtime::overlapPipeline},
    {"step", &Runtime::step},
    {"gradient_bytes", &Runtime::gradientBytes},
    {"gather_bytes", &Runtime::gatherBytes},
    {"sum_bytes", &Runtime::sumBytes},
    {"cast_bytes", &Runtime::castBytes},
    {"permute_bytes", &Runtime::permuteBytes},
    {"merged_sends", &Runtime::mergedSends},
    {"accumulate_bytes", &Runtime::accumulateBytes},
    {"expert_host", &Runtime::expertHost},
    {"expert_launch", &Runtime::expertLaunch},
    {"jitter", &Runtime::jitter},
    {"host", &Runtime::host},
    {"host_memory", &Runtime::hostMemory},
    {"drives", &Runtime::drives},
    {"measured", &Runtime::measured},
    {"reserve", &Runtime::reserve},
    {"fragmentation", &Runtime::fragmentation},
};

Runtime Runtime::read(const ir::Operation &statement) {
  auto runtime = study::partOf<study::RuntimeOp>(statement);
  Runtime result;
  for (const auto &[name, field] : fields)
    result.*field = runtime->realAttr(name);
  result.overlapExpert = runtime->realAttr("overlap_expert", result.overlapTensor);
  result.stateSpace = runtime->realAttr("state_space", 0);
  result.isIdeal = !study::findPart(statement, study::RuntimeOp::opName);
  result.earlyStop = runtime->hasAttr("early_stop");
  result.splitSends = runtime->hasAttr("split_sends");
  if (auto launch = runtime->quantityAttr("launch"))
    result.launch = launch->toDouble();
  if (auto train = ir::as<study::TrainOp>(statement)) {
    result.format = train.dtype();
    result.products = train.products();
    result.usesTiles = train.usesTiles();
  }
  result.isNarrow = result.products && bitsOf(*result.products) <= 8;
  return result;
}

Runtime Runtime::read(const ir::Operation &train, const ir::Operation &chipOp) {
  Runtime result = read(train);
  if (!result.products)
    return result;
  Chip chip(chipOp);
  DType format = ir::as<study::TrainOp>(train).dtype();
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
