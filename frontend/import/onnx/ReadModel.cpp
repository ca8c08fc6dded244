// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/onnx/Onnx.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::graph;

namespace {

constexpr unsigned mostNested = 32;
constexpr size_t mostRanks = 16;
constexpr int64_t mostKeptReals = 64;
/// Nodes, names, numbers and the like that are kept of one file: bounds the memory of a small file
/// that declares much.
constexpr size_t mostParts = 1u << 23;

class Reader {
public:
  Reader(Model &model, WireError &error) : model(model), error(error) {}

  bool model_(llvm::StringRef bytes);

private:
  /// Calls `each` with the fields of a message.
  template <typename Each> bool fields(const WireField &message, Each each) {
    WireReader reader(message.bytes, message.bytesAt);
    WireField field;
    while (!reader.atEnd()) {
      at = reader.offset();
      if (!reader.next(field, error) || !each(static_cast<const WireField &>(field)))
        return false;
    }
    return true;
  }
  bool graph(const WireField &message, Graph &graph);
  bool node(const WireField &message, Node &node);
  bool attribute(const WireField &message, Attribute &attribute);
  bool tensor(const WireField &message, Tensor &tensor);
  bool tensorValues(const WireField &message, Tensor &tensor);
  bool setDims(Tensor &tensor, llvm::ArrayRef<int64_t> dims);
  bool sparseTensor(const WireField &message, Tensor &tensor);
  bool external(const WireField &message);
  bool value(const WireField &message, ValueInfo &value);
  bool type(const WireField &message, ValueInfo &value);
  bool dimension(const WireField &message, ValueInfo &value);
  bool operatorSet(const WireField &message);
  bool function(const WireField &message);

  bool text(const WireField &field, llvm::StringRef &result);
  bool texts(const WireField &field, std::vector<llvm::StringRef> &list);
  bool number(const WireField &field, int64_t &result);
  bool numbers(const WireField &field, std::vector<int64_t> &list, size_t most);
  bool reals(const WireField &field, WireType type, std::vector<double> &list, size_t most);
  bool message(const WireField &field) {
    return field.type == WireType::Bytes || fail("the field has the wrong wire type");
  }
  bool fail(std::string reason) {
    error = {at, std::move(reason)};
    return false;
  }
  bool spend(size_t parts) {
    left = left < parts ? 0 : left - parts;
    return left || fail("the file declares too many nodes and values");
  }

  Model &model;
  WireError &error;
  uint64_t at = 0;
  size_t left = mostParts;
  int64_t kept = 1 << 20; ///< elements of stored tensors that may be kept
  unsigned depth = 0;
};

} // namespace

bool Reader::text(const WireField &field, llvm::StringRef &result) {
  result = field.bytes;
  return message(field);
}

bool Reader::texts(const WireField &field, std::vector<llvm::StringRef> &list) {
  list.push_back(field.bytes);
  return message(field) && spend(1);
}

bool Reader::number(const WireField &field, int64_t &result) {
  result = static_cast<int64_t>(field.number);
  return field.type == WireType::Varint || fail("the field has the wrong wire type");
}

/// A number of a repeated field, or several packed into one; those after `most` are dropped.
bool Reader::numbers(const WireField &field, std::vector<int64_t> &list, size_t most) {
  int64_t one = 0;
  if (field.type != WireType::Bytes) {
    if (!number(field, one))
      return false;
    if (list.size() < most)
      list.push_back(one);
    return spend(1);
  }
  WireReader packed(field.bytes, field.bytesAt);
  while (!packed.atEnd() && list.size() < most) {
    uint64_t value = 0;
    if (!packed.varint(value, error))
      return false;
    list.push_back(static_cast<int64_t>(value));
    if (!spend(1))
      return false;
  }
  return true;
}

static double realAt(const char *data, unsigned size) {
  using namespace llvm::support::endian;
  return size == 4 ? llvm::BitsToFloat(read32le(data)) : llvm::BitsToDouble(read64le(data));
}

/// A number of 16 bits.
static double shortReal(uint64_t bits, int32_t type) {
  const llvm::fltSemantics &format =
      type == Float16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
  llvm::APFloat value(format, llvm::APInt(16, bits));
  bool isInexact = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return value.convertToDouble();
}

