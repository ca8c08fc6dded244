// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/ComputeTime.h"

#include "ir/common/Diagnostics.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

llvm::StringRef ComputeTime::slowestUnit() const {
  const UnitTime *slowest = nullptr;
  for (const UnitTime &unit : units)
    if (!slowest || unit.latency.central() > slowest->latency.central())
      slowest = &unit;
  return slowest ? llvm::StringRef(slowest->unit) : llvm::StringRef();
}

namespace {
class ComputeTimer {
public:
  ComputeTimer(const Chip &chip, ComputeTime &result) : chip(chip), result(result) {}

  /// False when no unit does this.
  bool macs(const MacWork &work);
  bool elements(const ElementWork &work);
  /// Brings the units into the order of the chip.
  void finish();

private:
  void busy(const UnitRate &rate, DType asked, const Uncertain &time, double operations,
            llvm::StringRef what);
  void addNote(std::string note);

  const Chip &chip;
  ComputeTime &result;
};
} // namespace

void ComputeTimer::busy(const UnitRate &rate, DType asked, const Uncertain &time, double operations,
                        llvm::StringRef what) {
  llvm::StringRef name = rate.unit->name();
  auto entry =
      llvm::find_if(result.units, [&](const UnitTime &known) { return known.unit == name; });
  if (entry == result.units.end())
    entry = result.units.insert(entry, {name.str(), rate.unit->view->range(), {}, {}});
  Figure energy =
      rate.energy ? Figure(*rate.energy * operations) : Figure::notGiven("compute", name);
  entry->latency += time;
  entry->energy += energy;
  result.energy += energy;
  if (rate.dtype && *rate.dtype != asked) {
    std::string note = fmt::format("{} in {} runs as {} on `{}`", what, dtypeName(asked),
                                   dtypeName(*rate.dtype), name);
    addNote(std::move(note));
  }
}

void ComputeTimer::addNote(std::string note) {
  if (!note.empty() && !llvm::is_contained(result.notes, note))
    result.notes.push_back(std::move(note));
}

bool ComputeTimer::macs(const MacWork &work) {
  std::vector<UnitRate> units = chip.macUnits(work.dtype);
  Uncertain peak = 0;
  for (const UnitRate &unit : units)
    peak += unit.rate;
  if (peak.central() <= 0)
    return work.count == 0;
  Uncertain time = Uncertain(static_cast<double>(work.count)) / peak;
  // Each unit takes the share of its rate, so all are busy for the same time.
  for (const UnitRate &unit : units) {
    double share = static_cast<double>(work.count) * unit.rate.central() / peak.central();
    busy(unit, work.dtype, time, share, "multiply-accumulate");
    addNote(anyRateNote(unit, work.dtype));
  }
  result.latency += time;
  result.macLatency += time;
  return true;
}

bool ComputeTimer::elements(const ElementWork &work) {
  llvm::Optional<UnitRate> unit = chip.unitFor(work.function, work.dtype);
  if (!unit || unit->rate.central() <= 0)
    return work.count == 0;
  Uncertain time = Uncertain(static_cast<double>(work.count)) / unit->rate;
  busy(*unit, work.dtype, time, static_cast<double>(work.count), work.function);
  result.latency += time;
  return true;
}

void ComputeTimer::finish() {
  auto position = [&](const UnitTime &unit) {
    return llvm::find_if(chip.units(),
                         [&](const ChipUnit &known) { return known.name() == unit.unit; });
  };
  llvm::stable_sort(result.units, [&](const UnitTime &a, const UnitTime &b) {
    return position(a) < position(b);
  });
}

llvm::Optional<ComputeTime> perfc::computeTime(const Chip &chip, const KernelWork &work,
                                               const ir::Operation &op,
                                               DiagnosticEngine &diagnostics) {
  ComputeTime result;
  ComputeTimer timer(chip, result);
  for (const MacWork &macs : work.macsByFormat)
    if (!timer.macs(macs)) {
      diagnostics.report(op.range(), diag::NoUnitFor, chip.name(), "multiply-accumulates",
                         dtypeName(macs.dtype));
      return llvm::None;
    }
  for (const ElementWork &elements : work.elements)
    if (!timer.elements(elements)) {
      diagnostics.report(op.range(), diag::NoUnitFor, chip.name(),
                         fmt::format("`{}`", elements.function), dtypeName(elements.dtype));
      return llvm::None;
    }
  timer.finish();
  return result;
}
