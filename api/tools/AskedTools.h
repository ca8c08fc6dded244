// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tools that the statements of a run ask, each once: by an option for all statements, or by
// `using` of one.
#ifndef PERFC_API_TOOLS_ASKEDTOOLS_H
#define PERFC_API_TOOLS_ASKEDTOOLS_H

#include "api/tools/ToolProvider.h"
#include "backends/core/CostProvider.h"
#include <map>
#include <memory>

namespace perfc::api {

/// The tool of that name; nothing when it cannot be run here (reported at `place`).
llvm::Optional<Tool> toolNamed(Context context, llvm::StringRef name, bool isLocal,
                               SourceRange place = {});

/// A tool, and the providers of costs with it, or with perfc's own model of it, among them.
struct AskedTool {
  explicit AskedTool(Tool tool);

  Tool tool;
  ProviderSet asked, modelled;
};

class AskedTools {
public:
  explicit AskedTools(Context context) : context(context) {}

  AskedTool &add(const Tool &tool);
  /// The tool that a statement at `place` names; null when it cannot be run here (reported).
  AskedTool *find(llvm::StringRef name, SourceRange place);
  /// Empties memos that have grown large.
  void forgetSome();

private:
  Context context;
  std::map<std::string, std::unique_ptr<AskedTool>, std::less<>> tools;
};

} // namespace perfc::api

#endif // PERFC_API_TOOLS_ASKEDTOOLS_H
