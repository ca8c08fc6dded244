// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/CycleTime.h"

#include "ir/core/Verifier.h"

using namespace perfc;
using namespace perfc::ir;

AttrDecl ir::cycleTimeAttr(llvm::StringRef name, llvm::StringRef doc) {
  AttrDecl decl = quantityAttr(name, BaseUnit::Second, doc).optional();
  decl.dimension = llvm::None;
  return decl;
}

bool ir::verifyCycleTimes(const Operation &op, llvm::ArrayRef<llvm::StringRef> names,
                          DiagnosticEngine &diagnostics) {
  for (llvm::StringRef name : names) {
    auto value = op.quantityAttr(name);
    if (!value)
      continue;
    Dimension unit = value->dimension();
    bool isTime = unit == Dimension(BaseUnit::Second) || unit == Dimension(BaseUnit::Cycle);
    if (!isTime || value->sign() < 0)
      return invalidOp(op, diagnostics, name.str() + " is no time and no number of cycles");
  }
  return true;
}

double ir::secondsOf(const Operation &op, llvm::StringRef name, double clock) {
  auto value = op.quantityAttr(name);
  if (!value)
    return 0;
  bool isCycles = value->dimension() == Dimension(BaseUnit::Cycle);
  return isCycles ? value->toDouble() / clock : value->toDouble();
}
