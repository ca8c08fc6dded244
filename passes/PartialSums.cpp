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

DType passes::partialFormat(const Statement &statement, const Place &place) {
  DType result = statement.write.format;
  auto named = addsUp(statement) ? target::partialFormat(*place.op, result) : llvm::None;
  return named ? named->format : result;
}

bool passes::checkPartial(const Chip &chip, const Statement &statement,
                          DiagnosticEngine &diagnostics) {
  for (const Place &place : chip.places) {
    DType result = statement.write.format;
    if (place.isArray || storedBytes(partialFormat(statement, place)) >= storedBytes(result))
      continue;
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
    if (DType format = partialFormat(statement, place);
        !place.isArray && storedBytes(format) != storedBytes(statement.write.format))
      partial.set(place.name, int64_t(bitsOf(format)));
  if (!partial.empty())
    tensor.setAttr("partial", std::move(partial));
}
