// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/ModelFormats.h"

#include "frontend/import/layers/Layers.h"
#include "frontend/import/onnx/Onnx.h"
#include "frontend/import/tflite/Tflite.h"
#include "frontend/import/torch/Torch.h"
#include "frontend/sema/LibraryTable.h"
#include "ir/common/diagnostics/Files.h"

using namespace perfc;

template <const graph::FileFormat &format>
static llvm::Optional<ModelProgram> readGraph(llvm::StringRef path, const ModelOptions &options,
                                              Program &library) {
  FileId file = library.sourceManager().addBinary(path.str());
  auto program = graph::readProgram(format, path, file, options.graph, library.diags());
  if (!program)
    return llvm::None;
  return ModelProgram{std::move(program->text),
                      std::move(program->workload),
                      std::move(program->format),
                      std::move(program->open),
                      {}};
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
                      {},
                      std::move(program->phases)};
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
  return ModelProgram{
      std::move(program->text), std::move(program->workload), std::move(program->format), {}, {},
      std::move(program->chip)};
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
