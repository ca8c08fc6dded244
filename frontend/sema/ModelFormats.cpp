// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/ModelFormats.h"

#include "frontend/import/layers/Layers.h"
#include "frontend/import/onnx/Onnx.h"
#include "frontend/import/tflite/Tflite.h"
#include "frontend/import/torch/Torch.h"
#include "frontend/sema/LibraryTable.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

template <const graph::FileFormat &format>
static llvm::Optional<ModelProgram> readGraph(llvm::StringRef path, const ModelOptions &options,
                                              Program &library) {
  FileId file = library.sourceManager().addBinary(path.str());
  auto program = graph::readProgram(format, path, file, options.graph, library.diags());
  if (!program)
    return llvm::None;
  return ModelProgram{std::move(program->text),   std::move(program->workload),
                      std::move(program->format), {std::move(program->parameters), {}},
                      std::move(program->open),   std::move(program->origins)};
}

static llvm::Optional<ModelProgram> readConfig(llvm::StringRef path, const ModelOptions &options,
                                               Program &library) {
  LibraryTable table(library);
  config::ReadOptions own = options.config;
  own.place = options.graph.place;
  auto program = config::readProgram(path, own, library.sourceManager(), table, library.diags());
  if (!program)
    return llvm::None;
  return ModelProgram{std::move(program->text),
                      std::move(program->workload),
                      std::move(program->format),
                      std::move(program->names),
                      {}};
}

/// The workload `name` of the library; no item where there is none.
static config::Row findWorkload(LibraryTable &table, llvm::StringRef name) {
  config::Row row = table.find("workloads", name);
  return row.item && row.item->word == "workload" ? row : config::Row();
}

/// A list of layers that has none: the workload of the library that goes by its name, with its
/// batch.
static llvm::Optional<ModelProgram> readListed(const layers::Program &list, Program &library) {
  LibraryTable table(library);
  config::Row row = findWorkload(table, list.workload);
  if (!row.item) {
    library.diags()
        .report(list.place, diag::YamlMissing, "layers", "`workload`")
        .help("without them `name` is that of a workload of the library; `perfc list workload` "
              "prints these");
    return llvm::None;
  }
  std::string text = fmt::format("import {0} as library\n\nworkload {1}(batch = {2}) from "
                                 "library.{1}(batch = batch)\n",
                                 row.module, list.workload, list.batch);
  ModelProgram program{std::move(text), list.workload, list.format, {}, {}, {}, list.chip};
  program.names = config::callNames(config::chainOf(table, row));
  return program;
}

static llvm::Optional<ModelProgram> readLayers(llvm::StringRef path, const ModelOptions &options,
                                               Program &library) {
  std::string error;
  FileId file = library.sourceManager().load(path, error);
  if (!file) {
    library.diags().report(options.graph.place, diag::CannotRead, path, error);
    return llvm::None;
  }
  auto program = layers::readProgram(file, library.diags());
  if (!program)
    return llvm::None;
  if (program->text.empty())
    return readListed(*program, library);
  return ModelProgram{std::move(program->text),
                      std::move(program->workload),
                      std::move(program->format),
                      {{"batch"}, {}},
                      {},
                      {},
                      std::move(program->chip)};
}

llvm::Optional<ModelProgram> perfc::libraryModel(llvm::StringRef path, Program &library) {
  auto [name, phase] = path.split('.');
  LibraryTable table(library);
  config::Row row = findWorkload(table, name);
  if (!row.item)
    return llvm::None;
  ModelProgram program{"import " + row.module + "\n", name.str(), "", {}, {}};
  program.names = config::callNames(config::chainOf(table, row));
  if (path.contains('.')) {
    auto isOther = [wanted = phase](const config::PhaseNames &it) { return it.name != wanted; };
    if (!program.names.hasPhase(phase)) {
      std::vector<llvm::StringRef> known;
      for (const config::PhaseNames &other : program.names.phases)
        known.push_back(other.name);
      library.diags()
          .report({}, diag::UnknownPhase, name, phase)
          .help(known.empty() ? "it has none" : "it has `" + llvm::join(known, "`, `") + "`");
      return llvm::None;
    }
    llvm::erase_if(program.names.phases, isOther);
  }
  return program;
}

/// Files of other tools are YAML as well: only who says `layers` means them.
static bool isNever(llvm::StringRef) { return false; }

template <const graph::FileFormat &format> static bool isGraph(llvm::StringRef path) {
  return path.endswith_insensitive(format.suffix);
}
static bool isGguf(llvm::StringRef path) { return path.endswith(".gguf"); }
static bool isSafetensors(llvm::StringRef path) { return path.endswith(".safetensors"); }

static const ModelFormat formats[] = {
    {"gguf", isGguf, readConfig},
    {"hf", config::isFolder, readConfig},
    {"layers", isNever, readLayers, /*namesChips=*/true},
    {"onnx", isGraph<onnx::format>, readGraph<onnx::format>},
    {"safetensors", isSafetensors, readConfig},
    {"tflite", isGraph<tflite::format>, readGraph<tflite::format>},
    {"torch", isGraph<torch::format>, readGraph<torch::format>},
};

const ModelFormat *perfc::modelFormat(llvm::StringRef name) {
  const ModelFormat *found =
      llvm::find_if(formats, [&](const ModelFormat &format) { return format.name == name; });
  return found == std::end(formats) ? nullptr : found;
}

const ModelFormat *perfc::modelFormatOf(llvm::StringRef path) {
  const ModelFormat *found =
      llvm::find_if(formats, [&](const ModelFormat &format) { return format.claims(path); });
  return found == std::end(formats) ? nullptr : found;
}
