// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops. One whose states change their shapes is unrolled where its rounds are few and counted,
// else what changes is a parameter.
#include "frontend/import/graph/Unfolder.h"

using namespace perfc;
using namespace perfc::graph;

/// Rounds of a loop that is unrolled.
static constexpr int64_t mostUnrolled = 256;
/// Readings of a loop whose states change their shapes, of which one may change another.
static constexpr unsigned mostPasses = 4;

/// A part of `value` for a round, without dimension `axis`.
int Unfolder::slice(int value, int64_t axis, llvm::Optional<int64_t> round) {
  // Every round takes another place; which one does not matter for the cost.
  return make("Gather", {value, whole(round.getValueOr(0))}, axis);
}

/// One round: `states` become `results`, and behind them what the round adds to the scans.
bool Unfolder::once(const Body &body, llvm::ArrayRef<int> states, llvm::Optional<int64_t> round,
                    std::vector<int> &results) {
  Names inner;
  inner.outer = &names;
  std::vector<int> operands;
  if (body.isLoop) {
    int number = whole(round.getValueOr(0));
    if (!round) { // it differs from round to round
      net.values[number].content.reset();
      net.values[number].isStored = false;
    }
    int goesOn = whole(1);
    net.values[goesOn].type = Bool;
    operands.push_back(number);
    operands.push_back(goesOn);
  }
  for (int state : states)
    operands.push_back(state);
  for (size_t i = 0; i < body.sliced.size(); ++i) {
    int part = slice(body.sliced[i], body.axes[i], round);
    if (part < 0)
      return false;
    operands.push_back(part);
  }
  const Graph &graph = *body.graph;
  if (graph.inputs.size() != operands.size())
    return flattener.fail(node, "its graph has another number of inputs");
  for (size_t i = 0; i < operands.size(); ++i)
    inner.values[graph.inputs[i].name] = operands[i];
  if (!flattener.addBody(graph, inner))
    return false;
  for (size_t i = body.isLoop ? 1 : 0; i < graph.outputs.size(); ++i) {
    int value = flattener.resultOf(graph, i, inner, node);
    if (value < 0)
      return false;
    results.push_back(value);
  }
  return results.size() >= body.states || flattener.fail(node, "its graph has too few results");
}

/// Adds to `growth` where the shapes of states `after` a round are not those `before`. False where
/// they have other ranks, or hold sequences.
bool Unfolder::findGrowth(llvm::ArrayRef<int> before, llvm::ArrayRef<int> after,
                          Growth &growth) const {
  for (size_t i = 0; i < before.size(); ++i) {
    const Value &a = net.values[before[i]], &b = net.values[after[i]];
    if (a.items || b.items || a.shape.size() != b.shape.size())
      return false;
    for (size_t d = 0; d < a.shape.size(); ++d)
      growth[i][d] |= !(a.shape[d] == b.shape[d]);
  }
  return true;
}

/// A copy of the body for each round.
bool Unfolder::unroll(const Body &body) {
  std::vector<int> states = body.first;
  std::vector<std::vector<int>> scanned;
  for (int64_t round = 0; round < body.rounds.constant; ++round) {
    std::vector<int> results;
    if (!once(body, states, round, results))
      return false;
    states.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(body.states));
    scanned.resize(results.size() - body.states);
    for (size_t i = body.states; i < results.size(); ++i)
      scanned[i - body.states].push_back(results[i]);
  }
  for (size_t i = 0; i < states.size(); ++i)
    if (!result(i, states[i]))
      return false;
  for (size_t i = 0; i < scanned.size(); ++i) {
    std::vector<int> parts;
    for (int part : scanned[i]) {
      parts.push_back(make("Unsqueeze", {part}, 0));
      if (parts.back() < 0)
        return false;
    }
    int all = make("Concat", parts, 0);
    if (all < 0 || !result(states.size() + i, all))
      return false;
  }
  return true;
}

