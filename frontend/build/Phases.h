// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of a workload: `phase decode(context = 1024) = (T = 1, S = context)` names a set of
// arguments, wherever in the body it stands.
#ifndef PERFC_FRONTEND_BUILD_PHASES_H
#define PERFC_FRONTEND_BUILD_PHASES_H

#include "frontend/build/BuildContext.h"

namespace perfc {

struct Phase {
  llvm::StringRef name;
  const ast::Item *item; ///< has its arguments
  const Scope *scope;    ///< in which they are evaluated: the names of `for` around it
};

/// The phases of `workload` in their order. An `if` around one counts as far as `given`, the
/// arguments of the workload, and the defaults decide it: a phase whose `if` is open is there. A
/// name that is given twice is reported.
std::vector<Phase> phasesOf(BuildContext &context, const Decl &workload,
                            llvm::ArrayRef<Argument> given);

std::vector<llvm::StringRef> phaseNames(llvm::ArrayRef<Phase> phases);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_PHASES_H
