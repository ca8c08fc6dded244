// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Derive.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

bool passes::isLinear(const Statement &statement) {
  if (statement.op.isMac() || !statement.op.functions().empty())
    return false;
  llvm::StringRef name = op::KernelOp(statement.op->parentOp()).declaration();
  if (name == "add" || name == "subtract")
    return true;
  if (name == "multiply" || name == "divide")
    return statement.op.reads().size() == 1;
  // As written: + and - only, apart from subscripts and from factors that are numbers.
  int depth = 0;
  for (char character : statement.op.text().split('=').second) {
    depth += character == '[' ? 1 : character == ']' ? -1 : 0;
    if (depth == 0 && (character == '*' || character == '/' || character == '^'))
      return statement.reads.size() == 1 && statement.op.reads().size() == 1;
  }
  return true;
}

namespace {

/// Builds one derivative.
class AdjointBuilder {
public:
  AdjointBuilder(const Kernel &kernel, llvm::SmallBitVector wanted)
      : kernel(kernel), wanted(std::move(wanted)) {}

  /// Fills `into`, an op.kernel without operands, and describes it.
  Adjoint build(Operation &into);

private:
  struct Draft {
    const Statement *source;
    AttrDict write;
    AttrList reads;
    bool isReduced;
    bool isAdjoint;
    bool callsFunctions = false;
    int64_t more = 0; ///< operations beside the products of what it reads
  };

  void findActive();
  void differentiate(const Statement &statement);
  void addAdjoint(const Statement &statement, const Access &read);
  AttrDict operandOf(const Statement &statement, const Access &access);
  void need(llvm::StringRef tensor);
  bool isOutput(llvm::StringRef tensor) const;
  bool isProduct(llvm::StringRef tensor) const;
  bool cancels(const Statement &statement) const;
  void declare(Operation &into, op::OperandOp source, llvm::StringRef name, llvm::StringRef role);
  void declareOperands(Operation &into, Adjoint &adjoint);
  void emit(Operation &into, const Draft &draft);
  static std::string gradientName(llvm::StringRef tensor) { return "d_" + tensor.str(); }

  const Kernel &kernel;
  llvm::SmallBitVector wanted;
  llvm::StringSet<> active;    ///< tensors that depend on what is wanted
  llvm::StringSet<> needed;    ///< forward tensors that derivatives read
  llvm::StringSet<> gradients; ///< tensors whose gradient occurs
  std::vector<Draft> drafts;
};

} // namespace

/// exp(…): its derivative is itself.
static bool isExponential(const Statement &statement) {
  const AttrDict &functions = statement.op.functions();
  const Attribute *calls = functions.find("exp");
  return functions.size() == 1 && calls && calls->asInt() == 1 && statement.op.flops() <= 2;
}

/// A sum of reads, each perhaps times a number.
static bool isSumOfReads(const Attribute &value) {
  if (!value.is(AttrKind::List))
    return true; // one read, or a number
  const AttrList &parts = value.asList();
  if (!parts.front().is(AttrKind::String))
    return llvm::all_of(parts, isSumOfReads);
  llvm::StringRef sign = parts.front().asString();
  auto operands = llvm::drop_begin(parts);
  if (sign == "*")
    return llvm::count_if(operands,
                          [](const Attribute &part) { return !part.fits(AttrKind::Quantity); }) <=
               1 &&
           llvm::all_of(operands, isSumOfReads);
  return (sign == "+" || sign == "-") && llvm::all_of(operands, isSumOfReads);
}

/// Operations of the derivative f' where the result y = f(sum of reads) alone gives it, as
/// frameworks take it, so that what goes in is not kept: a maximum with a number passes on what is
/// above it.
static llvm::Optional<int64_t> operationsFromResult(const Statement &statement) {
  if (isExponential(statement))
    return 0; // y
  const Attribute *value = statement.op->attr("value");
  if (!value || !value->is(AttrKind::List) || !statement.op.reduce().empty() ||
      !value->asList().front().is(AttrKind::String))
    return llvm::None;
  llvm::ArrayRef<Attribute> operands = llvm::makeArrayRef(value->asList()).drop_front();
  llvm::StringRef name = value->asList().front().asString();
  if (name == "max" || name == "min") {
    auto isNumber = [](const Attribute &part) { return part.fits(AttrKind::Quantity); };
    bool isBound = operands.size() == 2 && llvm::any_of(operands, isNumber) &&
                   llvm::all_of(operands, isSumOfReads);
    return isBound ? llvm::Optional<int64_t>(0) : llvm::None;
  }
  if (operands.size() != 1 || !isSumOfReads(operands[0]))
    return llvm::None;
  return llvm::StringSwitch<llvm::Optional<int64_t>>(name)
      .Case("sqrt", 1)             // 1 / (2 y)
      .Cases("tanh", "sigmoid", 2) // 1 - y^2, y (1 - y)
      .Case("rsqrt", 3)            // -y^3 / 2
      .Default(llvm::None);
}