bool Unfolder::run(const Body &body) {
  bool isCounted = body.rounds.isNumber();
  if (isCounted && body.rounds.constant < 1) {
    for (size_t i = 0; i < body.first.size(); ++i)
      if (!result(i, body.first[i]))
        return false;
    return body.first.size() >= node.outputs.size() ||
           flattener.fail(node, "it runs no round, and has results of its rounds");
  }
  for (int state : body.first)
    if (state < 0)
      return flattener.fail(node, "a state before the first round is missing");
  if (llvm::any_of(body.first, [&](int state) { return net.values[state].items.hasValue(); })) {
    if (isCounted && body.rounds.constant <= mostUnrolled)
      return unroll(body);
    return flattener.fail(node, "it makes a sequence, in rounds that are not counted");
  }
  const size_t ops = net.ops.size(), values = net.values.size();
  Growth growth;
  for (int state : body.first)
    growth.emplace_back(net.values[state].shape.size(), false);
  for (unsigned pass = 1;; ++pass) {
    const Growth known = growth;
    std::vector<int> states = statesOf(body, growth), results;
    if (!once(body, states, llvm::None, results))
      return false;
    bool isSame = findGrowth(states, llvm::makeArrayRef(results).take_front(body.states), growth);
    if (isSame && growth == known)
      return finish(body, ops, states, results, growth);
    net.ops.resize(ops);
    net.values.resize(values);
    if (isCounted && body.rounds.constant <= mostUnrolled)
      return unroll(body);
    if (!isSame || pass == mostPasses)
      return flattener.fail(node, "its states change their shapes, in rounds that are not counted");
  }
}

static bool growsAt(llvm::ArrayRef<bool> growth) { return llvm::is_contained(growth, true); }

/// The operation, of type `type`, that a loop begins or ends with.
Op Unfolder::boundary(llvm::StringLiteral type) {
  Node made;
  made.op = type;
  made.offset = node.offset;
  Op op;
  op.type = type;
  op.node = &flattener.newNode(std::move(made));
  op.number = flattener.nodeNumber();
  return op;
}

/// A value of the type and the shape of `value`, which the next operation makes.
int Unfolder::copyOf(int value) {
  int id = flattener.add();
  Value &copy = net.values[id];
  const Value &original = net.values[value];
  copy.type = original.type;
  copy.shape = original.shape;
  copy.hasShape = true;
  copy.maker = static_cast<int>(net.ops.size());
  return id;
}

/// The states in a round, and the operation that a loop begins with. They have the shapes of those
/// before it, but for extents that change from round to round: these are parameters.
std::vector<int> Unfolder::statesOf(const Body &body, const Growth &growth) {
  Op op = boundary("LoopBegin");
  op.rounds = body.rounds;
  std::vector<int> states, growing;
  for (size_t i = 0; i < body.first.size(); ++i) {
    states.push_back(copyOf(body.first[i]));
    Value &state = net.values[states.back()];
    for (size_t d = 0; d < state.shape.size(); ++d)
      if (growth[i][d])
        state.shape[d] = flattener.parameter(body.graph->inputs[i + 2 * body.isLoop].name, d);
    if (growsAt(growth[i])) {
      growing.push_back(states.back());
    } else {
      op.inputs.push_back(body.first[i]);
      op.outputs.push_back(states.back());
    }
  }
  llvm::append_range(op.outputs, growing);
  net.ops.push_back(std::move(op));
  return states;
}

/// A state of `first` places before the first of `rounds`, `during` one and `next` behind it, grows
/// by the same number in each: so many are the most during a round and `after` the last.
static void limitGrowth(Dims &dims, const Dim &first, const Dim &rounds, const Dim &during,
                        const Dim &next, const Dim &after) {
  Dim step = dims.subtract(next, during);
  if (!step.isNumber() || step.constant < 1)
    return;
  Dim most = dims.add(first, dims.multiply(rounds, step));
  for (const Dim *size : {&during, &after})
    if (!size->isNumber())
      dims.limit(*size, most);
}

