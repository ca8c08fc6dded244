// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/NumberOption.h"

#include "ir/common/diagnostics/Files.h"

#include <cmath>

using namespace perfc;
using namespace perfc::driver;

llvm::Optional<double> driver::numberOption(Session &session, const Arguments &arguments,
                                            llvm::StringRef name, double least) {
  llvm::StringRef text = arguments.value(name);
  double number = 0;
  if (!arguments.has(name))
    return llvm::None;
  if (!text.getAsDouble(number) && number >= least && number < 1e15)
    return number;
  session.diagnostics.report({}, diag::BadOptionValue, "--" + name.str(), text.str());
  return llvm::None;
}

llvm::Optional<double> driver::wholeOption(Session &session, const Arguments &arguments,
                                           llvm::StringRef name, double least) {
  auto number = numberOption(session, arguments, name, least);
  if (!number || *number == std::floor(*number))
    return number;
  session.diagnostics.report({}, diag::BadOptionValue, "--" + name.str(), arguments.value(name))
      .help("it is a whole number");
  return llvm::None;
}
