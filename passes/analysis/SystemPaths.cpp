// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/SystemPaths.h"

#include "ir/common/diagnostics/Training.h"
#include "ir/target/TargetOps.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace perfc;
using namespace perfc::passes;

/// The outermost group of a system; a chip alone.
static const ir::Operation &outermost(const ir::Operation &system) {
  bool hasGroups = system.is(target::SystemOp::opName) && !system.body().empty();
  return hasGroups ? system.body().back() : system;
}

SystemPaths::SystemPaths(const ir::Operation &system)
    : system(system), total(sizeOf(outermost(system))) {}

/// Calls `visit(member, count)` for the members of a group.
template <typename Visit> static void eachMember(const ir::Operation &group, Visit visit) {
  for (const ir::Operation &part : group.body())
    if (auto entry = ir::as<target::MembersOp>(part))
      if (const ir::Operation *of = ir::resolve(part, entry.of()))
        visit(*of, entry.count());
}

int64_t SystemPaths::sizeOf(const ir::Operation &part) const {
  if (!part.is(target::GroupOp::opName))
    return 1;
  int64_t sum = 0;
  eachMember(part, [&](const ir::Operation &of, int64_t count) { sum += count * sizeOf(of); });
  return sum;
}

void SystemPaths::visit(const ir::Operation &part, int64_t base, const ChipSet &chips,
                        std::vector<SystemPath::Level> &outside, std::vector<unsigned> &into) {
  if (!part.is(target::GroupOp::opName)) {
    SystemPath path{&part, {outside.rbegin(), outside.rend()}};
    auto number = static_cast<unsigned>(llvm::find(known, path) - known.begin());
    if (number == known.size())
      known.push_back(std::move(path));
    if (!llvm::is_contained(into, number))
      into.push_back(number);
    return;
  }
  outside.push_back({&part, sizeOf(part)});
  eachMember(part, [&](const ir::Operation &of, int64_t count) {
    int64_t size = sizeOf(of), end = base + count * size;
    int64_t begin = chips.stretchFrom(base), last = chips.lastBefore(end);
    // Stretches stand to the members as those a period before, but for the first and the last one.
    int64_t period = size / std::gcd(size, chips.step);
    int64_t next = 0; // the first member that no visit, which is of all stretches in it, has seen
    for (int64_t number = begin; number <= last; ++number) {
      if (number > begin + period)
        number = last;
      int64_t low = chips.first + number * chips.step, high = low + chips.count - 1;
      // Members in the middle are covered as a whole; one stands for all of them.
      int64_t from = (std::max(low, base) - base) / size,
              to = (std::min(high, end - 1) - base) / size;
      for (int64_t member : {from, std::min(from + 1, to), to}) {
        if (member >= next)
          visit(of, base + member * size, chips, outside, into);
        next = std::max(next, member + 1);
      }
    }
    base = end;
  });
  outside.pop_back();
}

const std::vector<unsigned> &SystemPaths::of(const ChipSet &chips) {
  auto [entry, isNew] = sets.try_emplace(chips);
  if (isNew) {
    std::vector<SystemPath::Level> outside;
    visit(outermost(system), 0, chips, outside, entry->second);
    if (entry->second.empty()) // ranks that the system does not have: as its first chip
      visit(outermost(system), 0, {0, 1, total}, outside, entry->second);
  }
  return entry->second;
}

void SystemPaths::countKinds(const ir::Operation &part, int64_t times,
                             std::vector<std::pair<const ir::Operation *, int64_t>> &into) const {
  if (part.is(target::GroupOp::opName))
    return eachMember(
        part, [&](const ir::Operation &of, int64_t count) { countKinds(of, times * count, into); });
  for (auto &entry : into)
    if (entry.first == &part) {
      entry.second += times;
      return;
    }
  into.push_back({&part, times});
}

std::vector<std::pair<const ir::Operation *, int64_t>> SystemPaths::kinds() const {
  std::vector<std::pair<const ir::Operation *, int64_t>> result;
  countKinds(outermost(system), 1, result);
  return result;
}

//===-- Networks
//--------------------------------------------------------------------------------===//

/// The dimension `name` of a torus or mesh whose members have `below` chips.
static llvm::Optional<NetworkRange> dimensionOf(target::NetworkOp net, llvm::StringRef name,
                                                int64_t below) {
  if (net.topology() != "torus" && net.topology() != "mesh")
    return llvm::None;
  for (const auto &[key, value] : net.topologyArguments().entries()) {
    int64_t size = value.is(ir::AttrKind::Int) || value.is(ir::AttrKind::Quantity)
                       ? static_cast<int64_t>(value.asQuantity().toDouble())
                       : 1;
    if (key == name)
      return NetworkRange{below, below * size};
    below *= std::max<int64_t>(1, size);
  }
  return llvm::None;
}

llvm::Optional<NetworkRange> SystemPaths::rangeOf(llvm::StringRef name) {
  for (unsigned number : of(all())) {
    int64_t below = 1;
    for (const SystemPath::Level &level : path(number).levels) {
      if (level.group->symbol() == name)
        return NetworkRange{1, level.chips};
      for (const ir::Operation &part : level.group->body())
        if (auto net = ir::as<target::NetworkOp>(part)) {
          if (part.symbol() == name)
            return NetworkRange{1, level.chips};
          if (auto range = dimensionOf(net, name, below))
            return range;
        }
      below = level.chips;
    }
  }
  return llvm::None;
}

//===-- Faults
//-----------------------------------------------------------------------------------===//

bool SystemPaths::readFaults(SourceRange where, DiagnosticEngine &diagnostics) {
  bool good = true;
  system.walk([&](const ir::Operation &op) {
    auto fault = ir::as<target::FaultOp>(op);
    if (!fault || fault.kind() != "chip" || !good)
      return;
    llvm::StringRef text = fault->listAttr("ends").front().asString(); // chip[3]
    int64_t index = -1;
    bool isNumber = !text.split('[').second.rtrim(']').trim().getAsInteger(10, index);
    double factor = fault.slowdown() ? fault.slowdown()->toDouble() : 0;
    if (!isNumber || index < 0 || index >= total || factor <= 0) {
      diagnostics
          .report(op.range(), diag::BadTrainValue,
                  factor <= 0 ? fmt::format("`{}` does not run, but all chips of the system "
                                            "are needed; `slowdown 2x` makes it slow",
                                            text)
                              : fmt::format("the system has no `{}`", text))
          .note(where, "run here");
      good = false;
      return;
    }
    slow.push_back({index, factor});
  });
  return good;
}

double SystemPaths::slowdown(const ChipSet &chips) const {
  double most = 1;
  for (const Slow &part : slow)
    if (chips.meets(part.chip, 1))
      most = std::max(most, part.factor);
  return most;
}
