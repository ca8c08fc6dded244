// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc tools: the other tools that perfc can ask, and where they are.
#include "backends/emit/Json.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "tools/driver/Command.h"
#include "tools/driver/ToolOption.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

llvm::Optional<Tool> driver::chosenTool(Session &session, const Arguments &arguments) {
  llvm::StringRef name = arguments.value("tool");
  const ToolInfo *info = findTool(name);
  if (!info) {
    std::vector<llvm::StringRef> names;
    for (const ToolInfo &each : toolInfos())
      names.push_back(each.name);
    session.diagnostics.report({}, diag::TimeloopUnknown, "tool", name)
        .help("it is one of " + llvm::join(names, ", "));
    return llvm::None;
  }
  if (info->provider.empty()) {
    session.diagnostics.report({}, diag::ToolMissing, name, "perfc writes no input for a run of it")
        .help(info->insteadOfIt.str());
    return llvm::None;
  }
  llvm::Optional<std::vector<Tool>> tools = findTools(session.context(), arguments.has("local"));
  if (!tools)
    return llvm::None;
  Tool &tool = *llvm::find_if(*tools, [&](const Tool &each) { return each.info == info; });
  if (tool.missing.empty())
    return std::move(tool);
  session.diagnostics.report({}, diag::ToolMissing, name, tool.missing)
      .help("name its program or the image of a container in " + toolsFile());
  return llvm::None;
}

static std::string placeOf(const Tool &tool) {
  if (!tool.missing.empty())
    return tool.missing;
  return tool.image.empty() ? tool.program : tool.image + " by " + tool.engine;
}

bool driver::listTools(Session &session, const Arguments &arguments) {
  llvm::Optional<std::vector<Tool>> tools = findTools(session.context(), arguments.has("local"));
  if (!tools)
    return true;
  emit::Json list = emit::Json::array();
  Table table({{"tool", Align::Left},
               {"here", Align::Left},
               {"version", Align::Left},
               {"where", Align::Left, 0, /*wraps=*/true},
               {"perfc asks it for", Align::Left, 0, /*wraps=*/true}});
  for (const Tool &tool : *tools) {
    std::string version = tool.version();
    bool isHere = tool.missing.empty(), isRun = !tool.info->provider.empty();
    list.push(emit::Json::object()
                  .set("tool", tool.info->name)
                  .set("found", isHere)
                  .set("version", version.empty() ? emit::Json() : emit::Json(version))
                  .set("where", placeOf(tool))
                  .set("runs", isRun));
    table.addRow({tool.info->name.str(), isHere ? "yes" : "no", version.empty() ? "-" : version,
                  placeOf(tool), isRun ? tool.info->summary.str() : "nothing"});
  }
  if (!arguments.has("json")) {
    table.print(session.out, session.tableWidth(), session.colorOut);
    return true;
  }
  emit::Json::object().set("schema", 1).set("tools", std::move(list)).print(session.out);
  session.out << '\n';
  return true;
}
