// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed views of what a search asks: its goal as a metric expression in prefix form, conditions
// that a result must meet, metrics whose front is asked for, a time limit, and the mapspaces that
// bound it. The evaluation that it is about stands inside.
#ifndef PERFC_IR_STUDY_SEARCHOPS_H
#define PERFC_IR_STUDY_SEARCHOPS_H

#include "ir/study/StudyOps.h"

namespace perfc {
namespace study {

/// The declaration, part of studyOps().
ir::OpDecl searchDecl(ir::RegionDecl body);

struct SearchStatement : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.search";
  /// One expression, or none.
  const ir::AttrList &minimize() const { return op->listAttr("minimize"); }
  const ir::AttrList &maximize() const { return op->listAttr("maximize"); }
  const ir::AttrList &require() const { return op->listAttr("require"); }
  std::vector<std::string> requireTexts() const { return op->stringsAttr("require_text"); }
  /// Metrics that are to be small together.
  const ir::AttrList &pareto() const { return op->listAttr("pareto"); }
  std::vector<std::string> paretoTexts() const { return op->stringsAttr("pareto_text"); }
  double searchTime() const; ///< s that it takes at most
  const ir::AttrList &spaces() const { return op->listAttr("spaces"); }
};

/// s that the search for the holes of `train` takes at most.
double searchTime(TrainOp train);

} // namespace study
} // namespace perfc

#endif // PERFC_IR_STUDY_SEARCHOPS_H
