// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/diagnostics/Mappings.h"
#include "passes/NestPlan.h"

#include "ir/common/diagnostics/Fusion.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

namespace {

/// Reads loopnest.place and loopnest.loop into a plan.
class MappingReader {
public:
  MappingReader(const Chip &chip, const Statement &statement, loopnest::MappingOp mapping,
                DiagnosticEngine &diagnostics, bool onlyOwn)
      : chip(chip), statement(statement), mapping(mapping), diagnostics(diagnostics),
        onlyOwn(onlyOwn) {}

  llvm::Optional<NestPlan> run();

private:
  /// A place as written, `PE` or `PE.x`.
  struct Named {
    unsigned place;
    llvm::StringRef axis;
    loopnest::PlaceOp op;
  };

  llvm::Optional<Named> readPlace(loopnest::PlaceOp op);
  bool readLoop(const Named &at, loopnest::LoopOp loop);
  bool readAxis(const Named &at, loopnest::LoopOp loop, PlannedLoop &planned);
  bool readKeep(loopnest::KeepOp keep, NestPlan &plan);
  bool order(NestPlan &plan);
  bool keepsOrder(const NestPlan &plan);
  bool maySwap(const Place &a, const Place &b) const;
  bool fail(Diagnostic &diagnostic, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

  const Chip &chip;
  const Statement &statement;
  loopnest::MappingOp mapping;
  DiagnosticEngine &diagnostics;
  bool onlyOwn;
  std::vector<Named> named;
  std::vector<PlannedLoop> loops;
};

/// Adds a suggestion, or the list of what there is.
bool MappingReader::fail(Diagnostic &diagnostic, llvm::StringRef name,
                         llvm::ArrayRef<llvm::StringRef> known) {
  std::string all =
      fmt::format("there {} {}", known.size() == 1 ? "is" : "are", fmt::join(known, ", "));
  diagnostic.suggest(name, known, known.empty() ? "" : all);
  return false;
}

llvm::Optional<MappingReader::Named> MappingReader::readPlace(loopnest::PlaceOp op) {
  std::pair<llvm::StringRef, llvm::StringRef> parts = op.place().split('.');
  llvm::Optional<unsigned> place = chip.find(parts.first);
  if (place)
    return Named{*place, parts.second, op};
  std::vector<llvm::StringRef> names;
  for (const Place &known : chip.places)
    names.push_back(known.name);
  fail(diagnostics.report(op->range(), diag::UnknownPlace, chip.op.symbol(), parts.first),
       parts.first, names);
  return llvm::None;
}

bool MappingReader::readAxis(const Named &at, loopnest::LoopOp loop, PlannedLoop &planned) {
  const Place &place = chip.places[at.place];
  // Either the place or the loop names the axis, as `x` or as `PE.x`.
  llvm::StringRef axis = loop.axis().empty() ? at.axis : loop.axis();
  axis = axis.substr(axis.rfind('.') + 1);
  if (!place.isArray) {
    if (axis.empty())
      return true;
    diagnostics.report(loop->range(), diag::ParallelAtMemory, place.name);
    return false;
  }
  std::vector<llvm::StringRef> names;
  for (const Axis &known : place.axes)
    names.push_back(known.name);
  if (axis.empty()) {
    diagnostics.report(loop->range(), diag::SequentialAtArray, place.name,
                       place.name.str() + "." + names.front().str());
    return false;
  }
  auto found = llvm::find(names, axis);
  if (found == names.end())
    return fail(diagnostics.report(loop->range(), diag::UnknownMappingAxis, place.name, axis), axis,
                names);
  planned.axis = static_cast<unsigned>(found - names.begin());
  return true;
}

bool MappingReader::readLoop(const Named &at, loopnest::LoopOp loop) {
  PlannedLoop planned{at.place, llvm::None, {}, 1, loop.op};
  bool valid = readAxis(at, loop, planned);
  std::vector<llvm::StringRef> known(statement.names.begin(), statement.names.end());
  for (const std::string &name : loop.indices()) {
    if (onlyOwn && !statement.find(name))
      return valid;
    if (llvm::Optional<unsigned> index = statement.find(name))
      planned.indices.push_back(*index);
    else
      valid = fail(diagnostics.report(loop->range(), diag::NoIndexToMap, name,
                                      as<op::KernelOp>(statement.op->parentOp()).declaration()),
                   name, known);
  }
  if (!loop.factor()) {
    diagnostics.report(loop->range(), diag::LoopWithoutFactor, fmt::join(loop.indices(), ", "));
    return false;
  }
  planned.factor = *loop.factor();
  if (valid)
    loops.push_back(std::move(planned));
  return valid;
}

bool MappingReader::readKeep(loopnest::KeepOp keep, NestPlan &plan) {
  llvm::Optional<unsigned> place = chip.find(keep.place());
  if (!place || chip.places[*place].isArray) {
    diagnostics.report(keep->range(), diag::UnknownPlace, chip.op.symbol(), keep.place());
    return false;
  }
  if (*place == 0 && keep.bypasses()) {
    diagnostics.report(keep->range(), diag::OutermostBypass, keep.tensors().front(), keep.place());
    return false;
  }
  for (const std::string &tensor : keep.tensors())
    plan.keeps.push_back({*place, tensor, !keep.bypasses()});
  return true;
}

/// Memories between which there is no array may change places when no role is kept by both.
bool MappingReader::maySwap(const Place &a, const Place &b) const {
  if (a.isArray || b.isArray || a.op->parentRegion() != b.op->parentRegion())
    return false;
  for (llvm::StringRef role : {"input", "weight", "output"})
    if (a.keeps(role) && b.keeps(role))
      return false;
  return true;
}

/// Puts the named places, in the order of the mapping, where they stand on the chip.
bool MappingReader::order(NestPlan &plan) {
  llvm::SmallVector<unsigned, 8> wanted;
  bool valid = true;
  for (const Named &at : named) {
    if (!wanted.empty() && wanted.back() == at.place)
      continue; // the next axis of the same array, or more loops at the same memory
    if (llvm::is_contained(wanted, at.place)) {
      diagnostics.report(at.op->range(), diag::PlaceListedTwice, chip.places[at.place].name);
      valid = false;
      continue;
    }
    for (unsigned before : wanted)
      if (before > at.place && !maySwap(chip.places[before], chip.places[at.place])) {
        diagnostics
            .report(at.op->range(), diag::PlacesOutOfOrder, chip.places[at.place].name,
                    chip.places[before].name)
            .help("places go outermost first");
        valid = false;
        break;
      }
    wanted.push_back(at.place);
  }
  size_t next = 0;
  for (unsigned i = 0; i < chip.places.size(); ++i)
    plan.places.push_back(valid && llvm::is_contained(wanted, i) ? wanted[next++] : i);
  return valid && keepsOrder(plan);
}

/// A swap must not carry a memory past an unnamed one that keeps the same tensors.
bool MappingReader::keepsOrder(const NestPlan &plan) {
  for (size_t j = 0; j < plan.places.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      unsigned outer = plan.places[i], inner = plan.places[j];
      if (outer < inner || maySwap(chip.places[outer], chip.places[inner]))
        continue;
      diagnostics.report(mapping->range(), diag::PlacesOutOfOrder, chip.places[inner].name,
                         chip.places[outer].name);
      return false;
    }
  return true;
}

llvm::Optional<NestPlan> MappingReader::run() {
  bool valid = true;
  NestPlan plan{&chip, &statement, {}, {}};
  for (ir::Operation &part : mapping->body()) {
    if (auto keep = ir::as<loopnest::KeepOp>(part)) {
      valid &= readKeep(keep, plan);
      continue;
    }
    if (part.is(loopnest::FuseOp::opName))
      continue;
    llvm::Optional<Named> at = readPlace(loopnest::PlaceOp(&part));
    if (!at) {
      valid = false;
      continue;
    }
    named.push_back(*at);
    for (ir::Operation &loop : part.body())
      valid &= readLoop(*at, loopnest::LoopOp(&loop));
  }
  if (!order(plan) || !valid)
    return llvm::None;
  llvm::stable_sort(loops, [&](const PlannedLoop &a, const PlannedLoop &b) {
    return plan.positionOf(a.place) < plan.positionOf(b.place);
  });
  plan.loops = std::move(loops);
  return plan;
}

} // namespace

llvm::Optional<NestPlan> passes::planFromMapping(const Chip &chip, const Statement &statement,
                                                 loopnest::MappingOp mapping,
                                                 DiagnosticEngine &diagnostics, bool onlyOwn) {
  return MappingReader(chip, statement, mapping, diagnostics, onlyOwn).run();
}
