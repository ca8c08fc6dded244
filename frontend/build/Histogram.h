// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured densities: a table that counts tiles of a tensor by their nonzeros,
//     elements,nonzeros,tiles
//     16,0,120
//     16,3,44
// with the same number of elements in each line.
#ifndef PERFC_FRONTEND_BUILD_HISTOGRAM_H
#define PERFC_FRONTEND_BUILD_HISTOGRAM_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// The table of `histogram "a.csv"` as {elements, nonzeros, tiles}; nothing after a report. The
/// path counts from the folder of the file that names it.
llvm::Optional<ir::AttrDict> readHistogram(BuildContext &context, const Node &line);

/// Loads the tables that `body` names, where there are any: they are part of the program.
void loadHistograms(SourceManager &sources, const ast::Body &body);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_HISTOGRAM_H