/// The same of numbers of 4 or 8 bytes.
bool Reader::reals(const WireField &field, WireType type, std::vector<double> &list, size_t most) {
  unsigned size = type == WireType::Fixed32 ? 4 : 8;
  if (field.type != type && field.type != WireType::Bytes)
    return fail("the field has the wrong wire type");
  if (field.bytes.size() % size)
    return fail("the list of numbers is cut off");
  for (size_t i = 0; i < field.bytes.size() && list.size() < most; i += size) {
    list.push_back(realAt(field.bytes.data() + i, size));
    if (!spend(1))
      return false;
  }
  return true;
}

bool Reader::dimension(const WireField &message, ValueInfo &value) {
  DeclaredDim dim;
  if (!fields(message, [&](const WireField &field) {
        if (field.field == 1)
          return number(field, dim.value);
        return field.field != 2 || text(field, dim.name);
      }))
    return false;
  value.shape.push_back(dim);
  return value.shape.size() <= mostRanks || fail("the shape has more than 16 dimensions");
}

bool Reader::type(const WireField &field, ValueInfo &value) {
  return message(field) && fields(field, [&](const WireField &kind) {
           // Sequences, maps and the like have no shape.
           if (kind.field != 1)
             return true;
           return message(kind) && fields(kind, [&](const WireField &part) {
                    int64_t type = 0;
                    if (part.field == 1) {
                      bool isNumber = number(part, type);
                      value.type = static_cast<int32_t>(type);
                      return isNumber;
                    }
                    if (part.field != 2)
                      return true;
                    value.hasShape = true;
                    return message(part) && fields(part, [&](const WireField &dim) {
                             return dim.field != 1 ||
                                    (message(dim) && spend(1) && dimension(dim, value));
                           });
                  });
         });
}

bool Reader::value(const WireField &field, ValueInfo &value) {
  value.offset = at;
  return message(field) && spend(1) && fields(field, [&](const WireField &part) {
           if (part.field == 1)
             return text(part, value.name);
           return part.field != 2 || type(part, value);
         });
}

bool Reader::external(const WireField &field) {
  llvm::StringRef key, value;
  uint64_t place = at;
  if (!message(field) || !spend(1) || !fields(field, [&](const WireField &part) {
        return part.field == 1 ? text(part, key) : part.field != 2 || text(part, value);
      }))
    return false;
  bool isNew = model.externalFiles.empty() || model.externalFiles.back().first != value;
  if (key == "location" && isNew)
    model.externalFiles.emplace_back(value, place);
  return true;
}

bool Reader::setDims(Tensor &tensor, llvm::ArrayRef<int64_t> dims) {
  tensor.dims.assign(dims.begin(), dims.end());
  for (int64_t dim : dims) {
    if (dim < 0)
      return fail(fmt::format("the tensor `{}` has a dimension of {}", shown(tensor.name), dim));
    if (llvm::MulOverflow(tensor.elements, dim, tensor.elements))
      return fail(fmt::format("the tensor `{}` is too large", shown(tensor.name)));
  }
  return true;
}

/// The values of a small tensor.
bool Reader::tensorValues(const WireField &field, Tensor &tensor) {
  auto most = static_cast<size_t>(tensor.elements);
  switch (field.field) {
  case 4:
    return reals(field, WireType::Fixed32, tensor.reals, most);
  case 5: {
    std::vector<int64_t> list;
    if (!numbers(field, list, most))
      return false;
    bool isShort = tensor.type == Float16 || tensor.type == Bfloat16;
    for (int64_t one : list)
      if (isShort)
        tensor.reals.push_back(shortReal(static_cast<uint64_t>(one), tensor.type));
    if (!isFloating(tensor.type))
      tensor.integers.insert(tensor.integers.end(), list.begin(), list.end());
    return true;
  }
  case 7:
  case 11:
    return numbers(field, tensor.integers, most);
  case 10:
    return reals(field, WireType::Fixed64, tensor.reals, most);
  default:
    break;
  }
  unsigned bytes = bitsOf(tensor.type) / 8;
  const char *data = field.bytes.data();
  for (size_t i = 0; bytes && i < most && (i + 1) * bytes <= field.bytes.size(); ++i) {
    uint64_t raw = 0;
    std::memcpy(&raw, data + i * bytes, bytes); // little-endian, as the file
    unsigned shift = 64 - 8 * bytes;
    bool isSigned = tensor.type == Int8 || tensor.type == Int16 || tensor.type == Int32;
    if (tensor.type == Float || tensor.type == Double)
      tensor.reals.push_back(realAt(data + i * bytes, bytes));
    else if (tensor.type == Float16 || tensor.type == Bfloat16)
      tensor.reals.push_back(shortReal(raw, tensor.type));
    else if (!isFloating(tensor.type))
      tensor.integers.push_back(isSigned ? static_cast<int64_t>(raw << shift) >> shift
                                         : static_cast<int64_t>(raw));
  }
  return true;
}