/// A read of whole numbers, which say where others read.
static bool isKey(const Access &access) {
  auto format = parseDType(access.operand.dtype());
  return format && !isFloating(*format);
}

static AttrDict accessOf(llvm::StringRef tensor, const Access &like) {
  return AttrDict{{"tensor", tensor}, {"map", *like.map}};
}

void AdjointBuilder::findActive() {
  std::vector<op::OperandOp> inputs = kernel.inputs();
  for (unsigned i : wanted.set_bits())
    active.insert(inputs[i].symbol());
  for (const Statement &statement : kernel.statements)
    for (const Access &read : statement.reads)
      if (active.count(read.tensor) && !cancels(statement))
        active.insert(statement.write.tensor);
}

bool AdjointBuilder::isOutput(llvm::StringRef tensor) const {
  return llvm::any_of(kernel.outputs(),
                      [&](op::OperandOp operand) { return operand.symbol() == tensor; });
}

/// True for what a sum of products makes.
bool AdjointBuilder::isProduct(llvm::StringRef tensor) const {
  return llvm::any_of(kernel.statements, [&](const Statement &statement) {
    return statement.write.tensor == tensor && statement.op.isMac();
  });
}

/// A maximum that is subtracted in an exponent, and nothing else.
bool AdjointBuilder::cancels(const Statement &statement) const {
  if ((statement.op.reduce() != "max" && statement.op.reduce() != "min") ||
      isOutput(statement.write.tensor))
    return false;
  for (const Statement &user : kernel.statements)
    for (const Access &read : user.reads)
      if (read.tensor == statement.write.tensor && !user.op.functions().find("exp"))
        return false;
  return true;
}

void AdjointBuilder::need(llvm::StringRef tensor) {
  if (!needed.insert(tensor).second)
    return;
  for (const Statement &statement : kernel.statements)
    if (statement.write.tensor == tensor && !isOutput(tensor))
      for (const Access &read : statement.reads)
        need(read.tensor);
}

/// What stands for `access` in a derivative of `statement`: the result where it holds as much.
AttrDict AdjointBuilder::operandOf(const Statement &statement, const Access &access) {
  bool isReplaced = statement.op.functions().empty() && statement.op.reduce().empty() &&
                    !statement.op.isMac() && isOutput(statement.write.tensor) &&
                    access.operand.role() == "intermediate" && isProduct(access.tensor) &&
                    access.ranks.size() == statement.write.ranks.size();
  const Access &used = isReplaced ? statement.write : access;
  need(used.tensor);
  return accessOf(used.tensor, used);
}

void AdjointBuilder::addAdjoint(const Statement &statement, const Access &read) {
  Draft draft{&statement, accessOf(gradientName(read.tensor), read), {}, false, true};
  draft.reads.push_back(accessOf(gradientName(statement.write.tensor), statement.write));
  gradients.insert(read.tensor);
  gradients.insert(statement.write.tensor);
  llvm::Optional<int64_t> fromResult = operationsFromResult(statement);
  bool isExtreme = statement.op.reduce() == "max" || statement.op.reduce() == "min";
  bool usesAll = !statement.op.functions().empty();
  draft.callsFunctions = usesAll && !fromResult;
  draft.more = fromResult.getValueOr(0);
  if (fromResult || isExtreme) {
    need(statement.write.tensor);
    draft.reads.push_back(accessOf(statement.write.tensor, statement.write));
  }
  bool isSquare = statement.reads.size() == 1 && statement.op.reads().size() > 1;
  // The gradient of the largest of several goes to those that are as large as the result.
  if (isExtreme)
    draft.reads.push_back(operandOf(statement, read));
  else if (!isLinear(statement) && !fromResult)
    for (const Access &other : statement.reads)
      if (usesAll || isSquare || other.tensor != read.tensor)
        draft.reads.push_back(operandOf(statement, other));
  // The keys of a gather say where its gradient goes.
  if (isLinear(statement) &&
      llvm::any_of(read.ranks, [](const Subscript &subscript) { return subscript.dataDependent; }))
    for (const Access &other : statement.reads)
      if (other.tensor != read.tensor && isKey(other))
        draft.reads.push_back(operandOf(statement, other));
  for (unsigned i = 0; i < statement.extents.size(); ++i)
    draft.isReduced |= !read.uses(i);
  for (const Draft &earlier : drafts)
    draft.isReduced |= earlier.write == draft.write;
  drafts.push_back(std::move(draft));
}

