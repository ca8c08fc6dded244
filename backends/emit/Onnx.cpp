// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emit onnx: workloads as models of ONNX. Graphs that are called stand in the place of the call,
// and the rounds of a repeat one after the other, for each has weights of its own.
#include "backends/emit/Emit.h"
#include "backends/emit/onnx/Lowering.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace perfc;
using namespace perfc::emit;

namespace {

/// More is no model that anybody reads.
constexpr size_t mostOnnxNodes = 1u << 20;

class GraphWriter {
public:
  GraphWriter(const Input &input, onnx::Model &model, SourceRange place)
      : input(input), model(model), place(place) {}

  bool graph(const ir::Operation &op);

private:
  using Values = std::vector<onnx::Value>;

  bool region(const ir::Region &body);
  bool operation(const ir::Operation &op);
  void tensor(op::TensorOp op);
  bool apply(op::ApplyOp op);
  /// The values that `body` ends with, of arguments that are `arguments`.
  bool nested(const ir::Region &body, const Values &arguments, const std::string &scope,
              Values &results);
  bool repeat(op::RepeatOp op);
  Values valuesOf(llvm::ArrayRef<ir::Value *> list) const;
  void setResults(const ir::Operation &op, const Values &results);
  bool fail(SourceRange range, const std::string &reason) {
    input.diagnostics->report(range, diag::CannotEmitModel, reason);
    return false;
  }

  const Input &input;
  onnx::Model &model;
  SourceRange place;
  llvm::DenseMap<const ir::Value *, onnx::Value> values;
  size_t steps = 0; ///< operations so far, those of empty rounds too
};

} // namespace

static onnx::Type typeOf(const ir::Value &value) {
  return {value.type().shape().vec(), value.type().dtype()};
}

GraphWriter::Values GraphWriter::valuesOf(llvm::ArrayRef<ir::Value *> list) const {
  Values found;
  for (const ir::Value *value : list)
    found.push_back(values.find(value)->second);
  return found;
}

void GraphWriter::setResults(const ir::Operation &op, const Values &results) {
  for (size_t i = 0; i < op.resultCount(); ++i)
    values[&op.result(i)] = results[i];
}

void GraphWriter::tensor(op::TensorOp op) {
  const ir::Value &value = op->result();
  llvm::StringRef name = value.hint().empty() ? op.kind() : value.hint();
  values[&value] =
      op.kind() == "weight" ? model.weight(name, typeOf(value)) : model.input(name, typeOf(value));
}

bool GraphWriter::apply(op::ApplyOp op) {
  auto kernel = ir::as<op::KernelOp>(ir::resolve(*op, op.kernel()));
  std::vector<onnx::Type> results;
  for (size_t i = 0; i < op->resultCount(); ++i)
    results.push_back(typeOf(op->result(i)));
  if (!results.empty())
    setResults(*op, onnx::lower(model, kernel, valuesOf(op->operands()), results));
  return true;
}

bool GraphWriter::nested(const ir::Region &body, const Values &arguments, const std::string &scope,
                         Values &results) {
  for (size_t i = 0; i < arguments.size() && i < body.argumentCount(); ++i)
    values[&body.argument(i)] = arguments[i];
  std::string outer = model.scope;
  model.scope += scope;
  bool isGood = region(body);
  model.scope = outer;
  if (isGood && !body.empty())
    results = valuesOf(body.back().operands());
  return isGood;
}

bool GraphWriter::repeat(op::RepeatOp op) {
  Values state = valuesOf(op->operands());
  for (int64_t round = 0; round < op.count(); ++round) {
    if (++steps > mostOnnxNodes)
      return fail(op->range(), fmt::format("it has more than {} nodes", mostOnnxNodes));
    if (!nested(op->body(), state, fmt::format("{}.", round), state))
      return false;
  }
  setResults(*op, state);
  return true;
}

bool GraphWriter::operation(const ir::Operation &op) {
  auto &given = const_cast<ir::Operation &>(op);
  Values results;
  if (auto tensor = ir::as<op::TensorOp>(&given))
    this->tensor(tensor);
  else if (auto apply = ir::as<op::ApplyOp>(&given))
    return this->apply(apply);
  else if (auto repeat = ir::as<op::RepeatOp>(&given))
    return this->repeat(repeat);
  else if (auto call = ir::as<op::CallOp>(&given)) {
    const ir::Operation *graph = ir::resolve(op, call.graph());
    if (!nested(graph->body(), valuesOf(op.operands()), call.graph().str() + ".", results))
      return false;
    setResults(op, results);
  } else if (op.is(op::FusedOp::opName)) {
    if (!nested(op.body(), valuesOf(op.operands()), "", results))
      return false;
    setResults(op, results);
  } else if (!op.is(op::YieldOp::opName) && !op.is(op::ReturnOp::opName)) {
    return fail(place, op.is(op::CollectiveOp::opName) ? "its workload is divided among ranks"
                                                       : "its workload has a backward pass");
  }
  return true;
}

