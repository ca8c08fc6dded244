// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models (frontend/sema/ModelFormats) as programs; `run` adds statements that evaluate their
// workloads.
#include "frontend/build/Compilation.h"
#include "frontend/sema/ModelFormats.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Graphs.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/study/AllOps.h"
#include "tools/driver/import/Format.h"
#include "tools/driver/import/LibraryNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <set>

using namespace perfc;
using namespace perfc::driver;

/// `input=1,3,224,224`; nothing with a report for another text.
static llvm::Optional<graph::GivenShape> readShape(Session &session, llvm::StringRef text) {
  auto [name, list] = text.rsplit('=');
  graph::GivenShape shape;
  shape.input = name.str();
  llvm::SmallVector<llvm::StringRef, 4> numbers;
  list.split(numbers, ',');
  for (llvm::StringRef number : numbers) {
    int64_t dim = 0;
    if (name.empty() || number.trim().getAsInteger(10, dim)) {
      session.diagnostics.report({}, diag::BadOptionValue, "--shape", text)
          .help("a shape is written as --shape input=1,3,224,224");
      return llvm::None;
    }
    shape.dims.push_back(dim);
  }
  return shape;
}

/// `alike`: names of the library that `path` is like.
static llvm::Optional<ModelProgram> readModel(Session &session, const ModelFormat &format,
                                              llvm::StringRef path, const Arguments &arguments,
                                              std::string alike = "") {
  ModelOptions options;
  options.config.alike = std::move(alike);
  options.graph.isStrict = arguments.has("strict");
  options.graph.keepsDecomposed = arguments.has("keep-decomposed");
  options.config.as = arguments.value("as").str();
  for (llvm::StringRef text : arguments.values("shape")) {
    llvm::Optional<graph::GivenShape> shape = readShape(session, text);
    if (!shape)
      return llvm::None;
    options.graph.shapes.push_back(std::move(*shape));
  }
  Program library(session.sources, session.diagnostics);
  return format.read(path, options, library);
}

/// An import is a program without a mistake: what is wrong with one is so with the node that it was
/// written for.
static bool checkProgram(Session &session, FileId file, const ModelProgram &program) {
  DiagnosticEngine &diagnostics = session.diagnostics;
  size_t first = diagnostics.all().size(), errors = diagnostics.errorCount();
  Compilation compilation(session.sources, diagnostics, allOps());
  if (compilation.load(file, {}))
    compilation.check();
  if (diagnostics.errorCount() == errors) {
    diagnostics.truncate(first); // warnings are for those who run it
    return true;
  }
  auto found = llvm::find_if(diagnostics.all().drop_front(first), [](const Diagnostic &one) {
    return one.kind->severity == Severity::Error;
  });
  auto after = llvm::partition_point(
      program.origins, [&](const graph::Origin &one) { return one.begin <= found->range.begin; });
  if (found->range.file == file && after != program.origins.begin() &&
      std::prev(after)->place.isValid()) {
    const graph::Origin &origin = *std::prev(after);
    std::string reason = found->message;
    diagnostics.truncate(first);
    diagnostics.report(origin.place, diag::GraphNode, origin.number, origin.name, origin.op,
                       reason);
  }
  return false;
}

bool driver::importModel(Session &session, const ImportFormat &format,
                         llvm::ArrayRef<std::string> files, const Arguments &arguments,
                         std::string &text) {
  auto program = readModel(session, *modelFormat(format.name), files.front(), arguments);
  if (!program)
    return false;
  text = std::move(program->text);
  return checkProgram(session, session.sources.add(files.front() + " as a program", text),
                      *program);
}

std::string driver::moduleOfChip(Session &session, llvm::StringRef chip) {
  std::vector<LibraryName> chips = libraryChips();
  for (const LibraryName &known : chips)
    if (known.name == chip)
      return moduleName(known.path);
  if (chip.empty()) {
    session.diagnostics.report({}, diag::GraphNoChip)
        .help("name one of the library: --on h100_sxm; `perfc list hardware` prints them");
    return "";
  }
  Diagnostic &error = session.diagnostics.report({}, diag::BadOptionValue, "--on", chip);
  if (std::string like = namesLike(chip, chips); !like.empty())
    error.help("the library has " + like);
  error.help("`perfc list hardware` prints the chips of the library");
  return "";
}