void AdjointBuilder::differentiate(const Statement &statement) {
  if (!active.count(statement.write.tensor) || cancels(statement))
    return;
  for (const Access &read : statement.reads)
    if (active.count(read.tensor))
      addAdjoint(statement, read);
}

void AdjointBuilder::declare(Operation &into, op::OperandOp source, llvm::StringRef name,
                             llvm::StringRef role) {
  ValueMap ignored;
  Operation &copy = source->clone(into.body(), ignored);
  copy.setSymbol(name);
  copy.setAttr("role", role);
  copy.removeAttr("in_place");
}

void AdjointBuilder::declareOperands(Operation &into, Adjoint &adjoint) {
  std::vector<op::OperandOp> inputs = kernel.inputs(), outputs = kernel.outputs();
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (needed.count(inputs[i].symbol())) {
      declare(into, inputs[i], inputs[i].symbol(), inputs[i].role());
      adjoint.inputs.push_back({AdjointInput::Input, i});
    }
  for (unsigned i = 0; i < outputs.size(); ++i) {
    if (needed.count(outputs[i].symbol())) {
      declare(into, outputs[i], outputs[i].symbol(), "input");
      adjoint.inputs.push_back({AdjointInput::Output, i});
    }
    if (gradients.count(outputs[i].symbol())) {
      declare(into, outputs[i], gradientName(outputs[i].symbol()), "input");
      adjoint.inputs.push_back({AdjointInput::Gradient, i});
    }
  }
  for (unsigned i : wanted.set_bits())
    if (gradients.count(inputs[i].symbol())) {
      declare(into, inputs[i], gradientName(inputs[i].symbol()), "output");
      adjoint.results.push_back(i);
    }
  for (op::OperandOp operand : kernel.operands) {
    if (operand.role() != "intermediate")
      continue;
    if (needed.count(operand.symbol()))
      declare(into, operand, operand.symbol(), "intermediate");
    if (gradients.count(operand.symbol()))
      declare(into, operand, gradientName(operand.symbol()), "intermediate");
  }
}

void AdjointBuilder::emit(Operation &into, const Draft &draft) {
  ValueMap ignored;
  op::StatementOp source = draft.source->op;
  Operation &copy = source->clone(into.body(), ignored);
  if (!draft.isAdjoint)
    return;
  copy.setAttr("write", draft.write);
  copy.setAttr("reads", draft.reads);
  copy.removeAttr("reduce");
  copy.removeAttr("mac");
  copy.removeAttr("value");
  if (!draft.callsFunctions)
    copy.removeAttr("functions");
  if (draft.isReduced)
    copy.setAttr("reduce", "+");
  bool isProduct = source.isMac() && draft.isReduced;
  if (isProduct)
    copy.setAttr("mac", Attribute::unit());
  int64_t products = static_cast<int64_t>(draft.reads.size()) - 1;
  int64_t calls = draft.callsFunctions ? source.flops() : draft.more;
  int64_t flops = isProduct ? 2 : products + draft.isReduced + calls;
  copy.setAttr("flops", flops);
  copy.setAttr("text",
               draft.write.find("tensor")->asString().str() + " from " + source.text().str());
}

Adjoint AdjointBuilder::build(Operation &into) {
  findActive();
  for (const Statement &statement : llvm::reverse(kernel.statements))
    differentiate(statement);
  Adjoint adjoint;
  if (drafts.empty())
    return adjoint;
  adjoint.kernel = into.symbol().str();
  declareOperands(into, adjoint);
  for (const Statement &statement : kernel.statements)
    if (needed.count(statement.write.tensor) && !isOutput(statement.write.tensor))
      emit(into, {&statement, {}, {}, false, false});
  for (const Draft &draft : drafts)
    emit(into, draft);
  const Draft &only = drafts.front();
  // A gradient has the format of its value: where the forward pass casts, so does the backward one.
  bool isCast = adjoint.results.size() == 1 &&
                kernel.inputs()[adjoint.results[0]].dtype() != kernel.outputs()[0].dtype();
  adjoint.isCopy = drafts.size() == 1 && !isCast && adjoint.inputs.size() == 1 && !only.isReduced &&
                   isLinear(*only.source) &&
                   *only.write.find("map") == *only.reads.front().asDict().find("map");
  return adjoint;
}

