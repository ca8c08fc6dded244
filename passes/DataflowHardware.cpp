// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/diagnostics/Maestro.h"
#include "passes/DataflowLayer.h"
#include "passes/UnitChoice.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::passes;
using dataflow::Hardware;

namespace {

class HardwareReader {
public:
  HardwareReader(target::ChipOp chip, double bytes, SourceRange where,
                 DiagnosticEngine &diagnostics)
      : op(chip), unit(macUnit(Chip(chip), parseDType(chip.dtype()).getValueOr(DType::FP32))),
        chip(unit ? Chip(chip, unit) : Chip(chip)), bytes(bytes), where(where),
        diagnostics(diagnostics) {}

  llvm::Optional<Hardware> run();

private:
  bool fail(const std::string &reason) {
    diagnostics.report(where, diag::DataflowChip, op.symbol(), reason);
    return false;
  }
  bool perCycle(const Quantity &rate, double unit, llvm::StringRef what, int64_t &value);
  bool bandwidth(const Place &memory, int64_t &value);
  bool network(const Place &array);
  bool lanes(const Place &array);

  target::ChipOp op;
  target::ComputeOp unit; ///< for multiply-accumulates, or null
  Chip chip;              ///< the places on the way to it
  double bytes;
  SourceRange where;
  DiagnosticEngine &diagnostics;
  Hardware hardware;
};

} // namespace

/// Whole units per cycle, rounded down, at least one.
bool HardwareReader::perCycle(const Quantity &rate, double unit, llvm::StringRef what,
                              int64_t &value) {
  double units = rate.toDouble() / op.clock()->toDouble() / unit;
  if (!(units >= 1 - 1e-9))
    return fail(fmt::format("{} is less than one per cycle", what));
  value =
      units >= double(dataflow::maxSize) ? dataflow::maxSize : static_cast<int64_t>(units + 1e-6);
  return true;
}

bool HardwareReader::bandwidth(const Place &memory, int64_t &value) {
  auto view = ir::as<target::MemoryOp>(memory.op);
  value = dataflow::maxSize;
  auto given = view.readBandwidthOrBoth();
  return !given ||
         perCycle(*given, bytes, fmt::format("the words that `{}` moves", memory.name), value);
}

bool HardwareReader::network(const Place &array) {
  hardware.nocHops = 1;
  hardware.hopLatency = 0;
  for (const ir::Operation &part : array.op->body())
    if (auto network = ir::as<target::NetworkOp>(part))
      if (auto latency = network.latency())
        hardware.hopLatency = std::llround(latency->toDouble() * op.clock()->toDouble());
  return true;
}

bool HardwareReader::lanes(const Place &array) {
  hardware.pes = 1;
  for (const Axis &axis : array.axes)
    hardware.pes = checkedMultiply(hardware.pes, axis.size).getValueOr(INT64_MAX);
  if (hardware.pes > dataflow::maxSize)
    return fail("its array is too large");
  hardware.simd = 1;
  auto rate = unit ? unit.rateFor(op.dtype()) : llvm::None;
  return !rate || perCycle(*rate, 1, "its rate of multiply-accumulates", hardware.simd);
}

llvm::Optional<Hardware> HardwareReader::run() {
  auto isLane = [](const Place &place) { return place.isArray && !place.isDispatched; };
  auto array = llvm::find_if(chip.places, isLane);
  if (!op.clock() || array == chip.places.end() || array == chip.places.begin()) {
    fail(op.clock() ? "it has no array inside a memory" : "it has no clock");
    return llvm::None;
  }
  if (!network(*array) || !lanes(*array) || !bandwidth(*(array - 1), hardware.nocBandwidth))
    return llvm::None;
  hardware.offchipBandwidth = dataflow::maxSize;
  bool hasOuter = array - 1 != chip.places.begin();
  if (hasOuter && !bandwidth(chip.places.front(), hardware.offchipBandwidth))
    return llvm::None;
  return hardware;
}

llvm::Optional<Hardware> passes::hardwareOf(target::ChipOp chip, double bytes, SourceRange where,
                                            DiagnosticEngine &diagnostics) {
  return HardwareReader(chip, bytes, where, diagnostics).run();
}
