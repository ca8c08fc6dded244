// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, softmax and normalisations along dimensions.
#include "frontend/import/graph/Writer.h"

using namespace perfc;
using namespace perfc::graph;

/// A form of `value` in which the last dimension is the last rank.
static std::string lastIsLast(Writer &writer, int value) {
  std::string name = writer.named(value);
  const Layout &at = writer.layout(value);
  bool isLast = !at.dims.empty() && at.dims.back().size() == 1 &&
                at.dims.back()[0] == at.ranks.size() - 1 &&
                llvm::all_of(at.fixed, [](int64_t place) { return place == 0; });
  return isLast ? name : writer.plain(value);
}

static bool softmax(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  Inference attributes = writer.attributes(op);
  size_t rank = writer.shapeOf(from).size();
  auto axis =
      attributes.axis(attributes.integer("axis", writer.net.operatorSet < 13 ? 1 : -1), rank);
  if (!axis)
    return false;
  // Before set 13 all dimensions from the axis on are one; those of a single element do not count.
  size_t last = rank - 1;
  while (last > *axis && writer.shapeOf(from)[last].is(1) && writer.net.operatorSet < 13)
    --last;
  bool isLog = op.type == "LogSoftmax";
  if (*axis == rank - 1 && !isLog) {
    std::string x = lastIsLast(writer, from);
    Layout at = writer.layout(from);
    writer.assign(to, "softmax", writer.library("softmax", "softmax") + "(" + x + ")", at.ranks,
                  at.dims);
    return true;
  }
  if (writer.net.operatorSet < 13 && last != *axis)
    return false;
  std::string x = writer.plain(from), ranks, index, outer;
  for (size_t i = 0; i < rank; ++i) {
    ranks += fmt::format("{}A{}", i ? ", " : "", i);
    index += (i ? ", " : "") + indexName(i);
    if (i != *axis)
      outer += (outer.empty() ? "" : ", ") + indexName(i);
  }
  if (outer.empty())
    return false;
  std::string name = writer.privateOp(
      "softmax", fmt::format("op NAME(x[{0}]) -> y[{0}] {{\n"
                             "  m[{2}] max= x[{1}]\n"
                             "  e[{1}] = exp(x[{1}] - m[{2}])\n"
                             "  z[{2}] += e[{1}]\n"
                             "  y[{1}] = {3}\n}}\n",
                             ranks, index, outer,
                             isLog ? fmt::format("x[{0}] - m[{1}] - log(z[{1}])", index, outer)
                                   : fmt::format("e[{}] / z[{}]", index, outer)));
  writer.assign(to, "softmax", name + "(" + x + ")");
  return true;
}

static bool reduce(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  Inference attributes = writer.attributes(op);
  auto list = attributes.numbers("axes", 1);
  size_t rank = writer.shapeOf(from).size();
  std::vector<size_t> axes;
  if (list)
    axes = *attributes.axes(*list, rank);
  for (size_t i = 0; i < rank && axes.size() < rank && (!list || list->empty()); ++i)
    axes.push_back(i);
  std::string x = writer.named(from);
  Layout at = writer.layout(from);
  std::vector<std::string> index(at.ranks.size()), kept;
  for (size_t r = 0; r < index.size(); ++r)
    index[r] = std::to_string(at.fixed[r]);
  Shape ranks;
  std::vector<llvm::SmallVector<unsigned, 2>> dims;
  Dim count = 1;
  bool keeps = attributes.integer("keepdims", 1) != 0;
  size_t next = 0;
  for (size_t d = 0; d < rank; ++d) {
    bool goes = llvm::is_contained(axes, d);
    if (!goes || keeps)
      dims.emplace_back();
    for (unsigned r : at.dims[d]) {
      index[r] = indexName(next++);
      if (goes) {
        count = writer.net.dims.multiply(count, at.ranks[r]);
        continue;
      }
      kept.push_back(index[r]);
      dims.back().push_back(static_cast<unsigned>(ranks.size()));
      ranks.push_back(at.ranks[r]);
    }
  }
  if (kept.empty()) {
    kept.emplace_back("0");
    ranks.push_back(1);
  }
  std::string element = fmt::format("{}[{}]", x, fmt::join(index, ", "));
  llvm::StringRef sign = op.type == "ReduceMax" ? "max=" : op.type == "ReduceMin" ? "min=" : "+=";
  bool isRoot = op.type == "ReduceL2";
  if (isRoot || op.type == "ReduceSumSquare") {
    std::vector<std::string> all;
    Layout square = at;
    std::string name = writer.newName("square");
    writer.line(name, fmt::format(" = {} * {}", x, x));
    element.replace(0, x.size(), name);
  } else if (op.type == "ReduceL1") {
    std::string name = writer.newName("abs");
    writer.line(name, fmt::format(" = abs({})", x));
    element.replace(0, x.size(), name);
  } else if (op.type == "ReduceLogSumExp") {
    std::string name = writer.newName("exp");
    writer.line(name, fmt::format(" = exp({})", x));
    element.replace(0, x.size(), name);
  } else if (op.type == "ReduceProd") {
    return false;
  }
  std::string sum = writer.equation(to, "sum", kept, sign, element, ranks, dims);
  if (op.type == "ReduceMean")
    writer.assign(to, "mean", sum + " / " + writer.net.dims.factorText(count), ranks, dims);
  else if (isRoot)
    writer.assign(to, "norm", "sqrt(" + sum + ")", ranks, dims);
  else if (op.type.startswith("ReduceLog"))
    writer.assign(to, "log", "log(" + sum + ")", ranks, dims);
  return true;
}