/// Exponentials divided by their sum over some ranks.
static bool isSoftmax(const Kernel &kernel) {
  if (kernel.statements.size() != 4 || kernel.inputs().size() != 1 || kernel.outputs().size() != 1)
    return false;
  const Statement &top = kernel.statements[0], &power = kernel.statements[1],
                  &sum = kernel.statements[2], &last = kernel.statements[3];
  return top.op.reduce() == "max" && isExponential(power) && sum.op.reduce() == "+" &&
         !sum.op.isMac() && last.op.functions().empty() && last.reads.size() == 2 &&
         last.reads[0].tensor == power.write.tensor && last.reads[1].tensor == sum.write.tensor;
}

/// dx = y (dy - sum of y dy): the derivative of softmax needs its result only.
static Adjoint softmaxAdjoint(const Kernel &kernel, Operation &into) {
  op::OperandOp x = kernel.inputs()[0], y = kernel.outputs()[0];
  const Statement &last = kernel.statements[3];
  ValueMap ignored;
  auto declare = [&](op::OperandOp source, llvm::StringRef name, llvm::StringRef role) {
    Operation &copy = source->clone(into.body(), ignored);
    copy.setSymbol(name);
    copy.setAttr("role", role);
  };
  declare(y, "y", "input");
  declare(y, "d_y", "input");
  declare(x, "d_x", "output");
  declare(last.reads[1].operand, "t", "intermediate");
  auto emit = [&](const Access &write, llvm::StringRef name, bool isSum) {
    Operation &copy = last.op->clone(into.body(), ignored);
    AttrList reads{accessOf("y", last.write), accessOf("d_y", last.write)};
    if (!isSum)
      reads.push_back(accessOf("t", last.reads[1]));
    copy.setAttr("write", accessOf(name, write));
    copy.setAttr("reads", std::move(reads));
    if (isSum)
      copy.setAttr("reduce", "+");
    copy.setAttr("flops", 2);
    copy.removeAttr("value");
    copy.setAttr("text", isSum ? "t += y * d_y" : "d_x = y * (d_y - t)");
  };
  emit(last.reads[1], "t", true);
  emit(last.write, "d_x", false);
  Adjoint adjoint;
  adjoint.kernel = into.symbol().str();
  adjoint.inputs = {{AdjointInput::Output, 0}, {AdjointInput::Gradient, 0}};
  adjoint.results = {0};
  return adjoint;
}

const std::vector<Adjoint> &Adjoints::of(op::KernelOp op, const llvm::SmallBitVector &wanted,
                                         Operation &before) {
  std::string bits;
  for (unsigned i = 0; i < wanted.size(); ++i)
    bits += wanted.test(i) ? '1' : '0';
  auto [entry, isNew] = known.try_emplace({op.symbol().str(), bits});
  if (!isNew)
    return entry->second;
  Kernel kernel(op);
  std::vector<llvm::SmallBitVector> parts;
  if (kernel.statements.size() > 1)
    parts.push_back(wanted);
  else
    for (unsigned i : wanted.set_bits()) {
      llvm::SmallBitVector one(wanted.size());
      one.set(i);
      parts.push_back(std::move(one));
    }
  std::vector<op::OperandOp> inputs = kernel.inputs();
  for (const llvm::SmallBitVector &part : parts) {
    std::string name = op.symbol().str() + "_grad";
    if (parts.size() > 1)
      name += "_" + inputs[part.find_first()].symbol().str();
    Operation *into = builder.createBefore(before, op::KernelOp::opName, op->location());
    into->setSymbol(module.uniqueName(name));
    into->setAttr("op", op.declaration().str() + "'");
    into->setAttr("parameters", op.parameters());
    Adjoint adjoint = isSoftmax(kernel) ? softmaxAdjoint(kernel, *into)
                                        : AdjointBuilder(kernel, part).build(*into);
    if (adjoint.results.empty() || adjoint.isCopy)
      into->erase();
    if (!adjoint.results.empty())
      entry->second.push_back(std::move(adjoint));
  }
  return entry->second;
}
