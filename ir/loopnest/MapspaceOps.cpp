// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/loopnest/MapspaceOps.h"

using namespace perfc;
using namespace perfc::ir;

std::vector<OpDecl> loopnest::mapspaceDecls() {
  return {{.name = "loopnest.mapspace",
           .doc = "A mapping with holes, for `search` to fill.",
           .symbol = SymbolUse::Required,
           .topLevel = true,
           .attrs = {symbolAttr("kernel", "what is mapped").oneOf({"op.kernel"}),
                     symbolAttr("target", "onto what").oneOf({"target.chip"}),
                     stringAttr("source", "name of the declaration"),
                     intAttr("statement", "which statement of the kernel").atLeast(0),
                     flagAttr("imperfect", "factors may leave a rest")},
           .regions = {{{"loopnest.open", "loopnest.keep"}}}},
          {.name = "loopnest.open",
           .doc = "What a mapspace says of one memory or axis; other places are open.",
           .attrs = {stringAttr("at", "name of the place"),
                     stringAttr("axis", "of an array; all of its axes when not given").optional(),
                     flagAttr("order_any", "the loops may stand in any order"),
                     flagAttr("others", "other loops may stand here, too")},
           .regions = {{{"loopnest.hole"}}}},
          {.name = "loopnest.hole",
           .doc = "A loop with the factors that it may have; any without a list.",
           .attrs = {stringAttr("index", "what it runs over"),
                     listAttr("factors", AttrKind::Int, "the choices").atLeast(1).optional(),
                     flagAttr("rest", "what the other places leave")}}};
}
