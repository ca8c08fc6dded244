// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/KernelUses.h"

#include "ir/common/diagnostics/Mappings.h"
#include "ir/target/TargetOps.h"
#include "passes/FusedPlan.h"
#include "passes/Names.h"
#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

std::vector<std::string> passes::alikeAxes(const Operation &op) {
  if (!op.is(op::FusedOp::opName))
    return op.stringsAttr("alike");
  std::vector<std::string> axes = op.body().front().stringsAttr("alike");
  for (const Operation &member : op.body())
    if (member.is(op::ApplyOp::opName))
      llvm::erase_if(axes, [&, own = member.stringsAttr("alike")](const std::string &axis) {
        return !llvm::is_contained(own, axis);
      });
  return axes;
}

static size_t statementCount(op::KernelOp kernel) {
  size_t count = 0;
  for (const Operation &part : kernel->body())
    count += part.is(op::StatementOp::opName);
  return count;
}

KernelUse passes::kernelUse(op::KernelOp kernel) { return {kernel, nullptr, {{kernel, 0}}}; }

bool passes::isWeight(const Value &value) {
  auto tensor = as<op::TensorOp>(value.definingOp());
  return tensor && tensor.kind() == "weight";
}

/// Whether `use` applies its kernel to a weight as input `i`.
static bool appliesWeight(const KernelUse &use, size_t i) {
  return use.applied && i < use.applied->operandCount() && isWeight(use.applied->operand(i));
}

bool KernelUse::isWeight(llvm::StringRef tensor) const {
  std::vector<op::OperandOp> inputs = inputsOf(kernel);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].symbol() == tensor)
      return inputs[i].role() == "weight" || appliesWeight(*this, i);
  return false;
}

bool KernelUse::hasOwnWeights() const {
  std::vector<op::OperandOp> inputs = inputsOf(kernel);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].role() != "weight" && appliesWeight(*this, i))
      return true;
  return false;
}

std::string passes::tileSymbol(const KernelUse &use, llvm::StringRef chip) {
  return fmt::format("{}__{}__{}tile", use.kernel.symbol(), chip,
                     use.hasOwnWeights() ? "weights__" : "");
}

KernelUse passes::kernelUse(const Operation &op) {
  if (auto apply = as<op::ApplyOp>(op)) {
    KernelUse use = kernelUse(op::KernelOp(resolve(op, apply.kernel())));
    use.applied = &op;
    return use;
  }
  KernelUse use;
  use.applied = &op;
  auto fused = as<op::FusedOp>(op);
  if (!fused || fused.kernel().empty())
    return use;
  use.kernel = op::KernelOp(resolve(op, fused.kernel()));
  size_t statements = 0;
  for (const Operation &member : op.body())
    if (auto apply = as<op::ApplyOp>(member)) {
      op::KernelOp kernel(resolve(member, apply.kernel()));
      use.members.push_back({kernel, statements});
      statements += statementCount(kernel);
    }
  return use;
}

bool passes::forEachUse(study::EvaluateOp evaluate, llvm::StringRef pass,
                        DiagnosticEngine &diagnostics,
                        llvm::function_ref<void(const KernelUse &)> visit) {
  Operation *subject = resolve(*evaluate, evaluate.subject());
  if (auto kernel = as<op::KernelOp>(subject)) {
    visit(kernelUse(kernel));
    return true;
  }
  std::vector<const Operation *> order;
  bool inlined = true;
  subject->walk([&](Operation &op) {
    if (op.is(op::CallOp::opName) && inlined) {
      diagnostics.report(op.range(), diag::NotInlined, pass);
      inlined = false;
    }
    // The members of a group run as part of it.
    if (op.parentOp() && op.parentOp()->is(op::FusedOp::opName))
      return;
    if (op.is(op::ApplyOp::opName) || op.is(op::FusedOp::opName))
      order.push_back(&op);
  });
  if (!inlined)
    return false;
  for (const Operation *op : order)
    if (KernelUse use = kernelUse(*op); use.kernel)
      visit(use);
  return true;
}

bool passes::forEachKernel(study::EvaluateOp evaluate, llvm::StringRef pass,
                           DiagnosticEngine &diagnostics,
                           llvm::function_ref<void(const KernelUse &)> visit) {
  llvm::DenseSet<const Operation *> seen;
  return forEachUse(evaluate, pass, diagnostics, [&](const KernelUse &use) {
    if (seen.insert(use.kernel.op).second)
      visit(use);
  });
}

