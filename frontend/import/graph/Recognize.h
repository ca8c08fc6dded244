// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exporters write as several operators, as the one that it was: normalisations, activations
// and attention.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_RECOGNIZE_H
#define PERFC_FRONTEND_IMPORT_GRAPH_RECOGNIZE_H

#include "frontend/import/graph/Net.h"

namespace perfc::graph {

/// Replaces the operations of each known form by one.
void recognize(Net &net);
/// Runs what stands between dequantised operands and quantised results in whole numbers.
void useWholeNumbers(Net &net);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_RECOGNIZE_H
