// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of workloads. Which workload runs with which arguments is in WorkloadArguments.cpp.
#include "frontend/build/GraphBuilder.h"

#include "frontend/build/Draws.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/common/diagnostics/Values.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"
#include <functional>

using namespace perfc;

GraphBuilder::GraphBuilder(BuildContext &context, DType dtype)
    : context(context), diagnostics(context.diagnostics), dtype(dtype),
      previous(context.evaluator.tensors) {
  context.evaluator.tensors = this;
}

GraphBuilder::~GraphBuilder() { context.evaluator.tensors = previous; }

Value GraphBuilder::tensorOf(ir::Value &value) {
  values.push_back(&value);
  Tensor tensor{static_cast<unsigned>(values.size() - 1), {}, value.type().dtype()};
  tensor.shape.append(value.type().shape().begin(), value.type().shape().end());
  return tensor;
}

//===-- Items
//----------------------------------------------------------------------------------===//

void GraphBuilder::body(const ast::Body &body, Scope &scope) {
  for (const ast::Item *entry : body.items)
    if (!isAbandoned)
      item(*entry, scope);
}

/// Names that equations of `body` set.
static llvm::SetVector<llvm::StringRef> namesSet(const ast::Body &body) {
  llvm::SetVector<llvm::StringRef> names;
  std::function<void(const ast::Body &)> visit = [&](const ast::Body &inner) {
    for (const ast::Item *item : inner.items) {
      if (item->kind == ast::ItemKind::Equation)
        names.insert(item->word);
      for (const ast::Body *nested : {item->block, item->otherwise})
        if (nested)
          visit(*nested);
    }
  };
  visit(body);
  return names;
}

void GraphBuilder::item(const ast::Item &item, Scope &scope) {
  if (item.kind == ast::ItemKind::Equation)
    return equation(item, scope);
  if (item.kind == ast::ItemKind::If) {
    Value chosen = context.evaluator.evaluate(*item.value, scope);
    const bool *truth = chosen.getIf<bool>();
    if (!truth && !chosen.isUnknown())
      diagnostics.report(item.value->range, diag::ExpectedCondition, chosen.describe());
    if (const ast::Body *branch = truth && !*truth ? item.otherwise : item.block)
      body(*branch, scope); // names set in a branch stay set
    return;
  }
  if (item.kind == ast::ItemKind::Import) {
    diagnostics.report(item.wordRange, diag::ImportInBlock);
    return;
  }
  if (context.elaborator.let(item, scope) || item.word == "phase")
    return;
  if (item.word == "repeat")
    return repeat(item, scope);
  if (item.word == "draw")
    return draw(item, scope);
  if (item.word == "require") {
    isAbandoned |= !context.evaluator.fulfils(running, item, scope);
    return;
  }
  if (item.word == "for") {
    auto names = item.block ? namesSet(*item.block) : llvm::SetVector<llvm::StringRef>();
    context.elaborator.forEach(item, scope, [&](Scope &round) {
      body(*item.block, round);
      // One round hands its tensors to the next.
      for (llvm::StringRef name : names)
        if (round.hasLocal(name))
          scope.set(name, *round.find(name));
    });
    return;
  }
  diagnostics
      .report(item.wordRange, diag::UnknownWord, describeBlock(BlockKind::Workload), item.word)
      .suggest(item.word, {"repeat", "phase", "for", "let", "require", "draw"},
               "a tensor is set with `=`: `x = …`");
}

void GraphBuilder::equation(const ast::Item &item, Scope &scope) {
  llvm::StringRef name = item.word;
  Value result;
  size_t firstCollective = collectives.size();
  const ast::Clause *with = nullptr;
  for (const ast::Clause &clause : item.clauses)
    if (clause.word == "with")
      with = &clause;
    else
      diagnostics.report(clause.wordRange, diag::UnknownClause, name, clause.word)
          .help("a line of a workload has only `with`, for its collectives");
  if (item.target->kind == ast::ExprKind::Name) {
    result = context.evaluator.evaluate(*item.value, scope);
    if (item.assign != "=" && !result.isUnknown()) {
      const Value *before = scope.find(name);
      if (item.assign == "+=" && !before) {
        diagnostics.report(item.wordRange, diag::ReadBeforeSet, name);
        scope.set(name, Value());
        return;
      }
      if (item.assign != "+=") {
        diagnostics.report(item.assignRange, diag::UnknownReduction, item.assign)
            .help("a whole tensor takes `=` or `+=`");
        return;
      }
      result = elementwise("+", {*before, result}, item.range);
    }
  } else {
    std::vector<Value> operands;
    auto model = buildInlineEquation(context.elaborator, {&item, &scope, dtype}, operands);
    if (model)
      result = applyModel(std::move(*model), operands, item.range);
  }
  if (with)
    lineAlgorithm(*with, firstCollective, scope);
  mapTensors(result, [&](const Tensor &tensor) {
    if (ir::Value &value = *values[tensor.id]; value.hint().empty())
      value.setHint(name);
    return tensor;
  });
  scope.set(name, std::move(result));
}

