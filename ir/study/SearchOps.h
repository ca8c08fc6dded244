// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed views of what is searched: a goal as a metric expression in prefix form, conditions that a
// result must meet, a time limit. A study.search holds the evaluation that it is about and names
// mapspaces; a `train` with holes and a point of a sweep have a goal as well.
#ifndef PERFC_IR_STUDY_SEARCHOPS_H
#define PERFC_IR_STUDY_SEARCHOPS_H

#include "ir/study/StudyOps.h"

namespace perfc {
namespace study {

/// The declarations, part of studyOps().
std::vector<ir::OpDecl> searchDecls();

struct GoalOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.goal";
  /// One expression, or none.
  const ir::AttrList &minimize() const { return op->listAttr("minimize"); }
  const ir::AttrList &maximize() const { return op->listAttr("maximize"); }
  /// The one of both that is given, as written: "minimize energy".
  std::string describe() const;
  /// Metrics that are to be small together.
  const ir::AttrList &pareto() const { return op->listAttr("pareto"); }
  int64_t keep() const { return op->intAttr("keep"); } ///< points that fewer beat
  std::vector<std::string> paretoTexts() const { return op->stringsAttr("pareto_text"); }
  const ir::AttrList &require() const { return op->listAttr("require"); }
  std::vector<std::string> requireTexts() const { return op->stringsAttr("require_text"); }
  double within() const { return op->realAttr("within"); } ///< s that the search takes at most
};

struct SearchStatement : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.search";
  GoalOp goal() const { return partOf<GoalOp>(*op); }
  const ir::AttrList &spaces() const { return op->listAttr("spaces"); }
};

/// Statements at one point of a sweep, or of a row of a table.
struct PointOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.point";
  const ir::AttrDict &bindings() const { return op->dictAttr("bindings"); }
  /// The table of measurements that this is a row of, as written; "" at a point of a sweep.
  llvm::StringRef table() const { return op->stringAttr("table"); }
  /// What the row is called; "" for its number.
  llvm::StringRef name() const { return op->stringAttr("name"); }
  /// The groups that the row belongs to: value by name.
  const ir::AttrDict &by() const { return op->dictAttr("by"); }
  /// Why the row has no statement; "" when it has one.
  llvm::StringRef skipped() const { return op->stringAttr("skipped"); }
  /// Why results of the row are missing, by their names.
  const ir::AttrDict &failed() const { return op->dictAttr("failed"); }
  /// More of the row follows: what is held against measurements stands in the last of its points.
  bool isOpen() const { return op->hasAttr("open"); }
  GoalOp goal() const { return partOf<GoalOp>(*op); }
};

} // namespace study
} // namespace perfc

#endif // PERFC_IR_STUDY_SEARCHOPS_H