/// Layer normalisation over the last dimension, recognised or as an operator.
static bool layerNorm(Writer &writer, const Op &op) {
  int from = op.input(0), to = op.outputs[0];
  bool isRms = op.type != "LayerNormalization";
  const Shape &shape = writer.shapeOf(from);
  if (const Attribute *axis = op.node->find("axis"); axis && op.constant == 0) {
    auto rank = static_cast<int64_t>(shape.size());
    if (axis->integer != -1 && axis->integer != rank - 1)
      return false;
  }
  for (size_t i = 1; i < op.outputs.size(); ++i)
    if (op.outputs[i] >= 0 && writer.net.values[op.outputs[i]].uses)
      return false;
  std::string x = lastIsLast(writer, from);
  Layout at = writer.layout(from);
  auto scale = [&](size_t input) {
    int value = op.input(input);
    if (value < 0)
      return std::string("1");
    return writer.layout(value).isUnnamed() ? writer.weight(value, {shape.back()})
                                            : writer.plain(value);
  };
  bool hasScale = op.input(1) >= 0, hasShift = op.input(2) >= 0;
  if (!hasScale) {
    std::string name = isRms ? writer.library("rmsnorm", "rmsnorm_plain")
                             : writer.library("layernorm", "layernorm_plain");
    writer.assign(to, "norm", fmt::format("{}({})", name, x), at.ranks, at.dims);
    return !hasShift;
  }
  std::string call = fmt::format("({}, {}", x, scale(1));
  if (isRms) {
    writer.assign(to, "norm", writer.library("rmsnorm", "rmsnorm") + call + ")", at.ranks, at.dims);
    return true;
  }
  if (!hasShift) {
    writer.assign(to, "norm", writer.library("layernorm", "layernorm_scaled") + call + ")",
                  at.ranks, at.dims);
    return true;
  }
  call += ", " + scale(2);
  writer.assign(to, "norm", writer.library("layernorm", "layernorm") + call + ")", at.ranks,
                at.dims);
  return true;
}

/// The products of a recurrent layer's inputs with the weights of one direction, biases added: the
/// parts of the gates that do not wait, [B, T, gates, H]; without the rank of gates where there is
/// only one.
static std::string inputGates(Writer &writer, const Op &op, bool hasGates) {
  const Layout &x = writer.layout(op.input(0));
  Inference attributes = writer.attributes(op);
  bool isBatchFirst = attributes.integer("layout", 0) != 0;
  const Shape &weights = writer.shapeOf(op.input(1)), &sequence = writer.shapeOf(op.input(0));
  Dim hidden = writer.shapeOf(op.input(2))[2];
  Shape gates = {hidden};
  std::string index = "k", xIndex = isBatchFirst ? "i, j" : "j, i";
  if (hasGates) {
    gates.insert(gates.begin(), writer.net.dims.divide(weights[1], hidden));
    index = "m, k";
  }
  auto stored = [&](const Shape &ranks) {
    return writer.newWeight("weight[" + writer.dimsText(ranks) + "]");
  };
  Shape form = gates;
  form.insert(form.begin(), weights[2]);
  std::string w = stored(form), product = writer.newName("gates");
  const Dim &batch = sequence[isBatchFirst ? 0 : 1], &steps = sequence[isBatchFirst ? 1 : 0];
  Shape ranks = {batch, steps};
  ranks.append(gates.begin(), gates.end());
  writer.line(product,
              fmt::format("[i, j, {0}] += {1}[{2}, p] * {3}[p, {0}]", index, x.name, xIndex, w),
              ranks);
  if (op.input(3) < 0)
    return product;
  std::string a = stored(gates), b = stored(gates), sum = writer.newName("gates");
  writer.line(
      sum, fmt::format("[i, j, {0}] = {1}[i, j, {0}] + {2}[{0}] + {3}[{0}]", index, product, a, b),
      ranks);
  return sum;
}

