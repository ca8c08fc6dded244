// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/TimeloopInput.h"

#include "passes/TimeloopProblem.h"
#include "passes/TimeloopWords.h"
#include "passes/analysis/Chip.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::passes;

namespace {

/// A loop of the nest: along x or y of an array, or in time.
struct NestLoop {
  unsigned dim;
  int64_t factor;
  llvm::Optional<unsigned> axis;
};

/// A memory of the nest, the array below it, and the loops of both, outermost first.
struct NestLevel {
  const Place *memory = nullptr;
  const Place *array = nullptr;
  std::vector<NestLoop> temporal, spatial;
  llvm::Optional<std::vector<std::string>> keep; ///< tensors, where the mapping decides
};

class InputBuilder {
public:
  InputBuilder(loopnest::NestOp nest, target::ChipOp target, std::string &reason)
      : nest(nest), target(target), chip(target), reason(reason) {}

  llvm::Optional<timeloop::Input> run();

private:
  bool fail(std::string why) {
    reason = std::move(why);
    return false;
  }
  bool readProblem();
  bool walk(const ir::Region &region);
  bool addPlace(loopnest::AtOp at);
  bool addLoop(const ir::Operation &loop);
  bool addLevels();
  void describeMemory(const NestLevel &from, timeloop::Level &level) const;
  void addEnergies(target::MemoryOp memory, timeloop::Level &level) const;
  void addNetwork(const NestLevel &from, timeloop::Level &level) const;
  void addUnit();
  bool addNests();
  bool fillNest(llvm::ArrayRef<NestLoop> loops, std::vector<int64_t> &left, timeloop::Nest &result);
  llvm::Optional<unsigned> dim(llvm::StringRef name) const;
  double perCycle(const llvm::Optional<Quantity> &power) const;
  double perWord(const Quantity &perByte, double scale) const;
  llvm::Optional<double> wordsPerCycle(const llvm::Optional<Quantity> &bandwidth) const;

  loopnest::NestOp nest;
  target::ChipOp target;
  Chip chip;
  std::string &reason;
  timeloop::Input input;
  std::vector<std::string> indices;
  std::vector<std::string> roles; ///< by tensor
  std::vector<NestLevel> levels;  ///< outermost first
  llvm::StringRef unit;
  int64_t wordBits = 0;
};

} // namespace

double InputBuilder::perWord(const Quantity &perByte, double scale) const {
  return roundedDecimal(perByte.toDouble() * scale * static_cast<double>(wordBits) / 8);
}

llvm::Optional<unsigned> InputBuilder::dim(llvm::StringRef name) const {
  for (unsigned i = 0; i < indices.size(); ++i)
    if (indices[i] == name)
      return i;
  return llvm::None;
}

bool InputBuilder::readProblem() {
  llvm::Optional<TimeloopProblem> read = timeloopProblem(nest, reason);
  if (!read)
    return false;
  input.problem = std::move(read->problem);
  indices = std::move(read->indices);
  roles = std::move(read->roles);
  wordBits = read->wordBits;
  return true;
}

bool InputBuilder::addPlace(loopnest::AtOp at) {
  llvm::StringRef name = at.place();
  llvm::Optional<unsigned> found = chip.find(name);
  if (!found) // loops may stand at a unit, which holds nothing
    return true;
  const Place &place = chip.places[*found];
  if (!place.isArray) {
    levels.push_back({&place, nullptr, {}, {}, at.keep()});
    return true;
  }
  if (levels.empty() || levels.back().array)
    return fail("an array stands directly in another one");
  if (place.axes.size() > 2)
    return fail(fmt::format("the array `{}` has more than two axes", name));
  levels.back().array = &place;
  return true;
}

bool InputBuilder::addLoop(const ir::Operation &loop) {
  NestLoop next{0, loop.intAttr("factor", 1), llvm::None};
  llvm::StringRef index;
  if (auto parallel = ir::as<loopnest::ParallelOp>(loop)) {
    std::vector<std::string> driven = parallel.indices();
    if (driven.size() != 1)
      return fail("a parallel loop drives several indices");
    llvm::StringRef axis = parallel.axis().rsplit('.').second;
    const Place *array = levels.empty() ? nullptr : levels.back().array;
    for (unsigned i = 0; array && i < array->axes.size(); ++i)
      if (array->axes[i].name == axis)
        next.axis = i;
    index = driven.front();
    if (!next.axis)
      return fail("a parallel loop stands at no array");
    next.dim = dim(index).getValueOr(0);
    levels.back().spatial.push_back(next);
    return true;
  }
  index = ir::as<loopnest::ForOp>(loop).index();
  next.dim = dim(index).getValueOr(0);
  if (levels.empty() || levels.back().array)
    return fail("a loop in time stands at an array");
  levels.back().temporal.push_back(next);
  return true;
}

