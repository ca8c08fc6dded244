// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element equations in the body of a workload: `q[b, t, e] += n[b, t, d] * w[d, e]` is an op
// without a name whose arguments are the tensors it reads.
#include "frontend/build/Domains.h"
#include "frontend/build/Equations.h"
#include "ir/common/diagnostics/Ops.h"

using namespace perfc;

/// An index that stands alone in a rank runs over that rank's extent.
static bool bindIndices(const OpAccess &read, const Tensor &tensor, IndexExtents &extents,
                        SourceRange range, DiagnosticEngine &diagnostics) {
  for (size_t rank = 0; rank < read.map.size(); ++rank) {
    llvm::StringRef index = read.map[rank] ? read.map[rank]->asVariable() : llvm::StringRef();
    if (index.empty())
      continue;
    auto [known, isNew] = extents.try_emplace(index, tensor.shape[rank]);
    if (isNew || known->second == tensor.shape[rank])
      continue;
    diagnostics.report(range, diag::IndexConflict, index, known->second, tensor.shape[rank],
                       read.tensor);
    return false;
  }
  return true;
}

llvm::Optional<OpModel> perfc::buildInlineEquation(Elaborator &elaborator,
                                                   const InlineEquation &equation,
                                                   std::vector<Value> &operands) {
  DiagnosticEngine &diagnostics = elaborator.evaluator.diagnostics;
  EquationReader reader(elaborator.evaluator, *equation.scope);
  auto tensorOf = [&](llvm::StringRef name) -> const Tensor * {
    const Value *value = equation.scope->find(name);
    return value ? value->getIf<Tensor>() : nullptr;
  };
  bool open = false;
  reader.ranksOf = [&](llvm::StringRef name) -> llvm::Optional<size_t> {
    const Tensor *tensor = tensorOf(name);
    const Value *value = equation.scope->find(name);
    open |= value && value->isUnknown();
    return tensor ? llvm::Optional<size_t>(tensor->shape.size()) : llvm::None;
  };
  size_t before = diagnostics.all().size();
  auto statement = reader.equation(*equation.item);
  if (open) { // a tensor of unknown shape: what was reported follows from that
    diagnostics.truncate(before);
    return llvm::None;
  }
  if (!statement || reader.incomplete)
    return llvm::None;
  OpModel model;
  model.name = statement->mac ? "einsum" : "elementwise";
  IndexExtents extents;
  std::string target = statement->write.tensor;
  for (OpAccess &read : statement->reads) {
    const Tensor &tensor = *tensorOf(read.tensor);
    if (!bindIndices(read, tensor, extents, statement->range, diagnostics))
      return llvm::None;
    if (read.tensor == target)
      read.tensor += "_before"; // the older tensor of that name
    if (model.find(read.tensor))
      continue;
    model.arguments.push_back(model.tensors.size());
    model.tensors.push_back({read.tensor, "input", tensor.shape, tensor.dtype, false, {}});
    operands.push_back(tensor);
  }
  model.statements.push_back(std::move(*statement));
  OpenIndex missing = setDomains(model.statements, {}, extents);
  if (missing.statement) {
    diagnostics.report(equation.item->range, diag::IndexWithoutExtent, missing.name)
        .help("an index stands alone in a rank of a tensor that is read");
    return llvm::None;
  }
  OpTensor result{target, "output", {}, equation.dtype, false, {}};
  for (size_t rank = 0; rank < model.statements[0].write.map.size(); ++rank)
    result.shape.push_back(hull(model.statements, target, rank, extents).getValueOr(1));
  model.results.push_back(model.tensors.size());
  model.tensors.push_back(std::move(result));
  return model;
}
