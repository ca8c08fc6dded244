// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/onnx/Model.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::emit::onnx;

namespace {

/// A format as TensorProto.DataType has it, and the operator set and version of the format of
/// files that know it.
struct Format {
  DType dtype;
  uint64_t type;
  int64_t operatorSet = 17, version = 8;
};

constexpr Format formats[] = {
    {DType::FP32, 1},           {DType::TF32, 1},         {DType::Int8, 3},
    {DType::Int16, 5},          {DType::Int32, 6},        {DType::Int64, 7},
    {DType::Bool, 9},           {DType::FP16, 10},        {DType::FP64, 11},
    {DType::BF16, 16},          {DType::FP8, 17, 19, 9},  {DType::MXFP8, 17, 19, 9},
    {DType::Int4, 22, 21, 10},  {DType::FP4, 23, 23, 11}, {DType::MXFP4, 23, 23, 11},
    {DType::NVFP4, 23, 23, 11},
};

/// Whole numbers of widths that ONNX does not have stand in the next wider ones.
const Format &formatOf(DType dtype) {
  const Format *own =
      llvm::find_if(formats, [&](const Format &format) { return format.dtype == dtype; });
  return own != std::end(formats) ? *own : formatOf(bitsOf(dtype) > 4 ? DType::Int8 : DType::Int4);
}

} // namespace

bool emit::onnx::isReal(DType dtype) { return isFloating(dtype) && bitsOf(dtype) >= 16; }

DType emit::onnx::computedIn(DType dtype) { return isReal(dtype) ? dtype : DType::FP32; }

std::vector<int64_t> emit::onnx::broadcast(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  std::vector<int64_t> shape = a.vec();
  for (size_t i = 0; i < b.size(); ++i)
    if (int64_t &extent = shape[a.size() - b.size() + i]; extent == 1)
      extent = b[i];
  return shape;
}

Model::Model(llvm::ArrayRef<DType> used) {
  for (DType dtype : used) {
    operatorSet = std::max(operatorSet, formatOf(dtype).operatorSet);
    version = std::max(version, formatOf(dtype).version);
  }
}

std::string Model::unique(llvm::StringRef name) {
  std::string base = scope + (name.empty() ? "value" : name.str());
  for (;;) {
    unsigned &count = names[base];
    if (count++ == 0)
      return base;
    std::string numbered = fmt::format("{}_{}", base, count);
    if (names.try_emplace(numbered, 1).second)
      return numbered;
  }
}

Value Model::input(llvm::StringRef name, Type type) {
  inputs.push_back({unique(name), std::move(type)});
  return inputs.back();
}

/// Formats that zeros can have since a later set are converted to.
Value Model::weight(llvm::StringRef name, Type type) {
  bool isPlain = formatOf(type.dtype).operatorSet == 17 && type.dtype != DType::BF16;
  Type made{type.shape, isPlain ? type.dtype : DType::FP32};
  Value zeros =
      node("ConstantOfShape", wholes(type.shape), made, Attribute{"value", Zero{made.dtype}}, name);
  return cast(zeros, type.dtype);
}

/// Several results that are one value are one result; what is an input as well is copied, as a
/// name stands for one of both.
void Model::output(const Value &value) {
  auto isSame = [&](const Value &other) { return other.name == value.name; };
  if (llvm::any_of(results, isSame))
    return;
  results.push_back(value);
  bool isMade =
      llvm::any_of(nodes, [&](const Node &node) { return llvm::any_of(node.outputs, isSame); });
  outputs.push_back(isMade ? value : node("Identity", value, value.type));
}

llvm::StringSet<> Model::readValues() const {
  llvm::StringSet<> read;
  for (const Node &node : nodes)
    for (const std::string &input : node.inputs)
      read.insert(input);
  return read;
}

void Model::outputUnread() {
  llvm::StringSet<> read = readValues();
  for (const Value &value : outputs)
    read.insert(value.name);
  for (size_t i = 0; i < nodes.size(); ++i)
    if (llvm::none_of(nodes[i].outputs,
                      [&](const Value &value) { return read.contains(value.name); }))
      output(Value(nodes[i].outputs.front()));
}

