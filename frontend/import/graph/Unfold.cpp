// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences and optional values, which are known while the graph is read, and loops: LoopBegin (the
// states before) -> the states in a round, the body, LoopEnd (the states behind a round) -> the
// states behind all rounds. A loop whose states change their shapes is unrolled.
#include "frontend/import/graph/Flattener.h"

using namespace perfc;
using namespace perfc::graph;

namespace {

/// Rounds of a loop that is unrolled.
constexpr int64_t mostUnrolled = 256;
constexpr size_t mostItems = 4096;

class Unfolder {
public:
  Unfolder(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names)
      : flattener(flattener), net(flattener.net), node(node), inputs(inputs), names(names) {}

  bool sequence(bool &isKnown);
  bool loop();
  bool scan();

private:
  int input(size_t index) const { return index < inputs.size() ? inputs[index] : -1; }
  bool result(size_t index, int value) {
    return index >= node.outputs.size() || flattener.bind(node, node.outputs[index], value, names);
  }
  int sequenceOf(std::vector<int> items);
  int whole(int64_t value);
  int make(llvm::StringRef type, std::vector<int> operands, int64_t axis);
  const std::vector<int> *itemsOf(int value);
  llvm::Optional<size_t> position(size_t input, size_t count, size_t otherwise);
  bool split();
  bool join();

  struct Body {
    const Graph *graph;
    size_t states; ///< how many go from round to round
    Dim rounds;
    std::vector<int> first;    ///< the states before
    std::vector<int> sliced;   ///< of Scan: tensors of which each round takes a part
    std::vector<int64_t> axes; ///< along these dimensions
    bool isLoop;               ///< its first inputs are the round and a condition
  };
  bool run(const Body &body);
  bool once(const Body &body, llvm::ArrayRef<int> states, llvm::Optional<int64_t> round,
            std::vector<int> &results);
  bool unroll(const Body &body);
  bool keepsShapes(llvm::ArrayRef<int> before, llvm::ArrayRef<int> after) const;
  int slice(int value, int64_t axis, llvm::Optional<int64_t> round);

  Flattener &flattener;
  Net &net;
  const Node &node;
  llvm::ArrayRef<int> inputs;
  Names &names;
};

} // namespace

int Unfolder::sequenceOf(std::vector<int> items) {
  int id = flattener.add();
  Value &value = net.values[id];
  value.hasShape = value.isStored = true; // it is its items, which are costed where they are made
  value.items = std::move(items);
  return id;
}

int Unfolder::whole(int64_t number) {
  int id = flattener.add();
  Value &value = net.values[id];
  value.type = Int64;
  value.hasShape = value.isStored = true;
  value.content = std::vector<Scalar>{Dim(number)};
  return id;
}

int Unfolder::make(llvm::StringRef type, std::vector<int> operands, int64_t axis) {
  Node made;
  made.op = type;
  made.name = node.name;
  made.offset = node.offset;
  Attribute attribute;
  attribute.name = type == "Unsqueeze" ? "axes" : "axis";
  attribute.integer = axis;
  attribute.integers = {axis};
  made.attributes.push_back(std::move(attribute));
  int id = flattener.add();
  return flattener.apply(flattener.newNode(std::move(made)), node, operands, {id}, nullptr) ? id
                                                                                            : -1;
}

const std::vector<int> *Unfolder::itemsOf(int value) {
  if (value >= 0 && net.values[value].items)
    return &*net.values[value].items;
  flattener.fail(node, "what its sequence holds is not known");
  return nullptr;
}

/// The known number in `input`, counted from the end where it is negative.
llvm::Optional<size_t> Unfolder::position(size_t index, size_t count, size_t otherwise) {
  if (input(index) < 0)
    return otherwise;
  llvm::Optional<double> number = net.number(input(index));
  auto place = number ? static_cast<int64_t>(*number) : INT64_MAX;
  place = place < 0 ? place + static_cast<int64_t>(count) : place;
  if (place >= 0 && place <= static_cast<int64_t>(count))
    return static_cast<size_t>(place);
  flattener.fail(node, "its place in the sequence is not known, or not in it");
  return llvm::None;
}

/// Parts of one size each, or of the sizes that are given.
bool Unfolder::split() {
  if (input(0) < 0)
    return flattener.fail(node, "operand 1 is missing");
  const Attribute *given = node.find("axis"), *keeps = node.find("keepdims");
  int64_t axis = given ? given->integer : 0;
  const Shape shape = net.values[input(0)].shape;
  axis = axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis;
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return flattener.fail(node, "its axis is outside the operand");
  const Dim &extent = shape[static_cast<size_t>(axis)];
  std::vector<Dim> sizes;
  bool isSingle = input(1) < 0;
  if (!isSingle && net.values[input(1)].content && !net.values[input(1)].shape.empty()) {
    for (const Scalar &scalar : *net.values[input(1)].content)
      sizes.push_back(scalar.whole);
  } else {
    llvm::Optional<double> size = isSingle ? 1.0 : net.number(input(1));
    if (!size || *size < 1 || !extent.isNumber() || extent.constant > mostKeptElements)
      return flattener.fail(node, "the sizes of its parts are not known");
    for (int64_t left = extent.constant; left > 0; left -= static_cast<int64_t>(*size))
      sizes.push_back(std::min(left, static_cast<int64_t>(*size)));
  }
  std::vector<int> items;
  Dim at = 0;
  for (const Dim &size : sizes) {
    auto list = [&](const Dim &one) {
      int id = whole(0);
      net.values[id].shape = {1};
      net.values[id].content = std::vector<Scalar>{one};
      return id;
    };
    Dim next = net.dims.add(at, size);
    int part = make("Slice", {input(0), list(at), list(next), list(axis)}, 0);
    if (part >= 0 && isSingle && keeps && keeps->integer == 0)
      part = make("Squeeze", {part, list(axis)}, 0);
    if (part < 0)
      return false;
    items.push_back(part);
    at = next;
  }
  return result(0, sequenceOf(std::move(items)));
}

