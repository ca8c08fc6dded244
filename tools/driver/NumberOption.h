// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of the command line that are numbers.
#ifndef PERFC_TOOLS_DRIVER_NUMBEROPTION_H
#define PERFC_TOOLS_DRIVER_NUMBEROPTION_H

#include "tools/driver/Session.h"

namespace perfc::driver {

/// The number of the option `name`, at least `least` and below 1e15; nothing after a report, or
/// when it is not given.
llvm::Optional<double> numberOption(Session &session, const Arguments &arguments,
                                    llvm::StringRef name, double least);
/// The same for what is counted: a whole number.
llvm::Optional<double> wholeOption(Session &session, const Arguments &arguments,
                                   llvm::StringRef name, double least);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_NUMBEROPTION_H
