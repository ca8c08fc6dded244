// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/study/SearchOps.h"

using namespace perfc;
using namespace perfc::ir;

OpDecl study::searchDecl(RegionDecl body) {
  return {.name = "study.search",
          .doc = "The best mappings of the evaluation inside.",
          .symbol = SymbolUse::Optional,
          .topLevel = true,
          .attrs = {listAttr("minimize", AttrKind::Any, "one metric expression").optional(),
                    listAttr("maximize", AttrKind::Any, "one metric expression").optional(),
                    stringAttr("goal_text", "the goal as written").optional(),
                    listAttr("require", AttrKind::Any, "conditions").optional(),
                    listAttr("require_text", AttrKind::String, "the same as written").optional(),
                    listAttr("pareto", AttrKind::Any, "what mappings are to be good at").optional(),
                    listAttr("pareto_text", AttrKind::String, "the same as written").optional(),
                    quantityAttr("within", Dimension(BaseUnit::Second), "time limit").optional(),
                    listAttr("spaces", AttrKind::Symbol, "mapspaces").optional(), resultNameAttr()},
          .regions = {std::move(body)}};
}

/// s of a search that does not say how long it may take.
static constexpr double defaultSearchTime = 60;

static double searchTimeOf(const ir::Attribute *within) {
  return within ? within->asQuantity().toDouble() : defaultSearchTime;
}

double study::SearchStatement::searchTime() const { return searchTimeOf(op->attr("within")); }

double study::searchTime(TrainOp train) { return searchTimeOf(train.settings().find("within")); }
