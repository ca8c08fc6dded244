// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluations with a dataflow as a mapping file of MAESTRO, one layer each.
#include "backends/emit/Maestro.h"
#include "backends/emit/Emit.h"
#include "ir/study/StudyOps.h"
#include "passes/DataflowLayer.h"

using namespace perfc;
using namespace perfc::emit;
using dataflow::Directive;
using dataflow::DirectiveKind;
using dataflow::Layer;
using dataflow::LayerType;

static void printDimensions(const Layer &layer, llvm::raw_ostream &os) {
  llvm::StringRef order = layer.type == LayerType::Gemm ? "MNK" : "NGKCRSYX";
  if (layer.type != LayerType::Gemm)
    os << "\t\tStride { X: " << layer.stride('X') << ", Y: " << layer.stride('Y') << " }\n";
  os << "\t\tDimensions {";
  const char *separator = " ";
  for (char dim : order) {
    bool isOne = layer.type == LayerType::DepthwiseConv && dim == 'K'; // the tool wants one
    auto size = layer.dims.find(dim);
    if (size == layer.dims.end() && !isOne)
      continue;
    os << separator << dim << ": " << (isOne ? 1 : size->second);
    separator = ", ";
  }
  os << " }\n";
}

static void printLayer(const Layer &layer, llvm::raw_ostream &os) {
  os << "\tLayer " << layer.name << " {\n\t\tType: " << layerTypeName(layer.type) << "\n";
  printDimensions(layer, os);
  os << "\t\tDataflow {\n";
  for (const Directive &directive : layer.directives) {
    os << "\t\t\t";
    if (directive.kind == DirectiveKind::Cluster)
      os << "Cluster(" << directive.size << ", P);\n";
    else
      os << (directive.kind == DirectiveKind::Spatial ? "Spatial" : "Temporal") << "Map("
         << directive.size << "," << directive.offset << ") " << directive.dim << ";\n";
  }
  os << "\t\t}\n\t}\n";
}

/// The layers of one evaluation: its name, and that of the kernel where there are several.
static void addLayers(study::EvaluateOp evaluate, DiagnosticEngine &diagnostics,
                      std::vector<Layer> &layers) {
  std::vector<Layer> found;
  for (const std::string &name : evaluate.with()) {
    auto dataflow = ir::as<loopnest::DataflowOp>(resolve(*evaluate, name));
    if (!dataflow)
      continue;
    passes::LayerTensors tensors;
    if (auto layer = passes::layerOf(dataflow, tensors, diagnostics))
      found.push_back(std::move(*layer));
  }
  for (Layer &layer : found) {
    std::string name = study::resultName(*evaluate).str();
    layer.name = found.size() == 1 ? name : name + "_" + layer.name;
    layers.push_back(std::move(layer));
  }
}

void emit::writeMaestro(const Input &input, llvm::raw_ostream &os) {
  std::vector<Layer> layers;
  assert(input.diagnostics && "emitting layers reports those that have none");
  const_cast<ir::Module *>(input.module)->walk([&](ir::Operation &op) {
    if (auto evaluate = ir::as<study::EvaluateOp>(&op))
      addLayers(evaluate, *input.diagnostics, layers);
  });
  if (!layers.empty())
    writeMaestroLayers(layers, os);
}

void emit::writeMaestroLayers(llvm::ArrayRef<Layer> layers, llvm::raw_ostream &os) {
  os << "Network network {\n";
  for (const Layer &layer : layers)
    printLayer(layer, os);
  os << "}\n";
}
