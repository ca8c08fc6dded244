// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generations of chips to target.generation, libraries of kernels to tile.library.
#ifndef PERFC_FRONTEND_BUILD_KERNELLIBRARYBUILDER_H
#define PERFC_FRONTEND_BUILD_KERNELLIBRARYBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Builds the tile.library of a library's declaration; returns its symbol, "" after a report.
std::string buildKernelLibrary(BuildContext &context, const Instance &library);

/// Builds the target.generation of a declaration and its libraries; returns its symbol, "" after a
/// report.
std::string buildGeneration(BuildContext &context, const Instance &generation);

/// Gives a target.chip the generation that its declaration names, if it does.
void setGeneration(BuildContext &context, ir::Operation &chip);

/// Builds the libraries that `word`, `libraries` or `kernels`, names; false after a report.
bool buildKernelLibraries(BuildContext &context, const Node *word,
                          std::vector<std::string> &symbols);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_KERNELLIBRARYBUILDER_H
