// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file, a document in JSON: {format, model, inputs, stored, nodes, outputs}. A tensor is {name,
// shape, dtype}, where an extent may be a name. A node is {name, op, arguments, results}; of an
// argument {"node": NAME, "result": N} is a tensor, and others are plain.
#include "frontend/import/torch/Torch.h"
#include "ir/common/JsonText.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::torch;
using graph::Attribute;
using graph::Node;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr size_t mostRanks = 16;

class Reader {
public:
  Reader(graph::Model &model, WireError &error) : model(model), error(error) {}
  bool run(const Object &document);

private:
  bool tensor(const llvm::json::Value &from, graph::ValueInfo &info);
  bool inputs(const Object &document);
  bool stored(const Object &document);
  bool node(const Object &from);
  bool argument(Node &node, llvm::StringRef name, const llvm::json::Value &value);
  void write(llvm::StringRef op, size_t index);
  llvm::StringRef latest(llvm::StringRef tensor) const;
  llvm::StringRef resultName(llvm::StringRef node, int64_t result) {
    return model.keep(result ? fmt::format("{}#{}", node, result) : node.str());
  }
  bool fail(std::string reason) {
    error = {0, std::move(reason)};
    return false;
  }

  graph::Model &model;
  WireError &error;
  llvm::StringMap<llvm::StringRef> wholes; ///< by a part of a tensor, the tensor
  /// By a tensor that something was written into, what it is since then.
  llvm::StringMap<llvm::StringRef> current;
  llvm::StringMap<graph::ValueInfo> made;
};

} // namespace

static int32_t typeOf(llvm::StringRef name) {
  return llvm::StringSwitch<int32_t>(name)
      .Case("float32", graph::Float)
      .Case("float16", graph::Float16)
      .Case("bfloat16", graph::Bfloat16)
      .Case("float64", graph::Double)
      .Case("float8_e4m3fn", graph::Float8First)
      .Case("float8_e5m2", graph::Float8Last - 1)
      .Case("int64", graph::Int64)
      .Case("int32", graph::Int32)
      .Case("int16", graph::Int16)
      .Case("int8", graph::Int8)
      .Case("uint8", graph::Uint8)
      .Case("bool", graph::Bool)
      .Default(graph::NoType);
}

bool Reader::tensor(const llvm::json::Value &from, graph::ValueInfo &info) {
  const Object *object = from.getAsObject();
  const Array *shape = object ? object->getArray("shape") : nullptr;
  if (!shape)
    return fail("a tensor has no shape");
  info.name = model.keep(object->getString("name").getValueOr("").str());
  info.type = typeOf(object->getString("dtype").getValueOr(""));
  info.hasShape = true;
  if (shape->size() > mostRanks)
    return fail(
        fmt::format("the tensor `{}` has more than 16 dimensions", graph::shown(info.name)));
  for (const llvm::json::Value &extent : *shape) {
    auto number = extent.getAsInteger();
    auto name = extent.getAsString();
    if (number ? *number < 0 : !name || name->empty())
      return fail(fmt::format("the tensor `{}` has a dimension that is neither a number nor a name",
                              graph::shown(info.name)));
    info.shape.push_back({number ? *number : -1, number ? "" : model.keep(name->str())});
  }
  return true;
}

bool Reader::inputs(const Object &document) {
  const Array *list = document.getArray("inputs");
  for (size_t i = 0; list && i < list->size(); ++i) {
    model.graph.inputs.emplace_back();
    if (!tensor((*list)[i], model.graph.inputs.back()))
      return false;
  }
  return true;
}

