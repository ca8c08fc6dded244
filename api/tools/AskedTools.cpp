// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/tools/AskedTools.h"

#include "api/Providers.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;

llvm::Optional<Tool> api::toolNamed(Context context, llvm::StringRef name, bool isLocal,
                                    SourceRange place) {
  const ToolInfo *info = findTool(name);
  if (!info) {
    std::vector<llvm::StringRef> names;
    for (const ToolInfo &each : toolInfos())
      names.push_back(each.name);
    context.diagnostics.report(place, diag::TimeloopUnknown, "tool", name)
        .help("it is one of " + llvm::join(names, ", "));
    return llvm::None;
  }
  llvm::Optional<std::vector<Tool>> tools = findTools(context, isLocal, info);
  if (!tools)
    return llvm::None;
  Tool &tool = *llvm::find_if(*tools, [&](const Tool &each) { return each.info == info; });
  if (tool.missing.empty())
    return std::move(tool);
  context.diagnostics.report(place, diag::ToolMissing, name, tool.missing)
      .note(info->offer())
      .help("name its program or the image of a container in " + toolsFile());
  return llvm::None;
}

AskedTool::AskedTool(Tool tool)
    : tool(tool), asked(withTool(defaultProviders(), tool)),
      modelled(withTool(defaultProviders(), tool, ToolAnswer::Model)) {}

AskedTool &AskedTools::add(const Tool &tool) {
  std::unique_ptr<AskedTool> &known = tools[tool.info->name.str()];
  if (!known)
    known = std::make_unique<AskedTool>(tool);
  return *known;
}

AskedTool *AskedTools::find(llvm::StringRef name, SourceRange place) {
  auto known = tools.find(name);
  if (known != tools.end())
    return known->second.get();
  llvm::Optional<Tool> tool = toolNamed(context, name, /*isLocal=*/false, place);
  return tool ? &add(*tool) : nullptr;
}

void AskedTools::forgetSome() {
  for (auto &entry : tools) {
    entry.second->asked.forgetSome();
    entry.second->modelled.forgetSome();
  }
}
