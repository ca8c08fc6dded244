// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ToolChoice.h"

#include "ir/common/Providers.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/study/ServeOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

bool perfc::chooseTool(const WordValue &by, SourceRange range, ir::Operation &made,
                       DiagnosticEngine &diagnostics) {
  if (by.arguments.empty()) {
    diagnostics.report(range, diag::MissingArgument, "tool", "name");
    return false;
  }
  const std::string *name = by.arguments.front().value->getIf<std::string>();
  if (!name) // not known yet
    return true;
  bool serves = made.is(study::ServeOp::opName);
  const ToolPlace *tool = findToolPlace(*name);
  if (!tool || tool->serves() != serves) {
    std::vector<llvm::StringRef> names;
    for (const ToolPlace &each : allToolPlaces)
      if (each.serves() == serves)
        names.push_back(each.name);
    diagnostics.report(by.arguments.front().range, diag::UnknownChoice, "tool", *name)
        .suggest(*name, names, "it is one of `" + llvm::join(names, "`, `") + "`");
    return false;
  }
  made.setAttr("tool", *name);
  if (const ProviderInfo *provider = findProvider(tool->provider); provider && provider->isChoice())
    made.setAttr("using", tool->provider);
  return true;
}