/// Those of a `repeat` that hold a tensor before it.
static std::vector<llvm::StringRef> carriedNames(const ast::Body &body, const Scope &scope) {
  std::vector<llvm::StringRef> names;
  for (llvm::StringRef name : namesSet(body))
    if (const Value *before = scope.find(name); before && before->is<Tensor>())
      names.push_back(name);
  return names;
}

void GraphBuilder::repeat(const ast::Item &item, Scope &scope) {
  if (item.args.size() != 1 || !item.block) {
    diagnostics.report(item.range, diag::BadRepeat);
    return;
  }
  auto count = context.evaluator.integer(*item.args[0].value, scope, "`repeat`");
  if (count && *count < 0) {
    diagnostics.report(item.args[0].range, diag::NegativeValue, "repeat");
    return;
  }
  if (count && *count == 0)
    return;
  ir::Operation *op = context.builder.create(*region, "op.repeat", item.range);
  op->setAttr("count", count.getValueOr(1));
  std::vector<llvm::StringRef> names = carriedNames(*item.block, scope);
  Scope &inner = context.elaborator.newScope(scope);
  for (llvm::StringRef name : names) {
    ir::Value &before = *values[scope.find(name)->get<Tensor>().id];
    op->addOperand(before);
    inner.set(name, tensorOf(op->body().addArgument(before.type(), name)));
  }
  ir::Region *outer = region;
  region = &op->body();
  body(*item.block, inner);
  ir::Operation *yield = context.builder.create(*region, "op.yield", item.range);
  region = outer;
  for (llvm::StringRef name : names) {
    const Value &before = *scope.find(name), &after = *inner.find(name);
    if (!after.is<Tensor>()) {
      scope.set(name, Value());
      continue;
    }
    if (before.get<Tensor>().shape != after.get<Tensor>().shape)
      diagnostics.report(item.range, diag::RepeatChangesShape, name);
    ir::Value &yielded = *values[after.get<Tensor>().id];
    yield->addOperand(yielded);
    scope.set(name, tensorOf(op->addResult(yielded.type(), name)));
  }
}

/// How the values of a tensor are spread; what reads through it knows it better than an op does.
void GraphBuilder::draw(const ast::Item &item, const Scope &scope) {
  const Value *value = scope.find(drawnTensor(item));
  if (value && value->isUnknown())
    return;
  const Tensor *tensor = value ? value->getIf<Tensor>() : nullptr;
  llvm::Optional<size_t> ranks;
  if (tensor)
    ranks = tensor->shape.size();
  if (auto draw = readDraw(item, ranks, scope, context.evaluator))
    draws[tensor->id] = *draw;
}

//===-- Tensors -----------------------------------------------------------------------------===//

Value GraphBuilder::make(llvm::StringRef kind, const Value::List &shape,
                         llvm::Optional<DType> format, SourceRange range) {
  size_t errors = diagnostics.errorCount();
  auto extents = context.evaluator.extents(kind, shape, range);
  isAbandoned |= diagnostics.errorCount() != errors; // the same again for other tensors
  if (!extents)
    return Value();
  return made({0, std::move(*extents), format.getValueOr(dtype), kind.str(), format.hasValue()}, "",
              range);
}

Tensor GraphBuilder::withFormat(Tensor tensor) const {
  if (!tensor.hasFormat)
    tensor.dtype =
        tensor.kind == "token" ? DType::Int32 : context.formatOf(tensor.kind).getValueOr(dtype);
  return tensor;
}

Value GraphBuilder::made(const Tensor &tensor, llvm::StringRef name, SourceRange range) {
  ir::Type type = ir::Type::tensor(tensor.shape, withFormat(tensor).dtype);
  if (!type.bytes()) {
    diagnostics.report(range, diag::TensorTooLarge, type.text());
    return Value();
  }
  ir::Operation *op = context.builder.create(*region, "op.tensor", range);
  op->setAttr("kind", tensor.kind == "tensor" ? "input" : tensor.kind);
  op->setAttr("label", name.empty() ? context.evaluator.program.sourceManager().text(range) : name);
  return tensorOf(op->addResult(type));
}

Value GraphBuilder::stored(llvm::StringRef kind, const OpTensor &tensor, SourceRange range) {
  ir::Operation *op = context.builder.create(*region, "op.tensor", range);
  op->setAttr("kind", kind);
  op->setAttr("label", tensor.name);
  return tensorOf(op->addResult(ir::Type::tensor(tensor.shape, tensor.dtype), tensor.name));
}