/// True when every index that `mapping` names is one of `statement`.
static bool namesIndicesOf(loopnest::MappingOp mapping, const Operation &statement) {
  const AttrDict &domain = statement.dictAttr("domain");
  bool all = true;
  mapping->walk([&](const Operation &loop) {
    for (const Attribute &index : loop.listAttr("indices"))
      all &= domain.find(index.asString()) != nullptr;
  });
  return all;
}

static const Operation *statementAt(op::KernelOp kernel, size_t number) {
  for (const Operation &part : kernel->body())
    if (part.is(op::StatementOp::opName) && number-- == 0)
      return &part;
  return nullptr;
}

const KernelUse::Member &passes::memberOf(const KernelUse &use, size_t statement) {
  const KernelUse::Member *member = &use.members.front();
  for (const KernelUse::Member &candidate : use.members)
    if (candidate.firstStatement <= statement)
      member = &candidate;
  return *member;
}

/// Mappings are for whole chips: the one that `chip` is a part of, or itself.
static llvm::StringRef wholeOf(study::EvaluateOp evaluate, llvm::StringRef chip) {
  auto part = as<target::ChipOp>(resolve(*evaluate, chip));
  return part ? part.whole().symbol() : chip;
}

loopnest::DataflowOp passes::dataflowFor(study::EvaluateOp evaluate, const KernelUse &use,
                                         size_t statement, llvm::StringRef chip) {
  const AttrList &with = evaluate->listAttr("with");
  if (with.empty())
    return {};
  chip = wholeOf(evaluate, chip);
  const KernelUse::Member &member = memberOf(use, statement);
  auto number = static_cast<int64_t>(statement - member.firstStatement);
  for (const Attribute &name : with) {
    auto dataflow = as<loopnest::DataflowOp>(resolve(*evaluate, name.asSymbol()));
    if (dataflow && dataflow.kernel() == member.kernel.symbol() && dataflow.target() == chip &&
        dataflow.statement() == number)
      return dataflow;
  }
  return {};
}

loopnest::MappingOp passes::mappingFor(study::EvaluateOp evaluate, const KernelUse &use,
                                       size_t statement, llvm::StringRef chip) {
  const AttrList &with = evaluate->listAttr("with");
  if (with.empty())
    return {};
  chip = wholeOf(evaluate, chip);
  const KernelUse::Member *member = &memberOf(use, statement);
  auto number = static_cast<int64_t>(statement - member->firstStatement);
  size_t statements = statementCount(member->kernel);
  loopnest::MappingOp general;
  for (const Attribute &name : with) {
    auto mapping = as<loopnest::MappingOp>(resolve(*evaluate, name.asSymbol()));
    if (!mapping || mapping.kernel() != member->kernel.symbol() || mapping.target() != chip ||
        isFused(mapping))
      continue;
    if (mapping.statement() && *mapping.statement() == number)
      return mapping;
    // The only statement takes the mapping whatever it names, so that what is wrong is reported.
    if (!general && !mapping.statement() &&
        (statements == 1 || namesIndicesOf(mapping, *statementAt(member->kernel, number))))
      general = mapping;
  }
  return general;
}

loopnest::MappingOp passes::fusedMappingFor(study::EvaluateOp evaluate, const KernelUse &use,
                                            llvm::StringRef chip) {
  if (!evaluate->listAttr("with").empty())
    chip = wholeOf(evaluate, chip);
  for (const Attribute &name : evaluate->listAttr("with")) {
    auto mapping = as<loopnest::MappingOp>(resolve(*evaluate, name.asSymbol()));
    bool isForIt = mapping && (mapping.kernel() == use.kernel.symbol() ||
                               llvm::any_of(use.members, [&](const KernelUse::Member &member) {
                                 return member.kernel && mapping.kernel() == member.kernel.symbol();
                               }));
    if (isForIt && isFused(mapping) && mapping.target() == chip)
      return mapping;
  }
  return {};
}

std::string passes::nestSymbolFor(study::EvaluateOp evaluate, const KernelUse &use,
                                  size_t statement, llvm::StringRef chip) {
  llvm::StringRef mapping = "default";
  if (auto written = mappingFor(evaluate, use, statement, chip))
    mapping = written.symbol();
  else if (auto dataflow = dataflowFor(evaluate, use, statement, chip))
    mapping = dataflow.symbol();
  return nestSymbol(use.kernel.symbol(), chip, mapping, statement);
}
