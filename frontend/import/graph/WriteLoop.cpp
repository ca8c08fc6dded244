// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops as `repeat`: states are tensors that are set before it and again at the end of each round,
// and what each round adds to a result is written to one place of it.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

static bool begin(Writer &writer, const Op &op) {
  writer.loops.emplace_back();
  Writer::Loop &loop = writer.loops.back();
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    int before = op.inputs[i], state = op.outputs[i];
    std::string from = writer.plain(before), name = writer.newName("state");
    writer.fixedLine(name, " = " + from);
    loop.states.push_back(name);
    writer.layout(state).name = name;
  }
  // Results of rounds: as many places as rounds.
  const Op &end = writer.net.ops[static_cast<size_t>(op.numbers.front())];
  for (size_t i = op.inputs.size(); i < end.outputs.size(); ++i) {
    Shape ranks = writer.shapeOf(end.outputs[i]);
    std::string name = writer.newName("states");
    writer.fixedLine(name, " = tensor[" + writer.dimsText(ranks) + "]");
    loop.states.push_back(name);
  }
  loop.begin = writer.lineCount();
  writer.fixedLine("", "repeat " + writer.net.dims.text(op.rounds) + " {");
  return true;
}

static bool end(Writer &writer, const Op &op) {
  Writer::Loop loop = std::move(writer.loops.back());
  writer.loops.pop_back();
  if (writer.loops.empty())
    writer.insertLines(loop.begin, std::move(loop.weights));
  auto states = static_cast<size_t>(op.constant);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    std::string value = writer.plain(op.inputs[i]);
    if (i < states) {
      writer.fixedLine(loop.states[i], " = " + value);
      continue;
    }
    std::string ranks, index;
    for (size_t r = 0; r < writer.shapeOf(op.inputs[i]).size(); ++r) {
      ranks += fmt::format(", A{}", r);
      index += ", " + indexName(r);
    }
    if (ranks.empty()) {
      ranks = ", A0";
      index = ", i";
    }
    std::string name = writer.privateOp(
        "put", fmt::format("op NAME(c[N{0}], x[{1}]) -> c[N{0}] {{\n  c[N - 1{2}] = x[{3}]\n}}\n",
                           ranks, ranks.substr(2), index, index.substr(2)));
    writer.fixedLine(loop.states[i], fmt::format(" = {}({}, {})", name, loop.states[i], value));
  }
  writer.fixedLine("", "}");
  for (size_t i = 0; i < op.outputs.size(); ++i)
    writer.layout(op.outputs[i]).name = loop.states[i];
  return true;
}

static constexpr EmitterEntry loopEmitterTable[] = {{"LoopBegin", begin}, {"LoopEnd", end}};

llvm::ArrayRef<EmitterEntry> graph::loopEmitters() { return loopEmitterTable; }