bool Reader::stored(const Object &document) {
  const Array *list = document.getArray("stored");
  for (size_t i = 0; list && i < list->size(); ++i) {
    graph::ValueInfo info;
    const Object *object = (*list)[i].getAsObject();
    if (!tensor((*list)[i], info))
      return false;
    graph::Tensor made;
    made.name = info.name;
    made.type = info.type;
    made.isConstant = object && object->getBoolean("buffer").getValueOr(false);
    for (const graph::DeclaredDim &dim : info.shape) {
      if (dim.value < 0)
        return fail(
            fmt::format("the stored tensor `{}` has an open dimension", graph::shown(info.name)));
      made.dims.push_back(dim.value);
      if (llvm::MulOverflow(made.elements, dim.value, made.elements))
        return fail(fmt::format("the tensor `{}` is too large", graph::shown(info.name)));
    }
    model.graph.initializers.push_back(std::move(made));
  }
  return true;
}

/// A tensor, a number, a text, or a list of such.
bool Reader::argument(Node &node, llvm::StringRef name, const llvm::json::Value &value) {
  Attribute attribute;
  attribute.name = model.keep(name.str());
  auto reference = [&](const llvm::json::Value &one, std::vector<int64_t> &list) {
    const Object *object = one.getAsObject();
    auto from = object ? object->getString("node") : llvm::None;
    if (!from)
      return false;
    list.push_back(static_cast<int64_t>(node.inputs.size()));
    node.inputs.push_back(latest(resultName(*from, object->getInteger("result").getValueOr(0))));
    attribute.text = tensorMark;
    return true;
  };
  auto plain = [&](const llvm::json::Value &one) {
    if (one.getAsNull()) // nothing at that place of a list
      attribute.integers.push_back(-1);
    else if (auto truth = one.getAsBoolean())
      attribute.integers.push_back(*truth);
    else if (auto whole = one.getAsInteger())
      attribute.integers.push_back(*whole);
    else if (auto text = one.getAsString())
      attribute.text = model.keep(text->str());
    else if (one.getAsObject())
      attribute.text = openMark;
    if (auto real = one.getAsNumber())
      attribute.reals.push_back(*real);
  };
  if (value.getAsNull())
    return true;
  if (const Array *list = value.getAsArray()) {
    for (const llvm::json::Value &one : *list)
      if (!reference(one, attribute.integers))
        plain(one);
  } else if (!reference(value, attribute.integers)) {
    plain(value);
  }
  attribute.integer = attribute.integers.empty() ? 0 : attribute.integers.front();
  attribute.real =
      attribute.reals.empty() ? static_cast<double>(attribute.integer) : attribute.reals.front();
  node.attributes.push_back(std::move(attribute));
  return true;
}

/// Whether the result is a part of the operand, or all of it in another order: what is written into
/// the one is in the other.
static bool isPart(llvm::StringRef op) {
  static constexpr llvm::StringLiteral parts[] = {"alias",     "detach", "narrow",    "permute",
                                                  "select",    "slice",  "squeeze",   "t",
                                                  "transpose", "unbind", "unsqueeze", "view"};
  return llvm::is_contained(parts, op);
}

llvm::StringRef Reader::latest(llvm::StringRef tensor) const {
  // No more steps than there are entries, in case names are given twice.
  for (size_t i = 0; i < current.size(); ++i) {
    auto found = current.find(tensor);
    if (found == current.end())
      break;
    tensor = found->second;
  }
  return tensor;
}

/// Keeps track of what node `index`, of ATen's operator `op`, writes into its first operand: what
/// reads this behind it, or the tensor that this is a part of, reads what was written.
void Reader::write(llvm::StringRef op, size_t index) {
  const Node &node = model.graph.nodes[index];
  const Attribute *self = node.find("self");
  if (!self || self->text != tensorMark || self->integers.size() != 1 || node.outputs.empty())
    return;
  llvm::StringRef operand = node.inputs[static_cast<size_t>(self->integer)],
                  result = node.outputs[0];
  auto found = wholes.find(operand);
  bool isWhole = found == wholes.end();
  llvm::StringRef whole = isWhole ? operand : found->second;
  if (isPart(node.op))
    for (llvm::StringRef output : node.outputs)
      wholes[output] = whole;
  if (!op.endswith("_") || op.endswith("__"))
    return;
  current[operand] = result;
  whole = latest(whole);
  auto info = made.find(whole);
  if (isWhole || info == made.end())
    return;
  wholes[result] = whole;
  model.graph.nodes.emplace_back();
  Node &put = model.graph.nodes.back();
  put.name = model.keep(node.name.str() + ".whole");
  put.op = "copy_";
  put.domain = domain;
  put.inputs = {whole, result};
  put.outputs = {put.name};
  model.graph.values.push_back(info->second);
  model.graph.values.back().name = put.name;
  made[put.name] = model.graph.values.back();
  current[whole] = put.name;
}

