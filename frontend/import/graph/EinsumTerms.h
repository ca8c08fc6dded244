// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The letters of an equation of Einsum, one for each dimension: `...` stands for letters that the
// equation does not have, and where it names no result this has the letters that stand once, in
// alphabetical order (numpy.einsum).
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_EINSUMTERMS_H
#define PERFC_FRONTEND_IMPORT_GRAPH_EINSUMTERMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace perfc::graph {

struct EinsumTerms {
  std::vector<std::string> operands;
  std::string result;
};

/// Of operands of `ranks` dimensions; nothing where the equation is none for them.
llvm::Optional<EinsumTerms> einsumTerms(llvm::StringRef equation, llvm::ArrayRef<size_t> ranks);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_EINSUMTERMS_H
