// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Adapters.h"

#include "passes/training/TrainingGraph.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// The index that a subscript is; nothing when it is more.
static llvm::Optional<unsigned> plainIndex(const Subscript &subscript) {
  bool isPlain = !subscript.dataDependent && subscript.constant == 0 &&
                 subscript.terms.size() == 1 && subscript.terms[0].second == 1;
  return isPlain ? llvm::Optional<unsigned>(subscript.terms[0].first) : llvm::None;
}

static bool isPlain(const Access &access) {
  return llvm::all_of(access.ranks,
                      [](const Subscript &one) { return plainIndex(one).hasValue(); });
}

llvm::Optional<Adapters::Product> Adapters::productOf(const Kernel &kernel,
                                                      const Operation &apply) const {
  if (kernel.statements.size() != 1 || apply.operandCount() != 2 || apply.resultCount() != 1)
    return llvm::None;
  Product product{&kernel.statements[0], nullptr, nullptr, 0, {}, {}, {}};
  const Statement &statement = *product.statement;
  std::vector<op::OperandOp> inputs = kernel.inputs();
  if (!statement.op.isMac() || statement.reads.size() != 2 || inputs.size() != 2)
    return llvm::None;
  for (const Access &read : statement.reads)
    for (size_t i = 0; i < 2; ++i)
      if (inputs[i].symbol() == read.tensor) {
        (isWeight(apply.operand(i)) ? product.weight : product.input) = &read;
        if (!isWeight(apply.operand(i)))
          product.inputOperand = i;
      }
  if (!product.input || !product.weight || !isPlain(*product.input) || !isPlain(*product.weight) ||
      !isPlain(statement.write))
    return llvm::None;
  for (unsigned i = 0; i < statement.extents.size(); ++i) {
    bool inInput = product.input->uses(i), inWeight = product.weight->uses(i);
    bool isWritten = statement.write.uses(i);
    if (inInput && inWeight && isWritten)
      return llvm::None;
    (!isWritten ? product.contracted : inWeight ? product.columns : product.rows).push_back(i);
  }
  bool isMatrix = !product.contracted.empty() && !product.columns.empty() && !product.rows.empty();
  return isMatrix ? llvm::Optional<Product>(product) : llvm::None;
}

Adapters::Shape Adapters::extents(const Product &product, llvm::ArrayRef<unsigned> indices) const {
  Shape result;
  for (unsigned i : indices)
    result.push_back(product.statement->extents[i]);
  return result;
}

/// {tensor, [indices]} with the adapter's rank as index `lora`, first or last.
static AttrDict accessOf(llvm::StringRef tensor, const Statement &statement,
                         llvm::ArrayRef<unsigned> indices, bool isRankFirst) {
  AttrList map;
  for (unsigned i : indices)
    map.push_back(AffineExpr::variable(statement.names[i]));
  map.insert(isRankFirst ? map.begin() : map.end(), AffineExpr::variable("lora"));
  return AttrDict{{"tensor", tensor}, {"map", map}};
}

/// The equation of an adapter's kernel in `into`.
void Adapters::fillStatement(const Product &product, bool isDown, Operation &into) {
  const Statement &statement = *product.statement;
  const std::vector<unsigned> &free = isDown ? product.contracted : product.columns;
  AttrDict domain;
  for (const std::vector<unsigned> *indices : {&product.rows, &free})
    for (unsigned i : *indices)
      domain.set(statement.names[i], statement.extents[i]);
  domain.set("lora", rank);
  AttrDict whole{{"tensor", isDown ? "x" : "y"},
                 {"map", isDown ? *product.input->map : *statement.write.map}};
  AttrDict hidden = accessOf(isDown ? "y" : "x", statement, product.rows, false);
  into.setAttr("write", isDown ? hidden : whole);
  into.setAttr("reads", AttrList{isDown ? whole : hidden, accessOf("w", statement, free, !isDown)});
  into.setAttr("domain", domain);
  into.setAttr("reduce", "+");
  into.setAttr("mac", Attribute::unit());
  into.setAttr("flops", 2);
  into.setAttr("text", isDown ? "y += x * A" : "y += h * B");
}

/// h[rows, r] += x[...] * A[contracted, r] for the way down, y[...] += h[rows, r] * B[r, columns]
/// for the way up.
std::string Adapters::kernelOf(const Kernel &kernel, const Product &product, bool isDown) {
  std::string symbol = kernel.op.symbol().str() + (isDown ? "_lora_a" : "_lora_b");
  if (module.lookup(symbol))
    return symbol;
  Location location = kernel.op->location();
  Operation *op = builder.createBefore(graph, op::KernelOp::opName, location);
  op->setSymbol(symbol);
  op->setAttr("op", kernel.op.declaration().str() + (isDown ? ".lora_a" : ".lora_b"));
  op->setAttr("parameters", AttrDict());
  auto operand = [&](llvm::StringRef name, llvm::StringRef role, llvm::ArrayRef<int64_t> shape) {
    Operation *part = builder.create(op->body(), op::OperandOp::opName, location);
    part->setSymbol(name);
    part->setAttr("role", role);
    part->setAttr("shape", Attribute::ints(shape));
    part->setAttr("dtype", product.input->operand.dtype());
  };
  Shape hidden = extents(product, product.rows);
  hidden.push_back(rank);
  llvm::ArrayRef<int64_t> x = hidden, y = hidden;
  (isDown ? x : y) = isDown ? product.input->shape : product.statement->write.shape;
  operand("x", "input", x);
  operand("w", "weight", matrixShape(product, isDown));
  operand("y", "output", y);
  fillStatement(product, isDown, *builder.create(op->body(), op::StatementOp::opName, location));
  return symbol;
}

