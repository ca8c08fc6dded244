// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/NestAdapter.h"

#include "ir/core/Module.h"
#include "passes/analysis/Images.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

namespace {
class Adapter {
public:
  Adapter(NestOp op, const passes::Chip &chip, AdaptedNest &result)
      : op(op), chip(chip), result(result) {}

  bool run();
  std::string reason;

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  bool findStatement();
  int64_t wordBits(TensorOp tensor) const;
  void addTensor(TensorOp tensor);
  llvm::SmallVector<unsigned, 4> keyDims(TensorOp tensor) const;
  Subscript subscript(const AffineExpr &expr) const;
  Axis lanesOf(const ir::Operation &array, const passes::Axis &axis) const;
  bool addPlace(AtOp at);
  void openPlace(bool parallel);
  bool addLoop(const ir::Operation &loop);
  bool walk(const ir::Region &region);
  llvm::Optional<unsigned> dim(llvm::StringRef name) const;
  void splitWindows(Tensor &tensor) const;

  /// An index whose tiles overlap, as two dimensions: the position in a tile, the number of a tile.
  struct Window {
    unsigned position, number;
    int64_t step;
  };
  std::vector<Window> windows;
  NestOp op;
  const passes::Chip &chip;
  AdaptedNest &result;
};
} // namespace

llvm::Optional<unsigned> Adapter::dim(llvm::StringRef name) const {
  for (unsigned i = 0; i < result.nest.dims.size(); ++i)
    if (result.nest.dims[i].name == name)
      return i;
  return llvm::None;
}

bool Adapter::findStatement() {
  const ir::Operation *kernel = op->module() ? op->module()->lookup(op.kernel()) : nullptr;
  if (!kernel)
    return fail(fmt::format("there is no kernel `{}`", op.kernel()));
  int64_t number = 0;
  for (const ir::Operation &part : kernel->body())
    if (auto statement = ir::as<op::StatementOp>(part))
      if (number++ == op.statement())
        result.statement = statement;
  if (!result.statement)
    return fail(fmt::format("kernel `{}` has no statement {}", op.kernel(), op.statement()));
  llvm::StringMap<int64_t> extents;
  for (const ir::AttrDict::Entry &index : result.statement.domain().entries()) {
    result.nest.dims.push_back({index.first, index.second.asInt()});
    extents[index.first] = index.second.asInt();
  }
  for (const auto &[index, value] : op->dictAttr("windows").entries()) {
    llvm::Optional<unsigned> position = dim(index);
    const ir::AttrDict &tiles = value.asDict();
    if (!position)
      return fail(fmt::format("the statement has no index `{}`", index));
    int64_t step = tiles.find("step")->asInt(), extent = tiles.find("extent")->asInt();
    int64_t count = tiles.find("count")->asInt();
    windows.push_back({*position, static_cast<unsigned>(result.nest.dims.size()), step});
    if (step * (count - 1) + extent > extents[index])
      result.notes.push_back(fmt::format("tiles of {} values of `{}`, which has {}, are made whole "
                                         "also where they reach beyond the last one",
                                         extent, index, extents[index]));
    result.nest.dims[*position].size = extent;
    result.nest.dims.push_back({"tile of " + index, count});
  }
  for (const AffineExpr &condition : passes::cuttingConditions(result.statement))
    result.nest.conditions.push_back(subscript(condition));
  if (!windows.empty())
    ignoreConditions(result);
  return true;
}

//===-- Tensors
//--------------------------------------------------------------------------------===//

Subscript Adapter::subscript(const AffineExpr &expr) const {
  Subscript result;
  result.constant = expr.constant();
  for (const AffineExpr::Term &term : expr.terms())
    if (auto index = dim(term.name))
      result.terms.push_back({*index, term.coefficient});
  return result;
}

static bool usesIndex(const ir::AttrList &map, llvm::StringRef index) {
  return llvm::any_of(map, [&](const ir::Attribute &rank) {
    return rank.fits(ir::AttrKind::Affine) && rank.asAffine().coefficient(index) != 0;
  });
}

/// The dimensions that choose the row of a data-dependent access: those that its own subscripts
/// leave and that another tensor read here, the keys, is indexed by.
llvm::SmallVector<unsigned, 4> Adapter::keyDims(TensorOp tensor) const {
  llvm::SmallVector<unsigned, 4> dims;
  for (unsigned i = 0; i < result.nest.dims.size(); ++i) {
    llvm::StringRef name = result.nest.dims[i].name;
    bool isKey = false;
    for (const ir::Operation &part : op->body())
      if (auto other = ir::as<TensorOp>(part))
        isKey |= other.op != tensor.op && !other.isOutput() && usesIndex(other.map(), name);
    if (isKey && !usesIndex(tensor.map(), name))
      dims.push_back(i);
  }
  return dims;
}

/// In parts of a bit that make the share of each scale whole.
int64_t Adapter::wordBits(TensorOp op) const {
  int64_t scale = op.block() ? 8 * result.nest.partsPerBit / op.block() : 0;
  return op.bits() * result.nest.partsPerBit + scale;
}

