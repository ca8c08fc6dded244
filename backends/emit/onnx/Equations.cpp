// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations, one after the other: products as MatMul or Einsum, all else element by element, with
// the reduction behind. What their subscripts say is in Subscripts.
#include "backends/emit/onnx/Lowering.h"
#include "backends/emit/onnx/Subscripts.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace perfc;
using namespace perfc::emit::onnx;

namespace {

/// The tensors of a kernel, by name.
using Tensors = llvm::StringMap<Value>;

class Equation {
public:
  Equation(Lowering &lowering, const Tensors &tensors, op::StatementOp statement)
      : lowering(lowering), model(lowering.model), tensors(tensors), statement(statement) {}

  /// What a tensor of `shape` becomes by this; nothing where ONNX cannot say it.
  llvm::Optional<Piece> run(llvm::ArrayRef<int64_t> shape);

private:
  bool readAccesses();
  Part withoutOnes(const Part &part);
  Part placesOf(const AffineExpr &sum);
  llvm::Optional<Part> condition();
  Part masked(const Part &part, double otherwise);
  llvm::Optional<Part> reduced();
  llvm::Optional<Part> product();
  bool factors(const ir::Attribute &operand, std::vector<int64_t> &read, double &factor) const;
  llvm::Optional<Part> evaluate(const ir::Attribute &operand);
  llvm::Optional<Part> call(llvm::StringRef function, llvm::ArrayRef<Part> operands);
  Part joined(llvm::StringRef op, llvm::ArrayRef<Part> operands);
  Value aligned(const Part &part, const Indices &all);
  int64_t extent(llvm::StringRef index) const { return statement.domain().find(index)->asInt(); }
  std::vector<int64_t> extents(const Indices &indices) const;
  size_t position(const std::string &index) const {
    return static_cast<size_t>(llvm::find(order, index) - order.begin());
  }

