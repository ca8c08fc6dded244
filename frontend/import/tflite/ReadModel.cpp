// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file as a graph: the first subgraph is the model, others are functions that nodes call.
#include "Tflite_generated.h"
#include "frontend/import/tflite/Operators.h"
#include "frontend/import/tflite/Tflite.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::tflite;
using graph::Attribute;
using graph::DeclaredDim;
using graph::Node;

namespace {

constexpr size_t mostRanks = 16;
constexpr int64_t mostKeptReals = 64;

class Reader {
public:
  Reader(llvm::StringRef bytes, graph::Model &model, WireError &error)
      : bytes(bytes), model(model), error(error),
        verifier(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()),
        left(bytes.size() + 64) {}

  bool run();

private:
  struct SubGraph {
    const file::SubGraph *from = nullptr;
    std::vector<llvm::StringRef> names; ///< of its tensors
    std::vector<bool> isStored, isMade, isRead;
  };

  bool subGraph(size_t index);
  bool tensor(SubGraph &at, size_t index, std::deque<graph::Tensor> &stored,
              std::vector<graph::ValueInfo> &values);
  bool values(const file::Tensor &from, const file::Buffer &buffer, graph::Tensor &to);
  bool shape(const file::Tensor &from, graph::ValueInfo &info);
  bool node(SubGraph &at, const file::Operator &from, std::deque<Node> &nodes);
  bool names(SubGraph &at, const flatbuffers::Vector<int32_t> *list,
             std::vector<llvm::StringRef> &result, std::vector<bool> &marks);
  bool option(const flatbuffers::Table &table, const Option &option, Attribute &attribute);
  bool code(const file::Operator &from, Node &node);
  Node call(int64_t graph, std::vector<llvm::StringRef> inputs,
            std::vector<llvm::StringRef> outputs, uint64_t offset);
  bool branch(Node &node);
  bool loop(Node &node);

  uint64_t offsetOf(const void *part) const {
    return static_cast<uint64_t>(static_cast<const char *>(part) - bytes.data());
  }
  bool fail(const void *part, std::string reason) {
    error = {part ? offsetOf(part) : 0, std::move(reason)};
    return false;
  }
  /// Parts may be shared, so that a small file can declare many: they are no more than its bytes.
  bool spend(const void *at, size_t parts) {
    bool isEnough = parts <= left;
    left -= isEnough ? parts : left;
    return isEnough || fail(at, "the file declares too many operators and tensors");
  }

  llvm::StringRef bytes;
  graph::Model &model;
  WireError &error;
  flatbuffers::Verifier verifier;
  const file::Model *root = nullptr;
  llvm::StringSet<> taken; ///< names of tensors
  size_t left;
  int64_t kept = 1 << 20; ///< elements of stored tensors that may be kept
};

} // namespace

static llvm::StringRef textOf(const flatbuffers::String *text) {
  return text ? llvm::StringRef(text->c_str(), text->size()) : llvm::StringRef();
}

/// TensorType of the format.
static int32_t typeOf(int8_t type) {
  static constexpr int32_t types[] = {graph::Float,  graph::Float16, graph::Int32,   graph::Uint8,
                                      graph::Int64,  graph::String,  graph::Bool,    graph::Int16,
                                      graph::NoType, graph::Int8,    graph::Double,  graph::NoType,
                                      graph::Uint64, graph::NoType,  graph::NoType,  graph::Uint32,
                                      graph::Uint16, graph::Int4,    graph::Bfloat16};
  return type >= 0 && static_cast<size_t>(type) < std::size(types) ? types[type]
                                                                   : int32_t(graph::NoType);
}

bool Reader::shape(const file::Tensor &from, graph::ValueInfo &info) {
  const auto *shape = from.shape(), *open = from.shape_signature();
  size_t rank = shape ? shape->size() : 0;
  if (rank > mostRanks)
    return fail(&from, "a tensor has more than 16 dimensions");
  if (!spend(&from, rank))
    return false;
  info.hasShape = true;
  for (uint32_t i = 0; i < rank; ++i) {
    int64_t extent = shape->Get(i);
    if (open && open->size() == rank && open->Get(i) == -1)
      extent = -1;
    if (extent < -1)
      return fail(&from, fmt::format("the tensor `{}` has a dimension of {}",
                                     graph::shown(info.name), extent));
    // The first dimension counts inputs that are computed side by side.
    info.shape.push_back({extent, extent == -1 && i == 0 ? "batch" : ""});
  }
  return true;
}

