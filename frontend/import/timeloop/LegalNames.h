// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of an input as names of the language: any character may stand in YAML, but an index here is
// a word, and so are tensors and memories.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_LEGALNAMES_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_LEGALNAMES_H

#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

/// Gives everything in `input` a name that the language accepts and that nothing else has: a
/// dimension the capital letter that it begins with, or the first free one (inputs know dimensions
/// of one letter only); others keep their letters and digits. Names that are fine stay.
void makeNamesLegal(Input &input);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_LEGALNAMES_H
