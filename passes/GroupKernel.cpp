// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/GroupKernel.h"

#include "ir/op/OpOps.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static op::KernelOp kernelOfApply(const Operation &apply) {
  return op::KernelOp(resolve(apply, as<op::ApplyOp>(apply).kernel()));
}

namespace {

/// Builds the kernel of one group.
class Merger {
public:
  Merger(Operation &fused, Operation &kernel, bool namesValues)
      : fused(fused), kernel(kernel), namesValues(namesValues) {}

  void run() {
    for (Operation &op : fused.body())
      if (op.is(op::ApplyOp::opName))
        nameTensors(op);
    declareInputs();
    for (const auto &tensor : inner)
      declare(tensor.first, tensor.second, "intermediate");
    const Operation &end = fused.body().back();
    for (const Value *value : end.operands())
      declare(sources.lookup(value), names.lookup(value), "output");
    for (Operation &op : fused.body())
      if (op.is(op::ApplyOp::opName))
        copyStatements(op);
  }

private:
  using Renaming = llvm::StringMap<std::string>;

  std::string unique(llvm::StringRef name) {
    std::string result = name.str();
    // All lower numbers are taken.
    for (unsigned &number = numbers[name]; !taken.insert(result).second;)
      result = name.str() + "_" + std::to_string(++number);
    return result;
  }

  /// Names the value that stands for `tensor`, unless it has a name.
  void nameValue(const Value &value, op::OperandOp tensor) {
    if (!names.count(&value)) {
      bool isNamed = namesValues && !value.hint().empty();
      names[&value] = unique(isNamed ? value.hint() : tensor.symbol());
      sources[&value] = tensor;
    }
  }

  void nameTensors(Operation &apply) {
    op::KernelOp member = kernelOfApply(apply);
    Renaming &renaming = renamings[&apply];
    std::vector<op::OperandOp> inputs = inputsOf(member), outputs = outputsOf(member);
    for (size_t i = 0; i < inputs.size(); ++i) {
      nameValue(apply.operand(i), inputs[i]);
      renaming[inputs[i].symbol()] = names.lookup(&apply.operand(i));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      nameValue(apply.result(i), outputs[i]);
      renaming[outputs[i].symbol()] = names.lookup(&apply.result(i));
      if (!isYielded(apply.result(i)))
        inner.push_back({outputs[i], names.lookup(&apply.result(i))});
    }
    for (Operation &part : member->body()) {
      auto operand = as<op::OperandOp>(part);
      if (!operand || operand.role() != "intermediate")
        continue;
      inner.push_back({operand, unique(operand.symbol())});
      renaming[operand.symbol()] = inner.back().second;
    }
  }

  bool isYielded(const Value &value) const {
    return llvm::is_contained(fused.body().back().operands(), &value);
  }

  void declareInputs() {
    for (size_t i = 0; i < fused.operandCount(); ++i) {
      op::OperandOp source = sources.lookup(&fused.body().argument(i));
      declare(source, names.lookup(&fused.body().argument(i)), source.role());
    }
  }

  void declare(op::OperandOp source, llvm::StringRef name, llvm::StringRef role) {
    Operation &copy = source->clone(kernel.body(), ignored);
    copy.setSymbol(name);
    copy.setAttr("role", role);
  }

  void copyStatements(Operation &apply) {
    const Renaming &renaming = renamings[&apply];
    auto renamed = [&](const AttrDict &access) {
      AttrDict copy = access;
      copy.set("tensor", renaming.lookup(access.find("tensor")->asString()));
      return copy;
    };
    for (Operation &part : kernelOfApply(apply)->body()) {
      auto statement = as<op::StatementOp>(part);
      if (!statement)
        continue;
      Operation &copy = part.clone(kernel.body(), ignored);
      copy.setAttr("write", renamed(statement.write()));
      AttrList reads;
      for (const Attribute &read : statement.reads())
        reads.push_back(renamed(read.asDict()));
      copy.setAttr("reads", std::move(reads));
    }
  }

  Operation &fused;
  Operation &kernel;
  bool namesValues;
  ValueMap ignored;
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> numbers; ///< the last one behind each name
  llvm::DenseMap<const Value *, std::string> names;
  llvm::DenseMap<const Value *, op::OperandOp> sources;
  llvm::DenseMap<const Operation *, Renaming> renamings;
  std::vector<std::pair<op::OperandOp, std::string>> inner;
};

} // namespace

Operation &GroupKernels::kernelOf(Operation &fused, bool namesValues) {
  Operation *&entry = known[key(fused, namesValues)];
  if (!entry)
    entry = &merge(fused, namesValues);
  return *entry;
}

/// Kernels and wiring: each value by its position among arguments and results, or by its name.
std::string GroupKernels::key(const Operation &fused, bool namesValues) const {
  llvm::DenseMap<const Value *, unsigned> numbers;
  auto number = [&](const Value &value) {
    return numbers.try_emplace(&value, static_cast<unsigned>(numbers.size())).first->second;
  };
  std::string text;
  for (size_t i = 0; i < fused.operandCount(); ++i)
    number(fused.body().argument(i));
  for (const Operation &op : fused.body()) {
    if (op.is(op::ApplyOp::opName))
      text += as<op::ApplyOp>(op).kernel();
    for (const Value *value : op.operands())
      text += ' ' + std::to_string(number(*value));
    for (size_t i = 0; i < op.resultCount(); ++i)
      number(op.result(i));
    for (size_t i = 0; namesValues && i < op.resultCount(); ++i)
      text += " " + op.result(i).hint().str();
    text += '\n';
  }
  return text;
}

Operation &GroupKernels::merge(Operation &fused, bool namesValues) {
  std::vector<std::string> names;
  op::KernelOp main;
  int64_t mostMacs = -1;
  for (const Operation &op : fused.body()) {
    if (!op.is(op::ApplyOp::opName))
      continue;
    op::KernelOp member = kernelOfApply(op);
    names.push_back(member.declaration().str());
    int64_t macs = Kernel(member).macs();
    if (macs > mostMacs) {
      main = member;
      mostMacs = macs;
    }
  }
  // Behind its members, so that a module reads from parts to wholes.
  Operation *graph = fused.parentOp();
  while (graph->parentOp())
    graph = graph->parentOp();
  Operation *kernel = builder.createBefore(*graph, op::KernelOp::opName, fused.location());
  kernel->setSymbol(module.uniqueName(llvm::join(names, "_")));
  kernel->setAttr("op", llvm::join(names, "+"));
  kernel->setAttr("parameters", main.parameters());
  Merger(fused, *kernel, namesValues).run();
  return *kernel;
}