/// The values of a small tensor.
bool Reader::values(const file::Tensor &from, const file::Buffer &buffer, graph::Tensor &to) {
  for (int64_t extent : to.dims)
    if (llvm::MulOverflow(to.elements, extent, to.elements))
      return fail(&from, fmt::format("the tensor `{}` is too large", graph::shown(to.name)));
  int64_t bits = 0;
  unsigned size = graph::bitsOf(to.type);
  if (llvm::MulOverflow(to.elements, static_cast<int64_t>(size), bits))
    return fail(&from, fmt::format("the tensor `{}` is too large", graph::shown(to.name)));
  const auto *data = buffer.data();
  if (!data || from.sparsity())
    return true;
  uint64_t needed = static_cast<uint64_t>(bits + 7) / 8;
  if (size && data->size() != needed)
    return fail(&from, fmt::format("the tensor `{}` needs {} bytes, but {} are stored",
                                   graph::shown(to.name), needed, data->size()));
  bool isReal = graph::isFloating(to.type);
  int64_t most = isReal ? mostKeptReals : graph::mostKeptElements;
  if (to.elements > most || to.elements > kept || size < 8 || (isReal && to.type != graph::Float))
    return true;
  kept -= to.elements;
  for (int64_t i = 0; i < to.elements; ++i) {
    uint64_t raw = 0; // little-endian, as the file
    std::memcpy(&raw, data->Data() + i * (size / 8), size / 8);
    bool isSigned = to.type == graph::Int8 || to.type == graph::Int16 || to.type == graph::Int32;
    unsigned shift = 64 - size;
    if (isReal)
      to.reals.push_back(llvm::BitsToFloat(static_cast<uint32_t>(raw)));
    else
      to.integers.push_back(isSigned ? static_cast<int64_t>(raw << shift) >> shift
                                     : static_cast<int64_t>(raw));
  }
  return true;
}

bool Reader::tensor(SubGraph &at, size_t index, std::deque<graph::Tensor> &stored,
                    std::vector<graph::ValueInfo> &values) {
  const file::Tensor *from = at.from->tensors()->Get(static_cast<uint32_t>(index));
  llvm::StringRef name = textOf(from->name());
  // Operators name tensors by numbers; names need be neither there nor different.
  while (name.empty() || !taken.insert(name).second)
    name = model.keep(fmt::format("{}#{}", name, index));
  at.names.push_back(name);
  graph::ValueInfo info;
  info.name = name;
  info.type = typeOf(from->type());
  info.offset = offsetOf(from);
  if (!spend(from, 16) || !shape(*from, info))
    return false;
  const auto *buffers = root->buffers();
  if (from->buffer() && (!buffers || from->buffer() >= buffers->size()))
    return fail(from, fmt::format("the tensor `{}` is stored in a buffer that is not there",
                                  graph::shown(name)));
  const file::Buffer *buffer = from->buffer() ? buffers->Get(from->buffer()) : nullptr;
  bool isStored = buffer && ((buffer->data() && buffer->data()->size()) || buffer->size() > 1);
  at.isStored.push_back(isStored);
  if (isStored) {
    graph::Tensor to;
    to.name = name;
    to.type = info.type;
    to.offset = info.offset;
    const auto *scales = from->quantization() ? from->quantization()->scale() : nullptr;
    to.isScaled = scales && scales->size();
    for (const DeclaredDim &dim : info.shape)
      to.dims.push_back(dim.value < 0 ? 1 : dim.value);
    if (!this->values(*from, *buffer, to))
      return false;
    stored.push_back(std::move(to));
  }
  values.push_back(std::move(info));
  return true;
}

bool Reader::names(SubGraph &at, const flatbuffers::Vector<int32_t> *list,
                   std::vector<llvm::StringRef> &result, std::vector<bool> &marks) {
  if (!list)
    return true;
  if (!spend(list, list->size()))
    return false;
  for (int32_t index : *list) {
    if (index < -1 || index >= static_cast<int64_t>(at.names.size()))
      return fail(list, fmt::format("there is no tensor {} in the graph", index));
    result.push_back(index < 0 ? llvm::StringRef() : at.names[static_cast<size_t>(index)]);
    if (index >= 0)
      marks[static_cast<size_t>(index)] = true;
  }
  return true;
}