/// The model: a file in a format, or a workload of the library.
static llvm::Optional<ModelProgram> findModel(Session &session, const ModelFormat *format,
                                              llvm::StringRef path, const Arguments &arguments) {
  if (format || llvm::sys::fs::exists(path))
    return readModel(session, format ? *format : *modelFormat("hf"), path, arguments);
  Program library(session.sources, session.diagnostics);
  if (auto model = libraryModel(path, library))
    return model;
  llvm::StringRef own = path.contains('/') ? path.rsplit('/').second : path; // OWNER/MODEL
  return readModel(session, *modelFormat("hf"), path, arguments, namesLike(own, libraryModels()));
}

/// The format of a workload's numbers, which each takes.
static constexpr llvm::StringLiteral formatName = "dtype";

/// Names that `-D` sets and that `model` takes are parameters of the program, which statements hand
/// on to what takes them. False where the model takes one of them nowhere (reported).
static bool takeDefines(Session &session, ModelProgram &model, const Arguments &arguments,
                        std::vector<std::string> &defined) {
  std::vector<std::pair<std::string, std::string>> defines;
  if (!readDefines(arguments, session.diagnostics, defines))
    return false;
  std::set<std::string> known;
  for (config::NamedModel &each : model.models) {
    each.names.parameters.push_back(formatName.str());
    known.insert(each.names.parameters.begin(), each.names.parameters.end());
    for (const config::PhaseNames &phase : each.names.phases)
      known.insert(phase.parameters.begin(), phase.parameters.end());
  }
  for (const auto &[name, value] : defines) {
    if (!known.count(name)) {
      session.diagnostics.report({}, diag::UnknownParameter, model.models.front().workload, name)
          .help(known.empty() ? "it has none" : "it has `" + llvm::join(known, "`, `") + "`");
      return false;
    }
    if (!llvm::is_contained(defined, name))
      defined.push_back(name);
    llvm::erase_value(model.open, name);
  }
  return true;
}

/// The program that evaluates `model` on `chip`, whose declaration is in `module`, with `words` in
/// the block of each statement.
static std::string evaluating(const ModelProgram &model, llvm::StringRef module,
                              llvm::StringRef chip, llvm::ArrayRef<std::string> defined,
                              llvm::ArrayRef<llvm::StringRef> words) {
  std::string text = fmt::format("import {}\n", module);
  if (!words.empty())
    text += "import std.{networks, runtimes}\n";
  text += model.text + "\n";
  for (const std::string &name : defined)
    text += fmt::format("param {} = 1\n", name); // -D replaces it
  auto evaluate = [&](const config::NamedModel &each, const std::string &subject,
                      llvm::ArrayRef<std::string> own) {
    std::vector<std::string> given;
    if (!each.format.empty() && !llvm::is_contained(defined, formatName))
      given.push_back(fmt::format("{} = {}", formatName, each.format));
    for (const std::string &name : defined)
      if (each.names.hasParameter(name) || llvm::is_contained(own, name))
        given.push_back(fmt::format("{0} = {0}", name));
    text += fmt::format("evaluate {}({}) on {}", subject, fmt::join(given, ", "), chip);
    text += words.empty() ? "\n" : " {\n  " + llvm::join(words, "\n  ") + "\n}\n";
  };
  for (const config::NamedModel &each : model.models) {
    if (each.names.phases.empty())
      evaluate(each, each.workload, {});
    for (const config::PhaseNames &phase : each.names.phases)
      evaluate(each, each.workload + "." + phase.name, phase.parameters);
  }
  return text;
}

FileId driver::loadModelProgram(Session &session, llvm::StringRef path,
                                const Arguments &arguments) {
  const ModelFormat *format =
      arguments.has("from") ? modelFormat(arguments.value("from")) : modelFormatOf(path);
  std::string chip = arguments.value("on").str(), module;
  bool isNamedThere = chip.empty() && format && format->namesChips;
  if (!isNamedThere)
    module = moduleOfChip(session, chip);
  if (!isNamedThere && module.empty())
    return 0;
  llvm::Optional<ModelProgram> model = findModel(session, format, path, arguments);
  if (!model)
    return 0;
  if (isNamedThere) {
    chip = model->chip;
    module = moduleOfChip(session, chip);
    if (module.empty())
      return 0;
  }
  std::vector<std::string> defined;
  if (!takeDefines(session, *model, arguments, defined))
    return 0;
  if (!model->open.empty()) {
    session.diagnostics.report({}, diag::GraphOpen, "`" + llvm::join(model->open, "`, `") + "`")
        .help("give the shapes of its inputs, or a size by its name: --shape input=1,128 or -D " +
              model->open.front() + "=8");
    return 0;
  }
  return session.sources.add((path + " as a program").str(),
                             evaluating(*model, module, chip, defined, arguments.values("with")));
}
