// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `train` says: the words of its block become the attributes and parts of a study.train
// (ir/study/TrainOps.h). `any` is a degree of 0.
#ifndef PERFC_FRONTEND_BUILD_TRAINBUILDER_H
#define PERFC_FRONTEND_BUILD_TRAINBUILDER_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Fills `train`, which stands nowhere yet, with what `statement` says, a `train` on `target`
/// in `dtype`. False
/// after a report.
bool buildTrainParts(BuildContext &context, const Node &statement, DType dtype,
                     const ir::Operation &target, ir::Operation &train);

/// Fills the study.strategy of `evaluate` with what `statement` says.
void buildStrategy(BuildContext &context, const Node &statement, ir::Operation &evaluate);

/// Fills the study.runtime of `made`, whatever statement it is of.
void buildRuntime(BuildContext &context, const Node &statement, ir::Operation &made);

/// False, reported, where the `context` of the statement is no number of tokens, or not that of
/// `subject`.
bool checkContext(BuildContext &context, const Node &statement, const Instance &subject);

/// `subject` with what the statement says of the batch and the sequence as arguments, where the
/// workload has such parameters and the subject does not give them.
Instance trainSubject(const Node &statement, const Instance &subject, int64_t batch);

/// The number format that `word` of the statement gives, else `otherwise`. Nothing after a report.
llvm::Optional<DType> formatOf(BuildContext &context, const Node &statement, llvm::StringRef word,
                               DType otherwise);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_TRAINBUILDER_H
