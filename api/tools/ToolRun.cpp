// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/tools/ToolRun.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace perfc;
using namespace perfc::api;

/// Writes a file into `folder`; why not, or "".
static std::string writeFile(llvm::StringRef folder, llvm::StringRef name, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream((folder + "/" + name).str(), error);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? error.message() : "";
}

std::string api::askTool(const Tool &tool, const ToolInput &input,
                         llvm::function_ref<void(llvm::StringRef folder)> read) {
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("perfc-tool", folder))
    return error.message();
  std::string problem;
  for (const auto &[name, text] : input.files)
    if (problem.empty())
      problem = writeFile(folder, name, text);
  if (problem.empty())
    problem = runTool(tool, input.arguments, folder);
  read(folder);
  llvm::sys::fs::remove_directories(folder);
  return problem;
}
