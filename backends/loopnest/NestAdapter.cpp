// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/NestAdapter.h"

#include "ir/core/Module.h"
#include "passes/analysis/Dependences.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

namespace {
class Adapter {
public:
  Adapter(NestOp op, const passes::Chip &chip, passes::NormalForms &forms, AdaptedNest &result)
      : op(op), chip(chip), forms(forms), result(result) {}

  bool run();
  std::string reason;

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  bool findStatement();
  bool addDomain();
  bool addWindows();
  int64_t wordBits(TensorOp tensor) const;
  bool readAccesses();
  void addTensor(TensorOp tensor, llvm::ArrayRef<passes::NormalRank> ranks);
  llvm::SmallVector<unsigned, 4> keyDims(llvm::ArrayRef<passes::NormalRank> ranks) const;
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
  std::vector<int64_t> extents; ///< of the box of loops
  std::vector<std::pair<TensorOp, std::vector<passes::NormalRank>>> accesses;
  NestOp op;
  const passes::Chip &chip;
  passes::NormalForms &forms;
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
  return true;
}

static Subscript subscriptOf(const passes::AffineRow &row) {
  Subscript result;
  result.constant = row.constant;
  for (auto [dim, coefficient] : row.terms)
    result.terms.push_back({dim, coefficient});
  return result;
}

bool Adapter::addDomain() {
  for (const ir::AttrDict::Entry &index : result.statement.domain().entries())
    extents.push_back(index.second.asInt());
  llvm::Optional<passes::NormalDomain> domain = forms.domain(op.domain(), extents);
  if (!domain)
    return fail(fmt::format("its domain `{}` is no set of {} with affine conditions", op.domain(),
                            counted(extents.size(), "integer")));
  for (size_t i = 0; i < extents.size(); ++i)
    result.nest.dims.push_back({domain->indices[i], extents[i]});
  for (const passes::AffineRow &condition : domain->conditions)
    result.nest.conditions.push_back(subscriptOf(condition));
  return addWindows();
}

bool Adapter::addWindows() {
  for (const auto &[index, value] : op->dictAttr("windows").entries()) {
    llvm::Optional<unsigned> position = dim(index);
    const ir::AttrDict &tiles = value.asDict();
    if (!position)
      return fail(fmt::format("the statement has no index `{}`", index));
    int64_t step = tiles.find("step")->asInt(), extent = tiles.find("extent")->asInt();
    int64_t count = tiles.find("count")->asInt();
    windows.push_back({*position, static_cast<unsigned>(result.nest.dims.size()), step});
    if (step * (count - 1) + extent > extents[*position])
      result.notes.push_back(fmt::format("tiles of {} values of `{}`, which has {}, are made whole "
                                         "also where they reach beyond the last one",
                                         extent, index, extents[*position]));
    result.nest.dims[*position].size = extent;
    result.nest.dims.push_back({"tile of " + index, count});
  }
  if (!windows.empty())
    ignoreConditions(result);
  return true;
}

//===-- Tensors
//--------------------------------------------------------------------------------===//

static bool usesIndex(llvm::ArrayRef<passes::NormalRank> ranks, unsigned index) {
  return llvm::any_of(ranks, [&](const passes::NormalRank &rank) {
    return llvm::any_of(rank.position.terms, [&](const auto &term) { return term.first == index; });
  });
}

/// The dimensions that choose the row of a data-dependent access with `ranks`: those that its own
/// subscripts leave and that another tensor read here, the keys, is indexed by.
llvm::SmallVector<unsigned, 4> Adapter::keyDims(llvm::ArrayRef<passes::NormalRank> ranks) const {
  llvm::SmallVector<unsigned, 4> dims;
  for (unsigned i = 0; i < extents.size(); ++i) {
    bool isKey = false;
    for (const auto &[other, itsRanks] : accesses)
      isKey |= !other.isOutput() && usesIndex(itsRanks, i);
    if (isKey && !usesIndex(ranks, i))
      dims.push_back(i);
  }
  return dims;
}

/// In parts of a bit that make the share of each scale whole.
int64_t Adapter::wordBits(TensorOp op) const {
  int64_t scale = op.block() ? op.scale() * result.nest.partsPerBit / op.block() : 0;
  return op.bits() * result.nest.partsPerBit + scale;
}

bool Adapter::readAccesses() {
  for (const ir::Operation &part : op->body()) {
    auto tensor = ir::as<TensorOp>(part);
    if (!tensor)
      continue;
    auto ranks = forms.access(tensor.access(), extents);
    if (!ranks)
      return fail(fmt::format("the access `{}` of `{}` is no affine relation from its domain",
                              tensor.access(), tensor.symbol()));
    if (int64_t block = tensor.block()) // a power of two, so that the largest divides all
      result.nest.partsPerBit =
          std::max(result.nest.partsPerBit, block / std::gcd(block, tensor.scale()));
    accesses.emplace_back(tensor, std::move(*ranks));
  }
  return true;
}

void Adapter::addTensor(TensorOp op, llvm::ArrayRef<passes::NormalRank> ranks) {
  Tensor tensor{op.symbol().str(), op.isOutput(), wordBits(op), {}};
  bool dependsOnData = false;
  std::vector<int64_t> shape = op.shape();
  for (size_t r = 0; r < ranks.size(); ++r) {
    dependsOnData |= ranks[r].dependsOnData;
    if (ranks[r].dependsOnData)
      continue;
    Subscript next = subscriptOf(ranks[r].position);
    next.extent = ranks[r].extent;
    // Tiles that are made whole reach beyond the domain.
    if (!windows.empty() && !next.extent && r < shape.size())
      next.extent = shape[r];
    tensor.ranks.push_back(std::move(next));
  }
  if (dependsOnData) {
    for (unsigned key : keyDims(ranks)) {
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
  return llvm::any_of(chip.units(),
                      [&](const passes::ChipUnit &unit) { return unit.name() == name; });
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
  if (!findStatement() || !addDomain() || !readAccesses())
    return false;
  for (const auto &[tensor, ranks] : accesses)
    addTensor(tensor, ranks);
  if (passes::readsWhatItSets(result.statement))
    result.notes.push_back(fmt::format(
        "what `{}` reads of itself counts as a tensor of its own, which comes from outside",
        result.statement.write().find("tensor")->asString()));
  return walk(op->body());
}

llvm::Optional<AdaptedNest> loopnest::adaptNest(NestOp nest, const passes::Chip &chip,
                                                passes::NormalForms &forms, std::string &reason) {
  AdaptedNest result;
  Adapter adapter(nest, chip, forms, result);
  if (adapter.run())
    return result;
  reason = adapter.reason;
  return llvm::None;
}

void loopnest::ignoreConditions(AdaptedNest &adapted) {
  if (adapted.nest.conditions.empty())
    return;
  adapted.nest.conditions.clear();
  adapted.notes.push_back("points outside the conditions of `where` are executed as well");
}