bool GraphWriter::region(const ir::Region &body) {
  for (const ir::Operation &op : body) {
    if (++steps > mostOnnxNodes || model.nodeCount() > mostOnnxNodes)
      return fail(place, fmt::format("it has more than {} nodes", mostOnnxNodes));
    if (!operation(op))
      return false;
  }
  return true;
}

bool GraphWriter::graph(const ir::Operation &op) {
  for (size_t i = 0; i < op.body().argumentCount(); ++i) {
    const ir::Value &argument = op.body().argument(i);
    values[&argument] = model.input(argument.hint(), typeOf(argument));
  }
  if (!region(op.body()))
    return false;
  for (const onnx::Value &value : valuesOf(op.body().back().operands()))
    model.output(value);
  model.outputUnread();
  return true;
}

/// Why the workload of `statement` is none that a model has; "" where it is.
static llvm::StringRef obstacleOf(const ir::Operation &statement) {
  if (statement.is(study::TrainOp::opName))
    return "its workload has a backward pass";
  for (size_t i = 0; i < statement.regionCount(); ++i)
    for (const ir::Operation &clause : statement.region(i))
      if (clause.is(study::StrategyOp::opName))
        return "its workload is divided among ranks";
  return "";
}

/// The workloads that statements of the program run, each once with the first statement.
static llvm::SetVector<const ir::Operation *> graphsOf(const Input &input,
                                                       std::vector<ir::Operation *> &statements) {
  llvm::SetVector<const ir::Operation *> graphs;
  if (!input.module)
    return graphs;
  const_cast<ir::Module *>(input.module)->walk([&](ir::Operation &op) {
    const ir::Attribute *subject = op.name().startswith("study.") ? op.attr("subject") : nullptr;
    if (!subject || !subject->is(ir::AttrKind::Symbol))
      return;
    const ir::Operation *graph = ir::resolve(op, subject->asSymbol());
    if (graph && graph->is(op::GraphOp::opName) && graphs.insert(graph))
      statements.push_back(&op);
  });
  return graphs;
}

/// Adds the formats of all tensors of `graph` and of those that it calls.
static void addFormats(const ir::Operation &graph, llvm::SetVector<const ir::Operation *> &seen,
                       std::set<DType> &formats) {
  if (!seen.insert(&graph))
    return;
  graph.walk([&](const ir::Operation &op) {
    for (size_t i = 0; i < op.resultCount(); ++i)
      formats.insert(op.result(i).type().dtype());
    if (op.is(op::CallOp::opName))
      addFormats(*ir::resolve(op, op.symbolAttr("graph")), seen, formats);
  });
}

/// The model of `graph`; "" after a report.
static std::string modelOf(const Input &input, const ir::Operation &graph,
                           const ir::Operation &statement) {
  if (llvm::StringRef obstacle = obstacleOf(statement); !obstacle.empty()) {
    input.diagnostics->report(statement.range(), diag::CannotEmitModel, obstacle);
    return "";
  }
  llvm::SetVector<const ir::Operation *> seen;
  std::set<DType> formats;
  addFormats(graph, seen, formats);
  onnx::Model model(std::vector<DType>(formats.begin(), formats.end()));
  if (!GraphWriter(input, model, statement.range()).graph(graph))
    return "";
  return model.bytes(graph.symbol());
}

void emit::writeOnnx(const Input &input, llvm::raw_ostream &os) {
  std::vector<ir::Operation *> statements;
  llvm::SetVector<const ir::Operation *> graphs = graphsOf(input, statements);
  if (graphs.size() > 1) {
    input.diagnostics
        ->report(statements[1]->range(), diag::CannotEmitModel,
                 "the file has the workload of the statement before")
        .help("a path that ends in `/` is a folder with a file for each workload");
    return;
  }
  if (!graphs.empty())
    os << modelOf(input, *graphs.front(), *statements.front());
}

void emit::onnxFiles(const Input &input, FileSink sink) {
  std::vector<ir::Operation *> statements;
  llvm::SetVector<const ir::Operation *> graphs = graphsOf(input, statements);
  for (size_t i = 0; i < graphs.size(); ++i) {
    std::string bytes = modelOf(input, *graphs[i], *statements[i]);
    if (bytes.empty() || !sink(graphs[i]->symbol().str() + ".onnx", bytes))
      return;
  }
}