Value GraphBuilder::applyModel(OpModel model, llvm::ArrayRef<Value> operands, SourceRange range) {
  for (size_t i = 0; i < operands.size(); ++i)
    if (auto drawn = draws.find(operands[i].get<Tensor>().id); drawn != draws.end())
      model.tensors[model.arguments[i]].draw = drawn->second;
  return applyKernel(buildKernel(context, std::move(model)), operands, range);
}

Value GraphBuilder::applyKernel(const std::string &kernel, llvm::ArrayRef<Value> operands,
                                SourceRange range) {
  if (!llvm::is_contained(kernels, kernel))
    kernels.push_back(kernel);
  ir::Operation *op = context.builder.create(*region, "op.apply", range);
  op->setAttr("kernel", ir::Attribute::symbol(kernel));
  for (const Value &operand : operands)
    op->addOperand(*values[operand.get<Tensor>().id]);
  Value::List list;
  list.isTuple = true;
  const OpModel &model = context.kernels.find(kernel)->second;
  for (size_t position : model.results) {
    const OpTensor &tensor = model.tensors[position];
    list.values.push_back(tensorOf(op->addResult(ir::Type::tensor(tensor.shape, tensor.dtype))));
  }
  return list.values.size() == 1 ? list.values[0] : Value(list);
}

/// "a tensor [8, 64]".
static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return fmt::format("a tensor [{}]", fmt::join(shape, ", "));
}

Value GraphBuilder::elementwise(llvm::StringRef function, llvm::ArrayRef<Value> operands,
                                SourceRange range) {
  // The result has the shape of the operand with most ranks; the others match its trailing ranks.
  const Tensor *largest = nullptr;
  for (const Value &operand : operands) {
    if (operand.isUnknown())
      return Value();
    const Tensor *tensor = operand.getIf<Tensor>();
    const Quantity *number = operand.getIf<Quantity>();
    if (!tensor && !(number && number->dimension().isNumber())) {
      diagnostics.report(range, diag::BadOperand, function, operand.describe());
      return Value();
    }
    if (tensor && (!largest || tensor->shape.size() > largest->shape.size()))
      largest = tensor;
  }
  OpModel model;
  OpStatement statement;
  bool isFunction = isElementFunction(function);
  model.name = isFunction        ? function.str()
               : function == "+" ? "add"
               : function == "-" ? "subtract"
               : function == "*" ? "multiply"
               : function == "/" ? "divide"
                                 : "elementwise";
  statement.range = range;
  statement.text = context.evaluator.program.sourceManager().text(range).str();
  statement.flops = 1;
  if (isFunction)
    statement.functions.push_back({function.str(), 1});
  size_t ranks = largest->shape.size();
  for (size_t rank = 0; rank < ranks; ++rank)
    statement.domain.push_back({"i" + std::to_string(rank), largest->shape[rank]});
  auto accessFor = [&](std::string name, size_t used) {
    OpAccess access{std::move(name), {}};
    for (size_t rank = ranks - used; rank < ranks; ++rank)
      access.map.push_back(AffineExpr::variable("i" + std::to_string(rank)));
    return access;
  };
  std::vector<Value> tensors;
  statement.value.push_back(function);
  for (const Value &operand : operands) {
    const Tensor *tensor = operand.getIf<Tensor>();
    if (!tensor) {
      statement.value.push_back(operand.get<Quantity>());
      continue;
    }
    statement.value.push_back(ir::AttrDict{{"read", tensors.size()}});
    auto tail = llvm::makeArrayRef(largest->shape).take_back(tensor->shape.size());
    if (tail != llvm::makeArrayRef(tensor->shape)) {
      diagnostics.report(range, diag::BroadcastMismatch, function, shapeText(tensor->shape),
                         shapeText(largest->shape));
      return Value();
    }
    std::string name = tensors.empty() ? "a" : "b";
    model.arguments.push_back(model.tensors.size());
    model.tensors.push_back({name, "input", tensor->shape, tensor->dtype, false, {}});
    statement.reads.push_back(accessFor(name, tensor->shape.size()));
    tensors.push_back(operand);
  }
  statement.write = accessFor("y", ranks);
  model.statements.push_back(std::move(statement));
  model.results.push_back(model.tensors.size());
  model.tensors.push_back({"y", "output", largest->shape, dtype, false, {}});
  return applyModel(std::move(model), tensors, range);
}

//===-- Calls
//----------------------------------------------------------------------------------===//

