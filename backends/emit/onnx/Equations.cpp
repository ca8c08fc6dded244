// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations whose subscripts are indices: products as MatMul or Einsum, all else element by
// element, with the reduction behind.
#include "backends/emit/onnx/Lowering.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::emit::onnx;

namespace {

using Indices = std::vector<std::string>;

/// A value whose dimensions are indices, in the order in which the equation has them.
struct Part {
  Value value;
  Indices indices;
};

class Equation {
public:
  Equation(Lowering &lowering, llvm::StringMap<Value> &tensors, op::StatementOp statement)
      : lowering(lowering), model(lowering.model), tensors(tensors), statement(statement) {}

  /// Sets the tensor that is written; false where ONNX cannot say this.
  bool run();

private:
  bool readAccesses();
  llvm::Optional<Indices> written() const;
  llvm::Optional<Value> product();
  bool factors(const ir::Attribute &operand, std::vector<int64_t> &read, double &factor) const;
  llvm::Optional<Part> evaluate(const ir::Attribute &operand);
  llvm::Optional<Part> call(llvm::StringRef function, llvm::ArrayRef<Part> operands);
  Part joined(llvm::StringRef op, llvm::ArrayRef<Part> operands);
  Value aligned(const Part &part, const Indices &all);
  int64_t extent(const std::string &index) const { return statement.domain().find(index)->asInt(); }
  size_t position(const std::string &index) const {
    return static_cast<size_t>(llvm::find(order, index) - order.begin());
  }

  Lowering &lowering;
  Model &model;
  llvm::StringMap<Value> &tensors;
  op::StatementOp statement;
  Indices order; ///< those of the result, then those that are summed up
  std::vector<Part> reads;
};

} // namespace

static std::vector<AffineExpr> mapOf(const ir::AttrDict &access) {
  std::vector<AffineExpr> map;
  for (const ir::Attribute &subscript : access.find("map")->asList()) {
    if (!subscript.fits(ir::AttrKind::Affine))
      return {};
    map.push_back(subscript.asAffine());
  }
  return map;
}

/// The indices of the result where each element is set, by one index each.
llvm::Optional<Indices> Equation::written() const {
  Indices indices;
  for (const AffineExpr &subscript : mapOf(statement.write())) {
    std::string index = subscript.asVariable().str();
    if (index.empty() || llvm::is_contained(indices, index))
      return llvm::None;
    indices.push_back(index);
  }
  return indices;
}

/// What is read, with fixed places taken out.
bool Equation::readAccesses() {
  for (const ir::Attribute &read : statement.reads()) {
    auto known = tensors.find(read.asDict().find("tensor")->asString());
    std::vector<AffineExpr> map = mapOf(read.asDict());
    if (known == tensors.end() || map.size() != known->second.rank())
      return false;
    Part part{known->second, {}};
    int64_t axis = 0;
    for (const AffineExpr &subscript : map) {
      std::string index = subscript.asVariable().str();
      if (subscript.isConstant()) {
        Type type = part.value.type;
        if (subscript.constant() < 0 || subscript.constant() >= type.shape[axis])
          return false; // it reads as zero
        type.shape.erase(type.shape.begin() + axis);
        part.value = model.node("Gather", {part.value, model.whole(subscript.constant())},
                                std::move(type), Attribute{"axis", axis});
        continue;
      }
      if (index.empty() || llvm::is_contained(part.indices, index) ||
          extent(index) != part.value.type.shape[axis])
        return false;
      part.indices.push_back(index);
      ++axis;
    }
    reads.push_back(std::move(part));
  }
  return true;
}

/// `part` with its dimensions in the order of the equation.
static Part ordered(Model &model, const Part &part,
                    llvm::function_ref<size_t(const std::string &)> position) {
  std::vector<int64_t> axes(part.indices.size());
  for (size_t i = 0; i < axes.size(); ++i)
    axes[i] = static_cast<int64_t>(i);
  llvm::sort(axes, [&](int64_t a, int64_t b) {
    return position(part.indices[static_cast<size_t>(a)]) <
           position(part.indices[static_cast<size_t>(b)]);
  });
  Part result{model.transpose(part.value, axes), {}};
  for (int64_t axis : axes)
    result.indices.push_back(part.indices[static_cast<size_t>(axis)]);
  return result;
}

/// `part` so that its dimensions stand, from the last one on, where those of `all` do.
Value Equation::aligned(const Part &part, const Indices &all) {
  std::vector<int64_t> missing;
  auto first = part.indices.empty() ? all.end() : llvm::find(all, part.indices.front());
  for (auto index = first; index != all.end(); ++index)
    if (!llvm::is_contained(part.indices, *index))
      missing.push_back(index - first);
  return model.unsqueeze(part.value, missing);
}