  Lowering &lowering;
  Model &model;
  const Tensors &tensors;
  op::StatementOp statement;
  Indices result; ///< indices of what is written
  Indices order;  ///< those, then those that are summed up
  std::vector<Part> reads;
  llvm::Optional<Part> holds; ///< where its conditions do; nothing where they always do
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

std::vector<int64_t> Equation::extents(const Indices &indices) const {
  std::vector<int64_t> list;
  for (const std::string &index : indices)
    list.push_back(extent(index));
  return list;
}

bool Equation::readAccesses() {
  for (const ir::Attribute &read : statement.reads()) {
    auto known = tensors.find(read.asDict().find("tensor")->asString());
    std::vector<AffineExpr> map = mapOf(read.asDict());
    if (known == tensors.end() || map.size() != known->second.rank())
      return false;
    llvm::Optional<Part> part =
        readAt(model, known->second, map, [&](llvm::StringRef index) { return extent(index); });
    if (!part)
      return false;
    reads.push_back(statement.reduce().empty() ? withoutOnes(*part) : std::move(*part));
  }
  return true;
}

/// Without dimensions of indices of one value that the result has as a part of a sum.
Part Equation::withoutOnes(const Part &part) {
  Indices kept;
  for (const std::string &index : part.indices)
    if (extent(index) > 1 || llvm::is_contained(result, index))
      kept.push_back(index);
  return {model.reshape(part.value, extents(kept)), kept};
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

/// The whole number that `sum` is, over its indices.
Part Equation::placesOf(const AffineExpr &sum) {
  Part all{model.whole(sum.constant()), {}};
  for (const AffineExpr::Term &term : sum.terms()) {
    int64_t count = extent(term.name);
    Value range = model.node("Range", {model.whole(0), model.whole(count), model.whole(1)},
                             {{count}, DType::Int64});
    Part scaled{model.elementwise("Mul", {range, model.whole(term.coefficient)}), {term.name}};
    all = joined("Add", {scaled, all});
  }
  return all;
}

/// Where all conditions of the statement hold, over the indices that they are about.
llvm::Optional<Part> Equation::condition() {
  llvm::Optional<Part> all;
  for (const AffineExpr &sum : statement.constraints()) {
    int64_t least = sum.constant();
    for (const AffineExpr::Term &term : sum.terms())
      least += std::min<int64_t>(term.coefficient, 0) * (extent(term.name) - 1);
    if (least >= 0) // everywhere
      continue;
    Part places = placesOf(sum);
    places.value = model.node("GreaterOrEqual", {places.value, model.whole(0)},
                              {places.value.type.shape, DType::Bool});
    all = all ? joined("And", {*all, places}) : places;
  }
  return all;
}

/// `part` where the conditions hold, else `otherwise`.
Part Equation::masked(const Part &part, double otherwise) {
  Part result;
  for (const std::string &index : order)
    if (llvm::is_contained(part.indices, index) || llvm::is_contained(holds->indices, index))
      result.indices.push_back(index);
  auto inOrder = [&](const Part &one) {
    return aligned(ordered(model, one, [&](const std::string &index) { return position(index); }),
                   result.indices);
  };
  result.value = model.node("Where", {inOrder(*holds), inOrder(part), lowering.number(otherwise)},
                            {extents(result.indices), part.value.type.dtype});
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
llvm::Optional<Part> Equation::product() {
  constexpr size_t letters = 26;
  auto isRead = [&](const std::string &index) {
    return llvm::any_of(reads,
                        [&](const Part &read) { return llvm::is_contained(read.indices, index); });
  };
  // An index that no operand has would only be a factor.
  if (order.size() > letters ||
      !llvm::all_of(llvm::makeArrayRef(order).drop_front(result.size()), isRead))
    return llvm::None;
  Indices made;
  llvm::copy_if(result, std::back_inserter(made), isRead);
  Type type{extents(made), lowering.computed};
  if (reads.size() == 2)
    for (size_t side : {0, 1})
      if (isMatrixProduct(reads[side].indices, reads[1 - side].indices, made))
        return Part{model.node("MatMul", {reads[side].value, reads[1 - side].value}, type), made};
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
  Attribute equation{"equation", text + "->" + term(made)};
  return Part{model.node("Einsum", values, type, equation), made};
}

static llvm::StringRef reductionOf(llvm::StringRef sign) {
  return sign == "+" ? "ReduceSum" : sign == "max" ? "ReduceMax" : sign == "min" ? "ReduceMin" : "";
}

/// What changes nothing where it is reduced.
static double neutralOf(llvm::StringRef sign) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return sign == "max" ? -infinity : sign == "min" ? infinity : 0;
}

static bool areAll(const Indices &some, const Indices &all) {
  return llvm::all_of(some,
                      [&](const std::string &index) { return llvm::is_contained(all, index); });
}

/// The right side, with a reduction behind where there is one.
llvm::Optional<Part> Equation::reduced() {
  const ir::Attribute *right = statement->attr("value");
  std::vector<int64_t> factor;
  double number = 1;
  // Each read once, so that the operator has them all.
  if (statement.isMac() && factors(*right, factor, number) && factor.size() == reads.size()) {
    bool isBehind = !holds || areAll(holds->indices, result);
    if (!isBehind) {
      auto whole = llvm::find_if(
          reads, [&](const Part &read) { return areAll(holds->indices, read.indices); });
      if (whole == reads.end())
        return llvm::None;
      *whole = masked(*whole, 0);
    }
    llvm::Optional<Part> part = product();
    if (part && number != 1)
      part->value = model.elementwise("Mul", {part->value, lowering.number(number)});
    if (part && holds && isBehind)
      part = masked(*part, 0);
    return part;
  }
  llvm::Optional<Part> part = evaluate(*right);
  if (!part)
    return llvm::None;
  if (holds)
    part = masked(*part, neutralOf(statement.reduce()));
  std::vector<int64_t> summed;
  for (size_t i = 0; i < part->indices.size(); ++i)
    if (!llvm::is_contained(result, part->indices[i]))
      summed.push_back(static_cast<int64_t>(i));
  // An index that no operand has would only be a factor.
  if (order.size() - result.size() != summed.size() ||
      (!summed.empty() && statement.reduce().empty()))
    return llvm::None;
  if (!summed.empty()) {
    llvm::StringRef op = reductionOf(statement.reduce());
    if (op.empty())
      return llvm::None;
    part->value = model.reduce(op, part->value, summed);
    part->indices.resize(part->indices.size() - summed.size());
  }
  return part;
}

llvm::Optional<Piece> Equation::run(llvm::ArrayRef<int64_t> shape) {
  std::vector<AffineExpr> map = mapOf(statement.write());
  bool isUnder = !statement.constraints().empty();
  if (!statement->attr("value") || (isUnder && lowering.isOfLibrary()) ||
      map.size() != shape.size())
    return llvm::None;
  llvm::Optional<Target> target =
      targetOf(map, shape, [&](llvm::StringRef index) { return extent(index); });
  if (!target)
    return llvm::None;
  result = target->indices;
  order = result;
  if (!readAccesses())
    return llvm::None;
  auto isIn = [](const std::string &index) {
    return [&](const Part &read) { return llvm::is_contained(read.indices, index); };
  };
  for (const ir::AttrDict::Entry &index : statement.domain().entries())
    if (!llvm::is_contained(order, index.first) &&
        (extent(index.first) > 1 || llvm::any_of(reads, isIn(index.first))))
      order.push_back(index.first);
  holds = condition();
  llvm::Optional<Part> part = reduced();
  if (!part)
    return llvm::None;
  std::vector<int64_t> whole = extents(result);
  Value value = aligned(*part, result);
  if (value.shape() != llvm::makeArrayRef(whole))
    value = model.node("Expand", {value, model.wholes(whole)}, {whole, value.type.dtype});
  return Piece{model.reshape(value, target->box.shape), target->box};
}

static llvm::StringRef writtenBy(op::StatementOp statement) {
  return statement.write().find("tensor")->asString();
}

/// Runs the statements in order. A tensor can be read once all that write it have run.
static bool runAll(Lowering &lowering, const llvm::StringMap<std::vector<int64_t>> &shapes,
                   Tensors &tensors) {
  llvm::StringMap<std::vector<Piece>> pieces;
  llvm::ArrayRef<op::StatementOp> rest = lowering.statements;
  while (!rest.empty()) {
    op::StatementOp statement = rest.front();
    rest = rest.drop_front();
    llvm::StringRef name = writtenBy(statement);
    auto shape = shapes.find(name);
    if (shape == shapes.end())
      return false;
    llvm::Optional<Piece> piece = Equation(lowering, tensors, statement).run(shape->second);
    if (!piece)
      return false;
    pieces[name].push_back(std::move(*piece));
    if (llvm::any_of(rest, [&](op::StatementOp later) { return writtenBy(later) == name; }))
      continue;
    llvm::Optional<Value> whole = join(lowering.model, std::move(pieces[name]), shape->second);
    if (!whole || !tensors.try_emplace(name, *whole).second)
      return false;
  }
  return true;
}

llvm::Optional<std::vector<Value>> emit::onnx::lowerEquations(Lowering &lowering) {
  Tensors tensors;
  llvm::StringMap<std::vector<int64_t>> shapes; ///< of what statements write
  std::vector<llvm::StringRef> results;
  size_t operand = 0;
  for (ir::Operation &one : lowering.kernel->body()) {
    auto tensor = ir::as<op::OperandOp>(&one);
    if (!tensor)
      continue;
    if (tensor.isInPlace())
      return llvm::None;
    bool isMade = tensor.role() == "output" || tensor.role() == "intermediate";
    if (isMade)
      shapes[tensor->symbol()] = tensor.shape();
    else if (operand < lowering.given.size())
      tensors[tensor->symbol()] = lowering.operand(operand++);
    if (tensor.role() == "output")
      results.push_back(tensor->symbol());
  }
  if (!runAll(lowering, shapes, tensors))
    return llvm::None;
  std::vector<Value> values;
  for (llvm::StringRef result : results) {
    auto value = tensors.find(result);
    if (value == tensors.end())
      return llvm::None;
    values.push_back(value->second);
  }
  return values;
}
