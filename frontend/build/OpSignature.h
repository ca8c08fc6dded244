// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signature of an op at one call: `conv2d(I[n, c, h, w], weight W[…], stride = 1) -> O[…]`.
// Each tensor is a slot with a rank per extent; `[...]` stands for the leading ranks of what is
// passed. Binding gives values to parameters and extents: from arguments by name, from the shapes
// of the tensors passed, then from defaults whose names are known.
#ifndef PERFC_FRONTEND_BUILD_OPSIGNATURE_H
#define PERFC_FRONTEND_BUILD_OPSIGNATURE_H

#include "frontend/sema/Elaborator.h"
#include <deque>

namespace perfc {

/// A rank of a tensor in the signature: an extent's name, or `...`, or an expression.
struct OpRank {
  llvm::StringRef extent;
  bool leading = false;
  const ast::Expr *expr = nullptr;
  const ast::Expr *byDefault = nullptr;
};

/// A tensor in the signature: an argument, a result, or both when it is updated in place.
struct OpSlot {
  llvm::StringRef name;
  std::string role; ///< input, weight, output, intermediate, cache
  SourceRange range;
  std::vector<OpRank> ranks;
  const Tensor *passed = nullptr; ///< null when the call does not pass it
  bool isArgument = false;
  bool isResult = false;

  bool hasLeading() const;
};

class OpSignature {
public:
  /// `dtype` is what tensors have that are not passed, unless the call says `dtype = …`.
  OpSignature(Elaborator &elaborator, const Instance &instance, DType dtype, bool allowMissing)
      : dtype(dtype), scope(elaborator.newScope(*instance.decl->module)),
        evaluator(elaborator.evaluator), diagnostics(evaluator.diagnostics), instance(instance),
        decl(*instance.decl), allowMissing(allowMissing) {}

  /// Reads the declaration and binds the call to it; false when something is wrong (reported).
  bool bind();
  /// Null when the signature has no tensor of that name.
  OpSlot *findSlot(llvm::StringRef name);
  /// The extent of a rank, by its name or its expression; nothing while it is not known.
  llvm::Optional<int64_t> extentOf(const OpRank &rank) const;

  DType dtype;
  Scope &scope; ///< the values of parameters and extents
  std::deque<OpSlot> slots;
  std::vector<llvm::StringRef> extents;       ///< all names, in order of the signature
  llvm::SmallVector<int64_t, 4> leadingShape; ///< what `...` stands for
  std::vector<std::string> leading;           ///< an index for each of these ranks
  bool open = false;                          ///< an argument is unknown: check, build nothing

private:
  bool readSlots();
  bool readSlot(const ast::Arg &arg, bool isArgument);
  bool bindArguments();
  bool bindArgument(const Argument &argument, llvm::StringRef name);
  bool bindDType(const Argument &argument);
  bool bindExtent(const Argument &argument, llvm::StringRef name);
  bool bindParameters();
  bool bindShape(const OpSlot &slot);
  bool bindLeading(const OpSlot &slot, llvm::ArrayRef<int64_t> shape);
  bool setExtent(llvm::StringRef extent, int64_t size, SourceRange where, llvm::StringRef why);
  bool bindDefaults();
  bool bindDefault(const OpRank &rank);
  bool dependsOnOpenExtent(const ast::Expr &expr) const;

  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  const Instance &instance;
  const Decl &decl;
  bool allowMissing;
};

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_OPSIGNATURE_H