Part Equation::joined(llvm::StringRef op, llvm::ArrayRef<Part> operands) {
  Part result;
  for (const std::string &index : order)
    if (llvm::any_of(operands,
                     [&](const Part &part) { return llvm::is_contained(part.indices, index); }))
      result.indices.push_back(index);
  std::vector<Value> values;
  for (const Part &operand : operands)
    values.push_back(aligned(operand, result.indices));
  result.value = model.elementwise(op, values);
  return result;
}

/// The operator that computes `function` of elements; "" where there is none.
static llvm::StringRef operatorOf(llvm::StringRef function, size_t operands) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> table[] = {
      {"+", "Add"},           {"-", "Sub"},     {"*", "Mul"},     {"/", "Div"},    {"^", "Pow"},
      {"abs", "Abs"},         {"ceil", "Ceil"}, {"cos", "Cos"},   {"erf", "Erf"},  {"exp", "Exp"},
      {"floor", "Floor"},     {"log", "Log"},   {"max", "Max"},   {"min", "Min"},  {"pow", "Pow"},
      {"sigmoid", "Sigmoid"}, {"sin", "Sin"},   {"sqrt", "Sqrt"}, {"tanh", "Tanh"}};
  if (function == "-" && operands == 1)
    return "Neg";
  const auto *row = llvm::find_if(table, [&](const auto &one) { return one.first == function; });
  return row == std::end(table) ? llvm::StringRef() : llvm::StringRef(row->second);
}

llvm::Optional<Part> Equation::call(llvm::StringRef function, llvm::ArrayRef<Part> operands) {
  if (function == "rsqrt")
    return joined("Reciprocal", joined("Sqrt", operands));
  llvm::StringRef op = operatorOf(function, operands.size());
  if (op.empty())
    return llvm::None;
  return joined(op, operands);
}

/// The read that `operand` of a right side is, or -1.
static int64_t readOf(const ir::Attribute &operand) {
  return operand.is(ir::AttrKind::Dict) ? operand.asDict().find("read")->asInt() : -1;
}

/// [operator, operands…], or only an operand.
static std::pair<llvm::StringRef, llvm::ArrayRef<ir::Attribute>>
partsOf(const ir::Attribute &list) {
  llvm::ArrayRef<ir::Attribute> parts = list.asList();
  if (!parts.front().is(ir::AttrKind::String))
    return {"", parts};
  return {parts.front().asString(), parts.drop_front()};
}

llvm::Optional<Part> Equation::evaluate(const ir::Attribute &operand) {
  if (int64_t read = readOf(operand); read >= 0)
    return ordered(model, reads[static_cast<size_t>(read)],
                   [&](const std::string &index) { return position(index); });
  if (!operand.is(ir::AttrKind::List))
    return Part{lowering.number(operand.asQuantity().toDouble()), {}};
  auto [function, parts] = partsOf(operand);
  std::vector<Part> operands;
  for (const ir::Attribute &inner : parts) {
    llvm::Optional<Part> part = evaluate(inner);
    if (!part)
      return llvm::None;
    operands.push_back(std::move(*part));
  }
  return function.empty() ? operands.front() : call(function, operands);
}

/// Whether `operand` is a product of elements and numbers: collects both.
bool Equation::factors(const ir::Attribute &operand, std::vector<int64_t> &read,
                       double &factor) const {
  if (int64_t one = readOf(operand); one >= 0) {
    read.push_back(one);
    return true;
  }
  if (!operand.is(ir::AttrKind::List)) {
    factor *= operand.asQuantity().toDouble();
    return true;
  }
  auto [function, parts] = partsOf(operand);
  if (function == "-" && parts.size() == 1)
    factor = -factor;
  else if (function == "/" && parts[1].fits(ir::AttrKind::Quantity)) {
    factor /= parts[1].asQuantity().toDouble();
    parts = parts.drop_back();
  } else if (function != "*" && !function.empty())
    return false;
  return llvm::all_of(parts,
                      [&](const ir::Attribute &part) { return factors(part, read, factor); });
}

/// [b…, m, k] times [b…, k, n] or [k, n], as MatMul has it.
static bool isMatrixProduct(const Indices &a, const Indices &b, const Indices &result) {
  if (a.size() < 2 || b.size() < 2 || a.size() != result.size())
    return false;
  llvm::ArrayRef<std::string> outer = llvm::makeArrayRef(a).drop_back(2), wanted = outer;
  bool isMatrix = b.size() == 2 && (outer.empty() || !llvm::is_contained(outer, b[0]));
  return llvm::makeArrayRef(result).drop_back(2) == wanted &&
         result[a.size() - 2] == a[a.size() - 2] && b[b.size() - 2] == a.back() &&
         result.back() == b.back() && a.back() != result.back() &&
         (isMatrix || llvm::makeArrayRef(b).drop_back(2) == outer);
}

