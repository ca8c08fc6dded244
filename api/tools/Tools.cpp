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
    {.metric = ToolMetric::Cycles,
     .file = "timeloop-model.stats.txt",
     .pattern = "^Cycles: *([0-9]+)"},
    {.metric = ToolMetric::Energy,
     .file = "timeloop-model.stats.txt",
     .pattern = "^Energy: *([0-9.eE+-]+) *uJ",
     .unit = 1e-6},
};
static constexpr ToolFigure maestroFigures[] = {
    {.metric = ToolMetric::Cycles, .file = "", .pattern = "^ *[Rr]untime *: *([0-9]+)"},
};
static constexpr ToolFigure astraSimFigures[] = {
    {.metric = ToolMetric::Time,
     .file = "",
     .pattern = "sys\\[[0-9]+\\] finished, ([0-9]+) cycles",
     .unit = 1e-9},
};
static constexpr ToolFigure scaleSimFigures[] = {
    {.metric = ToolMetric::Cycles,
     .file = "perfc/COMPUTE_REPORT.csv",
     .column = "Total Cycles",
     .first = 1},
};

static const ToolInfo infos[] = {
    {.name = "timeloop",
     .program = "timeloop-model",
     .summary = "cycles and energy of loop nests",
     .write = timeloopInput,
     .figures = timeloopFigures},
    {.name = "maestro",
     .program = "maestro",
     .summary = "cycles of layers under dataflows",
     .write = maestroInput,
     .figures = maestroFigures},
    {.name = "astra_sim",
     .program = "AstraSim_Analytical_Congestion_Unaware",
     .summary = "times of collectives",
     .write = astraSimInput,
     .figures = astraSimFigures},
    {.name = "scale_sim",
     .program = "python3",
     .summary = "cycles of layers on systolic arrays",
     .write = scaleSimInput,
     .figures = scaleSimFigures,
     .module = "scalesim.scale"},
    {.name = "vidur",
     .program = "python3",
     .summary = "requests of language models",
     .module = "vidur.main",
     .serve = vidurInput,
     .requests = {"request_metrics.csv", "Request Id", "request_scheduling_delay",
                  "prefill_e2e_time", "request_e2e_time", "request_num_restarts"},
     .data = "data"},
};

llvm::ArrayRef<ToolInfo> api::toolInfos() { return infos; }

llvm::StringRef ToolInfo::provider() const { return findToolPlace(name)->provider; }

std::string ToolInfo::offer() const {
  return "it is asked for " + summary.str() + (serve ? ", by a `serve` statement" : "");
}

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

/// Words that it is given besides.
static bool readArguments(yaml::NodeReader &reader, const yaml::Node &node, Tool &tool) {
  std::vector<std::pair<std::string, SourceRange>> words;
  if (!reader.readWords(node, "arguments", words))
    return false;
  for (auto &[word, place] : words)
    tool.arguments.push_back(std::move(word));
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
    else if (key->text == "data")
      isFine = reader.readText(*value, "a folder", tool.data);
    else if (key->text == "arguments")
      isFine = readArguments(reader, *value, tool);
    else if (key->text == "seconds")
      isFine = readLimit(reader, *value, tool.seconds);
    else if (key->text == "memory")
      isFine = readLimit(reader, *value, tool.memory);
    else {
      reader.diagnostics.report(key->place, diag::TimeloopUnknown, "word", key->text)
          .help("a tool has `program`, `image`, `engine`, `data`, `arguments`, `seconds` and "
                "`memory` (GiB)");
      isFine = false;
    }
    if (key->text == "program")
      tool.module.clear(); // it is the tool itself
    if (!isFine)
      return false;
  }
  return true;
}

/// Whether there is such a file: one whose folder cannot be looked into may be there.
static bool mayExist(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(path, status);
  return error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory;
}

