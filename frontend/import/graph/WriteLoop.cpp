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
  // States that change their shapes have one in all rounds here.
  for (size_t i = op.inputs.size(); i < op.outputs.size(); ++i) {
    int state = op.outputs[i];
    writer.layout(state).name = writer.newName("state");
    writer.fixedLine(writer.layout(state).name,
                     " = tensor[" + writer.dimsText(writer.shapeOf(state)) + "]");
  }
  // Results of rounds: as many places as rounds, or what such a state becomes.
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

/// An op that writes what a round makes to the last place of a result: all of it where the result
/// has a place for each round, else what is last along the extents that rounds change.
static std::string placeText(const Shape &result, const Shape &made) {
  bool isScan = result.size() > made.size();
  std::string ranks = isScan ? "N" : "", places = isScan ? "N - 1" : "", others, index;
  auto add = [](std::string &list, const std::string &text) {
    list += (list.empty() ? "" : ", ") + text;
  };
  for (size_t r = 0; r < made.size(); ++r) {
    bool isSame = isScan || result[r] == made[r];
    add(ranks, fmt::format("{}{}", isSame ? "A" : "N", r));
    add(places, isSame ? indexName(r) : fmt::format("N{} - 1", r));
    add(others, fmt::format("{}{}", isSame ? "A" : "M", r));
    add(index, isSame ? indexName(r) : fmt::format("M{} - 1", r));
  }
  if (made.empty()) { // one number stands as a tensor of one element
    others = "A0";
    index = isScan ? "0" : "i";
    ranks = isScan ? "N" : "A0";
    places = isScan ? "N - 1" : "i";
  }
  return fmt::format("op NAME(c[{0}], x[{1}]) -> c[{0}] {{\n  c[{2}] = x[{3}]\n}}\n", ranks, others,
                     places, index);
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
    std::string name = writer.privateOp(
        "put", placeText(writer.shapeOf(op.outputs[i]), writer.shapeOf(op.inputs[i])));
    writer.fixedLine(loop.states[i], fmt::format(" = {}({}, {})", name, loop.states[i], value));
  }
  writer.fixedLine("", "}");
  for (size_t i = 0; i < op.outputs.size(); ++i)
    writer.layout(op.outputs[i]).name = loop.states[i];
  return true;
}

static constexpr EmitterEntry loopEmitterTable[] = {{"LoopBegin", begin}, {"LoopEnd", end}};

llvm::ArrayRef<EmitterEntry> graph::loopEmitters() { return loopEmitterTable; }