/// Operators that do not take bfloat16 in the sets that are written; most of them do since set 22.
static bool lacksBf16(llvm::StringRef op) {
  static constexpr llvm::StringLiteral names[] = {"AveragePool",
                                                  "Conv",
                                                  "ConvTranspose",
                                                  "Cos",
                                                  "Einsum",
                                                  "HardSigmoid",
                                                  "HardSwish",
                                                  "InstanceNormalization",
                                                  "GlobalAveragePool",
                                                  "MaxPool",
                                                  "Sin"};
  return llvm::is_contained(names, op);
}

Value Model::node(llvm::StringRef op, llvm::ArrayRef<Value> operands, Type result,
                  llvm::ArrayRef<Attribute> attributes, llvm::StringRef name) {
  if (result.dtype == DType::BF16 && lacksBf16(op)) {
    std::vector<Value> wide;
    for (const Value &operand : operands)
      wide.push_back(operand.type.dtype == DType::BF16 ? cast(operand, DType::FP32) : operand);
    return cast(node(op, wide, {result.shape, DType::FP32}, attributes, name), DType::BF16);
  }
  nodes.push_back({op.str(), "", {}, {}, attributes.vec()});
  for (const Value &operand : operands)
    nodes.back().inputs.push_back(operand.name);
  nodes.back().outputs.push_back(
      {unique(name.empty() ? llvm::StringRef(op.lower()) : name), std::move(result)});
  return nodes.back().outputs.front();
}

std::vector<Value> Model::other(llvm::StringRef op, llvm::ArrayRef<Value> operands,
                                llvm::ArrayRef<Type> results,
                                llvm::ArrayRef<Attribute> attributes) {
  nodes.push_back({op.str(), domain.str(), {}, {}, attributes.vec()});
  for (const Value &operand : operands)
    nodes.back().inputs.push_back(operand.name);
  for (const Type &result : results)
    nodes.back().outputs.push_back({unique(op), result});
  return nodes.back().outputs;
}

void Model::define(llvm::StringRef op, llvm::Optional<Function> function) {
  auto [known, isNew] = functions.try_emplace(op.str(), function);
  if (!isNew && !function)
    known->second = llvm::None;
}

//===-- Stored numbers
//------------------------------------------------------------------------------===//

const Value &Model::stored(const std::string &key, Type type, const std::string &raw) {
  auto [known, isNew] = numberOf.try_emplace(key, numbers.size());
  if (isNew) {
    std::string outer;
    std::swap(outer, scope); // all of the graph share it
    numbers.push_back({{unique("constant"), std::move(type)}, raw});
    std::swap(outer, scope);
  }
  return numbers[known->second].first;
}

static std::string rawWholes(llvm::ArrayRef<int64_t> list) {
  WireWriter raw;
  for (int64_t number : list)
    raw.fixed(static_cast<uint64_t>(number), 8);
  return raw.out;
}

Value Model::wholes(llvm::ArrayRef<int64_t> list) {
  return stored(fmt::format("[{}]", fmt::join(list, ",")),
                {{static_cast<int64_t>(list.size())}, DType::Int64}, rawWholes(list));
}

Value Model::whole(int64_t number) {
  return stored(std::to_string(number), {{}, DType::Int64}, rawWholes(number));
}