/// Layers with a state that goes from step to step. The states that they begin with are of one step
/// among many, and cost nothing.
static bool recurrent(Writer &writer, const Op &op) {
  int x = op.input(0), r = op.input(2);
  for (int stored : {op.input(1), r, op.input(3)})
    if (stored >= 0 && !writer.layout(stored).isUnnamed())
      return false;
  writer.plain(x);
  writer.named(x);
  bool isPlain = op.type == "RNN", isLstm = op.type == "LSTM";
  llvm::StringRef name = isPlain ? "rnn" : isLstm ? "lstm" : "gru";
  const Shape states = writer.shapeOf(r), sequence = writer.shapeOf(x);
  bool isBatchFirst = writer.attributes(op).integer("layout", 0) != 0;
  const Dim batch = sequence[isBatchFirst ? 0 : 1], steps = sequence[isBatchFirst ? 1 : 0],
            hidden = states[2];
  int64_t directions = states[0].constant;
  std::string form = isPlain ? "" : isLstm ? "4, " : "3, ", state;
  for (int64_t z = 0; z < directions; ++z) {
    std::string gates = inputGates(writer, op, !isPlain), one = writer.newName("state");
    writer.line(one,
                fmt::format(" = {0}({1}, weight[{2}, {3}{2}])", writer.library("recurrent", name),
                            gates, writer.net.dims.text(hidden), form),
                {batch, steps, hidden});
    state += (z ? ", " : "") + one;
  }
  // Results as the graph has them: steps, directions, batch, features; or batch first.
  unsigned place[] = {1, 2, 0, 3};
  Layout all;
  all.ranks = {batch, steps, hidden};
  if (directions == 2) {
    std::string both = writer.newName("states"),
                op = writer.privateOp("directions", "op NAME(f[B, T, H], r[B, T, H]) -> y[B, T, "
                                                    "Z = 2, H] {\n  y[b, t, 0, e] = f[b, t, e]\n"
                                                    "  y[b, t, 1, e] = r[b, t, e]\n}\n");
    all.ranks.insert(all.ranks.begin() + 2, 2);
    writer.line(both, " = " + op + "(" + state + ")", all.ranks);
    state = both;
  }
  bool isSingle = directions == 1;
  auto rankOf = [&](unsigned which) -> llvm::SmallVector<unsigned, 2> {
    if (which == 2 && isSingle)
      return {};
    return {which == 3 && isSingle ? 2 : which};
  };
  all.name = state;
  all.fixed.assign(all.ranks.size(), 0);
  if (isBatchFirst) {
    place[0] = 0;
    place[1] = 1;
    place[2] = 2;
  }
  for (unsigned which : place)
    all.dims.push_back(rankOf(which));
  // The states behind the last step are its other results.
  Layout last = all;
  last.dims = isBatchFirst ? decltype(all.dims){rankOf(0), rankOf(2), rankOf(3)}
                           : decltype(all.dims){rankOf(2), rankOf(0), rankOf(3)};
  last.fixed[1] = steps.isNumber() ? steps.constant - 1 : 0;
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (op.outputs[i] >= 0)
      writer.setLayout(op.outputs[i], i == 0 ? all : last);
  return true;
}

static constexpr EmitterEntry otherEmitterTable[] = {
    {"GRU", recurrent},
    {"LSTM", recurrent},
    {"LayerNormalization", layerNorm},
    {"LogSoftmax", softmax},
    {"RNN", recurrent},
    {"RMSNormalization", layerNorm},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceSum", reduce},
    {"ReduceSumSquare", reduce},
    {"SimplifiedLayerNormalization", layerNorm},
    {"Softmax", softmax},
};

llvm::ArrayRef<EmitterEntry> graph::otherEmitters() { return otherEmitterTable; }
