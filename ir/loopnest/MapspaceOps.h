// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed views of mapspaces: a mapping with holes for one kernel. `loopnest.open` is what is said of
// one memory or axis, `loopnest.hole` a loop with the factors it may have; a place of which nothing
// is said is open. `loopnest.keep` says what memories keep, and with `any` where that is open.
#ifndef PERFC_IR_LOOPNEST_MAPSPACEOPS_H
#define PERFC_IR_LOOPNEST_MAPSPACEOPS_H

#include "ir/core/Operation.h"

namespace perfc {
namespace loopnest {

/// The declarations, part of loopnestOps().
std::vector<ir::OpDecl> mapspaceDecls();

struct MapspaceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.mapspace";
  llvm::StringRef kernel() const { return op->symbolAttr("kernel"); }
  llvm::StringRef target() const { return op->symbolAttr("target"); }
  llvm::StringRef source() const { return op->stringAttr("source"); }
  /// Factors may leave a rest: the outermost loop of an index has a last pass that is partial.
  bool isImperfect() const { return op->hasAttr("imperfect"); }
};

struct OpenOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.open";
  llvm::StringRef place() const { return op->stringAttr("at"); }
  /// Of an array; "" for all of its axes.
  llvm::StringRef axis() const { return op->stringAttr("axis"); }
  /// The loops may stand in any order.
  bool orderOpen() const { return op->hasAttr("order_any"); }
  /// Other loops than those listed may stand here as well.
  bool admitsOthers() const { return op->hasAttr("others"); }
};

struct HoleOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.hole";
  llvm::StringRef index() const { return op->stringAttr("index"); }
  /// Any factor is allowed.
  bool isAny() const { return !op->hasAttr("factors"); }
  std::vector<int64_t> factors() const { return op->intsAttr("factors"); }
  /// The smallest factor that covers what the other places leave.
  bool isRest() const { return op->hasAttr("rest"); }
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_IR_LOOPNEST_MAPSPACEOPS_H