/// Type and dimensions may stand behind the values, which are looked at in a second round.
bool Reader::tensor(const WireField &field, Tensor &tensor) {
  tensor.offset = at;
  std::vector<int64_t> dims;
  size_t rawSize = 0;
  bool hasRaw = false, isExternal = false;
  auto declaration = [&](const WireField &part) {
    int64_t type = 0;
    switch (part.field) {
    case 1:
      return numbers(part, dims, mostRanks + 1);
    case 2:
      if (!number(part, type))
        return false;
      tensor.type = static_cast<int32_t>(type);
      return true;
    case 8:
      return text(part, tensor.name);
    case 9:
      hasRaw = true;
      rawSize = part.bytes.size();
      return message(part);
    case 13:
      isExternal = true;
      return external(part);
    default:
      return true;
    }
  };
  if (!message(field) || !spend(1) || !fields(field, declaration))
    return false;
  at = tensor.offset;
  if (dims.size() > mostRanks)
    return fail("the tensor has more than 16 dimensions");
  if (!setDims(tensor, dims))
    return false;
  int64_t bits = 0;
  if (llvm::MulOverflow(tensor.elements, static_cast<int64_t>(bitsOf(tensor.type)), bits))
    return fail(fmt::format("the tensor `{}` is too large", shown(tensor.name)));
  if (hasRaw && !isExternal && bits && rawSize != static_cast<uint64_t>((bits + 7) / 8))
    return fail(fmt::format("the tensor `{}` needs {} bytes, but {} are stored", shown(tensor.name),
                            (bits + 7) / 8, rawSize));
  // Real numbers that shapes are computed from are few: scales and the like.
  int64_t most = isFloating(tensor.type) ? mostKeptReals : mostKeptElements;
  if (tensor.elements > most || tensor.elements > kept)
    return true;
  kept -= tensor.elements;
  return fields(field, [&](const WireField &part) {
    bool isValue = part.field == 4 || part.field == 5 || part.field == 7 ||
                   (part.field >= 9 && part.field <= 11);
    return !isValue || tensorValues(part, tensor);
  });
}

/// Of a sparse tensor: what it is when it is dense, without its values.
bool Reader::sparseTensor(const WireField &field, Tensor &result) {
  std::vector<int64_t> dims;
  Tensor values;
  if (!message(field) || !fields(field, [&](const WireField &part) {
        if (part.field == 1)
          return tensor(part, values);
        return part.field != 3 || numbers(part, dims, mostRanks);
      }))
    return false;
  result.name = values.name;
  result.type = values.type;
  result.offset = values.offset;
  return setDims(result, dims);
}