bool Reader::node(const Object &from) {
  auto name = from.getString("name"), op = from.getString("op");
  const Array *results = from.getArray("results");
  if (!name || !op || op->empty() || !results)
    return fail("a node has no name, operator or results");
  model.graph.nodes.emplace_back();
  Node &node = model.graph.nodes.back();
  node.name = model.keep(name->str());
  // `aten.add_.Tensor`: what is done in place is done all the same, and types are told apart
  // anyway.
  llvm::StringRef own = *op;
  bool isAten = own.consume_front("aten.");
  own = isAten ? own.split('.').first : own.rsplit('.').first; // without the overload
  if (own.size() > 1 && !own.endswith("__"))
    own.consume_back("_");
  node.op = model.keep(own.str());
  node.domain = isAten ? domain : graph::othersDomain;
  if (const Object *arguments = from.getObject("arguments")) {
    std::vector<llvm::StringRef> names;
    for (const auto &entry : *arguments)
      names.push_back(entry.first);
    llvm::sort(names); // no order of a hash
    for (llvm::StringRef one : names)
      if (!argument(node, one, *arguments->get(one)))
        return false;
  }
  for (size_t i = 0; i < results->size(); ++i) {
    node.outputs.push_back("");
    if ((*results)[i].getAsNull())
      continue;
    graph::ValueInfo info;
    if (!tensor((*results)[i], info))
      return false;
    info.name = resultName(*name, static_cast<int64_t>(i));
    node.outputs.back() = info.name;
    model.graph.values.push_back(std::move(info));
    made[model.graph.values.back().name] = model.graph.values.back();
  }
  if (isAten)
    write(op->drop_front(5).split('.').first, model.graph.nodes.size() - 1);
  return true;
}

bool Reader::run(const Object &document) {
  if (document.getString("format").getValueOr("") != "perfc torch 1")
    return fail("its `format` is not \"perfc torch 1\"");
  if (!inputs(document) || !stored(document))
    return false;
  const Array *nodes = document.getArray("nodes"), *outputs = document.getArray("outputs");
  if (!nodes || !outputs)
    return fail("it has no list of nodes, or none of outputs");
  for (const llvm::json::Value &one : *nodes) {
    const Object *object = one.getAsObject();
    if (!object || !node(*object))
      return object ? false : fail("a node is no object");
  }
  for (const llvm::json::Value &one : *outputs) {
    const Object *object = one.getAsObject();
    auto from = object ? object->getString("node") : llvm::None;
    if (!from)
      return fail("an output is no tensor of a node");
    model.graph.outputs.emplace_back();
    model.graph.outputs.back().name =
        latest(resultName(*from, object->getInteger("result").getValueOr(0)));
  }
  model.operatorSets.emplace_back("", 17);
  model.foldsWeights = false;
  model.expansions = expansions();
  return true;
}

bool torch::readModel(llvm::StringRef bytes, graph::Model &model, WireError &error) {
  JsonProblem problem;
  auto document = parseJson(bytes, problem);
  const Object *object = document ? document->getAsObject() : nullptr;
  if (document && !object)
    problem.reason = "it is no object";
  if (!object) {
    error = {problem.byte, problem.reason};
    return false;
  }
  return Reader(model, error).run(*object);
}