bool Unfolder::join() {
  const std::vector<int> *items = itemsOf(input(0));
  if (!items)
    return false;
  if (items->empty())
    return flattener.fail(node, "its sequence is empty");
  const Attribute *axis = node.find("axis"), *isNew = node.find("new_axis");
  std::vector<int> parts = *items;
  for (int &part : parts)
    if (isNew && isNew->integer != 0 && (part = make("Unsqueeze", {part}, axis->integer)) < 0)
      return false;
  int value = make("Concat", parts, axis ? axis->integer : 0);
  return value >= 0 && result(0, value);
}

bool Unfolder::sequence(bool &isKnown) {
  llvm::StringRef op = node.op;
  isKnown = true;
  if (op == "SequenceConstruct")
    return result(0, sequenceOf(inputs));
  if (op == "SequenceEmpty")
    return result(0, sequenceOf({}));
  if (op == "SplitToSequence")
    return split();
  if (op == "ConcatFromSequence")
    return join();
  if (op == "Optional" || op == "OptionalGetElement")
    return input(0) >= 0 ? result(0, input(0)) : result(0, sequenceOf({}));
  if (op == "OptionalHasElement")
    return result(0, whole(input(0) >= 0));
  bool isPlaced = op == "SequenceAt" || op == "SequenceInsert" || op == "SequenceErase";
  if (!isPlaced && op != "SequenceLength") {
    isKnown = false;
    return true;
  }
  const std::vector<int> *items = itemsOf(input(0));
  if (!items)
    return false;
  auto count = static_cast<int64_t>(items->size());
  if (op == "SequenceLength")
    return result(0, whole(count));
  bool isInsert = op == "SequenceInsert";
  auto place =
      position(isInsert ? 2 : 1, items->size(), isInsert ? items->size() : items->size() - 1);
  if (!place || (!isInsert && *place >= items->size()))
    return place && flattener.fail(node, "its place is not in the sequence");
  if (op == "SequenceAt")
    return result(0, (*items)[*place]);
  std::vector<int> changed = *items;
  if (changed.size() >= mostItems)
    return flattener.fail(node, "its sequence is too long");
  if (isInsert)
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(*place), input(1));
  else
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(*place));
  return result(0, sequenceOf(std::move(changed)));
}

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

bool Unfolder::keepsShapes(llvm::ArrayRef<int> before, llvm::ArrayRef<int> after) const {
  for (size_t i = 0; i < before.size(); ++i) {
    const Value &a = net.values[before[i]], &b = net.values[after[i]];
    if (a.items || b.items || a.shape != b.shape)
      return false;
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
  size_t ops = net.ops.size(), values = net.values.size();
  // States in a round are new values of the same shapes.
  Node begin;
  begin.op = "LoopBegin";
  begin.offset = node.offset;
  std::vector<int> states;
  for (int before : body.first) {
    states.push_back(flattener.add());
    Value &state = net.values[states.back()];
    state.type = net.values[before].type;
    state.shape = net.values[before].shape;
    state.hasShape = true;
    state.maker = static_cast<int>(ops);
  }
  net.ops.emplace_back();
  net.ops.back().type = "LoopBegin";
  net.ops.back().node = &flattener.newNode(std::move(begin));
  net.ops.back().number = flattener.nodeNumber();
  net.ops.back().inputs = body.first;
  net.ops.back().outputs = states;
  net.ops.back().rounds = body.rounds;
  std::vector<int> results;
  if (!once(body, states, llvm::None, results))
    return false;
  if (!keepsShapes(states, llvm::ArrayRef<int>(results).take_front(body.states))) {
    if (!isCounted || body.rounds.constant > mostUnrolled)
      return flattener.fail(node, "its states change their shapes, in rounds that are not counted");
    net.ops.resize(ops);
    net.values.resize(values);
    return unroll(body);
  }
  std::vector<int> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    const Value made = net.values[results[i]];
    int id = flattener.add();
    Value &value = net.values[id];
    value.type = made.type;
    value.shape = made.shape;
    value.hasShape = true;
    value.maker = static_cast<int>(net.ops.size());
    if (i >= body.states)
      value.shape.insert(value.shape.begin(), body.rounds);
    outputs.push_back(id);
    if (i < node.outputs.size() && !result(i, id))
      return false;
  }
  Node end;
  end.op = "LoopEnd";
  end.offset = node.offset;
  net.ops.emplace_back();
  net.ops.back().type = "LoopEnd";
  net.ops.back().node = &flattener.newNode(std::move(end));
  net.ops.back().number = flattener.nodeNumber();
  net.ops.back().inputs = results;
  net.ops.back().outputs = outputs;
  net.ops.back().constant = static_cast<double>(body.states);
  net.ops[ops].numbers = {static_cast<int64_t>(net.ops.size()) - 1};
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

bool graph::unfold(Flattener &flattener, const Node &node, llvm::ArrayRef<int> inputs, Names &names,
                   bool &isKnown) {
  isKnown = false;
  if (!node.domain.empty())
    return true;
  Unfolder unfolder(flattener, node, inputs, names);
  if (node.op == "Loop" || node.op == "Scan") {
    isKnown = true;
    return node.op == "Loop" ? unfolder.loop() : unfolder.scan();
  }
  return unfolder.sequence(isKnown);
}
