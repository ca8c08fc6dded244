// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The architecture of a Timeloop input as a chip of the language.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_CHIPTEXT_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_CHIPTEXT_H

#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// `hardware chip { … }`. `roles` are those of the tensors: input, weight or output.
std::string chipText(const Input &input, llvm::ArrayRef<std::string> roles);

/// Whether there are more instances inside a memory than of it: an array, of this name.
bool hasArray(const Input &input, unsigned memory);
std::string arrayName(unsigned memory);

/// Whether the memory keeps all tensors of each role or none of them, which the chip then says.
bool keepsByRole(const Input &input, llvm::ArrayRef<std::string> roles, unsigned memory);

/// A `timeloop { … }` block; nothing without lines.
std::string blockText(const std::vector<std::string> &lines, const std::string &indent);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_CHIPTEXT_H
