// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that are a time or a number of cycles: of what takes as many cycles on every chip of a
// design, whatever its clock.
#ifndef PERFC_IR_CORE_CYCLETIME_H
#define PERFC_IR_CORE_CYCLETIME_H

#include "ir/core/Operation.h"

namespace perfc {
namespace ir {

/// The declaration of such an attribute, which is optional.
AttrDecl cycleTimeAttr(llvm::StringRef name, llvm::StringRef doc);
/// False, reported, where one of these is something else.
bool verifyCycleTimes(const Operation &op, llvm::ArrayRef<llvm::StringRef> names,
                      DiagnosticEngine &diagnostics);
/// Seconds at `clock` cycles per second; 0 where it is not set.
double secondsOf(const Operation &op, llvm::StringRef name, double clock);

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_CYCLETIME_H