/// The sum of products as one operator.
llvm::Optional<Value> Equation::product() {
  Indices result = *written();
  Type type{{}, lowering.computed};
  for (const std::string &index : result)
    type.shape.push_back(extent(index));
  if (reads.size() == 2)
    for (size_t side : {0, 1})
      if (isMatrixProduct(reads[side].indices, reads[1 - side].indices, result))
        return model.node("MatMul", {reads[side].value, reads[1 - side].value}, type);
  constexpr size_t letters = 26;
  auto isRead = [&](const std::string &index) {
    return llvm::any_of(reads,
                        [&](const Part &read) { return llvm::is_contained(read.indices, index); });
  };
  if (order.size() > letters || !llvm::all_of(order, isRead))
    return llvm::None;
  auto term = [&](const Indices &indices) {
    std::string text;
    for (const std::string &index : indices)
      text += static_cast<char>('a' + position(index));
    return text;
  };
  std::string text;
  std::vector<Value> values;
  for (const Part &read : reads) {
    text += (text.empty() ? "" : ",") + term(read.indices);
    values.push_back(read.value);
  }
  return model.node("Einsum", values, type, Attribute{"equation", text + "->" + term(result)});
}

static llvm::StringRef reductionOf(llvm::StringRef sign) {
  return sign == "+" ? "ReduceSum" : sign == "max" ? "ReduceMax" : sign == "min" ? "ReduceMin" : "";
}

bool Equation::run() {
  llvm::Optional<Indices> result = written();
  const ir::Attribute *right = statement->attr("value");
  if (!right || !result || !statement.constraints().empty())
    return false;
  order = *result;
  for (const ir::AttrDict::Entry &index : statement.domain().entries())
    if (!llvm::is_contained(order, index.first))
      order.push_back(index.first);
  if (!readAccesses())
    return false;
  llvm::StringRef name = statement.write().find("tensor")->asString();
  std::vector<int64_t> factor;
  double number = 1;
  // Each read once, so that the operator has them all.
  if (statement.isMac() && factors(*right, factor, number) && factor.size() == reads.size()) {
    llvm::Optional<Value> value = product();
    if (value && number != 1)
      value = model.elementwise("Mul", {*value, lowering.number(number)});
    return value && tensors.try_emplace(name, *value).second;
  }
  llvm::Optional<Part> part = evaluate(*right);
  if (!part)
    return false;
  std::vector<int64_t> summed;
  for (size_t i = 0; i < part->indices.size(); ++i)
    if (!llvm::is_contained(*result, part->indices[i]))
      summed.push_back(static_cast<int64_t>(i));
  // An index that no operand has would only be a factor.
  if (order.size() - result->size() != summed.size() ||
      summed.empty() != statement.reduce().empty())
    return false;
  if (!summed.empty()) {
    llvm::StringRef op = reductionOf(statement.reduce());
    if (op.empty())
      return false;
    part->value = model.reduce(op, part->value, summed);
    part->indices.resize(part->indices.size() - summed.size());
  }
  if (part->indices.size() != result->size()) {
    std::vector<int64_t> shape;
    for (const std::string &index : *result)
      shape.push_back(extent(index));
    Value value = aligned(*part, *result);
    part->value = model.node("Expand", {value, model.wholes(shape)}, {shape, value.type.dtype});
  }
  return tensors.try_emplace(name, part->value).second;
}

llvm::Optional<Value> emit::onnx::lowerEquations(Lowering &lowering) {
  llvm::StringMap<Value> tensors;
  std::string result;
  size_t operand = 0;
  for (ir::Operation &one : lowering.kernel->body()) {
    auto tensor = ir::as<op::OperandOp>(&one);
    if (!tensor)
      continue;
    if (tensor.isInPlace())
      return llvm::None;
    if (tensor.role() == "output" && !result.empty())
      return llvm::None;
    if (tensor.role() == "output")
      result = tensor->symbol().str();
    else if (tensor.role() != "intermediate" && operand < lowering.given.size())
      tensors[tensor->symbol()] = lowering.operand(operand++);
  }
  for (op::StatementOp statement : lowering.statements)
    if (!Equation(lowering, tensors, statement).run())
      return llvm::None;
  auto value = tensors.find(result);
  if (value == tensors.end() || value->second.shape() != llvm::makeArrayRef(lowering.result.shape))
    return llvm::None;
  return value->second;
}