bool Reader::option(const flatbuffers::Table &table, const Option &option, Attribute &attribute) {
  auto place = static_cast<flatbuffers::voffset_t>(4 + 2 * option.place);
  attribute.name = option.name;
  attribute.integer = option.otherwise;
  bool isSound = true;
  switch (option.kind) {
  case OptionKind::Byte:
    isSound = table.VerifyField<uint8_t>(verifier, place, 1);
    if (isSound)
      attribute.integer = table.GetField<uint8_t>(place, 0);
    break;
  case OptionKind::Int:
    isSound = table.VerifyField<int32_t>(verifier, place, 4);
    if (isSound)
      attribute.integer = table.GetField<int32_t>(place, static_cast<int32_t>(option.otherwise));
    break;
  case OptionKind::Real:
    isSound = table.VerifyField<float>(verifier, place, 4);
    if (isSound)
      attribute.real = static_cast<double>(table.GetField<float>(place, 0));
    break;
  case OptionKind::Ints: {
    using List = flatbuffers::Vector<int32_t>;
    isSound = table.VerifyOffset(verifier, place);
    const auto *list = isSound ? table.GetPointer<const List *>(place) : nullptr;
    isSound = isSound && verifier.VerifyVector(list);
    if (isSound && list) {
      if (!spend(list, list->size()))
        return false;
      attribute.integers.assign(list->begin(), list->end());
    }
    break;
  }
  }
  return isSound || fail(&table, "the options of an operator are damaged");
}

/// Sets operator, domain and attributes.
bool Reader::code(const file::Operator &from, Node &node) {
  const auto *codes = root->codes();
  if (!codes || from.code() >= codes->size())
    return fail(&from, "an operator has a code that is not there");
  const file::OperatorCode &code = *codes->Get(from.code());
  int64_t number = std::max<int64_t>(code.code(), code.short_code());
  node.op = nameOfCode(number);
  node.domain = domain;
  if (node.op.empty()) {
    node.op = model.keep(fmt::format("OPERATOR_{}", number));
    return true;
  }
  if (node.op == "CUSTOM") {
    node.domain = graph::othersDomain;
    if (llvm::StringRef own = textOf(code.custom()); !own.empty())
      node.op = own;
    return true;
  }
  // Without a table all options are what they are where they are not given.
  const file::Any *given = from.later() ? from.later() : from.options();
  const auto *options = reinterpret_cast<const flatbuffers::Table *>(given);
  for (const Option &one : optionsOf(node.op)) {
    Attribute attribute;
    attribute.name = one.name;
    attribute.integer = one.otherwise;
    if (options && !option(*options, one, attribute))
      return false;
    node.attributes.push_back(std::move(attribute));
  }
  return true;
}

Node Reader::call(int64_t graph, std::vector<llvm::StringRef> inputs,
                  std::vector<llvm::StringRef> outputs, uint64_t offset) {
  Node node;
  node.op = model.keep(fmt::format("graph {}", graph));
  node.domain = graphDomain;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.offset = offset;
  return node;
}

/// IF: both of its graphs get the operands behind the condition.
bool Reader::branch(Node &node) {
  std::vector<llvm::StringRef> operands(node.inputs.begin() + (node.inputs.empty() ? 0 : 1),
                                        node.inputs.end());
  std::vector<Attribute> branches;
  for (const auto &[name, option] :
       {std::pair("then_branch", "first"), std::pair("else_branch", "second")}) {
    Attribute attribute;
    attribute.name = name;
    attribute.graph = std::make_unique<graph::Graph>();
    std::vector<llvm::StringRef> results;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      results.push_back(model.keep(fmt::format("{}#{}", name, i)));
      attribute.graph->outputs.emplace_back();
      attribute.graph->outputs.back().name = results.back();
    }
    attribute.graph->nodes.push_back(
        call(node.find(option)->integer, operands, results, node.offset));
    branches.push_back(std::move(attribute));
  }
  node.op = "If";
  node.domain = "";
  node.attributes = std::move(branches);
  return true;
}

/// WHILE: rounds of the second graph; how many the first one says, which only data decide.
bool Reader::loop(Node &node) {
  Attribute body;
  body.name = "body";
  body.graph = std::make_unique<graph::Graph>();
  std::vector<llvm::StringRef> before, after;
  auto value = [&](llvm::StringRef what, size_t index, std::vector<graph::ValueInfo> &list) {
    list.emplace_back();
    list.back().name = model.keep(fmt::format("{}#{}", what, index));
    return list.back().name;
  };
  value("round", 0, body.graph->inputs);
  llvm::StringRef goes = value("goes", 0, body.graph->inputs);
  llvm::StringRef goesOn = value("goes_on", 0, body.graph->outputs);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    before.push_back(value("before", i, body.graph->inputs));
    after.push_back(value("after", i, body.graph->outputs));
  }
  Node keeps;
  keeps.op = "Identity";
  keeps.inputs = {goes};
  keeps.outputs = {goesOn};
  keeps.offset = node.offset;
  body.graph->nodes.push_back(std::move(keeps));
  body.graph->nodes.push_back(call(node.find("second")->integer, before, after, node.offset));
  node.op = "Loop";
  node.domain = "";
  node.inputs.insert(node.inputs.begin(), 2, "");
  node.attributes.clear();
  node.attributes.push_back(std::move(body));
  return true;
}

