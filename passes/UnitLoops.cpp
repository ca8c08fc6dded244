// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/UnitLoops.h"

#include "ir/common/diagnostics/Fusion.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/core/Module.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

UnitLoops::UnitLoops(op::KernelOp kernel, const JoinedGroup &group, loopnest::MappingOp mapping,
                     DiagnosticEngine &diagnostics)
    : kernel(kernel), mapping(mapping), diagnostics(diagnostics),
      chip(target::ChipOp(resolve(*mapping, mapping.target()))), units(group.units.size()),
      statements(group.units.size()) {
  readUnits(group);
}

/// The memory at which a value is fused, among the places of the chip.
static llvm::Optional<unsigned> meetingOf(loopnest::MappingOp mapping, const Chip &chip,
                                          llvm::StringRef value) {
  for (const Operation &line : mapping->body())
    if (line.is(loopnest::FuseOp::opName) &&
        llvm::is_contained(line.stringsAttr("tensors"), value.str()))
      return chip.find(line.stringAttr("at"));
  return llvm::None;
}

void UnitLoops::readUnits(const JoinedGroup &group) {
  llvm::DenseMap<const Operation *, size_t> unitOf;
  for (size_t unit = 0; unit < group.units.size(); ++unit)
    for (const Operation *member : group.units[unit])
      unitOf[member] = unit;
  auto next = kernel->body().begin();
  auto isStatement = [](const Operation &part) { return part.is(op::StatementOp::opName); };
  for (const Operation *member : group.members) {
    size_t number = unitOf.lookup(member);
    Unit &unit = units[number];
    Operation *own = resolve(*member, member->symbolAttr("kernel"));
    auto count = static_cast<size_t>(llvm::count_if(own->body(), isStatement));
    std::string written;
    for (; count > 0; ++next) {
      if (!isStatement(*next))
        continue;
      --count;
      statements[number].push_back(&*next);
      written = next->dictAttr("write").find("tensor")->asString().str();
      for (const AttrDict::Entry &index : next->dictAttr("domain").entries())
        unit.indices.try_emplace(index.first, index.first, index.second.asInt());
    }
    llvm::StringRef value = member->result().hint();
    if (value.empty())
      continue;
    unit.values.insert(value);
    unit.name = value.str();
    tensors[value].push_back(written);
    if (auto meets = meetingOf(mapping, chip, value))
      unit.meets = meets;
  }
}

//===-- Names -------------------------------------------------------------------------------===//

static AffineExpr renamed(const AffineExpr &expr,
                          llvm::function_ref<std::string(llvm::StringRef)> name) {
  AffineExpr result(expr.constant());
  for (const AffineExpr::Term &term : expr.terms())
    if (auto sum = add(result, AffineExpr::variable(name(term.name), term.coefficient)))
      result = *sum;
  return result;
}

static Attribute renamedList(const AttrList &list,
                             llvm::function_ref<std::string(llvm::StringRef)> name) {
  AttrList result;
  for (const Attribute &entry : list)
    result.push_back(entry.fits(AttrKind::Affine) ? Attribute(renamed(entry.asAffine(), name))
                                                  : entry);
  return Attribute(std::move(result));
}

static AttrDict renamedAccess(const AttrDict &access,
                              llvm::function_ref<std::string(llvm::StringRef)> name) {
  AttrDict result = access;
  result.set("map", renamedList(access.find("map")->asList(), name));
  return result;
}

void UnitLoops::renameIndices() {
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    std::string suffix =
        "_" + statements[unit].back()->dictAttr("write").find("tensor")->asString().str();
    AttrDict written;
    for (auto &index : units[unit].indices) {
      index.second.first = index.first().str() + suffix;
      std::string value = units[unit].name.empty() ? "" : units[unit].name + ".";
      written.set(index.second.first, value + index.first().str());
    }
    auto name = [&](llvm::StringRef index) { return index.str() + suffix; };
    for (Operation *statement : statements[unit]) {
      AttrDict domain;
      for (const AttrDict::Entry &index : statement->dictAttr("domain").entries())
        domain.set(name(index.first), index.second);
      AttrList reads;
      for (const Attribute &read : statement->listAttr("reads"))
        reads.push_back(renamedAccess(read.asDict(), name));
      statement->setAttr("domain", std::move(domain));
      statement->setAttr("written", written);
      statement->setAttr("write", renamedAccess(statement->dictAttr("write"), name));
      statement->setAttr("reads", std::move(reads));
      if (statement->hasAttr("constraints"))
        statement->setAttr("constraints", renamedList(statement->listAttr("constraints"), name));
    }
  }
}

