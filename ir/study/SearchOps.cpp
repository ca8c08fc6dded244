// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/SearchOps.h"

#include "ir/core/Verifier.h"
#include "ir/study/StudyDecls.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::study;

std::string GoalOp::describe() const {
  bool maximizes = minimize().empty();
  const AttrList &wanted = maximizes ? maximize() : minimize();
  std::string text = op->hasAttr("text") ? op->stringAttr("text").str()
                     : !wanted.empty() && wanted.front().is(AttrKind::String)
                         ? wanted.front().asString().str()
                         : "the goal";
  return (maximizes ? "maximize " : "minimize ") + text;
}

static bool verifyGoal(const Operation &op, DiagnosticEngine &diagnostics) {
  GoalOp goal(const_cast<Operation *>(&op));
  if (goal.minimize().size() + goal.maximize().size() > 1)
    return invalidOp(op, diagnostics, "one expression is minimized or maximized");
  for (llvm::StringRef name : {"require", "pareto"})
    if (std::string text = name.str() + "_text";
        op.listAttr(name).size() != op.stringsAttr(text).size())
      return invalidOp(op, diagnostics, text + " has a text for each of " + name.str());
  return true;
}

static bool verifySearch(const Operation &op, DiagnosticEngine &diagnostics) {
  return verifyParts(op, {}, diagnostics);
}

static bool verifyPoint(const Operation &op, DiagnosticEngine &diagnostics) {
  size_t goals = 0;
  for (const Operation &part : op.body())
    goals += part.is(GoalOp::opName);
  return goals <= 1 || invalidOp(op, diagnostics, "a second study.goal");
}

std::vector<OpDecl> study::searchDecls() {
  std::vector<llvm::StringRef> inPoint = {"study.evaluate", "study.compare", "study.search",
                                          "study.serve",    "study.train",   "study.replay",
                                          GoalOp::opName};
  return {
      {.name = PointOp::opName,
       .doc = "The statements of a sweep at one of its points, or of one row of a table.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs =
           {dictAttr("bindings", AttrKind::Any, "the swept names"),
            stringAttr("table", "of measurements, whose row this is").optional(),
            stringAttr("name", "of the row").optional(),
            dictAttr("by", AttrKind::String, "the groups of the row: value by name").optional(),
            stringAttr("skipped", "why the row has no statement").optional(),
            dictAttr("failed", AttrKind::String,
                     "why a statement was not built: reason by the name of its result")
                .optional(),
            flagAttr("open", "more of the row follows in the next module")},
       .regions = {holding(std::move(inPoint))},
       .verifier = verifyPoint},
      {.name = SearchStatement::opName,
       .doc = "The best mappings of the evaluation inside.",
       .symbol = SymbolUse::Optional,
       .topLevel = true,
       .attrs = {listAttr("spaces", AttrKind::Symbol, "mapspaces").optional(), resultNameAttr()},
       .regions = {holding({"study.evaluate", GoalOp::opName})},
       .verifier = verifySearch},
      {.name = GoalOp::opName,
       .doc =
           "What a search looks for, and what its mappings or points of a sweep are to be good at.",
       .attrs =
           {listAttr("minimize", AttrKind::Any, "one metric expression").optional(),
            listAttr("maximize", AttrKind::Any, "one metric expression").optional(),
            stringAttr("text", "that expression as written").optional(),
            listAttr("pareto", AttrKind::Any, "metric expressions").optional(),
            listAttr("pareto_text", AttrKind::String, "the same as written").optional(),
            intAttr("keep", "of a sweep, points that fewer beat are kept").atLeast(1).otherwise(1),
            listAttr("require", AttrKind::Any, "conditions").optional(),
            listAttr("require_text", AttrKind::String, "the same as written").optional(),
            quantityAttr("within", Dimension(BaseUnit::Second), "time limit").otherwise(60)},
       .verifier = verifyGoal}};
}