void Adapter::addTensor(TensorOp op) {
  Tensor tensor{op.symbol().str(), op.isOutput(), wordBits(op), {}};
  std::vector<int64_t> shape = op.shape();
  bool dependsOnData = false;
  for (size_t rank = 0; rank < op.map().size(); ++rank) {
    const ir::Attribute &map = op.map()[rank];
    if (!map.fits(ir::AttrKind::Affine)) {
      dependsOnData = true;
      continue;
    }
    Subscript next = subscript(map.asAffine());
    if (rank < shape.size())
      next.extent = shape[rank];
    tensor.ranks.push_back(std::move(next));
  }
  if (dependsOnData) {
    for (unsigned key : keyDims(op)) {
      Subscript row;
      row.terms.push_back({key, 1});
      tensor.ranks.push_back(std::move(row));
    }
    result.notes.push_back(
        fmt::format("rows of `{}` depend on data: each key reads one anew", op.symbol()));
  }
  splitWindows(tensor);
  result.nest.tensors.push_back(std::move(tensor));
  result.tensors.push_back(op);
}

/// Reads take y as step * number + position. What is written is made anew for each tile: number and
/// position are ranks of their own, so that tiles that overlap are different words.
void Adapter::splitWindows(Tensor &tensor) const {
  for (const Window &window : windows)
    for (size_t rank = 0; rank < tensor.ranks.size(); ++rank) {
      Subscript &own = tensor.ranks[rank];
      auto term = llvm::find_if(own.terms, [&](const Term &t) { return t.dim == window.position; });
      if (term == own.terms.end())
        continue;
      if (!tensor.isOutput) {
        own.terms.push_back({window.number, term->coefficient * window.step});
        continue;
      }
      own.extent = llvm::None;
      Subscript number;
      number.terms.push_back({window.number, 1});
      tensor.ranks.push_back(std::move(number));
    }
}

//===-- Places and loops
//-----------------------------------------------------------------------===//

/// Loops may stand at a unit, which holds nothing.
static bool isUnit(const passes::Chip &chip, llvm::StringRef name) {
  return llvm::any_of(chip.units, [&](target::ComputeOp unit) { return unit.symbol() == name; });
}

/// Networks of one array may share along different axes for different tensors.
Axis Adapter::lanesOf(const ir::Operation &array, const passes::Axis &axis) const {
  Axis lanes{axis.name.str(), axis.size, axis.multicast, axis.reduce, {}};
  for (unsigned t = 0; t < result.tensors.size(); ++t)
    if (!result.nest.tensors[t].isOutput && axis.multicast &&
        !passes::sharesAlong(array, axis.name, result.tensors[t].role()))
      lanes.apart.push_back(t);
  return lanes;
}

bool Adapter::addPlace(AtOp at) {
  llvm::StringRef name = at.place();
  llvm::Optional<unsigned> found = chip.find(name);
  if (!found)
    return isUnit(chip, name) ||
           fail(fmt::format("chip `{}` has no place `{}`", chip.op.symbol(), name));
  const passes::Place &known = chip.places[*found];
  Place place;
  place.name = name.str();
  place.kind = known.isArray ? PlaceKind::Array : PlaceKind::Memory;
  for (const passes::Axis &axis : known.axes)
    place.axes.push_back(lanesOf(*known.op, axis));
  llvm::Optional<std::vector<std::string>> kept = at.keep();
  for (unsigned i = 0; i < result.tensors.size(); ++i)
    if (kept ? llvm::is_contained(*kept, result.tensors[i].symbol())
             : known.keeps(result.tensors[i].role()))
      place.keep.push_back(i);
  for (const TensorOp &tensor : result.tensors)
    if (const ir::Attribute *bits = tensor.partial().find(name))
      place.partialBits = bits->asInt() * result.nest.partsPerBit;
  result.nest.places.push_back(std::move(place));
  result.places.push_back(known.op);
  return true;
}

/// Between the lanes of an array there may be loops in time, which nothing is stored for: a memory
/// that keeps no tensor, and then the array again.
void Adapter::openPlace(bool parallel) {
  Place &last = result.nest.places.back();
  if (!parallel && last.kind == PlaceKind::Array) {
    Place between;
    between.name = last.name;
    result.nest.places.push_back(std::move(between));
    result.places.push_back(nullptr);
  } else if (parallel && !result.places.back()) {
    Place array = result.nest.places[result.nest.places.size() - 2];
    array.loops.clear();
    result.nest.places.push_back(std::move(array));
    result.places.push_back(result.places[result.places.size() - 2]);
  }
}

