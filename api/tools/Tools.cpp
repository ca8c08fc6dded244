// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/tools/Tools.h"

#include "frontend/import/yaml/NodeReader.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>
#include <unistd.h>

using namespace perfc;
using namespace perfc::api;

static constexpr ToolFigure timeloopFigures[] = {
    {"cycles", "timeloop-model.stats.txt", "^Cycles: *([0-9]+)"},
    {"energy", "timeloop-model.stats.txt", "^Energy: *([0-9.eE+-]+) *uJ", 1e-6},
};
static constexpr ToolFigure maestroFigures[] = {
    {"cycles", "", "^ *[Rr]untime *: *([0-9]+)"},
};

static const ToolInfo infos[] = {
    {"timeloop", "timeloop-model", "cycles and energy of loop nests", "loopnest", timeloopFigures},
    {"maestro", "maestro", "cycles of layers under dataflows", "maestro", maestroFigures},
    {"astra_sim",
     "AstraSim_Analytical_Congestion_Unaware",
     "collectives and training",
     "",
     {},
     "`emit chakra` and `emit astra_sim` write its inputs, and `--mode astra_sim` times "
     "traces as it does"},
    {"scale_sim",
     "scale-sim",
     "layers on systolic arrays",
     "",
     {},
     "`perfc import scale_sim` reads its inputs and counts as it does"},
    {"vidur",
     "vidur",
     "requests of language models",
     "",
     {},
     "`--mode vidur` serves requests as it does"},
};

llvm::ArrayRef<ToolInfo> api::toolInfos() { return infos; }

const ToolInfo *api::findTool(llvm::StringRef name) {
  const auto *found = llvm::find_if(infos, [&](const ToolInfo &info) { return info.name == name; });
  return found == std::end(infos) ? nullptr : found;
}

std::string api::toolsFile() {
  llvm::SmallString<128> path;
  if (const char *folder = std::getenv("XDG_CONFIG_HOME"); folder && *folder) {
    path = folder;
  } else {
    llvm::sys::path::home_directory(path);
    llvm::sys::path::append(path, ".config");
  }
  llvm::sys::path::append(path, "perfc", "tools.yaml");
  return path.str().str();
}

//===-- The file of the user ----------------------------------------------------------------===//

/// A number of the file: at least 1.
static bool readLimit(yaml::NodeReader &reader, const yaml::Node &node, unsigned &limit) {
  int64_t value = 0;
  if (!reader.readInteger(node, 1, value))
    return false;
  limit = static_cast<unsigned>(std::min<int64_t>(value, 1 << 20));
  return true;
}

static bool readTool(yaml::NodeReader &reader, const yaml::Node &map, Tool &tool) {
  if (!reader.expect(map, yaml::NodeKind::Map, "a tool"))
    return false;
  for (const auto &[key, value] : map.entries) {
    bool isFine = true;
    if (key->text == "program")
      isFine = reader.readText(*value, "a program", tool.program);
    else if (key->text == "image")
      isFine = reader.readText(*value, "an image", tool.image);
    else if (key->text == "engine")
      isFine = reader.readText(*value, "an engine", tool.engine);
    else if (key->text == "seconds")
      isFine = readLimit(reader, *value, tool.seconds);
    else if (key->text == "memory")
      isFine = readLimit(reader, *value, tool.memory);
    else {
      reader.diagnostics.report(key->place, diag::TimeloopUnknown, "word", key->text)
          .help("a tool has `program`, `image`, `engine`, `seconds` and `memory` (GiB)");
      isFine = false;
    }
    if (!isFine)
      return false;
  }
  return true;
}

static bool readFile(Context context, std::vector<Tool> &tools) {
  std::string path = toolsFile(), error;
  if (!llvm::sys::fs::exists(path))
    return true;
  FileId file = context.sources.load(path, error);
  std::unique_ptr<yaml::Document> document =
      file ? yaml::parse(file, context.diagnostics) : nullptr;
  if (!document)
    return false;
  yaml::NodeReader reader(context.diagnostics);
  if (!document->root() || document->root()->kind == yaml::NodeKind::Null)
    return true;
  if (!reader.expect(*document->root(), yaml::NodeKind::Map, "the file of tools"))
    return false;
  for (const auto &[key, value] : document->root()->entries) {
    auto tool = llvm::find_if(
        tools, [&, name = key](const Tool &each) { return each.info->name == name->text; });
    if (tool == tools.end()) {
      context.diagnostics.report(key->place, diag::TimeloopUnknown, "tool", key->text)
          .help("`perfc tools` lists them");
      return false;
    }
    if (!readTool(reader, *value, *tool))
      return false;
  }
  return true;
}

