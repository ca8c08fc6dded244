// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op with its extents known: what its equations compute as affine loop nests. An equation
//     O[n, m, p, q] += I[n, c, p*stride + r, …] * W[m, c, r, …]
// runs over the indices it names; an index that stands alone in a rank runs over that rank's
// extent. Extents come, in this order, from arguments by name, from the tensors passed, from
// defaults in the signature whose names are known, and last, for a tensor that is not passed, from
// the smallest extent that holds every element the equations touch.
#ifndef PERFC_FRONTEND_BUILD_OPMODEL_H
#define PERFC_FRONTEND_BUILD_OPMODEL_H

#include "frontend/sema/Elaborator.h"
#include "ir/common/Affine.h"
#include "ir/core/Attribute.h"

namespace perfc {

/// One access: a subscript per rank, nothing where it depends on data (`table[ids[t], d]`).
struct OpAccess {
  std::string tensor;
  std::vector<llvm::Optional<AffineExpr>> map;
};

/// How the values of an index tensor are spread over what they index.
struct OpDraw {
  std::string kind; ///< "uniform", "balanced", "zipf", "power_law"; "" where nothing says so
  Quantity theta;   ///< of zipf and of a power law
  Quantity most;    ///< of a power law
  llvm::Optional<size_t> distinct; ///< the rank along which values differ

  /// "zipf(1.1) distinct 2"; "" where nothing says so.
  std::string text() const;
};

struct OpTensor {
  std::string name;
  std::string role; ///< input, weight, output, intermediate, cache
  llvm::SmallVector<int64_t, 6> shape;
  DType dtype = DType::FP16;
  bool inPlace = false; ///< a result that is also an argument
  OpDraw draw;
};

/// One equation.
struct OpStatement {
  OpAccess write;
  std::vector<OpAccess> reads;
  std::vector<std::pair<std::string, int64_t>> domain; ///< index, extent; in order of naming
  std::vector<AffineExpr> constraints;                 ///< each is >= 0
  std::string reduce;                                  ///< "", "+", "max", …
  bool mac = false;                                    ///< a sum of products of tensor reads
  int64_t flops = 0;                                   ///< per point, 2 for a multiply-accumulate
  std::vector<std::pair<std::string, int64_t>> functions; ///< calls per point
  ir::AttrList value; ///< as op.statement has it; empty where a part of it is not known
  std::string text;
  SourceRange range;
};

struct OpModel {
  const Decl *decl = nullptr;                          ///< null for an equation in a workload
  std::string name;                                    ///< of an op without a declaration
  std::vector<std::pair<std::string, Value>> bindings; ///< extents and parameters, by name
  std::vector<OpTensor> tensors;
  std::vector<OpStatement> statements;
  std::vector<size_t> arguments; ///< positions in `tensors`
  std::vector<size_t> results;

  const OpTensor *find(llvm::StringRef tensor) const;
};

/// What the call gives to one parameter of an op that is a tensor: nothing when it is not passed.
struct OpCall {
  const Instance *instance;
  DType dtype;
};

/// Builds the model of `call`. Nothing when something is wrong (reported), or when an argument is
/// unknown (silent: the declaration is being checked without its arguments; `missing` then tells).
llvm::Optional<OpModel> buildOpModel(Elaborator &elaborator, const OpCall &call, bool allowMissing);

/// Builds the model of an element equation in a workload: tensors are looked up in `scope`, indices
/// take their extents from them, and the target is the result.
struct InlineEquation {
  const ast::Item *item;
  const Scope *scope;
  DType dtype;
};
llvm::Optional<OpModel> buildInlineEquation(Elaborator &elaborator, const InlineEquation &equation,
                                            std::vector<Value> &operands);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_OPMODEL_H