bool Adapter::addLoop(const ir::Operation &loop) {
  if (result.nest.places.empty())
    return fail("a loop stands at no place");
  openPlace(loop.is(ParallelOp::opName));
  Place &place = result.nest.places.back();
  Loop next;
  next.factor = loop.intAttr("factor", 1);
  std::vector<std::string> indices;
  if (auto parallel = ir::as<ParallelOp>(loop)) {
    indices = parallel.indices();
    llvm::StringRef axis = parallel.axis().rsplit('.').second;
    auto known = llvm::find_if(place.axes, [&](const Axis &entry) { return entry.name == axis; });
    if (known == place.axes.end())
      return fail(fmt::format("`{}` has no axis `{}`", place.name, axis));
    next.axis = static_cast<unsigned>(known - place.axes.begin());
  } else {
    indices.push_back(ir::as<ForOp>(loop).index().str());
  }
  for (const std::string &index : indices) {
    llvm::Optional<unsigned> driven = dim(index);
    if (!driven)
      return fail(fmt::format("the statement has no index `{}`", index));
    for (const Window &window : windows)
      if (loop.hasAttr("window") && window.position == *driven)
        driven = window.number;
    next.drives.push_back({*driven, llvm::None});
  }
  place.loops.push_back(std::move(next));
  return true;
}

bool Adapter::walk(const ir::Region &region) {
  for (const ir::Operation &part : region) {
    if (part.is(TensorOp::opName))
      continue;
    if (auto compute = ir::as<ComputeOp>(part)) {
      result.unit = compute.unit().str();
      return true;
    }
    if (auto at = ir::as<AtOp>(part)) {
      if (!addPlace(at))
        return false;
    } else if (!addLoop(part)) {
      return false;
    }
    return walk(part.body());
  }
  return fail("nothing is computed innermost");
}

bool Adapter::run() {
  if (!findStatement())
    return false;
  auto eachTensor = [&](auto visit) {
    for (const ir::Operation &part : op->body())
      if (auto tensor = ir::as<TensorOp>(part))
        visit(tensor);
  };
  eachTensor([&](TensorOp tensor) {
    result.nest.partsPerBit = std::max(result.nest.partsPerBit, tensor.block() / 8);
  });
  eachTensor([&](TensorOp tensor) { addTensor(tensor); });
  return walk(op->body());
}

llvm::Optional<AdaptedNest> loopnest::adaptNest(NestOp nest, const passes::Chip &chip,
                                                std::string &reason) {
  AdaptedNest result;
  Adapter adapter(nest, chip, result);
  if (adapter.run())
    return result;
  reason = adapter.reason;
  return llvm::None;
}

/// Adds the links that `inner`, a part of the same array, crosses.
static void addHops(ArrayCounts &outer, const ArrayCounts &inner) {
  for (size_t t = 0; t < outer.hops.size(); ++t) {
    if (!outer.hops[t] || !inner.hops[t]) {
      outer.hops[t] = llvm::None;
      continue;
    }
    outer.hops[t]->shared += inner.hops[t]->shared;
    outer.hops[t]->separate += inner.hops[t]->separate;
    outer.hops[t]->declared += inner.hops[t]->declared;
  }
}

/// Puts together what loops between its lanes made several places of one array.
static void joinLanes(AdaptedNest &adapted, Counts &counts) {
  std::vector<Place> &places = adapted.nest.places;
  size_t memories = 0, arrays = 0;
  for (size_t p = 0; p < places.size();) {
    if (adapted.places[p]) {
      ++(places[p].kind == PlaceKind::Memory ? memories : arrays);
      ++p;
      continue;
    }
    // A place between lanes follows its array, which follows a memory.
    llvm::append_range(places[p - 2].loops, places[p].loops);
    counts.memories.erase(counts.memories.begin() + static_cast<ptrdiff_t>(memories));
    bool goesOn = p + 1 < places.size() && adapted.places[p + 1] == adapted.places[p - 1];
    if (goesOn) {
      llvm::append_range(places[p - 1].loops, places[p + 1].loops);
      addHops(counts.arrays[arrays - 1], counts.arrays[arrays]);
      counts.arrays.erase(counts.arrays.begin() + static_cast<ptrdiff_t>(arrays));
    }
    auto end = static_cast<ptrdiff_t>(p + (goesOn ? 2 : 1));
    places.erase(places.begin() + static_cast<ptrdiff_t>(p), places.begin() + end);
    adapted.places.erase(adapted.places.begin() + static_cast<ptrdiff_t>(p),
                         adapted.places.begin() + end);
  }
}

void loopnest::ignoreConditions(AdaptedNest &adapted) {
  if (adapted.nest.conditions.empty())
    return;
  adapted.nest.conditions.clear();
  adapted.notes.push_back("points outside the conditions of `where` are executed as well");
}

Counts loopnest::takeCounts(AdaptedNest &adapted, AnalysisResult result) {
  if (result.counted)
    ignoreConditions(adapted);
  bool isClosed = !result.isExecuted || !adapted.nest.conditions.empty();
  if (!isClosed)
    adapted.notes.push_back("no closed form counts this nest: each of its points was executed");
  if (result.isStretched && !result.isExecuted)
    adapted.notes.push_back(
        "several memories write the same elements of the result through windows: "
        "its words are counted on shorter loops and stretched to these");
  for (unsigned tensor : result.coupled)
    adapted.notes.push_back(
        fmt::format("subscripts of `{}` share indices: its tiles are counted as sets of elements",
                    adapted.nest.tensors[tensor].name));
  joinLanes(adapted, *result.counts);
  return std::move(*result.counts);
}
