// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/PartialSums.h"

#include "ir/common/diagnostics/Hardware.h"

using namespace perfc;
using namespace perfc::passes;

/// A maximum or minimum of some points is one of them, and takes no more bits than the result.
static bool addsUp(const Statement &statement) {
  llvm::StringRef joined = statement.op.reduce();
  return statement.reduces() && joined != "max" && joined != "min";
}

int64_t passes::partialBits(const Statement &statement, const Place &place) {
  llvm::Optional<DType> result = parseDType(statement.write.operand.dtype());
  auto format =
      result && addsUp(statement) ? target::partialFormat(*place.op, *result) : llvm::None;
  return format ? bitsOf(format->format) : statement.write.bits;
}

bool passes::checkPartial(const Chip &chip, const Statement &statement,
                          DiagnosticEngine &diagnostics) {
  for (const Place &place : chip.places) {
    if (place.isArray || partialBits(statement, place) >= statement.write.bits)
      continue;
    DType result = *parseDType(statement.write.operand.dtype());
    auto format = target::partialFormat(*place.op, result);
    diagnostics.report(format->from->range(), diag::BadPartial, dtypeName(format->format),
                       fmt::format("the result `{}` is {}, which is wider", statement.write.tensor,
                                   dtypeName(result)));
    return false;
  }
  return true;
}

void passes::setPartial(ir::Operation &tensor, const Chip &chip, const Statement &statement) {
  ir::AttrDict partial;
  for (const Place &place : chip.places)
    if (int64_t bits = partialBits(statement, place);
        !place.isArray && bits != statement.write.bits)
      partial.set(place.name, bits);
  if (!partial.empty())
    tensor.setAttr("partial", std::move(partial));
}