//===-- Loops -------------------------------------------------------------------------------===//

/// A plain name outside the meeting place is one of the last operator only.
bool UnitLoops::applies(size_t unit, llvm::StringRef value, llvm::StringRef place) const {
  if (!value.empty())
    return units[unit].values.count(value);
  if (unit + 1 == units.size())
    return true;
  llvm::Optional<unsigned> at = chip.find(place);
  return !at || (units[unit].meets && *at > *units[unit].meets);
}

bool UnitLoops::readLoop(const Operation &loop, llvm::StringRef place) {
  bool isUsed = false;
  std::vector<std::string> names = loop.stringsAttr("indices");
  for (size_t unit = 0; unit < units.size(); ++unit) {
    std::vector<std::string> own;
    for (const std::string &name : names) {
      auto [value, index] = llvm::StringRef(name).contains('.')
                                ? llvm::StringRef(name).split('.')
                                : std::make_pair(llvm::StringRef(), llvm::StringRef(name));
      auto known = units[unit].indices.find(index);
      if (known != units[unit].indices.end() && applies(unit, value, place))
        own.push_back(known->second.first);
    }
    if (own.size() != names.size())
      continue;
    isUsed = true;
    llvm::Optional<int64_t> factor;
    if (loop.hasAttr("factor"))
      factor = loop.intAttr("factor");
    loops.push_back({&loop, place.str(), own, factor, unit});
  }
  if (!isUsed)
    diagnostics.report(loop.range(), diag::NoFusedIndex, fmt::format("{}", fmt::join(names, ", ")));
  return isUsed;
}

int64_t UnitLoops::extentOf(size_t unit, llvm::StringRef index) const {
  for (const auto &entry : units[unit].indices)
    if (entry.second.first == index)
      return entry.second.second;
  return 1;
}

bool UnitLoops::fillRests() {
  for (Written &loop : loops) {
    if (loop.factor)
      continue;
    int64_t needed = 1;
    for (const std::string &index : loop.indices) {
      int64_t others = 1;
      for (const Written &other : loops) {
        if (&other == &loop || other.unit != loop.unit || !llvm::is_contained(other.indices, index))
          continue;
        if (!other.factor) {
          diagnostics
              .report(other.from->range(), diag::TwoRests,
                      fmt::format("{}", fmt::join(other.from->stringsAttr("indices"), ", ")))
              .note(loop.from->range(), "the first is here");
          return false;
        }
        others = checkedMultiply(others, *other.factor).getValueOr(INT64_MAX / 2);
      }
      int64_t extent = extentOf(loop.unit, index);
      needed = std::max(needed, extent / others + (extent % others != 0));
    }
    loop.factor = needed;
  }
  return true;
}

/// `fuse`, `keep` and `bypass` name values; the kernel has a tensor for each.
void UnitLoops::writeTensors(const Operation &line, Operation &own) const {
  std::vector<std::string> names;
  for (const std::string &value : line.stringsAttr("tensors")) {
    auto found = tensors.find(value);
    if (found == tensors.end())
      names.push_back(value);
    else
      names.insert(names.end(), found->second.begin(), found->second.end());
  }
  ValueMap ignored;
  Operation &copy = line.clone(own.body(), ignored);
  copy.setAttr("tensors", Attribute::strings(names));
}

bool UnitLoops::write(Operation &own, Builder &builder) {
  bool good = true;
  for (const Operation &line : mapping->body()) {
    if (!line.is(loopnest::PlaceOp::opName)) {
      writeTensors(line, own);
      continue;
    }
    for (const Operation &loop : line.body())
      good &= readLoop(loop, line.stringAttr("at"));
  }
  if (!fillRests())
    return false;
  Operation *place = nullptr;
  for (const Written &loop : loops) {
    if (!place || place->stringAttr("at") != loop.place) {
      place = builder.create(own.body(), loopnest::PlaceOp::opName, loop.from->location());
      place->setAttr("at", loop.place);
    }
    Operation *copy =
        builder.create(place->body(), loopnest::LoopOp::opName, loop.from->location());
    copy->setAttr("indices", Attribute::strings(loop.indices));
    copy->setAttr("factor", *loop.factor);
    if (loop.from->hasAttr("axis"))
      copy->setAttr("axis", loop.from->stringAttr("axis"));
  }
  return good;
}
