// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds onnx_models and tflite_models: networks with the shape of each node's result, parameters
// and MACs, as recorded in a run. A model file beside the table, by its checksum, is read; without
// it each recorded node is read alone, with operands of the recorded shapes.
#include "api/Evaluation.h"
#include "api/Providers.h"
#include "frontend/import/graph/GraphText.h"
#include "frontend/import/onnx/Onnx.h"
#include "frontend/import/tflite/Operators.h"
#include "frontend/import/tflite/Tflite.h"
#include "tools/driver/validate/JsonFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace perfc;
using namespace perfc::driver;

namespace {

struct RecordedNode {
  std::string op;
  std::vector<std::vector<int64_t>> inputs;
  std::vector<int64_t> output;
  int64_t parameters;
  const llvm::json::Object *attributes;
};

/// How networks of a format are recorded.
struct Recording {
  llvm::StringLiteral kind; ///< of the table
  graph::FileFormat format;
  /// Operators whose weights are all operands behind the first.
  llvm::ArrayRef<llvm::StringLiteral> layers;
  /// Sets operator, domain and attributes of a node.
  void (*describe)(graph::Node &node, graph::Model &model, const RecordedNode &from);
};

/// What perfc makes of one entry.
struct Predicted {
  llvm::Optional<int64_t> parameters, macs, shapes;
  std::string problem;       ///< why there is nothing
  std::string problemOfMacs; ///< why there are no MACs
};

} // namespace

static std::vector<int64_t> numbersIn(const llvm::json::Value *value) {
  std::vector<int64_t> list;
  if (const llvm::json::Array *array = value ? value->getAsArray() : nullptr)
    for (const llvm::json::Value &one : *array)
      list.push_back(one.getAsInteger().getValueOr(-1));
  return list;
}

