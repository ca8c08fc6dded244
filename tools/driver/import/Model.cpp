// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models (frontend/sema/ModelFormats) as programs with one workload; `run` adds statements that
// evaluate it.
#include "frontend/sema/ModelFormats.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Graphs.h"
#include "ir/common/diagnostics/Names.h"
#include "stdlib/Embedded.h"
#include "tools/driver/import/Format.h"
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

static llvm::Optional<ModelProgram> readModel(Session &session, const ModelFormat &format,
                                              llvm::StringRef path, const Arguments &arguments) {
  ModelOptions options;
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

bool driver::importModel(Session &session, const ImportFormat &format,
                         llvm::ArrayRef<std::string> files, const Arguments &arguments,
                         std::string &text) {
  auto program = readModel(session, *modelFormat(format.name), files.front(), arguments);
  if (program)
    text = std::move(program->text);
  return program.hasValue();
}

/// The module of the library that declares the chip or system `name`; "" when there is none.
static std::string moduleOf(llvm::StringRef name) {
  for (const EmbeddedFile &file : embeddedStdlib()) {
    if (!file.path.startswith("hardware/") && !file.path.startswith("systems/"))
      continue;
    for (llvm::StringRef word : {"hardware ", "system "}) {
      std::string head = (word + name).str();
      for (size_t at = file.text.find(head); at != llvm::StringRef::npos;
           at = file.text.find(head, at + 1)) {
        bool begins = at == 0 || file.text[at - 1] == '\n';
        char next = at + head.size() < file.text.size() ? file.text[at + head.size()] : ' ';
        if (begins && !llvm::isAlnum(next) && next != '_')
          return moduleName(file.path);
      }
    }
  }
  return "";
}

std::string driver::moduleOfChip(Session &session, llvm::StringRef chip) {
  std::string module = moduleOf(chip);
  if (!module.empty())
    return module;
  if (chip.empty())
    session.diagnostics.report({}, diag::GraphNoChip)
        .help("name one of the library: --on h100_sxm; `perfc list hardware` prints them");
  else
    session.diagnostics.report({}, diag::BadOptionValue, "--on", chip)
        .help("`perfc list hardware` prints the chips of the library");
  return "";
}

/// The model: a file in a format, or a workload of the library.
static llvm::Optional<ModelProgram> findModel(Session &session, const ModelFormat *format,
                                              llvm::StringRef path, const Arguments &arguments) {
  if (format || llvm::sys::fs::exists(path))
    return readModel(session, format ? *format : *modelFormat("hf"), path, arguments);
  Program library(session.sources, session.diagnostics);
  size_t errors = session.diagnostics.errorCount();
  auto model = libraryModel(path, library);
  if (model || session.diagnostics.errorCount() > errors)
    return model;
  return readModel(session, *modelFormat("hf"), path, arguments);
}

/// Names that `-D` sets and that `model` takes are parameters of the program, which statements hand
/// on to what takes them. False where the model takes one of them nowhere (reported).
static bool takeDefines(Session &session, ModelProgram &model, const Arguments &arguments,
                        std::vector<std::string> &defined) {
  std::vector<std::pair<std::string, std::string>> defines;
  if (!readDefines(arguments, session.diagnostics, defines))
    return false;
  std::set<std::string> known(model.names.parameters.begin(), model.names.parameters.end());
  for (const config::PhaseNames &phase : model.names.phases)
    known.insert(phase.parameters.begin(), phase.parameters.end());
  for (const auto &[name, value] : defines) {
    if (!known.count(name)) {
      session.diagnostics.report({}, diag::UnknownParameter, model.workload, name)
          .help(known.empty() ? "it has none" : "it has `" + llvm::join(known, "`, `") + "`");
      return false;
    }
    if (!llvm::is_contained(defined, name))
      defined.push_back(name);
    llvm::erase_value(model.open, name);
  }
  return true;
}

/// The program that evaluates `model` on `chip`, whose declaration is in `module`.
static std::string evaluating(const ModelProgram &model, llvm::StringRef module,
                              llvm::StringRef chip, llvm::ArrayRef<std::string> defined) {
  std::string text = fmt::format("import {}\n{}\n", module, model.text);
  for (const std::string &name : defined)
    text += fmt::format("param {} = 1\n", name); // -D replaces it
  auto evaluate = [&](const std::string &subject, llvm::ArrayRef<std::string> own) {
    std::vector<std::string> given;
    if (!model.format.empty())
      given.push_back("dtype = " + model.format);
    for (const std::string &name : defined)
      if (model.names.hasParameter(name) || llvm::is_contained(own, name))
        given.push_back(fmt::format("{0} = {0}", name));
    text += fmt::format("evaluate {}({}) on {}\n", subject, fmt::join(given, ", "), chip);
  };
  if (model.names.phases.empty())
    evaluate(model.workload, {});
  for (const config::PhaseNames &phase : model.names.phases)
    evaluate(model.workload + "." + phase.name, phase.parameters);
  return text;
}

FileId driver::loadModelProgram(Session &session, llvm::StringRef path,
                                const Arguments &arguments) {
  const ModelFormat *format =
      arguments.has("from") ? modelFormat(arguments.value("from")) : modelFormatOf(path);
  std::string chip = arguments.value("on").str(), module;
  bool isNamedThere = chip.empty() && format && format->namesChips;
  if (!isNamedThere && (module = moduleOfChip(session, chip)).empty())
    return 0;
  llvm::Optional<ModelProgram> model = findModel(session, format, path, arguments);
  if (!model)
    return 0;
  if (isNamedThere) {
    chip = model->chip;
    if ((module = moduleOfChip(session, chip)).empty())
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
                             evaluating(*model, module, chip, defined));
}
