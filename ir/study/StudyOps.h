// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked: evaluations, comparisons, replays, and what is to be printed, written or expected
// of them; training, serving and searches have files of their own. Expressions are lists in prefix
// form, [">", ["/", "throughput", "chips"], 130].
#ifndef PERFC_IR_STUDY_STUDYOPS_H
#define PERFC_IR_STUDY_STUDYOPS_H

#include "ir/core/Module.h"

namespace perfc {
namespace study {

/// The declarations of this level.
llvm::ArrayRef<ir::OpDecl> studyOps();

/// Visits the studies of `module` and what they hold, outer ones first: they stand at its top.
void walk(ir::Module &module, llvm::function_ref<void(ir::Operation &)> visit);

/// The attribute that names a result whose statement cannot have that symbol.
ir::AttrDecl resultNameAttr();
/// The name of a statement's result, as `as` gives it.
llvm::StringRef resultName(const ir::Operation &statement);

/// The part of `statement` that is called `name` ("study.price"); null when it has none.
const ir::Operation *findPart(const ir::Operation &statement, llvm::StringRef name);
/// The same; without one, an operation without attributes, for which the declared values count.
const ir::Operation &partOrDefault(const ir::Operation &statement, llvm::StringRef name);
template <typename View> View partOf(const ir::Operation &statement) {
  return ir::as<View>(partOrDefault(statement, View::opName));
}
/// The same to write to: made where there is none.
ir::Operation &partToWrite(ir::Operation &statement, llvm::StringRef name);

/// One subject on one chip or system.
struct EvaluateOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.evaluate";
  llvm::StringRef subject() const { return op->symbolAttr("subject"); }
  llvm::StringRef on() const { return op->symbolAttr("on"); }
  llvm::StringRef provider() const { return op->stringAttr("using"); }
  /// Who is asked in its place; "" for nobody.
  llvm::StringRef tool() const { return op->stringAttr("tool"); }
  llvm::StringRef label() const { return op->stringAttr("label"); }
  llvm::StringRef subjectLabel() const { return op->stringAttr("subject_label"); }
  llvm::StringRef onLabel() const { return op->stringAttr("on_label"); }
  /// How often the subject runs, 1 unless given.
  int64_t count() const { return op->intAttr("count"); }
  /// Mappings, by name.
  std::vector<std::string> with() const { return op->symbolsAttr("with"); }
};

/// What money a statement counts with.
struct PriceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.price";
  double chipSecond() const { return op->realAttr("chip"); } ///< USD
  double joule() const { return op->realAttr("energy"); }    ///< USD
};

/// Kernels that an evaluation gives to an array or unit of its chip.
struct PlaceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.place";
  const ir::AttrList &kernels() const { return op->listAttr("kernels"); }
  llvm::StringRef at() const { return op->stringAttr("at"); }
};

/// Evaluations of one question by several providers, which are joined to one result.
struct EnsembleOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.ensemble";
  llvm::StringRef label() const { return op->stringAttr("label"); }
};

/// Evaluations side by side, against the first.
struct CompareOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.compare";
};

/// A trace of graphs, a rank each, on a system.
struct ReplayOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.replay";
};

/// What was measured of the results of a row. A row without a statement may lack all but the text.
struct AgainstOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.against";
  llvm::StringRef text() const { return op->stringAttr("text"); }
  /// The metric in prefix form, "" for none, and what was measured. Nothing was where there is the
  /// metric alone; empty in a row that lacks the metric.
  const ir::AttrList &pair() const { return op->listAttr("pair"); }
  /// Why there is no metric; "" for no reason.
  llvm::StringRef missing() const { return op->stringAttr("missing"); }
  /// The only group of this prediction, value by name; empty for the groups of the row.
  const ir::AttrDict &beside() const { return op->dictAttr("beside"); }
};

/// A metric made of others.
struct MetricOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.metric";
  const ir::AttrList &expr() const { return op->listAttr("expr"); }
};

/// A condition on a result.
struct ExpectOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.expect";
  const ir::AttrList &expr() const { return op->listAttr("expr"); }
  llvm::Optional<Quantity> confidence() const { return op->quantityAttr("confidence"); }
  llvm::StringRef text() const { return op->stringAttr("text"); }
};

/// A column of a report: the name of a metric or a result, or a metric in prefix form.
struct ColumnOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.column";
  /// A name, or a prefix form.
  ir::Attribute expr() const;
  /// As written.
  std::string title() const;
};

/// A table to print.
struct ReportOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.report";
  std::vector<ColumnOp> columns() const;
  std::vector<std::string> by() const { return op->stringsAttr("by"); }
};

/// A file to write.
struct EmitOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.emit";
  llvm::StringRef format() const { return op->stringAttr("format"); }
  llvm::StringRef path() const { return op->stringAttr("path"); }
};

/// A part of the program that cannot be evaluated yet, in words.
struct UnsupportedOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.unsupported";
  llvm::StringRef what() const { return op->stringAttr("what"); }
};

} // namespace study
} // namespace perfc

#endif // PERFC_IR_STUDY_STUDYOPS_H