bool Reader::node(SubGraph &at, const file::Operator &from, std::deque<Node> &nodes) {
  nodes.emplace_back();
  Node &node = nodes.back();
  node.offset = offsetOf(&from);
  if (!spend(&from, 32) || !code(from, node) || !names(at, from.inputs(), node.inputs, at.isRead) ||
      !names(at, from.outputs(), node.outputs, at.isMade))
    return false;
  if (node.domain != domain)
    return true;
  if (node.op == "IF")
    return branch(node);
  if (node.op == "WHILE")
    return loop(node);
  // A larger operator, of which the file also has the smaller ones.
  bool isWhole = node.op == "STABLEHLO_COMPOSITE" && node.find("subgraph")->integer > 0;
  if (node.op == "CALL" || isWhole)
    node = call(node.find("subgraph")->integer, node.inputs, node.outputs, node.offset);
  return true;
}

bool Reader::subGraph(size_t index) {
  SubGraph at;
  at.from = root->graphs()->Get(static_cast<uint32_t>(index));
  std::deque<graph::Tensor> stored;
  std::vector<graph::ValueInfo> values;
  size_t count = at.from->tensors() ? at.from->tensors()->size() : 0;
  for (size_t i = 0; i < count; ++i)
    if (!tensor(at, i, stored, values))
      return false;
  at.isMade.resize(count);
  at.isRead.resize(count);
  std::deque<Node> nodes;
  for (uint32_t i = 0; at.from->operators() && i < at.from->operators()->size(); ++i)
    if (!node(at, *at.from->operators()->Get(i), nodes))
      return false;
  std::vector<llvm::StringRef> inputs, outputs;
  std::vector<bool> isInput(count), isOutput(count);
  if (!names(at, at.from->inputs(), inputs, isInput) ||
      !names(at, at.from->outputs(), outputs, isOutput))
    return false;
  // States that the model keeps are read as they were left.
  for (size_t i = 0; i < count; ++i)
    if (index == 0 && at.isRead[i] && !at.isMade[i] && !at.isStored[i] && !isInput[i])
      inputs.push_back(at.names[i]);
  if (index == 0) {
    llvm::StringMap<const graph::ValueInfo *> infos;
    for (const graph::ValueInfo &info : values)
      infos[info.name] = &info;
    for (llvm::StringRef name : inputs)
      if (!name.empty())
        model.graph.inputs.push_back(*infos[name]);
    for (llvm::StringRef name : outputs)
      if (!name.empty())
        model.graph.outputs.push_back(*infos[name]);
    model.graph.nodes = std::move(nodes);
    model.graph.initializers = std::move(stored);
    model.graph.values = std::move(values);
    return true;
  }
  model.functions.emplace_back();
  graph::Function &function = model.functions.back();
  function.domain = graphDomain;
  function.name = model.keep(fmt::format("graph {}", index));
  function.inputs = std::move(inputs);
  function.outputs = std::move(outputs);
  for (graph::Tensor &tensor : stored) {
    Node constant;
    constant.op = "Constant";
    constant.outputs = {tensor.name};
    constant.offset = tensor.offset;
    constant.attributes.emplace_back();
    constant.attributes.back().name = "value";
    constant.attributes.back().tensor = std::make_unique<graph::Tensor>(std::move(tensor));
    function.nodes.push_back(std::move(constant));
  }
  for (Node &one : nodes)
    function.nodes.push_back(std::move(one));
  function.values = std::move(values);
  return true;
}

bool Reader::run() {
  if (bytes.size() < 8 || bytes.substr(4, 4) != "TFL3")
    return fail(nullptr, "it has no mark `TFL3`, of version 3");
  if (!file::VerifyModelBuffer(verifier))
    return fail(nullptr, "its structure is damaged, or cut off");
  root = file::GetModel(bytes.data());
  if (!root->graphs() || root->graphs()->size() == 0)
    return fail(root, "the file has no graph");
  model.producer = textOf(root->description());
  model.operatorSets.emplace_back("", 17);
  model.expansions = expansions();
  for (size_t i = 0; i < root->graphs()->size(); ++i)
    if (!subGraph(i))
      return false;
  return true;
}

bool tflite::readModel(llvm::StringRef bytes, graph::Model &model, WireError &error) {
  return Reader(bytes, model, error).run();
}
