// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chip as evaluators see it: its memories and compute units from the outside to the inside, each
// with the number of its copies (the product of the arrays around it). Peak rates are sums over all
// copies: peak = sum over units of copies * rate (Williams et al., "Roofline", CACM 52(4), 2009).
#ifndef PERFC_BACKENDS_CORE_CHIP_H
#define PERFC_BACKENDS_CORE_CHIP_H

#include "backends/core/Cost.h"
#include "ir/common/DType.h"
#include "ir/op/OpOps.h"
#include "ir/target/TargetOps.h"

namespace perfc {

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
  /// `chip` is a target.chip and must outlive this.
  explicit Chip(const ir::Operation &chip);

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
  /// Makes `cost` say which energies that memories give are not in it, since bytes are counted in
  /// its traffic alone.
  void noteLeftOut(Cost &cost) const;
  /// True when an array hands out blocks.
  bool dispatches() const;
  /// The chip's own area, else the sum of the areas that its parts give, without those off chip.
  Figure area() const;

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
  const ChipUnit *find(target::ComputeOp unit) const;
  void collect(const ir::Region &region, std::vector<target::ArrayOp> &arrays, int64_t copies);

  target::ChipOp op;
  std::vector<ChipMemory> memoryList;
  std::vector<ChipUnit> unitList;
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_CHIP_H
