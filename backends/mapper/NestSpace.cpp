// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/NestSpace.h"

#include "backends/core/KernelWork.h"
#include "backends/loopnest/NestLatency.h"
#include "backends/loopnest/SystolicNest.h"
#include "backends/loopnest/search/SparseWeights.h"
#include "ir/core/Module.h"
#include "ir/study/AllOps.h"

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

bool NestSpace::ordersMatter() const {
  if (order || findSystolic(adapted) || (isImperfect && adapted.nest.hasPartial()))
    return true;
  return llvm::any_of(adapted.places, [](const ir::Operation *place) {
    auto memory = ir::as<target::MemoryOp>(*place);
    return memory && !memory.buffering().empty() && memory.buffering() != "double";
  });
}

//===-- From IR
//---------------------------------------------------------------------------------===//

static void applyRules(NestSpace &result, MapspaceOp mapspace) {
  result.hasRules = true;
  result.isImperfect = mapspace.isImperfect();
  for (ir::Operation &part : mapspace->body()) {
    OpenOp open = ir::as<OpenOp>(part);
    if (!open)
      continue;
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

std::string mapper::zerosOf(const ir::Operation *placement) {
  std::string text;
  for (llvm::StringRef name : {"sparsity", "savings"})
    if (placement && placement->hasAttr(name))
      text += placement->attr(name)->text() + "|";
  return text;
}

/// Without a closed form each mapping is executed: those of small nests only.
static std::string notCounted(const NestSpace &nest) {
  bool isUnknown = false;
  return nest.space.isFlat || nest.cost->score(nest.adapted, isUnknown)
             ? ""
             : "its subscripts share indices, and it takes too long to count for each mapping";
}

/// What depends on what memories keep: what each mapping takes besides the time of its slowest
/// resource, where sums may round up, and what zeros leave.
static void setWeights(NestSpace &nest) {
  nest.weights = nest.denseWeights;
  nest.weights.launch =
      nest.cost->model().launch().central() + leastLatency(nest.adapted) * (1 - 1e-9);
  if (!nest.zeros())
    return;
  nest.weights = withZeros(nest.weights, nest.adapted.nest, *nest.zeros());
  nest.space.held = leastHeld(nest.adapted.nest, *nest.zeros());
}

llvm::Optional<NestSpace> mapper::makeNestSpace(ir::Operation &nest, const ir::Operation &chip,
                                                const ir::Operation *placement, MapspaceOp mapspace,
                                                std::string &reason) {
  passes::NormalForms forms;
  llvm::Optional<AdaptedNest> adapted = adaptNest(NestOp(&nest), Chip(chip), forms, reason);
  llvm::Optional<MapSpace> space = adapted ? makeGeneralSpace(adapted->nest, reason) : llvm::None;
  if (!space)
    return llvm::None;
  NestSpace result;
  result.cost = TrueCost::make(chip, *adapted, placement);
  if (!result.cost) {
    reason = fmt::format("`{}` has no compute unit for it", chip.symbol());
    return llvm::None;
  }
  result.nest = &nest;
  result.adapted = std::move(*adapted);
  result.beyondClosedForm = notWeighed(result.adapted);
  if (result.beyondClosedForm.empty() && !space->isFlat)
    result.beyondClosedForm = reason;
  if (result.beyondClosedForm.empty() && !result.adapted.nest.conditions.empty())
    result.beyondClosedForm = "points are left out by `where`";
  if (result.beyondClosedForm.empty() && result.zeros())
    result.beyondClosedForm = "zeros are left out";
  result.order = NestOrder::of(result.adapted, NestOp(&nest));
  if (result.beyondClosedForm.empty() && result.order)
    result.beyondClosedForm = "points depend on each other";
  result.zerosText = zerosOf(placement);
  result.space = std::move(*space);
  reason = notCounted(result);
  if (!reason.empty())
    return llvm::None;
  result.denseWeights = makeWeights(result.adapted, result.cost->unitRate(), result.cost->model(),
                                    target::ChipOp(const_cast<ir::Operation *>(&chip)).clock(),
                                    phase::finishBytes(phase::finishOperands(placement)));
  setWeights(result);
  result.rules = openRules(result.space);
  for (const Place &place : result.adapted.nest.places)
    result.chipKeeps.push_back(place.keep);
  unsigned open = 0;
  result.keeps = keepChoices(result.adapted, mapspace, open);
  if (mapspace)
    applyRules(result, mapspace);
  return result;
}

//===-- What memories keep
//---------------------------------------------------------------------===//

namespace {

/// What is said of one tensor at one memory.
struct KeepRule {
  bool keeps = false, isOpen = false;
};

} // namespace

/// Tensors that several accesses reach have numbers behind their names.
static bool isTensor(const Tensor &tensor, llvm::StringRef name) {
  llvm::StringRef rest = tensor.name;
  if (!rest.consume_front(name))
    return false;
  unsigned number;
  return rest.empty() || (rest.consume_front("_") && !rest.getAsInteger(10, number));
}

static KeepRule ruleFor(const AdaptedNest &nest, MapspaceOp mapspace, unsigned place,
                        unsigned tensor) {
  bool ofChip = llvm::is_contained(nest.nest.places[place].keep, tensor);
  KeepRule rule{ofChip, false}, fixed;
  bool isFixed = false;
  for (ir::Operation &part : mapspace->body()) {
    auto keep = ir::as<KeepOp>(part);
    if (!keep || (!keep.place().empty() && keep.place() != nest.nest.places[place].name))
      continue;
    rule.isOpen |= keep.isOpen() && ofChip;
    for (const std::string &name : keep.tensors())
      if (isTensor(nest.nest.tensors[tensor], name)) {
        isFixed = true;
        fixed = {!keep.bypasses(), false};
      }
  }
  return isFixed ? fixed : rule;
}

std::vector<Keeps> mapper::keepChoices(const AdaptedNest &nest, MapspaceOp mapspace,
                                       unsigned &open) {
  Keeps keeps;
  for (const Place &place : nest.nest.places)
    keeps.push_back(place.keep);
  open = 0;
  if (!mapspace)
    return {keeps};
  std::vector<std::pair<unsigned, unsigned>> pairs; // place and tensor
  for (unsigned p = 1; p < keeps.size(); ++p) {
    if (nest.nest.places[p].kind != PlaceKind::Memory)
      continue;
    keeps[p].clear();
    for (unsigned t = 0; t < nest.nest.tensors.size(); ++t) {
      KeepRule rule = ruleFor(nest, mapspace, p, t);
      if (rule.isOpen)
        pairs.push_back({p, t});
      else if (rule.keeps)
        keeps[p].push_back(t);
    }
  }
  open = pairs.size();
  if (open > mostOpenKeeps)
    return {};
  std::vector<Keeps> all;
  for (uint32_t passing = 0; passing < uint32_t(1) << open; ++passing) {
    Keeps choice = keeps;
    for (unsigned i = 0; i < open; ++i)
      if (!(passing >> i & 1))
        choice[pairs[i].first].push_back(pairs[i].second);
    for (auto &list : choice)
      llvm::sort(list);
    all.push_back(std::move(choice));
  }
  return all;
}

NestSpace mapper::withKeeps(const NestSpace &nest, const Keeps &keeps) {
  NestSpace result = nest;
  for (unsigned p = 0; p < keeps.size(); ++p)
    result.adapted.nest.places[p].keep = keeps[p];
  std::string reason;
  if (llvm::Optional<MapSpace> space = makeGeneralSpace(result.adapted.nest, reason))
    result.space = std::move(*space);
  result.keeps = {keeps};
  setWeights(result);
  return result;
}

std::string mapper::keepText(const NestSpace &nest) {
  std::string text;
  const Nest &flat = nest.space.nest;
  for (const Place &place : flat.places) {
    if (place.kind != PlaceKind::Memory || &place == &flat.places.front())
      continue;
    std::string names;
    for (unsigned t : place.keep)
      names += (names.empty() ? "" : ", ") + flat.tensors[t].name;
    text += fmt::format("{}{} keeps {}", text.empty() ? "" : "; ", place.name,
                        names.empty() ? "nothing" : names);
  }
  return text;
}

llvm::Optional<Mapping> mapper::mappingOf(const MapSpace &space, const Nest &nest) {
  Mapping mapping = space.emptyMapping();
  mapping.factor[0].fill(1);
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    const Slot &slot = space.slots[s];
    unsigned next = 0;
    DimMask named = 0;
    std::array<uint8_t, maxDims> order{};
    for (const Loop &loop : nest.places[slot.place].loops) {
      if (slot.isAxis && loop.axis != slot.axis)
        continue;
      if (loop.drives.size() != 1 || loop.drives[0].step || named >> loop.drives[0].dim & 1)
        return llvm::None;
      unsigned d = loop.drives[0].dim;
      named |= DimMask(1) << d;
      mapping.factor[s][d] = loop.factor;
      order[next++] = static_cast<uint8_t>(d);
    }
    for (unsigned d = 0; d < maxDims; ++d)
      if (!(named >> d & 1))
        order[next++] = static_cast<uint8_t>(d);
    mapping.order[s] = order;
  }
  return mapping;
}

std::string mapper::searchKey(const NestSpace &nest) {
  std::string key =
      nest.zerosText + fmt::format("{}/{}|", nest.weights.extraBits, nest.space.nest.partsPerBit);
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
    key += fmt::format("|{}", place.partialBits.getValueOr(0));
  for (const Keeps &keeps : nest.keeps)
    for (const auto &list : keeps)
      key += fmt::format("|{}", fmt::join(list, ","));
  for (const TensorOp &tensor : nest.adapted.tensors)
    key += fmt::format("|{}", tensor.role());
  key += fmt::format("|{}", nest.isImperfect);
  if (nest.order) // no other statement has the same dependences
    key += fmt::format("|{}/{}", NestOp(nest.nest).kernel(), NestOp(nest.nest).statement());
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
  nest.nest->removeAttr("unfit");
  // What the loops further in cover.
  std::array<int64_t, maxDims> cover{};
  cover.fill(1);
  for (unsigned s = 0; s < space.slots.size(); ++s)
    for (unsigned d = 0; d < space.dims(); ++d)
      cover[d] *= mapping.factor[s][d];
  ir::Region *region = &nest.nest->body();
  unsigned s = 0;
  for (unsigned p = 0; p < space.nest.places.size(); ++p) {
    const Place &place = space.nest.places[p];
    auto at = builder.create<AtOp>(*region, location);
    at->setAttr("place", place.name);
    if (place.kind == PlaceKind::Memory && place.keep != nest.chipKeeps[p]) {
      std::vector<std::string> names;
      for (unsigned t : place.keep)
        names.push_back(space.nest.tensors[t].name);
      at->setAttr("keep", ir::Attribute::strings(names));
    }
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
  for (unsigned p = 0; p < space.nest.places.size(); ++p) {
    const Place &place = space.nest.places[p];
    for (unsigned t = 0; t < space.nest.tensors.size(); ++t)
      if (bool keeps = llvm::is_contained(place.keep, t);
          keeps != llvm::is_contained(nest.chipKeeps[p], t))
        text += fmt::format("{}{} {} at {}\n", indent.str(), keeps ? "keep" : "bypass",
                            space.nest.tensors[t].name, place.name);
  }
  return text;
}
