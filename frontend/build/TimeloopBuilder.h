// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `timeloop { … }` blocks: words that only Timeloop's model knows, kept for it and for nobody else.
// Those of a memory or unit become a dictionary, those of a mapping a list with one dictionary per
// line, {word, tensors, at, …}; passes/TimeloopWords.h reads both.
#ifndef PERFC_FRONTEND_BUILD_TIMELOOPBUILDER_H
#define PERFC_FRONTEND_BUILD_TIMELOOPBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Sets the attribute `timeloop` of a target.memory or target.compute from the block in `part`, if
/// it has one. Energies are in joule per action.
void setTimeloopLevel(BuildContext &context, const Node &part, ir::Operation &op);

/// Sets the attribute `timeloop` of a loopnest.mapping from the block `node`. False after a report:
/// a tensor that the equation lacks, a memory that the chip lacks, a line without its clauses.
bool setTimeloopMapping(BuildContext &context, const Node &node, const OpStatement &statement,
                        const BuiltTarget &chip, ir::Operation &op);

/// Whether the chip has a memory `name`; reported when not.
bool checkMemoryName(BuildContext &context, const BuiltTarget &chip, llvm::StringRef name,
                     SourceRange range);
/// Whether `name` is one of the tensors `known`; reported when not.
bool checkTensorName(BuildContext &context, llvm::ArrayRef<llvm::StringRef> known,
                     llvm::StringRef name, SourceRange range);
/// The tensors of an equation.
std::vector<llvm::StringRef> tensorsOf(const OpStatement &statement);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_TIMELOOPBUILDER_H
