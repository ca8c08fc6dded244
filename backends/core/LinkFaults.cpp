// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/LinkFaults.h"

#include "ir/common/diagnostics/Training.h"
#include "ir/target/TargetOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace perfc;
using passes::ChipSet;

namespace {

/// Chips in a row.
struct ChipRange {
  int64_t first = 0, count = 0;
};

/// Finds the n-th group of a name, groups counted in the order in which the system lists them.
class GroupFinder {
public:
  GroupFinder(llvm::StringRef name, int64_t index) : name(name), left(index) {}

  /// The chips of the group; nothing when there are fewer groups.
  llvm::Optional<ChipRange> run(const ir::Operation &top) {
    return visit(top, 0) ? llvm::Optional<ChipRange>(found) : llvm::None;
  }

private:
  struct Size {
    int64_t chips = 1, named = 0;
  };

  Size sizeOf(const ir::Operation &part) const {
    Size size;
    if (!part.is(target::GroupOp::opName))
      return size;
    size.chips = 0;
    for (const ir::Operation &entry : part.body())
      if (auto members = ir::as<target::MembersOp>(entry)) {
        Size one = sizeOf(*ir::resolve(entry, members.of()));
        size.chips += members.count() * one.chips;
        size.named += members.count() * one.named;
      }
    size.named += part.symbol() == name;
    return size;
  }

  /// True when the group is `part` or in it; else leaves behind those that are.
  bool visit(const ir::Operation &part, int64_t base) {
    if (!part.is(target::GroupOp::opName))
      return false;
    if (part.symbol() == name && left-- == 0) {
      found = {base, sizeOf(part).chips};
      return true;
    }
    for (const ir::Operation &entry : part.body()) {
      auto members = ir::as<target::MembersOp>(entry);
      if (!members)
        continue;
      const ir::Operation &of = *ir::resolve(entry, members.of());
      Size one = sizeOf(of);
      int64_t skipped = one.named > 0 ? std::min(members.count(), left / one.named) : 0;
      left -= skipped * one.named;
      if (one.named > 0 && skipped < members.count() && visit(of, base + skipped * one.chips))
        return true;
      base += members.count() * one.chips;
    }
    return false;
  }

  llvm::StringRef name;
  int64_t left;
  ChipRange found;
};

/// An end of a link: a part of the system with its chips, or something of the network itself.
struct LinkEnd {
  bool isMember = false; ///< a chip or a group
  ChipRange chips;
};

} // namespace

static constexpr llvm::StringLiteral networkParts[] = {"switch", "leaf", "spine", "router", "bus"};

/// Nothing when the system has no such part.
static llvm::Optional<LinkEnd> endOf(llvm::StringRef text, const ir::Operation &system,
                                     int64_t chips) {
  auto [name, rest] = text.split('[');
  name = name.trim();
  if (llvm::is_contained(networkParts, name))
    return LinkEnd{false, {0, chips}};
  int64_t index = -1;
  if (rest.rtrim().rtrim(']').trim().getAsInteger(10, index) || index < 0)
    return llvm::None;
  if (name == "chip")
    return index < chips ? llvm::Optional<LinkEnd>(LinkEnd{true, {index, 1}}) : llvm::None;
  if (auto range = GroupFinder(name, index).run(system.body().back()))
    return LinkEnd{true, *range};
  return llvm::None;
}

static llvm::StringRef topologyOf(const ir::Operation &group) {
  for (const ir::Operation &part : group.body())
    if (part.is(target::NetworkOp::opName)) {
      llvm::StringRef name = part.stringAttr("topology");
      return name.empty() ? "switch" : name;
    }
  return "switch";
}

bool LinkFaults::read(const ir::Operation &system, int64_t chips, SourceRange where,
                      DiagnosticEngine &diagnostics) {
  size_t errors = diagnostics.errorCount();
  auto report = [&](const ir::Operation &op, const std::string &text) {
    diagnostics.report(op.range(), diag::LinkFaultInTraining, text).note(where, "run here");
  };
  system.walk([&](const ir::Operation &op) {
    auto fault = ir::as<target::FaultOp>(op);
    if (!fault || fault.kind() != "link" || !op.parentOp())
      return;
    const ir::Operation &group = *op.parentOp();
    ChipRange chipsOfLink{0, chips};
    bool isMembersLink = false;
    for (const std::string &text : fault.ends()) {
      auto end = endOf(text, system, chips);
      if (!end)
        return report(op, fmt::format("the system has no `{}`", text));
      isMembersLink |= end->isMember;
      if (end->isMember && end->chips.count < chipsOfLink.count)
        chipsOfLink = end->chips;
    }
    auto share = fault.bandwidthFactor();
    double factor = share ? share->toDouble() : 0;
    llvm::StringRef topology = topologyOf(group);
    bool hasWayAround = topology == "ring" || topology == "torus" || topology == "mesh" ||
                        topology == "fully_connected" || topology == "links" || !isMembersLink;
    if (factor <= 0 && !hasWayAround)
      return report(op, fmt::format("link({}) has failed, and `{}` has no other way to its chips, "
                                    "which training needs; `bandwidth 50%` makes it slow",
                                    llvm::join(fault.ends(), ", "), group.symbol()));
    faults.push_back({&group, factor > 0 ? factor : 0.5, chipsOfLink.first, chipsOfLink.count});
  });
  return diagnostics.errorCount() == errors;
}

double LinkFaults::factor(const ir::Operation &group, const ChipSet &chips) const {
  double least = 1;
  for (const Fault &fault : faults)
    if (fault.group == &group && chips.meets(fault.first, fault.count))
      least = std::min(least, fault.factor);
  return least;
}

/// Multiplies a quantity or a list of quantities, where `part` has it.
static void scaleAttr(ir::Operation &part, llvm::StringRef name, double factor) {
  auto scaled = [&](const Quantity &value) {
    return Quantity(value.toUncertain() * factor, value.dimension());
  };
  const ir::Attribute *given = part.attr(name);
  if (!given)
    return;
  if (!given->is(ir::AttrKind::List)) {
    part.setAttr(name, scaled(given->asQuantity()));
    return;
  }
  ir::AttrList values = given->asList();
  for (ir::Attribute &value : values)
    value = scaled(value.asQuantity());
  part.setAttr(name, std::move(values));
}

void perfc::slowDown(ir::Operation &part, const Fitness &fitness) {
  for (llvm::StringRef name : {"bandwidth", "pair", "channel", "bandwidths"})
    scaleAttr(part, name, fitness.bandwidth);
  if (part.is(target::NetworkOp::opName))
    for (llvm::StringRef name : {"latency", "latencies"})
      scaleAttr(part, name, fitness.latency);
  for (unsigned i = 0; i < part.regionCount(); ++i)
    for (ir::Operation &inner : part.region(i))
      slowDown(inner, fitness);
}
