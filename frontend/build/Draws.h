// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an op or a workload says that the values of an index tensor are spread.
#ifndef PERFC_FRONTEND_BUILD_DRAWS_H
#define PERFC_FRONTEND_BUILD_DRAWS_H

#include "frontend/build/OpModel.h"

namespace perfc {

/// The tensor that `draw choice[b, t, k] from …` or `draw ids from …` is about; "" for none.
llvm::StringRef drawnTensor(const ast::Item &item);

/// Reads `draw choice[b, t, k] from uniform distinct k` about a tensor of so many `ranks`, nothing
/// for what cannot be drawn. Nothing after a report.
llvm::Optional<OpDraw> readDraw(const ast::Item &item, llvm::Optional<size_t> ranks,
                                const Scope &scope, Evaluator &evaluator);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_DRAWS_H
