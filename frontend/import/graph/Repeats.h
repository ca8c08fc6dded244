// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equal layers one after the other as one `repeat`.
#ifndef PERFC_FRONTEND_IMPORT_GRAPH_REPEATS_H
#define PERFC_FRONTEND_IMPORT_GRAPH_REPEATS_H

#include "frontend/import/graph/Net.h"

namespace perfc::graph {

/// A line of a workload that sets a new tensor: `name = …` or `name[…] += …`.
struct Line {
  std::string name;
  std::string text;
  Shape ranks; ///< of the tensor
  /// Part of a loop that the model has: in no block, and its name is set more than once.
  bool isFixed = false;
  const Op *op = nullptr; ///< that it was written for
};

/// Lines as text, and where the text of each begins.
struct Folded {
  std::string text;
  std::vector<std::pair<size_t, const Op *>> makers;
};

/// `lines`, of which each sets a name of its own, with runs of equal blocks folded: a block takes
/// one value from the block before, which has the same ranks, and of the others nothing is used
/// outside. `results` are names that are used behind the lines; those of folded blocks are renamed.
Folded foldRepeats(std::vector<Line> lines, std::vector<std::string> &results);

} // namespace perfc::graph

#endif // PERFC_FRONTEND_IMPORT_GRAPH_REPEATS_H
