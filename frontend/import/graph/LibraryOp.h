// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_LIBRARYOP_H
#define PERFC_FRONTEND_IMPORT_GRAPH_LIBRARYOP_H

#include "frontend/import/graph/Model.h"

namespace perfc::graph {

/// Whether a node, of domain `perfc`, is an op of the library by its name and module.
bool isLibraryOp(const Node &node);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_LIBRARYOP_H
