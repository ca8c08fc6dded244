// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other tools that are asked for figures: each a row of a table, with what it is given, how it is
// called and how what it writes is read; and where it is on this machine, by a file of the user or
// by its name.
#ifndef PERFC_API_TOOLS_TOOLS_H
#define PERFC_API_TOOLS_TOOLS_H

#include "api/Context.h"
#include "api/tools/ToolInput.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include <map>
#include <string>
#include <vector>

namespace perfc::api {

enum class ToolMetric : uint8_t {
  Cycles, ///< of the chip's clock
  Time,   ///< s
  Energy, ///< J
};

/// What of a tool's output is read: the largest number in the lines of `file` that `pattern`
/// matches, or in the column of that title. Ranks say one each, of which the last to end counts.
struct ToolFigure {
  ToolMetric metric;
  llvm::StringLiteral file; ///< in the tool's folder; "" is what it prints
  llvm::StringLiteral pattern = "";
  llvm::StringLiteral column = "";
  double unit = 1;  ///< of the metric's own
  double first = 0; ///< what 0 stands for there: of an index of the last cycle, 1
};

/// Titles of the table that a tool writes of requests, a line each; times from the arrival, in s.
struct RequestColumns {
  llvm::StringLiteral file = ""; ///< somewhere in the tool's folder
  llvm::StringLiteral id = "";   ///< counted from 0
  llvm::StringLiteral queueDelay = "", firstToken = "", latency = "", restarts = "";
};

struct RequestQuery;
/// What a tool is given of a `serve`; nothing where it has no words for it (reported).
using RequestWriter = llvm::Optional<ToolInput> (*)(const RequestQuery &query,
                                                    DiagnosticEngine &diagnostics);
llvm::Optional<ToolInput> vidurInput(const RequestQuery &query, DiagnosticEngine &diagnostics);

struct ToolInfo {
  llvm::StringLiteral name;    ///< of a row of ir/common/Providers.h
  llvm::StringLiteral program; ///< as it is usually called
  llvm::StringLiteral summary; ///< what it is asked for
  ToolInputWriter write = nullptr;
  llvm::ArrayRef<ToolFigure> figures = {};
  llvm::StringLiteral module = ""; ///< of Python, where `program` is its interpreter
  RequestWriter serve = nullptr;   ///< of one that serves requests (api/tools/RequestTool.h)
  RequestColumns requests = {};
  llvm::StringLiteral data = ""; ///< a folder beside its package, whose files its input names

  /// Whose place among the providers of costs it takes; "" of one that serves requests.
  llvm::StringRef provider() const;
  /// What it can be asked, for a message: "it is asked for …".
  std::string offer() const;
};

llvm::ArrayRef<ToolInfo> toolInfos();
const ToolInfo *findTool(llvm::StringRef name);

/// A tool on this machine.
struct Tool {
  const ToolInfo *info = nullptr;
  std::string program; ///< a path, or a name inside of `image`
  std::string image;   ///< of a container; "" for a program of this machine
  std::string engine;  ///< docker or podman, where there is an image
  unsigned seconds = 600;
  unsigned memory = 0; ///< GiB; 0 for no limit
  std::string missing; ///< why it cannot be run; "" where it can
  std::string module;  ///< that `program` runs, an interpreter of Python; "" for none
  std::string data;    ///< the folder of its own data, as the file says
  std::vector<std::string> arguments; ///< of the user, behind perfc's

  /// The version that it prints, or the tag of its image; "" where it says none.
  std::string version() const;
  /// The folder of its own data, by the file or beside its package of Python; "" for none.
  std::string dataFolder() const;
};

/// `~/.config/perfc/tools.yaml`, or where XDG_CONFIG_HOME says.
std::string toolsFile();
/// All tools, as that file has them and else by their usual names; with `isLocal` programs of this
/// machine also where an image is named. Where `only` is given, no other is looked for. Nothing
/// after a report.
llvm::Optional<std::vector<Tool>> findTools(Context context, bool isLocal,
                                            const ToolInfo *only = nullptr);

/// Runs `tool` with `arguments` in `folder`, within its limits; what it prints is in the file
/// `output` there. Why it failed, or "".
std::string runTool(const Tool &tool, llvm::ArrayRef<std::string> arguments,
                    llvm::StringRef folder);

} // namespace perfc::api

#endif // PERFC_API_TOOLS_TOOLS_H
