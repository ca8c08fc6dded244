// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a line of a mapping, `at PE.x parallel (p, r) = 3, q = rest`: the place and its
// axis, the indices of a loop, its factor. They are read twice: when a mapping is checked on its
// own, and when it is built for an op whose extents are known.
#ifndef PERFC_FRONTEND_BUILD_MAPPINGLOOPS_H
#define PERFC_FRONTEND_BUILD_MAPPINGLOOPS_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// `GLB` or `PE.x`.
struct PlaceName {
  llvm::StringRef part;
  llvm::StringRef axis; ///< "" for a memory
};

/// The place that a line `at …` is about; nothing after a report.
llvm::Optional<PlaceName> readPlaceName(DiagnosticEngine &diagnostics, const Node &at);

/// The names before `=` of a loop, one or several; none after a report.
llvm::SmallVector<const ast::Expr *, 2> readIndices(DiagnosticEngine &diagnostics,
                                                    const ast::Arg &loop);

/// What stands after `=` of a loop.
struct LoopFactor {
  llvm::Optional<int64_t> count; ///< nothing for `rest`, and for a hole of a mapspace
  bool isRest = false;
};

/// The factor that `value` is; nothing when it is unknown or wrong, which is then reported.
llvm::Optional<LoopFactor> readFactor(DiagnosticEngine &diagnostics, const ast::Arg &loop,
                                      const Value &value, bool allowHoles);

/// Reports `order` in a mapping, where nothing is left open.
void reportHole(DiagnosticEngine &diagnostics, SourceRange where);

/// The op that a mapping, mapspace or dataflow is for; null after a report, and when unknown.
const Decl *servedOp(BuildContext &context, const Instance &mapping);

/// A rank of a tensor that an op reads, counted from the last one.
struct RankName {
  llvm::StringRef tensor;
  size_t fromEnd;
};

/// The ranks whose extent is `name` in capitals: `y` is that of `Y` in `I[N, C, Y, X]`.
llvm::SmallVector<RankName, 2> ranksNamed(const Decl *op, llvm::StringRef name);

/// Checks the lines of `block`, a mapping or mapspace for `op` (or null), without its extents.
void checkMappingLines(Evaluator &evaluator, const Node &block, const Decl *op, bool allowHoles);
/// Checks the directives of `block`, a dataflow for `op` (or null).
void checkDataflowLines(Evaluator &evaluator, const Node &block, const Decl *op);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_MAPPINGLOOPS_H