bool InputBuilder::walk(const ir::Region &region) {
  for (const ir::Operation &part : region) {
    if (part.is(loopnest::TensorOp::opName))
      continue;
    if (auto compute = ir::as<loopnest::ComputeOp>(part)) {
      unit = compute.unit();
      return true;
    }
    auto at = ir::as<loopnest::AtOp>(part);
    if (at ? !addPlace(at) : !addLoop(part))
      return false;
    return walk(part.body());
  }
  return fail("nothing is computed innermost");
}

llvm::Optional<double>
InputBuilder::wordsPerCycle(const llvm::Optional<Quantity> &bandwidth) const {
  llvm::Optional<Quantity> clock = target.clock();
  if (!bandwidth || !clock || clock->toDouble() <= 0)
    return llvm::None;
  return roundedDecimal(bandwidth->toDouble() / clock->toDouble() * 8 /
                        static_cast<double>(wordBits));
}

/// pJ per cycle.
double InputBuilder::perCycle(const llvm::Optional<Quantity> &power) const {
  llvm::Optional<Quantity> clock = target.clock();
  if (!power || !clock || clock->toDouble() <= 0)
    return 0;
  return roundedDecimal(power->toDouble() / clock->toDouble() * 1e12);
}

void InputBuilder::addEnergies(target::MemoryOp memory, timeloop::Level &level) const {
  llvm::Optional<Quantity> read = memory.readEnergy(), write = memory.writeEnergy(),
                           update = memory.updateEnergy(), address = memory.addressEnergy();
  double writing = write ? perWord(*write, 1e12) : 0;
  bool isGiven = read || write || update || memory.leak();
  if (isGiven)
    level.energies = {{"read", read ? perWord(*read, 1e12) : 0},
                      {"write", writing},
                      {"update", update ? perWord(*update, 1e12) : writing},
                      {"leak", perCycle(memory.leak())}};
  level.attributes.addressEnergy = address ? roundedDecimal(address->toDouble() * 1e12) : 0;
}

/// The network of the array below the memory.
void InputBuilder::addNetwork(const NestLevel &from, timeloop::Level &level) const {
  if (!from.array)
    return;
  for (const ir::Operation &part : from.array->op->body())
    if (auto network = ir::as<target::NetworkOp>(part))
      if (llvm::Optional<Quantity> hop = network.hopEnergy()) {
        level.attributes.hopEnergy = perWord(*hop, 1e12);
        return;
      }
}

void InputBuilder::describeMemory(const NestLevel &from, timeloop::Level &level) const {
  target::MemoryOp memory(from.memory->op);
  timeloop::Attributes &attributes = level.attributes;
  level.name = memory.symbol().str();
  level.place = memory->range();
  attributes.wordBits = wordBits;
  bool isOuter = &from == &levels.front();
  llvm::StringRef type = timeloopClass(*memory.op);
  if (type.empty())
    type = memory.isOffChip() || (isOuter && !memory.capacity()) ? "DRAM" : "SRAM";
  level.type = type.str();
  attributes.reduces = level.type.find("DRAM") == std::string::npos;
  if (from.memory->capacityBits && level.type != "DRAM")
    attributes.words = *from.memory->capacityBits / wordBits;
  attributes.sharedBandwidth = wordsPerCycle(memory.bandwidth());
  attributes.readBandwidth = wordsPerCycle(memory.readBandwidth());
  attributes.writeBandwidth = wordsPerCycle(memory.writeBandwidth());
  addEnergies(memory, level);
  addNetwork(from, level);
  addTimeloopWords(*memory.op, level);
}

void InputBuilder::addUnit() {
  input.compute.name = unit.empty() ? "MAC" : unit.str();
  input.compute.type = "intmac";
  input.compute.attributes.wordBits = wordBits;
  for (const ChipUnit &part : chip.units())
    if (target::ComputeOp one = part.view; one.symbol() == unit) {
      if (llvm::Optional<Quantity> given = one.energyFor(target.dtype()))
        input.compute.energies = {{"compute", roundedDecimal(given->toDouble() * 1e12)},
                                  {"leak", perCycle(one.leak())}};
      if (llvm::StringRef type = timeloopClass(*one.op); !type.empty())
        input.compute.type = type.str();
      addTimeloopWords(*one.op, input.compute);
    }
}

