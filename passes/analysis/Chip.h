// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chip as passes and evaluators see it. As loop nests do, its memories and arrays are one list of
// places from the outside to the inside. A memory inside an array has an instance in each element
// of it. A statement runs on one unit: the places on the way to it are the arrays around it and the
// memories that stand before it and before these arrays; memories after which no unit or array
// stands feed the units of their block, too. What stands beside has no part in the statement. As a
// whole, it has memories and compute units with the number of their copies (the product of the
// arrays around them), and peak rates are sums over all copies: peak = sum over units of copies *
// rate (Williams et al., "Roofline", CACM 52(4), 2009).
#ifndef PERFC_PASSES_ANALYSIS_CHIP_H
#define PERFC_PASSES_ANALYSIS_CHIP_H

#include "ir/common/DType.h"
#include "ir/op/OpOps.h"
#include "ir/target/TargetOps.h"

namespace perfc {
namespace passes {

struct Axis {
  llvm::StringRef name;
  int64_t size;
  bool multicast; ///< one read of some input can serve all lanes along it
  bool reduce;    ///< partial sums along it are added on the way
};

struct Place {
  ir::Operation *op;
  llvm::StringRef name;
  bool isArray;
  std::vector<Axis> axes;               ///< of an array
  llvm::Optional<int64_t> capacityBits; ///< of a memory, when it is given
  bool isDispatched = false;            ///< of an array

  /// True for a memory that holds tensors of `role` (input, weight or output).
  bool keeps(llvm::StringRef role) const;
};

/// A memory or compute unit, and where it stands.
template <typename View> struct ChipPart {
  View view;
  /// Arrays around it, outermost first.
  std::vector<target::ArrayOp> arrays;
  int64_t copies = 1;

  llvm::StringRef name() const { return view.symbol(); }
};
using ChipMemory = ChipPart<target::MemoryOp>;
using ChipUnit = ChipPart<target::ComputeOp>;

/// The rate at which something runs, and as what.
struct UnitRate {
  const ChipUnit *unit = nullptr;
  /// The format that is executed; nothing when the unit has one rate for all.
  llvm::Optional<DType> dtype;
  /// Operations per second (multiply-accumulates or element functions) of one copy, and of all.
  Quantity perCopy;
  Uncertain rate;
  /// J per operation, where it is given.
  llvm::Optional<Uncertain> energy;
  /// The unit whose energy is not given, where there is none.
  const ChipUnit *unpriced = nullptr;
};

/// What a result says of multiply-accumulates in `asked` that run at the one rate which a unit of
/// another, narrower format has for all; "" where they do not.
std::string anyRateNote(const UnitRate &rate, DType asked);

class Chip {
public:
  /// All places of `chip`, a target.chip, which must outlive this.
  explicit Chip(target::ChipOp chip);
  explicit Chip(const ir::Operation &chip);
  /// The places on the way to `unit`; memories and units are those of the whole chip.
  Chip(target::ChipOp chip, target::ComputeOp unit);

  target::ChipOp op;
  std::vector<Place> places;
  /// The number of the place of that name.
  llvm::Optional<unsigned> find(llvm::StringRef place) const;

  llvm::StringRef name() const { return op.symbol(); }
  bool isPart() const { return op->hasAttr("of"); }
  /// The chip that this is a part of, else this one.
  Chip whole() const { return Chip(*op.whole()); }
  llvm::ArrayRef<ChipMemory> memories() const { return memoryList; }
  llvm::ArrayRef<ChipUnit> units() const { return unitList; }
  /// The farthest memory; null when the chip has none.
  const ChipMemory *outermost() const { return memoryList.empty() ? nullptr : &memoryList.front(); }
  llvm::Optional<Uncertain> clock() const;
  Uncertain launch() const;
  /// True when an array hands out blocks.
  bool dispatches() const;
  /// Units that multiply and accumulate `dtype`: all without `ops`, each in that format, or else in
  /// the fastest one that holds its values exactly (see `target::exactContainers`).
  std::vector<UnitRate> macUnits(DType dtype) const;
  /// The unit `name` in `dtype`, or else in the fastest format that holds it; nothing when there is
  /// none.
  llvm::Optional<UnitRate> unitNamed(llvm::StringRef name, DType dtype) const;
  /// The rate at which `unit` and those beside it run the operations of `statement`: products on
  /// `unit`, each element function on the one that `target::unitForFunction` names, one after the
  /// other. Nothing when none of them can.
  llvm::Optional<UnitRate> rateFor(op::StatementOp statement, llvm::StringRef unit) const;
  /// The fastest unit for an element function: of those that list it, else of those without `ops`.
  /// Nothing when there is none.
  llvm::Optional<UnitRate> unitFor(llvm::StringRef function, DType dtype) const;

private:
  const ChipUnit *partOf(target::ComputeOp unit) const;
  void collect(ir::Region &region, std::vector<target::ArrayOp> &arrays, int64_t copies);

  std::vector<ChipMemory> memoryList;
  std::vector<ChipUnit> unitList;
};

/// True for an array around `part`, a memory or unit, and for a memory that it is fed from.
bool isOnWay(const ir::Operation &place, const ir::Operation &part);

/// The network of `array` that carries `role`: one that says so, by `carry` or by the part that it
/// leads to, else one that carries everything; null when there is none.
target::NetworkOp networkFor(const ir::Operation &array, llvm::StringRef role);

/// True when the network of `array` for `role` shares words along `axis`: reads, or for "output"
/// sums. An array without any network shares all.
bool sharesAlong(const ir::Operation &array, llvm::StringRef axis, llvm::StringRef role);

/// What a tensor's role is to a memory: "input" (activations, caches, tokens), "weight" or "output"
/// (for what a statement writes).
llvm::StringRef memoryRole(llvm::StringRef operandRole, bool isWritten);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_CHIP_H
