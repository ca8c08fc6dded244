// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/NestSpace.h"

#include "backends/core/KernelWork.h"
#include "ir/core/Module.h"
#include "ir/study/AllOps.h"

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

//===-- From IR
//---------------------------------------------------------------------------------===//

static void applyRules(NestSpace &result, MapspaceOp mapspace) {
  result.hasRules = true;
  for (ir::Operation &part : mapspace->body()) {
    OpenOp open(&part);
    for (unsigned s = 0; s < result.space.slots.size(); ++s) {
      const Slot &slot = result.space.slots[s];
      const Place &place = result.space.nest.places[slot.place];
      bool named = place.name == open.place() && (!slot.isAxis || open.axis().empty() ||
                                                  place.axes[slot.axis].name == open.axis());
      if (!named)
        continue;
      SlotRule &rule = result.rules[s];
      rule.range = part.range();
      rule.orderOpen = open.orderOpen();
      for (FactorRule &factor : rule.factors)
        factor = {open.admitsOthers(), {1}};
      for (ir::Operation &entry : part.body()) {
        HoleOp hole(&entry);
        for (unsigned d = 0; d < result.space.dims(); ++d)
          if (result.space.nest.dims[d].name == hole.index()) {
            rule.factors[d] = {hole.isAny() || hole.isRest(), hole.factors()};
            rule.order.push_back(d);
          }
      }
      // Loops that the line does not name stand outside those that it does.
      std::vector<unsigned> order;
      for (unsigned d = 0; d < result.space.dims(); ++d)
        if (!llvm::is_contained(rule.order, d))
          order.push_back(d);
      order.insert(order.end(), rule.order.begin(), rule.order.end());
      rule.order = order;
    }
  }
}

llvm::Optional<NestSpace> mapper::makeNestSpace(ir::Operation &nest, const ir::Operation &chip,
                                                int64_t extraBytes, MapspaceOp mapspace,
                                                std::string &reason) {
  passes::Chip places(target::ChipOp(const_cast<ir::Operation *>(&chip)));
  llvm::Optional<AdaptedNest> adapted = adaptNest(NestOp(&nest), places, reason);
  llvm::Optional<MapSpace> space = adapted ? makeMapSpace(adapted->nest, reason) : llvm::None;
  if (!space)
    return llvm::None;
  reason = notWeighed(*adapted);
  if (!reason.empty())
    return llvm::None;
  Chip model(chip);
  llvm::Optional<UnitRate> rate = model.unitNamed(adapted->unit, computeFormat(adapted->statement));
  if (!rate || rate->rate.central() <= 0) {
    reason = fmt::format("`{}` has no compute unit for it", model.name());
    return llvm::None;
  }
  NestSpace result;
  result.nest = &nest;
  result.adapted = std::move(*adapted);
  result.space = std::move(*space);
  result.weights =
      makeWeights(result.adapted, *rate, model,
                  target::ChipOp(const_cast<ir::Operation *>(&chip)).clock(), extraBytes);
  result.rules = openRules(result.space);
  if (mapspace)
    applyRules(result, mapspace);
  return result;
}

std::string mapper::searchKey(const NestSpace &nest) {
  std::string key = fmt::format("{}|", nest.weights.extraBits);
  for (const Dim &dim : nest.space.nest.dims)
    key += fmt::format("{}={},", nest.hasRules ? dim.name : "", dim.size);
  for (const Tensor &tensor : nest.space.nest.tensors) {
    key += fmt::format("|{}:{}", tensor.isOutput, tensor.bitsPerWord);
    for (const Subscript &rank : tensor.ranks) {
      key += fmt::format("[{}/{}", rank.constant, rank.extent ? *rank.extent : -1);
      for (const Term &term : rank.terms)
        key += fmt::format(" {}*{}", term.coefficient, term.dim);
    }
  }
  for (const Place &place : nest.space.nest.places)
    key += fmt::format("|{}", fmt::join(place.keep, ","));
  key += nest.adapted.unit + fmt::format("|{}", operationsPerPoint(nest.adapted.statement));
  for (const SlotRule &rule : nest.rules) {
    key += fmt::format("|{}{}", rule.orderOpen, fmt::join(rule.order, ","));
    for (unsigned d = 0; d < nest.space.dims(); ++d)
      key += fmt::format(";{}{}", rule.factors[d].open, fmt::join(rule.factors[d].values, ","));
  }
  return key;
}

//===-- To IR and text
//--------------------------------------------------------------------------===//

void mapper::writeNest(const NestSpace &nest, const Mapping &mapping) {
  ir::Builder builder(allOps());
  const MapSpace &space = nest.space;
  ir::Location location = nest.nest->location();
  ir::Operation *old = nullptr;
  for (ir::Operation &part : nest.nest->body())
    if (part.is(AtOp::opName))
      old = &part;
  if (old)
    old->erase();
  nest.nest->setAttr("mapping", "search");
  std::array<int64_t, maxDims> cover{};
  for (unsigned d = 0; d < space.dims(); ++d)
    cover[d] = space.nest.dims[d].size;
  ir::Region *region = &nest.nest->body();
  unsigned s = 0;
  for (unsigned p = 0; p < space.nest.places.size(); ++p) {
    const Place &place = space.nest.places[p];
    auto at = builder.create<AtOp>(*region, location);
    at->setAttr("place", place.name);
    region = &at->body();
    for (; s < space.slots.size() && space.slots[s].place == p; ++s)
      for (unsigned i = 0; i < space.dims(); ++i) {
        unsigned d = mapping.order[s][i];
        int64_t factor = mapping.factor[s][d];
        if (factor == 1)
          continue;
        cover[d] /= factor;
        ir::Operation *loop;
        if (space.slots[s].isAxis) {
          loop = builder.create<ParallelOp>(*region, location).op;
          loop->setAttr("axis", place.name + "." + place.axes[space.slots[s].axis].name);
          loop->setAttr("indices", ir::Attribute::strings({space.nest.dims[d].name}));
          loop->setAttr("steps", ir::Attribute::ints({cover[d]}));
        } else {
          loop = builder.create<ForOp>(*region, location).op;
          loop->setAttr("index", space.nest.dims[d].name);
          loop->setAttr("step", cover[d]);
        }
        loop->setAttr("factor", factor);
        region = &loop->body();
      }
  }
  auto compute = builder.create<loopnest::ComputeOp>(*region, location);
  compute->setAttr("unit", nest.adapted.unit);
}

std::string mapper::mappingLines(const NestSpace &nest, const Mapping &mapping,
                                 llvm::StringRef indent) {
  const MapSpace &space = nest.space;
  std::string text;
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    const Place &place = space.nest.places[space.slots[s].place];
    std::string loops;
    for (unsigned i = 0; i < space.dims(); ++i) {
      unsigned d = mapping.order[s][i];
      if (mapping.factor[s][d] > 1)
        loops += fmt::format("{}{} = {}", loops.empty() ? "" : ", ", space.nest.dims[d].name,
                             mapping.factor[s][d]);
    }
    if (loops.empty())
      continue;
    text += indent.str() + "at " + place.name;
    if (space.slots[s].isAxis)
      text += "." + place.axes[space.slots[s].axis].name + " parallel ";
    else
      text += " for ";
    text += loops + "\n";
  }
  return text;
}
