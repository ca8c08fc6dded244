// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of com.microsoft, which ONNX Runtime fuses several of ONNX into, and quantised ones: in
// the ops of the library that they stand for.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

/// An operation of `node` as several: `type` of these operands.
static Op step(const Op &op, llvm::StringRef type, std::vector<int> inputs, int output) {
  Op made;
  made.type = type;
  made.node = op.node;
  made.number = op.number;
  made.inputs = std::move(inputs);
  made.outputs = {output};
  return made;
}

/// A value of the shape of `like`, between two steps.
static int between(Writer &writer, int like) {
  Value value = writer.net.values[like];
  value.name = "";
  value.content.reset();
  value.isStored = false;
  value.uses = 1;
  writer.net.values.push_back(std::move(value));
  writer.grow();
  return static_cast<int>(writer.net.values.size()) - 1;
}

/// Normalisation of a sum; the sum is the last result.
static bool skipNorm(Writer &writer, const Op &op) {
  bool isRms = op.type == "SkipSimplifiedLayerNormalization";
  if (op.input(2) < 0 || (!isRms && op.input(3) < 0))
    return false;
  int sum = between(writer, op.outputs[0]);
  if (!writeElementwise(writer, step(op, "Add", {op.input(0), op.input(1)}, sum)))
    return false;
  if (int bias = op.input(isRms ? 3 : 4); bias >= 0)
    writeElementwise(writer, step(op, "Add", {sum, bias}, sum));
  if (op.outputs.size() > 3 && op.outputs[3] >= 0)
    writer.layout(op.outputs[3]) = writer.layout(sum);
  std::string x = writer.plain(sum), scale = writer.plain(op.input(2));
  if (isRms) {
    writer.assign(op.outputs[0], "norm",
                  writer.library("rmsnorm", "rmsnorm") + "(" + x + ", " + scale + ")");
    return true;
  }
  std::string shift = writer.plain(op.input(3));
  writer.assign(op.outputs[0], "norm",
                writer.library("layernorm", "layernorm") + "(" + x + ", " + scale + ", " + shift +
                    ")");
  return true;
}

static bool biasGelu(Writer &writer, const Op &op) {
  int x = op.input(0);
  if (op.input(1) >= 0) {
    int sum = between(writer, op.outputs[0]);
    if (!writeElementwise(writer, step(op, "Add", {x, op.input(1)}, sum)))
      return false;
    x = sum;
  }
  llvm::StringRef type = op.type == "FastGelu" ? "GeluTanh" : "Gelu";
  return writeElementwise(writer, step(op, type, {x}, op.outputs[0]));
}

/// A copy in another format.
static bool quantize(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  if (writer.layout(from).isUnnamed())
    return false;
  std::string name = writer.named(from);
  Layout at = writer.layout(from);
  writer.assign(to, "copy", fmt::format("{}({})", writer.library("elementwise", "copy"), name),
                at.ranks, at.dims);
  return true;
}

static constexpr EmitterEntry fusedEmitterTable[] = {
    {"BiasGelu", biasGelu},
    {"DequantizeLinear", quantize},
    {"FastGelu", biasGelu},
    {"QuantizeLinear", quantize},
    {"SkipLayerNormalization", skipNorm},
    {"SkipSimplifiedLayerNormalization", skipNorm},
};

llvm::ArrayRef<EmitterEntry> graph::fusedEmitters() { return fusedEmitterTable; }