static std::vector<RecordedNode> recordedNodes(const llvm::json::Object &entry) {
  std::vector<RecordedNode> nodes;
  const llvm::json::Array *layers = entry.getArray("layers");
  for (size_t i = 0; layers && i < layers->size(); ++i) {
    const llvm::json::Object *layer = (*layers)[i].getAsObject();
    if (!layer)
      continue;
    RecordedNode node{layer->getString("op").getValueOr("").str(),
                      {},
                      numbersIn(layer->get("output")),
                      layer->getInteger("params").getValueOr(0),
                      layer->getObject("attrs")};
    if (const llvm::json::Array *inputs = layer->getArray("inputs"))
      for (const llvm::json::Value &input : *inputs)
        node.inputs.push_back(numbersIn(&input));
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// The operator as the file has it.
static llvm::StringRef operatorOf(const RecordedNode &node) {
  llvm::StringRef op = node.op;
  op.consume_front("CUSTOM:");
  return op;
}

/// The path of the file beside `table` that the entry is about; "" when it is not there.
static std::string modelBeside(llvm::StringRef table, const llvm::json::Object &entry) {
  llvm::SmallString<128> path = llvm::sys::path::parent_path(table);
  llvm::sys::path::append(path, llvm::sys::path::filename(entry.getString("file").getValueOr("")));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return "";
  llvm::StringRef bytes = (*buffer)->getBuffer();
  auto hash = llvm::SHA256::hash({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  bool isSame = llvm::toHex(hash, /*LowerCase=*/true) == entry.getString("sha256").getValueOr("");
  return isSame ? path.str().str() : "";
}

/// Multiplications of the program's workload, on a chip that anything runs on.
static int64_t macsOf(const graph::Program &program, std::string &problem) {
  Session inner(llvm::nulls(), llvm::nulls());
  FileId file = inner.sources.add("<model>", fmt::format("import std.validate.counter\n{}"
                                                         "evaluate {} on counter using roofline\n",
                                                         program.text, program.workload));
  ProviderSet providers = api::defaultProviders();
  api::Evaluation evaluation(inner.context(), providers);
  evaluation.run(file, {}, [](const api::Evaluated &) {});
  if (inner.diagnostics.hasErrors())
    problem = problemOf(inner.diagnostics);
  return evaluation.results().empty() ? 0 : evaluation.results().front().cost.macs;
}

static Predicted ofFile(const Recording &recording, const std::string &path,
                        const llvm::json::Object &entry, llvm::ArrayRef<RecordedNode> recorded) {
  Predicted result;
  graph::ReadOptions options;
  Session inner(llvm::nulls(), llvm::nulls());
  FileId file = inner.sources.addBinary(path);
  auto read = [&] {
    return graph::readProgram(recording.format, path, file, options, inner.diagnostics);
  };
  llvm::Optional<graph::Program> program;
  if (const llvm::json::Object *shapes = entry.getObject("input_shapes")) {
    for (const auto &[name, shape] : *shapes)
      options.shapes.push_back({llvm::StringRef(name).str(), numbersIn(&shape)});
  } else if (const llvm::json::Array *list = entry.getArray("input_shapes")) {
    // Shapes in the order of inputs, each with a type beside it.
    program = read();
    for (size_t i = 0; program && i < list->size() && i < program->inputs.size(); ++i)
      if (const llvm::json::Array *pair = (*list)[i].getAsArray(); pair && !pair->empty())
        options.shapes.push_back({program->inputs[i], numbersIn(&pair->front())});
  }
  program = read();
  if (!program) {
    result.problem = problemOf(inner.diagnostics);
    return result;
  }
  result.parameters = program->stored - program->storedForOthers;
  result.macs = macsOf(*program, result.problemOfMacs);
  result.shapes = 0;
  for (size_t i = 0; i < recorded.size() && i < program->nodes.size(); ++i)
    *result.shapes += program->nodes[i].op == operatorOf(recorded[i]) &&
                      program->nodes[i].shape == recorded[i].output;
  return result;
}

static graph::Attribute attributeOf(llvm::StringRef name, const llvm::json::Value &value) {
  graph::Attribute attribute;
  attribute.name = name;
  attribute.integers = numbersIn(&value);
  attribute.integer = value.getAsInteger().getValueOr(0);
  attribute.real = value.getAsNumber().getValueOr(0);
  attribute.text = value.getAsString().getValueOr("");
  return attribute;
}

static void describeOnnx(graph::Node &node, graph::Model &, const RecordedNode &from) {
  node.op = from.op;
  if (from.attributes)
    for (const auto &[name, value] : *from.attributes)
      node.attributes.push_back(attributeOf(name, value));
}

static void describeTflite(graph::Node &node, graph::Model &model, const RecordedNode &from) {
  node.op = from.op;
  node.domain = node.op.consume_front("CUSTOM:") ? graph::othersDomain : tflite::domain;
  model.expansions = tflite::expansions();
  auto set = [&](llvm::StringRef name, int64_t value) {
    graph::Attribute attribute;
    attribute.name = name;
    attribute.integer = value;
    node.attributes.push_back(std::move(attribute));
  };
  // The axis is not recorded: operands differ from the result along it.
  for (size_t i = 0; node.op == "CONCATENATION" && i < from.output.size(); ++i)
    if (!from.inputs.empty() && i < from.inputs[0].size() && from.inputs[0][i] != from.output[i])
      set("axis", static_cast<int64_t>(i));
  const llvm::json::Object *attributes = from.attributes;
  if (!attributes)
    return;
  static constexpr llvm::StringLiteral names[][3] = {{"stride", "stride_h", "stride_w"},
                                                     {"dil", "dilation_h", "dilation_w"},
                                                     {"kernel", "filter_h", "filter_w"}};
  set("padding", attributes->getString("pad").getValueOr("") == "VALID");
  for (const auto &name : names)
    if (auto sides = numbersIn(attributes->get(name[0])); sides.size() == 2)
      for (size_t side : {0, 1})
        set(name[side + 1], sides[side]);
}

static constexpr llvm::StringLiteral onnxLayers[] = {"BatchNormalization", "Conv", "ConvTranspose",
                                                     "Gemm"};
static constexpr llvm::StringLiteral tfliteLayers[] = {"CONV_2D", "DEPTHWISE_CONV_2D",
                                                       "FULLY_CONNECTED"};

static int64_t elementsOf(llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

/// Whether operand `index` is stored in the model: weights follow the first operand of layers, and
/// an elementwise operation's are the last operand of so many elements.
static bool isStored(const Recording &recording, const RecordedNode &node, size_t index) {
  if (llvm::is_contained(recording.layers, node.op))
    return index > 0;
  auto isWeight = [&](llvm::ArrayRef<int64_t> shape) {
    return elementsOf(shape) == node.parameters;
  };
  return node.parameters > 0 && isWeight(node.inputs[index]) &&
         llvm::none_of(llvm::makeArrayRef(node.inputs).drop_front(index + 1), isWeight);
}

/// A model with the recorded nodes side by side.
static Predicted ofRecord(const Recording &recording, llvm::ArrayRef<RecordedNode> recorded) {
  graph::Model model;
  model.format = recording.format.name;
  Predicted result;
  result.parameters = 0;
  for (size_t i = 0; i < recorded.size(); ++i) {
    const RecordedNode &from = recorded[i];
    if (from.op == "If")
      continue; // its branches are not recorded
    model.graph.nodes.emplace_back();
    graph::Node &node = model.graph.nodes.back();
    recording.describe(node, model, from);
    for (size_t k = 0; k < from.inputs.size(); ++k) {
      if (elementsOf(from.inputs[k]) == 0) { // left out
        node.inputs.push_back("");
        continue;
      }
      llvm::StringRef name = model.keep(fmt::format("in_{}_{}", i, k));
      node.inputs.push_back(name);
      if (isStored(recording, from, k)) {
        graph::Tensor tensor;
        tensor.name = name;
        tensor.type = graph::Float;
        for (int64_t extent : from.inputs[k]) {
          tensor.dims.push_back(extent);
          tensor.elements *= extent;
        }
        *result.parameters += tensor.elements;
        model.graph.initializers.push_back(std::move(tensor));
        continue;
      }
      graph::ValueInfo info;
      info.name = name;
      info.type = graph::Float;
      info.hasShape = true;
      for (int64_t extent : from.inputs[k])
        info.shape.push_back({extent, {}});
      model.graph.inputs.push_back(std::move(info));
    }
    node.outputs.push_back(model.keep(fmt::format("out_{}", i)));
    graph::ValueInfo info; // for operators whose shape other operands say, which are not recorded
    info.name = node.outputs[0];
    info.hasShape = true;
    for (int64_t extent : from.output)
      info.shape.push_back({extent, {}});
    model.graph.outputs.push_back(std::move(info));
  }
  model.operatorSets.emplace_back("", 13);
  Session inner(llvm::nulls(), llvm::nulls());
  auto program = graph::programOf(model, "model", inner.sources.addBinary("<recorded>"), {},
                                  inner.diagnostics);
  if (!program) {
    result.problem = problemOf(inner.diagnostics);
    return result;
  }
  result.macs = macsOf(*program, result.problemOfMacs);
  result.shapes = static_cast<int64_t>(recorded.size() - model.graph.nodes.size());
  for (size_t i = 0; i < program->nodes.size(); ++i)
    *result.shapes += program->nodes[i].shape == std::vector<int64_t>([&] {
                        std::vector<int64_t> wanted;
                        for (const graph::DeclaredDim &dim : model.graph.outputs[i].shape)
                          wanted.push_back(dim.value);
                        return wanted;
                      }());
  return result;
}

static ValidationRow predictEntry(const Recording &recording, llvm::StringRef table,
                                  const llvm::json::Object &entry) {
  std::vector<RecordedNode> recorded = recordedNodes(entry);
  std::string path = modelBeside(table, entry);
  Predicted predicted =
      path.empty() ? ofRecord(recording, recorded) : ofFile(recording, path, entry, recorded);
  ValidationRow row{
      llvm::sys::path::filename(entry.getString("file").getValueOr("")).str(), {}, {}};
  auto add = [&](const char *metric, llvm::Optional<int64_t> value,
                 llvm::Optional<Number> reference, const std::string &problem) {
    Prediction prediction{metric, llvm::None, reference, problem, {}};
    if (value && problem.empty())
      prediction.predicted = Number(*value);
    row.predictions.push_back(std::move(prediction));
  };
  add("params", predicted.parameters, numberOf(entry.get("total_params_in_layers")),
      predicted.problem);
  add("macs", predicted.macs, numberOf(entry.get("total_macs")),
      predicted.problem.empty() ? predicted.problemOfMacs : predicted.problem);
  add("shapes", predicted.shapes, Number(static_cast<int64_t>(recorded.size())), predicted.problem);
  return row;
}

static bool predictModels(const Recording &recording, Session &session, llvm::StringRef path,
                          std::vector<ValidationRow> &rows) {
  llvm::Optional<llvm::json::Value> document = readJsonFile(session, path, recording.kind);
  if (!document)
    return false;
  const llvm::json::Array *entries = document->getAsArray();
  if (!entries) {
    reportBadTable(session, path, recording.kind, "it is no list of models");
    return false;
  }
  for (const llvm::json::Value &entry : *entries) {
    const llvm::json::Object *object = entry.getAsObject();
    if (!object || !object->getString("file") || !object->getArray("layers")) {
      reportBadTable(session, path, recording.kind, "each model needs a `file` and `layers`");
      return false;
    }
    rows.push_back(predictEntry(recording, path, *object));
  }
  return true;
}

bool perfc::driver::predictOnnxModels(Session &session, llvm::StringRef path,
                                      std::vector<ValidationRow> &rows) {
  static constexpr Recording recording = {"onnx_models", onnx::format, onnxLayers, describeOnnx};
  return predictModels(recording, session, path, rows);
}

bool perfc::driver::predictTfliteModels(Session &session, llvm::StringRef path,
                                        std::vector<ValidationRow> &rows) {
  static constexpr Recording recording = {"tflite_models", tflite::format, tfliteLayers,
                                          describeTflite};
  return predictModels(recording, session, path, rows);
}