bool InputBuilder::addLevels() {
  int64_t meshX = 1, meshY = 1;
  auto setMesh = [&](timeloop::Level &level) {
    level.meshX = meshX;
    level.meshY = meshY;
    level.instances = meshX * meshY;
  };
  for (const NestLevel &from : levels) {
    timeloop::Level level;
    describeMemory(from, level);
    setMesh(level);
    input.memories.insert(input.memories.begin(), std::move(level));
    if (!from.array)
      continue;
    const std::vector<Axis> &axes = from.array->axes;
    meshX *= axes.empty() ? 1 : axes[0].size;
    meshY *= axes.size() < 2 ? 1 : axes[1].size;
    if (meshX > (int64_t(1) << 40) || meshY > (int64_t(1) << 20))
      return fail("the arrays have more than 2^40 elements");
  }
  addUnit();
  setMesh(input.compute);
  return true;
}

/// Factors of one block, its loops outermost first; `left` is what the loops further out must
/// still cover, so that the last pass does what is left of an index.
bool InputBuilder::fillNest(llvm::ArrayRef<NestLoop> loops, std::vector<int64_t> &left,
                            timeloop::Nest &result) {
  std::vector<unsigned> x, y;
  for (const NestLoop &loop : llvm::reverse(loops)) {
    if (loop.factor == 1)
      continue;
    if (result.factors[loop.dim].end != 1)
      return fail(fmt::format("the index `{}` is stepped twice at one place", indices[loop.dim]));
    int64_t residual = (left[loop.dim] - 1) % loop.factor + 1;
    result.factors[loop.dim] = {loop.factor, residual};
    left[loop.dim] = (left[loop.dim] + loop.factor - 1) / loop.factor;
    (loop.axis && *loop.axis == 1 ? y : x).push_back(loop.dim);
  }
  result.order.clear();
  auto append = [&](unsigned dim) {
    if (!llvm::is_contained(result.order, dim))
      result.order.push_back(dim);
  };
  llvm::for_each(x, append);
  for (unsigned dim = 0; dim < indices.size(); ++dim)
    if (result.factors[dim].end == 1)
      append(dim);
  result.split = static_cast<unsigned>(result.order.size());
  llvm::for_each(y, append);
  result.given = true;
  return true;
}

bool InputBuilder::addNests() {
  input.placements = timeloop::emptyPlacements(input);
  std::vector<int64_t> left = input.problem.bounds;
  for (size_t memory = 0; memory < levels.size(); ++memory) {
    const NestLevel &from = levels[levels.size() - 1 - memory];
    timeloop::Placement &placement = input.placements[memory];
    placement.place = from.memory->op->range();
    if (from.array && !fillNest(from.spatial, left, placement.spatial))
      return false;
    if (!fillNest(from.temporal, left, placement.temporal))
      return false;
    placement.temporal.split = static_cast<unsigned>(indices.size());
    placement.temporal.place = placement.spatial.place = placement.place;
    for (unsigned space = 0; space < roles.size(); ++space) {
      placement.keep[space] = from.keep
                                  ? llvm::is_contained(*from.keep, input.problem.spaces[space].name)
                                  : from.memory->keeps(roles[space]);
      placement.noMulticast[space] =
          from.array &&
          llvm::none_of(from.array->axes, [](const Axis &axis) { return axis.multicast; });
    }
  }
  return true;
}

llvm::Optional<timeloop::Input> InputBuilder::run() {
  input.place = nest->range();
  if (nest->parentOp()) {
    fail("its statements are fused");
    return llvm::None;
  }
  if (!readProblem() || !walk(nest->body()) || !addLevels() || !addNests())
    return llvm::None;
  addTimeloopLines(*nest.op, indices, input);
  if (nest->hasAttr("zeros") && !input.sparse.optimized) {
    fail("its tensors have zeros, which the mapping's `timeloop` block does not mention");
    return llvm::None;
  }
  return std::move(input);
}

llvm::Optional<timeloop::Input> passes::timeloopInput(loopnest::NestOp nest, target::ChipOp chip,
                                                      std::string &reason) {
  return InputBuilder(nest, chip, reason).run();
}