/// The operation that a loop which begins at `begin` ends with. Its results are states, those that
/// grow, and one place for each round of what rounds add.
bool Unfolder::finish(const Body &body, size_t begin, llvm::ArrayRef<int> states,
                      llvm::ArrayRef<int> results, const Growth &growth) {
  Op op = boundary("LoopEnd");
  auto grows = [&](size_t i) { return i < body.states && growsAt(growth[i]); };
  for (bool isGrowing : {false, true})
    for (size_t i = 0; i < results.size(); ++i) {
      bool isState = i < body.states && !grows(i);
      if (isState == isGrowing)
        continue;
      int id = copyOf(results[i]);
      Value &value = net.values[id];
      if (i >= body.states)
        value.shape.insert(value.shape.begin(), body.rounds);
      for (size_t d = 0; grows(i) && d < growth[i].size(); ++d)
        if (growth[i][d]) {
          Dim next = std::exchange(
              value.shape[d],
              flattener.parameter(i < node.outputs.size() ? node.outputs[i] : node.op, d));
          limitGrowth(net.dims, net.values[body.first[i]].shape[d], body.rounds,
                      net.values[states[i]].shape[d], next, value.shape[d]);
        }
      op.inputs.push_back(results[i]);
      op.outputs.push_back(id);
      op.constant += isState;
      if (!result(i, id))
        return false;
    }
  net.ops[begin].numbers = {static_cast<int64_t>(net.ops.size())};
  net.ops.push_back(std::move(op));
  for (int value : results)
    net.values[value].isRead = true;
  return true;
}

/// As many rounds as its count says, where nothing ends it before; else a parameter.
bool Unfolder::loop() {
  const Attribute *graph = node.find("body");
  if (!graph || !graph->graph || inputs.size() < 2)
    return flattener.fail(node, "it has no graph");
  Body body = {graph->graph.get(), inputs.size() - 2, {}, inputs.drop_front(2), {}, {}, true};
  // The condition goes on through identities, or is a constant of the body.
  llvm::StringRef condition = body.graph->outputs.empty() ? "" : body.graph->outputs[0].name;
  bool goesOn = false;
  for (size_t steps = 0; steps < body.graph->nodes.size() + 1 && !goesOn; ++steps) {
    goesOn = body.graph->inputs.size() > 1 && condition == body.graph->inputs[1].name;
    const Node *maker = nullptr;
    for (const Node &one : body.graph->nodes)
      if (llvm::is_contained(one.outputs, condition))
        maker = &one;
    if (maker && maker->op == "Constant") {
      const Attribute *value = maker->find("value");
      goesOn = value && value->tensor && !value->tensor->integers.empty() &&
               value->tensor->integers[0] != 0;
      break;
    }
    if (!maker || (maker->op != "Identity" && maker->op != "Cast") || maker->inputs.empty())
      break;
    condition = maker->inputs[0];
  }
  if (int outer = names.find(condition); !goesOn && outer >= 0)
    goesOn = net.number(outer).getValueOr(0) != 0;
  for (const Tensor &tensor : body.graph->initializers)
    if (tensor.name == condition && !tensor.integers.empty())
      goesOn = tensor.integers[0] != 0;
  llvm::Optional<Dim> count;
  if (input(0) >= 0 && net.values[input(0)].content && net.values[input(0)].content->size() == 1)
    count = net.values[input(0)].content->front().whole;
  bool isEndless = count && count->isNumber() && count->constant > (int64_t(1) << 40);
  if (input(1) >= 0 && net.number(input(1)).getValueOr(1) == 0)
    count = Dim(0);
  if (!goesOn || !count || isEndless)
    count = flattener.parameter("rounds", flattener.nodeNumber());
  body.rounds = *count;
  return run(body);
}

bool Unfolder::scan() {
  const Attribute *graph = node.find("body"), *count = node.find("num_scan_inputs");
  if (!graph || !graph->graph || !count || count->integer < 1 ||
      count->integer > static_cast<int64_t>(inputs.size()))
    return flattener.fail(node, "it has no graph, or no tensors that its rounds take parts of");
  size_t states = inputs.size() - static_cast<size_t>(count->integer);
  Body body = {graph->graph.get(),        states, {},   inputs.take_front(states),
               inputs.drop_front(states), {},     false};
  const Attribute *given = node.find("scan_input_axes");
  for (size_t i = 0; i < body.sliced.size(); ++i) {
    if (body.sliced[i] < 0)
      return flattener.fail(node, "a tensor that its rounds take parts of is missing");
    const Shape &shape = net.values[body.sliced[i]].shape;
    auto rank = static_cast<int64_t>(shape.size());
    int64_t axis = given && i < given->integers.size() ? given->integers[i] : 0;
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis >= rank)
      return flattener.fail(node, "its axis is outside the operand");
    body.axes.push_back(axis);
    body.rounds = shape[static_cast<size_t>(axis)];
  }
  return run(body);
}