/// The bits of `number` in a format that operators compute with.
static uint64_t bitsAs(double number, DType dtype) {
  const llvm::fltSemantics &format = dtype == DType::FP64   ? llvm::APFloat::IEEEdouble()
                                     : dtype == DType::FP16 ? llvm::APFloat::IEEEhalf()
                                     : dtype == DType::BF16 ? llvm::APFloat::BFloat()
                                                            : llvm::APFloat::IEEEsingle();
  llvm::APFloat value(number);
  bool isInexact = false;
  value.convert(format, llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return value.bitcastToAPInt().getZExtValue();
}

static std::string rawReals(llvm::ArrayRef<double> list, DType dtype) {
  WireWriter raw;
  for (double number : list)
    raw.fixed(bitsAs(number, dtype), bitsOf(dtype) / 8);
  return raw.out;
}

Value Model::reals(llvm::ArrayRef<double> list, DType dtype) {
  return stored(fmt::format("{} [{}]", dtypeName(dtype).str(), fmt::join(list, ",")),
                {{static_cast<int64_t>(list.size())}, dtype}, rawReals(list, dtype));
}

Value Model::real(double number, DType dtype) {
  return stored(fmt::format("{} {}", dtypeName(dtype).str(), number), {{}, dtype},
                rawReals(number, dtype));
}

//===-- Operators
//-----------------------------------------------------------------------------------===//

/// Formats of few bits are quantised: they stand for real numbers by a scale, here 1.
Value Model::cast(const Value &value, DType to) {
  DType from = value.type.dtype;
  if (formatOf(from).type == formatOf(to).type)
    return value;
  auto isQuantised = [](DType dtype) { return bitsOf(dtype) <= 8 && dtype != DType::Bool; };
  if (isQuantised(from) && isReal(to)) {
    Value scale = real(1, DType::FP32);
    Value decoded = node("DequantizeLinear", {value, scale}, {value.type.shape, DType::FP32});
    return cast(decoded, to);
  }
  if (isReal(from) && isQuantised(to)) {
    Value scale = real(1, DType::FP32);
    Value zero = stored("zero " + dtypeName(to).str(), {{}, to}, std::string(1, '\0'));
    return node("QuantizeLinear", {cast(value, DType::FP32), scale, zero}, {value.type.shape, to});
  }
  Attribute target{"to", static_cast<int64_t>(formatOf(to).type)};
  return node("Cast", value, {value.type.shape, to}, target);
}

Value Model::reshape(const Value &value, llvm::ArrayRef<int64_t> shape) {
  if (value.shape() == shape)
    return value;
  return node("Reshape", {value, wholes(shape)}, {shape.vec(), value.type.dtype});
}

Value Model::transpose(const Value &value, llvm::ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return value;
  Type result{{}, value.type.dtype};
  for (int64_t axis : order)
    result.shape.push_back(value.type.shape[static_cast<size_t>(axis)]);
  return node("Transpose", value, std::move(result), Attribute{"perm", order.vec()});
}

Value Model::unsqueeze(const Value &value, llvm::ArrayRef<int64_t> axes) {
  if (axes.empty())
    return value;
  Type result = value.type;
  for (int64_t axis : axes)
    result.shape.insert(result.shape.begin() + axis, 1);
  return node("Unsqueeze", {value, wholes(axes)}, std::move(result));
}

Value Model::pad(const Value &value, size_t axis, int64_t before, int64_t behind) {
  if (before == 0 && behind == 0)
    return value;
  Type result = value.type;
  result.shape[axis] += before + behind;
  std::vector<int64_t> pads(2 * value.rank());
  pads[axis] = before;
  pads[value.rank() + axis] = behind;
  return node("Pad", {value, wholes(pads)}, std::move(result));
}

Value Model::reduce(llvm::StringRef op, const Value &value, llvm::ArrayRef<int64_t> axes,
                    bool keepsAxes) {
  Type result{{}, value.type.dtype};
  for (size_t i = 0; i < value.rank(); ++i)
    if (bool isGone = llvm::is_contained(axes, static_cast<int64_t>(i)); !isGone || keepsAxes)
      result.shape.push_back(isGone ? 1 : value.type.shape[i]);
  std::vector<Attribute> attributes = {{"keepdims", static_cast<int64_t>(keepsAxes)}};
  // Of sums, axes are an operand since set 13; of others since set 18.
  if (op == "ReduceSum" || operatorSet >= 18)
    return node(op, {value, wholes(axes)}, std::move(result), attributes);
  attributes.push_back({"axes", axes.vec()});
  return node(op, value, std::move(result), attributes);
}

Value Model::elementwise(llvm::StringRef op, llvm::ArrayRef<Value> operands) {
  Type result = operands.front().type;
  for (const Value &operand : operands.drop_front())
    result.shape = broadcast(result.shape, operand.shape());
  return node(op, operands, std::move(result));
}

//===-- The file
//------------------------------------------------------------------------------------===//

static WireWriter typeOf(const Value &value) {
  WireWriter shape;
  for (int64_t extent : value.type.shape) {
    WireWriter dim;
    dim.numberOrZero(1, static_cast<uint64_t>(extent));
    shape.message(1, dim);
  }
  WireWriter tensor;
  tensor.number(1, formatOf(value.type.dtype).type);
  tensor.message(2, shape);
  WireWriter type;
  type.message(1, tensor);
  return type;
}

static WireWriter infoOf(const Value &value) {
  WireWriter info;
  info.text(1, value.name);
  info.message(2, typeOf(value));
  return info;
}

static WireWriter tensorOf(llvm::StringRef name, const Type &type, llvm::StringRef raw) {
  WireWriter tensor;
  tensor.list<int64_t>(1, type.shape);
  tensor.number(2, formatOf(type.dtype).type);
  tensor.text(8, name);
  tensor.bytes(9, raw);
  return tensor;
}

/// A list of one 0.
static WireWriter zeroOf(DType dtype) {
  return tensorOf("", {{1}, dtype}, std::string(bitsOf(dtype) / 8, '\0'));
}

static WireWriter attributeOf(const Attribute &attribute) {
  WireWriter out;
  out.text(1, attribute.name);
  if (const auto *whole = std::get_if<int64_t>(&attribute.value)) {
    out.numberOrZero(3, static_cast<uint64_t>(*whole));
    out.number(20, 2);
  } else if (const auto *real = std::get_if<double>(&attribute.value)) {
    out.key(2, WireType::Fixed32);
    out.fixed(llvm::FloatToBits(static_cast<float>(*real)), 4);
    out.number(20, 1);
  } else if (const auto *parameter = std::get_if<Parameter>(&attribute.value)) {
    out.text(21, parameter->name);
    out.number(20, 2);
  } else if (const auto *text = std::get_if<std::string>(&attribute.value)) {
    out.bytes(4, *text);
    out.number(20, 3);
  } else if (const auto *zero = std::get_if<Zero>(&attribute.value)) {
    out.message(5, zeroOf(zero->dtype));
    out.number(20, 4);
  } else {
    out.list<int64_t>(8, std::get<std::vector<int64_t>>(attribute.value));
    out.number(20, 7);
  }
  return out;
}

static WireWriter setOf(llvm::StringRef name, int64_t version) {
  WireWriter set;
  set.text(1, name);
  set.number(2, static_cast<uint64_t>(version));
  return set;
}

/// FunctionProto, of domain `perfc`.
static WireWriter messageOf(llvm::StringRef op, const Function &function, int64_t operatorSet) {
  WireWriter out;
  out.text(1, op);
  for (const std::string &operand : function.operands)
    out.text(4, operand);
  for (const std::string &result : function.results)
    out.text(5, result);
  for (const std::string &parameter : function.parameters)
    out.text(6, parameter);
  for (const Function::Step &step : function.steps) {
    WireWriter node;
    for (const std::string &operand : step.operands)
      node.text(1, operand);
    node.text(2, step.result);
    node.text(4, step.op);
    for (const Attribute &attribute : step.attributes)
      node.message(5, attributeOf(attribute));
    out.message(7, node);
  }
  out.message(9, setOf("", operatorSet));
  out.text(10, domain);
  return out;
}

std::string Model::bytes(llvm::StringRef name) const {
  WireWriter graph;
  for (const Node &node : nodes) {
    WireWriter out;
    for (const std::string &input : node.inputs)
      out.bytes(1, input);
    for (const Value &output : node.outputs)
      out.bytes(2, output.name);
    out.text(3, node.outputs.front().name);
    out.text(4, node.op);
    for (const Attribute &attribute : node.attributes)
      out.message(5, attributeOf(attribute));
    out.text(7, node.domain);
    graph.message(1, out);
  }
  graph.text(2, name);
  llvm::StringSet<> read = readValues();
  for (const auto &[value, raw] : numbers)
    if (read.contains(value.name)) // some were needed by what was taken back
      graph.message(5, tensorOf(value.name, value.type, raw));
  for (const Value &input : inputs)
    graph.message(11, infoOf(input));
  for (const Value &output : outputs)
    graph.message(12, infoOf(output));
  for (const Node &node : nodes)
    for (const Value &output : node.outputs)
      if (llvm::none_of(outputs, [&](const Value &other) { return other.name == output.name; }))
        graph.message(13, infoOf(output));

  WireWriter model;
  model.number(1, static_cast<uint64_t>(version));
  model.text(2, "perfc");
  model.message(7, graph);
  model.message(8, setOf("", operatorSet));
  if (llvm::any_of(nodes, [](const Node &node) { return !node.domain.empty(); }))
    model.message(8, setOf(domain, 1));
  for (const auto &[op, function] : functions)
    if (function)
      model.message(25, messageOf(op, *function, operatorSet));
  return std::move(model.out);
}
