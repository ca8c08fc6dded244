// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// perfc tools: the other tools that perfc can ask, and where they are.
#include "backends/emit/Json.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Command.h"
#include "tools/driver/ToolOption.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

bool driver::checkToolOptions(Session &session, const Arguments &arguments,
                              llvm::ArrayRef<llvm::StringRef> others) {
  if (!arguments.has("tool")) {
    if (arguments.has("local"))
      session.diagnostics.report({}, diag::OptionNeeds, "local", "tool");
    return !arguments.has("local");
  }
  for (llvm::StringRef option : others)
    if (arguments.has(option)) {
      session.diagnostics.report({}, diag::OptionsExclude, "tool", option)
          .note("a tool has figures of its own in place of perfc's");
      return false;
    }
  return true;
}

llvm::Optional<Tool> driver::chosenTool(Session &session, const Arguments &arguments) {
  return toolNamed(session.context(), arguments.value("tool"), arguments.has("local"));
}

void driver::askTool(const Tool &tool, RunOptions &options) {
  const ProviderInfo *provider = findProvider(tool.info->provider());
  options.provider = provider && provider->isChoice() ? tool.info->provider().str() : "";
  options.tool = &tool;
}

void driver::checkToolAsked(Session &session, const Tool &tool, const Evaluation &evaluation) {
  std::string name = "tool " + tool.info->name.str();
  bool isAsked = llvm::any_of(evaluation.results(), [&](const emit::Result &result) {
    return llvm::StringRef(result.cost.provenance.provider).contains(name);
  });
  if (!isAsked && !evaluation.results().empty() && !session.diagnostics.hasErrors())
    session.diagnostics.report({}, diag::ToolUnused, tool.info->name).help(tool.info->offer());
}

static std::string placeOf(const Tool &tool) {
  if (!tool.missing.empty())
    return tool.missing;
  if (!tool.image.empty())
    return tool.image + " by " + tool.engine;
  return tool.module.empty() ? tool.program : tool.program + " -m " + tool.module;
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
    bool isHere = tool.missing.empty();
    list.push(emit::Json::object()
                  .set("tool", tool.info->name)
                  .set("found", isHere)
                  .set("version", version.empty() ? emit::Json() : emit::Json(version))
                  .set("where", placeOf(tool)));
    table.addRow({tool.info->name.str(), isHere ? "yes" : "no", version.empty() ? "-" : version,
                  placeOf(tool), tool.info->summary.str()});
  }
  if (!arguments.has("json")) {
    table.print(session.out, session.tableWidth(), session.colorOut);
    return true;
  }
  emit::Json::object().set("schema", 1).set("tools", std::move(list)).print(session.out);
  session.out << '\n';
  return true;
}