static bool readFile(Context context, std::vector<Tool> &tools) {
  std::string path = toolsFile();
  if (!mayExist(path))
    return true;
  FileId file = loadOrReport(context.sources, path, context.diagnostics);
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

/// The version of the package that `tool` is a module of, "" for one without; nothing where Python
/// does not find it.
static llvm::Optional<std::string> askPython(const Tool &tool);

/// Makes `program`, a path or a name in PATH, the whole path of what runs; why not, or "".
static std::string findProgram(std::string &program) {
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(program);
  if (!found || !llvm::sys::fs::exists(*found)) // what has a slash is taken for found
    return "no program `" + program + "`";
  if (!llvm::sys::fs::can_execute(*found))
    return "`" + program + "` is no file that runs";
  llvm::SmallString<128> path(*found);
  llvm::sys::fs::make_absolute(path);
  program = path.str().str();
  return "";
}

/// Says where the tool is, or why it is not.
static void locate(Tool &tool, bool isLocal) {
  if (isLocal)
    tool.image.clear();
  if (tool.image.empty()) {
    tool.missing = findProgram(tool.program);
    if (tool.missing.empty() && !tool.module.empty() && !askPython(tool))
      tool.missing = "no module `" + llvm::StringRef(tool.module).split('.').first.str() + "` of " +
                     tool.program;
    return;
  }
  if (!tool.engine.empty()) {
    tool.missing = findProgram(tool.engine);
    return;
  }
  for (llvm::StringRef engine : {"docker", "podman"}) {
    tool.engine = engine.str();
    if (findProgram(tool.engine).empty())
      return;
  }
  tool.missing = "neither docker nor podman for the image `" + tool.image + "`";
}

llvm::Optional<std::vector<Tool>> api::findTools(Context context, bool isLocal,
                                                 const ToolInfo *only) {
  std::vector<Tool> tools;
  for (const ToolInfo &info : infos) {
    Tool &tool = tools.emplace_back();
    tool.info = &info;
    tool.program = info.program.str();
    tool.module = info.module.str();
  }
  if (!readFile(context, tools))
    return llvm::None;
  for (Tool &tool : tools)
    if (!only || tool.info == only)
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
  if (!tool.module.empty())
    words.insert(words.end(), {"-m", tool.module});
  llvm::append_range(words, arguments);
  llvm::append_range(words, tool.arguments);
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

/// What `tool` prints within ten seconds, called with `arguments`; nothing where it fails.
static llvm::Optional<std::string> printedBy(Tool tool, llvm::ArrayRef<std::string> arguments) {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("perfc-tool", folder))
    return llvm::None;
  tool.seconds = 10;
  tool.arguments.clear();
  std::string problem = runTool(tool, arguments, folder);
  auto text = llvm::MemoryBuffer::getFile(folder + "/output");
  llvm::Optional<std::string> printed;
  if (problem.empty() && text)
    printed = (*text)->getBuffer().str();
  llvm::sys::fs::remove_directories(folder);
  return printed;
}

static llvm::Optional<std::string> askPython(const Tool &tool) {
  Tool python = tool;
  python.module.clear();
  std::string package = llvm::StringRef(tool.module).split('.').first.str();
  std::string script = "import sys, importlib.util as u, importlib.metadata as m\n"
                       "if u.find_spec(sys.argv[1]) is None: sys.exit(1)\n"
                       "try: print(m.version(sys.argv[1]))\n"
                       "except m.PackageNotFoundError: pass\n";
  return printedBy(python, {"-c", script, package});
}

std::string Tool::dataFolder() const {
  if (!data.empty() || module.empty() || !image.empty() || info->data.empty())
    return data;
  Tool python = *this;
  python.module.clear();
  llvm::Optional<std::string> package =
      printedBy(python, {"-c",
                         "import sys, importlib.util as u\n"
                         "print(u.find_spec(sys.argv[1]).submodule_search_locations[0])",
                         llvm::StringRef(module).split('.').first.str()});
  if (!package)
    return "";
  llvm::SmallString<128> folder(llvm::sys::path::parent_path(llvm::StringRef(*package).trim()));
  llvm::sys::path::append(folder, info->data);
  return llvm::sys::fs::is_directory(folder) ? folder.str().str() : "";
}

std::string Tool::version() const {
  if (!image.empty()) {
    auto [name, tag] = llvm::StringRef(image).rsplit(':');
    return tag.contains('/') ? "" : tag.str();
  }
  if (!missing.empty())
    return "";
  llvm::Optional<std::string> printed =
      module.empty() ? printedBy(*this, {"--version"}) : askPython(*this);
  llvm::SmallVector<llvm::StringRef, 2> parts;
  return printed && llvm::Regex("([0-9]+(\\.[0-9]+)+)").match(*printed, &parts) ? parts[1].str()
                                                                                : "";
}
