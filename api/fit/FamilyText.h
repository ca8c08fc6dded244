// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of figures of `layers` as a program: of a family a chip whose parameters are those
// of a data sheet and whose figures have common sources of intervals, so that it says before any
// measurement what a device takes; of a device its figures with their intervals.
#ifndef PERFC_API_FIT_FAMILYTEXT_H
#define PERFC_API_FIT_FAMILYTEXT_H

#include "api/fit/FamilyFit.h"

namespace perfc::api {

/// `hardware NAME(clock = …) from BASE { layers { … } }` under `name`, with what it needs and the
/// works that it has learnt.
std::string familyProgram(const FamilyFit &fit, const Family &family, llvm::StringRef name);

/// The block `layers` of a chip, each line after `indent` blanks; `textOf` gives the value of the
/// figure of that number.
std::string layersText(llvm::ArrayRef<LayerFigure> figures, size_t indent,
                       llvm::function_ref<std::string(size_t)> textOf, llvm::StringRef measured,
                       llvm::ArrayRef<std::string> flags);

} // namespace perfc::api

#endif // PERFC_API_FIT_FAMILYTEXT_H