Value GraphBuilder::apply(const Instance &given, SourceRange range) {
  Instance callee = given; // `let half = net(x = tensor[4, 8])` has tensors that are made here
  for (Argument &argument : callee.arguments)
    argument.value = std::make_shared<Value>(mapTensors(*argument.value, [&](const Tensor &tensor) {
      return tensor.kind.empty() ? Value(tensor) : made(tensor, "", argument.range);
    }));
  if (callee.decl->kind == DeclKind::Op)
    return applyOp(callee, range);
  if (callee.decl->kind == DeclKind::Collective)
    return applyCollective(callee, range);
  return applyWorkload(callee, range);
}

/// What makes two applications the same but for the elements of their tensors; "" where that is not
/// known.
std::string GraphBuilder::applicationKey(const Instance &callee) const {
  if (!draws.empty()) // which a kernel may be of
    return "";
  std::string key = fmt::format("{}:{}", static_cast<const void *>(callee.decl), dtypeName(dtype));
  for (const Argument &argument : callee.arguments) {
    key += "," + argument.name + "=";
    const Tensor *tensor = argument.value->getIf<Tensor>();
    if (tensor)
      key += fmt::format("{}[{}]", dtypeName(tensor->dtype), fmt::join(tensor->shape, ","));
    else if (argument.value->isPlain())
      key += "`" + argument.value->text() + "`";
    else
      return "";
  }
  return key;
}

llvm::Optional<std::vector<Value>>
GraphBuilder::operandsOf(const Instance &callee, const OpModel &model, SourceRange range) {
  std::vector<Value> operands(model.arguments.size());
  // Arguments in the order of the declaration, whether they were given by position or by name.
  size_t position = 0;
  for (const Argument &argument : callee.arguments) {
    llvm::StringRef name = argument.name;
    if (name.empty())
      name = callee.decl->parameters[position++].name;
    for (size_t i = 0; i < operands.size(); ++i)
      if (model.tensors[model.arguments[i]].name == name)
        operands[i] = *argument.value;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is<Tensor>())
      continue;
    const OpTensor &tensor = model.tensors[model.arguments[i]];
    if (tensor.role != "weight") {
      diagnostics.report(range, diag::MissingArgument, callee.decl->name, tensor.name);
      return llvm::None;
    }
    // A weight that is not passed is the op's own: `rmsnorm(x)` stores its scale.
    operands[i] = stored("weight", tensor, range);
  }
  return operands;
}

Value GraphBuilder::applyOp(const Instance &callee, SourceRange range) {
  for (const Argument &argument : callee.arguments)
    if (argument.value->isUnknown() || argument.isMistaken)
      return Value();
  std::string key = applicationKey(callee);
  if (auto known = context.applied.find(key); known != context.applied.end()) {
    auto operands = operandsOf(callee, context.kernels.find(known->second)->second, range);
    return operands ? applyKernel(known->second, *operands, range) : Value();
  }
  size_t problems = diagnostics.all().size(), uses = context.evaluator.parameterUses();
  auto model = buildOpModel(context.elaborator, {&callee, dtype}, /*allowMissing=*/false);
  auto operands = model ? operandsOf(callee, *model, range) : llvm::None;
  if (!operands)
    return Value();
  Value result = applyModel(std::move(*model), *operands, range);
  if (!key.empty() && diagnostics.all().size() == problems &&
      context.evaluator.parameterUses() == uses)
    context.applied[key] = region->back().symbolAttr("kernel").str();
  return result;
}

Value GraphBuilder::applyWorkload(const Instance &callee, SourceRange range) {
  if (llvm::is_contained(building, callee.decl)) {
    const Decl *first =
        earliest(llvm::makeArrayRef(llvm::find(building, callee.decl), building.end()));
    diagnostics.report(first->nameRange, diag::RecursiveWorkload, first->name)
        .note(range, "through this call");
    return Value();
  }
  for (const Argument &argument : callee.arguments)
    if (argument.value->isUnknown() || argument.isMistaken)
      return Value();
  llvm::Optional<BuiltGraph> graph;
  std::vector<ir::Value *> operands;
  {
    // What is called from a body has its arguments, also while declarations are checked.
    llvm::SaveAndRestore<bool> complete(context.allowMissing, false);
    graph = build(callee, operands);
  }
  if (!graph)
    return Value();
  ir::Operation *called = context.module.lookup(graph->symbol);
  ir::Operation *op = context.builder.create(*region, "op.call", range);
  op->setAttr("graph", ir::Attribute::symbol(graph->symbol));
  for (ir::Value *operand : operands)
    op->addOperand(*operand);
  for (const std::string &kernel : graph->kernels)
    if (!llvm::is_contained(kernels, kernel))
      kernels.push_back(kernel);
  Value::List list;
  list.isTuple = true;
  for (ir::Value *result : called->body().back().operands())
    list.values.push_back(tensorOf(op->addResult(result->type())));
  return list.values.size() == 1 ? list.values[0] : Value(list);
}