/// [contracted, r] for the way down, [r, columns] for the way up.
Adapters::Shape Adapters::matrixShape(const Product &product, bool isDown) const {
  Shape shape = extents(product, isDown ? product.contracted : product.columns);
  shape.insert(isDown ? shape.end() : shape.begin(), rank);
  return shape;
}

Value &Adapters::weight(Operation &before, const Product &product, bool isDown, unsigned &weights) {
  Operation *tensor = builder.createBefore(before, op::TensorOp::opName, before.location());
  tensor->setSymbol("w" + std::to_string(weights++));
  tensor->setAttr("kind", "weight");
  tensor->setAttr("label", isDown ? "adapter A" : "adapter B");
  tensor->setAttr("adapter", Attribute::unit());
  return tensor->addResult(
      Type::tensor(matrixShape(product, isDown), before.operand(0).type().dtype()));
}

Value &Adapters::apply(Operation &before, llvm::StringRef kernel,
                       const std::vector<Value *> &operands, const Type &type) {
  Operation *op = builder.createBefore(before, op::ApplyOp::opName, before.location());
  op->setAttr("kernel", Attribute::symbol(kernel));
  op->setOperands(operands);
  return op->addResult(type);
}

void Adapters::adapt(Operation &op, const Kernel &kernel, const Product &product,
                     unsigned &weights) {
  Operation *next = nullptr;
  for (auto it = op.parentRegion()->begin(); it != op.parentRegion()->end(); ++it)
    if (&*it == &op)
      next = &*std::next(it);
  Value &x = op.operand(product.inputOperand), &y = op.result();
  Shape hidden = extents(product, product.rows);
  hidden.push_back(rank);
  Value &a = weight(op, product, true, weights), &b = weight(op, product, false, weights);
  Value &h = apply(*next, kernelOf(kernel, product, true), {&x, &a},
                   Type::tensor(hidden, x.type().dtype()));
  Value &z = apply(*next, kernelOf(kernel, product, false), {&h, &b}, y.type());
  // The sum reads what it replaces, so the uses change first.
  Value &sum = apply(*next, helpers.sum(y.type(), op.location()), {}, y.type());
  graph.body().replaceUses(y, sum);
  sum.definingOp()->setOperands({&y, &z});
}

/// Products in `kernel` of tensors that are no weights; the square of one in a norm is none.
static int activationProducts(const Kernel &kernel) {
  return static_cast<int>(llvm::count_if(kernel.statements, [](const Statement &statement) {
    return statement.op.isMac() && statement.reads.size() >= 2 &&
           llvm::none_of(statement.reads,
                         [](const Access &read) { return read.operand.role() == "weight"; });
  }));
}

/// True when attention reads `value`, as it is or through kernels without products with weights
/// (positions, norms, a cache): two products of activations in one kernel, or one behind the other.
bool Adapters::reachesAttention(const Value &value, int missing) const {
  auto found = users.find(&value);
  if (found == users.end())
    return false;
  for (const Operation *user : found->second) {
    if (!user->is(op::ApplyOp::opName))
      continue;
    Kernel kernel(op::KernelOp(resolve(*user, as<op::ApplyOp>(*user).kernel())));
    int left = missing - activationProducts(kernel);
    if (left <= 0)
      return true;
    if (productOf(kernel, *user))
      continue;
    for (size_t i = 0; i < user->resultCount(); ++i)
      if (reachesAttention(user->result(i), left))
        return true;
  }
  return false;
}

void Adapters::run(unsigned &weights) {
  std::vector<Operation *> products;
  graph.body().walk([&](Operation &op) {
    for (const Value *operand : op.operands())
      users[operand].push_back(&op);
    if (auto tensor = as<op::TensorOp>(op); tensor && tensor.kind() == "weight")
      op.setAttr("frozen", Attribute::unit());
    if (op.is(op::ApplyOp::opName) && op.parentOp()->is(op::RepeatOp::opName))
      products.push_back(&op);
  });
  if (ofAttention)
    llvm::erase_if(products, [&](const Operation *op) {
      return op->resultCount() == 0 || !reachesAttention(op->result(), 2);
    });
  for (Operation *op : products) {
    Kernel kernel(op::KernelOp(resolve(*op, as<op::ApplyOp>(*op).kernel())));
    if (auto product = productOf(kernel, *op))
      adapt(*op, kernel, *product, weights);
  }
}