bool Reader::attribute(const WireField &field, Attribute &attribute) {
  return message(field) && spend(1) && fields(field, [&](const WireField &part) {
           switch (part.field) {
           case 1:
             return text(part, attribute.name);
           case 2:
             attribute.real = part.type == WireType::Fixed32 ? realAt(part.bytes.data(), 4) : 0;
             return part.type == WireType::Fixed32 || fail("the field has the wrong wire type");
           case 3:
             return number(part, attribute.integer);
           case 4:
             return text(part, attribute.text);
           case 5:
             attribute.tensor = std::make_unique<Tensor>();
             return tensor(part, *attribute.tensor);
           case 6: {
             attribute.graph = std::make_unique<Graph>();
             if (++depth > mostNested)
               return fail("graphs are nested too deep");
             bool isGood = message(part) && graph(part, *attribute.graph);
             --depth;
             return isGood;
           }
           case 7:
             return reals(part, WireType::Fixed32, attribute.reals, mostParts);
           case 8:
             return numbers(part, attribute.integers, mostParts);
           case 21:
             return text(part, attribute.reference);
           default:
             return true;
           }
         });
}

bool Reader::node(const WireField &field, Node &node) {
  node.offset = at;
  if (!message(field) || !spend(1) || !fields(field, [&](const WireField &part) {
        switch (part.field) {
        case 1:
          return texts(part, node.inputs);
        case 2:
          return texts(part, node.outputs);
        case 3:
          return text(part, node.name);
        case 4:
          return text(part, node.op);
        case 5:
          node.attributes.emplace_back();
          return attribute(part, node.attributes.back());
        case 7:
          return text(part, node.domain);
        default:
          return true;
        }
      }))
    return false;
  at = node.offset;
  if (node.domain == "ai.onnx")
    node.domain = "";
  for (Attribute &attribute : node.attributes)
    if (node.op == "Pad" && attribute.name == "paddings") // of operator set 1
      attribute.name = "pads";
  return !node.op.empty() || fail("a node has no operator");
}

bool Reader::graph(const WireField &field, Graph &graph) {
  return fields(field, [&](const WireField &part) {
    switch (part.field) {
    case 1:
      graph.nodes.emplace_back();
      return node(part, graph.nodes.back());
    case 2:
      return text(part, graph.name);
    case 5:
      graph.initializers.emplace_back();
      return tensor(part, graph.initializers.back());
    case 15:
      graph.initializers.emplace_back();
      return sparseTensor(part, graph.initializers.back());
    case 11:
      graph.inputs.emplace_back();
      return value(part, graph.inputs.back());
    case 12:
      graph.outputs.emplace_back();
      return value(part, graph.outputs.back());
    case 13:
      graph.values.emplace_back();
      return value(part, graph.values.back());
    default:
      return true;
    }
  });
}

bool Reader::operatorSet(const WireField &field) {
  llvm::StringRef domain;
  int64_t version = 0;
  if (!message(field) || !spend(1) || !fields(field, [&](const WireField &part) {
        return part.field == 1 ? text(part, domain) : part.field != 2 || number(part, version);
      }))
    return false;
  model.operatorSets.emplace_back(domain == "ai.onnx" ? "" : domain, version);
  return true;
}

bool Reader::function(const WireField &field) {
  model.functions.emplace_back();
  Function &function = model.functions.back();
  return message(field) && spend(1) && fields(field, [&](const WireField &part) {
           switch (part.field) {
           case 1:
             return text(part, function.name);
           case 4:
             return texts(part, function.inputs);
           case 5:
             return texts(part, function.outputs);
           case 7:
             function.nodes.emplace_back();
             return node(part, function.nodes.back());
           case 10:
             return text(part, function.domain);
           case 11:
             function.defaults.emplace_back();
             return attribute(part, function.defaults.back());
           default:
             return true;
           }
         });
}

bool Reader::model_(llvm::StringRef bytes) {
  WireField file;
  file.type = WireType::Bytes;
  file.bytes = bytes;
  bool hasGraph = false;
  if (!fields(file, [&](const WireField &part) {
        switch (part.field) {
        case 2:
          return text(part, model.producer);
        case 7:
          hasGraph = true;
          return message(part) && graph(part, model.graph);
        case 8:
          return operatorSet(part);
        case 25:
          return function(part);
        default:
          return true;
        }
      }))
    return false;
  // A workload computes in every run what it is written to compute, also of weights alone.
  model.foldsWeights = model.producer != "perfc";
  at = bytes.size();
  return hasGraph || fail("the file has no graph");
}

bool onnx::readModel(llvm::StringRef bytes, Model &model, WireError &error) {
  return Reader(model, error).model_(bytes);
}
