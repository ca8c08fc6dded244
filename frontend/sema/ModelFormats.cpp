// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/ModelFormats.h"

#include "frontend/import/layers/Layers.h"
#include "frontend/import/onnx/Onnx.h"
#include "frontend/import/tflite/Tflite.h"
#include "frontend/import/torch/Torch.h"
#include "frontend/sema/LibraryTable.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

template <const graph::FileFormat &format>
static llvm::Optional<ModelProgram> readGraph(llvm::StringRef path, const ModelOptions &options,
                                              Program &library) {
  FileId file = library.sourceManager().addBinary(path.str());
  auto program = graph::readProgram(format, path, file, options.graph, library.diags());
  if (!program)
    return llvm::None;
  return ModelProgram{.text = std::move(program->text),
                      .models = {{.workload = std::move(program->workload),
                                  .format = std::move(program->format),
                                  .names = {std::move(program->parameters), {}}}},
                      .open = std::move(program->open),
                      .origins = std::move(program->origins)};
}

static llvm::Optional<ModelProgram> readConfig(llvm::StringRef path, const ModelOptions &options,
                                               Program &library) {
  LibraryTable table(library);
  config::ReadOptions own = options.config;
  own.place = options.graph.place;
  auto program = config::readProgram(path, own, library.sourceManager(), table, library.diags());
  if (!program)
    return llvm::None;
  return ModelProgram{.text = std::move(program->text), .models = std::move(program->models)};
}

/// The workload `name` of the library, for a program whose text is `text` of its module; nothing
/// where there is none.
static llvm::Optional<ModelProgram>
workloadOf(Program &library, llvm::StringRef name,
           llvm::function_ref<std::string(llvm::StringRef module)> text) {
  LibraryTable table(library);
  config::Row row = table.find("workloads", name);
  if (!row.item || row.item->word != "workload")
    return llvm::None;
  return ModelProgram{.text = text(row.module),
                      .models = {{.workload = name.str(),
                                  .names = config::callNames(config::chainOf(table, row))}}};
}

/// A list of layers that has none: the workload of the library that goes by its name, with its
/// batch.
static llvm::Optional<ModelProgram> readListed(const layers::Program &list, Program &library) {
  auto program = workloadOf(library, list.workload, [&](llvm::StringRef module) {
    return fmt::format("import {0} as library\n\nworkload {1}(batch = {2}) from "
                       "library.{1}(batch = batch)\n",
                       module, list.workload, list.batch);
  });
  if (!program) {
    library.diags()
        .report(list.place, diag::YamlMissing, "layers", "`workload`")
        .help("without them `name` is that of a workload of the library; `perfc list workload` "
              "prints these");
    return llvm::None;
  }
  program->models.front().format = list.format;
  program->chip = list.chip;
  return program;
}

static llvm::Optional<ModelProgram> readLayers(llvm::StringRef path, const ModelOptions &options,
                                               Program &library) {
  FileId file = loadOrReport(library.sourceManager(), path, library.diags(), options.graph.place);
  auto program = file ? layers::readProgram(file, library.diags()) : llvm::None;
  if (!program)
    return llvm::None;
  if (program->text.empty())
    return readListed(*program, library);
  return ModelProgram{.text = std::move(program->text),
                      .models = {{.workload = std::move(program->workload),
                                  .format = std::move(program->format),
                                  .names = {{"batch"}, {}}}},
                      .chip = std::move(program->chip)};
}

llvm::Optional<ModelProgram> perfc::libraryModel(llvm::StringRef path, Program &library) {
  auto [name, phase] = path.split('.');
  auto program = workloadOf(library, name,
                            [](llvm::StringRef module) { return "import " + module.str() + "\n"; });
  if (!program || phase.empty())
    return program;
  auto &phases = program->models.front().names.phases;
  if (phases.empty())
    return llvm::None;
  llvm::erase_if(phases, [wanted = phase](const auto &other) { return other.name != wanted; });
  if (phases.empty())
    phases.push_back({phase.str(), {}});
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
