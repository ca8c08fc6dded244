// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other tools, datasheets and languages call something that has another name here: for the
// help of a message, never for reading a program.
#ifndef PERFC_FRONTEND_SEMA_OTHERNAMES_H
#define PERFC_FRONTEND_SEMA_OTHERNAMES_H

#include "ir/common/Diagnostics.h"
#include "ir/common/Quantity.h"

namespace perfc {

/// The word of a block or the metric that elsewhere is called `name`; "" when there is none.
llvm::StringRef wordCalled(llvm::StringRef name);
llvm::StringRef metricCalled(llvm::StringRef name);

/// The same of what a word chooses from, and of formats of numbers.
llvm::StringRef choiceCalled(llvm::StringRef name);
llvm::StringRef dtypeCalled(llvm::StringRef name);

/// What is meant by the unknown name at `range`: a format or a metric under another name,
/// Python's `range`, or a unit apart from its number; "" when nothing is known of it.
std::string nameHelp(const SourceManager &sources, SourceRange range);

/// What to write for the number `text` whose unit `bad` is unknown: "write `4TOP/s`"; "" when
/// nothing is known of it.
std::string unitHelp(llvm::StringRef text, llvm::StringRef bad);

/// What to write for the plain number `text` where a quantity of `dimension` is needed: "a number
/// has its unit directly behind it, such as `5ms`"; "" when it is written with a unit.
std::string unitNeeded(llvm::StringRef text, const Dimension &dimension);

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_OTHERNAMES_H