/// Says where the tool is, or why it is not.
static void locate(Tool &tool, bool isLocal) {
  if (isLocal)
    tool.image.clear();
  if (tool.image.empty()) {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(tool.program);
    if (found)
      tool.program = *found;
    else
      tool.missing = "no program `" + tool.program + "`";
    return;
  }
  for (llvm::StringRef engine :
       {llvm::StringRef(tool.engine), llvm::StringRef("docker"), llvm::StringRef("podman")})
    if (!engine.empty())
      if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(engine)) {
        tool.engine = *found;
        return;
      }
  tool.missing = "neither docker nor podman for the image `" + tool.image + "`";
}

llvm::Optional<std::vector<Tool>> api::findTools(Context context, bool isLocal) {
  std::vector<Tool> tools;
  for (const ToolInfo &info : infos) {
    Tool &tool = tools.emplace_back();
    tool.info = &info;
    tool.program = info.program.str();
  }
  if (!readFile(context, tools))
    return llvm::None;
  for (Tool &tool : tools)
    locate(tool, isLocal);
  return tools;
}

//===-- Running -----------------------------------------------------------------------------===//

/// The words that run `tool` in `folder`.
static std::vector<std::string> commandOf(const Tool &tool, llvm::ArrayRef<std::string> arguments,
                                          llvm::StringRef folder, llvm::StringRef container) {
  std::vector<std::string> words;
  if (tool.image.empty())
    // The shell changes to the folder; the program takes its place.
    words = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.str(), tool.program};
  else {
    words = {tool.engine, "run",           "--rm", "--network=none",
             "--name",    container.str(), "-v",   folder.str() + ":/work",
             "-w",        "/work"};
    if (tool.memory > 0)
      words.push_back("--memory=" + std::to_string(tool.memory) + "g");
    words.insert(words.end(), {tool.image, tool.program});
  }
  llvm::append_range(words, arguments);
  return words;
}

static int execute(llvm::ArrayRef<std::string> words, llvm::StringRef output, unsigned seconds,
                   unsigned megabytes, std::string &error) {
  std::vector<llvm::StringRef> views(words.begin(), words.end());
  llvm::Optional<llvm::StringRef> redirects[] = {llvm::StringRef(), output, output};
  return llvm::sys::ExecuteAndWait(words.front(), views, llvm::None, redirects, seconds, megabytes,
                                   &error);
}

/// The last line of what a tool has printed, "" where there is none.
static std::string lastLine(llvm::StringRef path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return "";
  return (*text)->getBuffer().rtrim().rsplit('\n').second.empty()
             ? (*text)->getBuffer().trim().str()
             : (*text)->getBuffer().rtrim().rsplit('\n').second.trim().str();
}

std::string api::runTool(const Tool &tool, llvm::ArrayRef<std::string> arguments,
                         llvm::StringRef folder) {
  std::string container = "perfc-" + std::to_string(getpid()), error;
  std::string output = (folder + "/output").str();
  int status = execute(commandOf(tool, arguments, folder, container), output, tool.seconds,
                       tool.image.empty() ? tool.memory * 1024 : 0, error);
  if (status == -2 && !tool.image.empty())
    execute({tool.engine, "kill", container}, "", 60, 0, error);
  if (status == -2 && llvm::StringRef(error).contains("timed out"))
    return "it did not end within " + std::to_string(tool.seconds) + " s";
  if (status < 0)
    return error;
  std::string said = lastLine(output);
  return status == 0
             ? ""
             : "it ended with status " + std::to_string(status) + (said.empty() ? "" : ": " + said);
}

std::string Tool::version() const {
  if (!image.empty()) {
    auto [name, tag] = llvm::StringRef(image).rsplit(':');
    return tag.contains('/') ? "" : tag.str();
  }
  llvm::SmallString<128> folder;
  if (!missing.empty() || llvm::sys::fs::createUniqueDirectory("perfc-tool", folder))
    return "";
  Tool asked = *this;
  asked.seconds = 10;
  std::string problem = runTool(asked, {"--version"}, folder), found;
  llvm::SmallVector<llvm::StringRef, 2> parts;
  auto text = llvm::MemoryBuffer::getFile(folder + "/output");
  if (problem.empty() && text &&
      llvm::Regex("([0-9]+(\\.[0-9]+)+)").match((*text)->getBuffer(), &parts))
    found = parts[1].str();
  llvm::sys::fs::remove_directories(folder);
  return found;
}
