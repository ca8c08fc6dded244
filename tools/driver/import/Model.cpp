// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models (frontend/sema/ModelFormats) as programs with one workload; `run` adds statements that
// evaluate it.
#include "frontend/sema/ModelFormats.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Graphs.h"
#include "stdlib/Embedded.h"
#include "tools/driver/import/Format.h"
#include "llvm/ADT/StringExtras.h"

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

FileId driver::loadModelProgram(Session &session, llvm::StringRef path,
                                const Arguments &arguments) {
  const ModelFormat *format =
      arguments.has("from") ? modelFormat(arguments.value("from")) : modelFormatOf(path);
  if (!format)
    format = modelFormat("hf");
  std::string chip = arguments.value("on").str(), module;
  bool isNamedThere = chip.empty() && format->namesChips;
  if (!isNamedThere && (module = moduleOfChip(session, chip)).empty())
    return 0;
  llvm::Optional<ModelProgram> program = readModel(session, *format, path, arguments);
  if (!program)
    return 0;
  if (isNamedThere) {
    chip = program->chip;
    if ((module = moduleOfChip(session, chip)).empty())
      return 0;
  }
  if (!program->open.empty()) {
    session.diagnostics.report({}, diag::GraphOpen, "`" + llvm::join(program->open, "`, `") + "`")
        .help("give the shapes of its inputs, or a size by its name: --shape input=1,128 --shape " +
              program->open.front() + "=8");
    return 0;
  }
  std::string own = program->format.empty() ? "" : "dtype = " + program->format;
  std::string text = fmt::format("import {}\n{}\n", module, program->text);
  if (program->phases.empty())
    text += fmt::format("evaluate {}({}) on {}\n", program->workload, own, chip);
  for (const std::string &phase : program->phases)
    text += fmt::format("evaluate {}.{}({}) on {}\n", program->workload, phase, own, chip);
  return session.sources.add((path + " as a program").str(), std::move(text));
}
