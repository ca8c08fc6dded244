// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/KeptGraph.h"

#include "llvm/ADT/DenseSet.h"

using namespace perfc;

static std::string keyOf(const BuildContext &context, const Instance &subject, DType dtype) {
  std::string key = fmt::format("{} {}.{} {}", subject.decl->module->name, Value(subject).text(),
                                subject.phase, dtypeName(dtype));
  for (llvm::Optional<DType> format :
       {context.weightFormat, context.cacheFormat, context.tableFormat})
    key += format ? fmt::format(" {}", dtypeName(*format)) : " -";
  return key;
}

void KeptGraph::forget() {
  key.clear();
  owned.clear();
  lent.clear();
}

void KeptGraph::moveInto(BuildContext &context) const {
  for (const auto &entry : symbols)
    context.symbols[entry.first()] = entry.second;
  context.applied = applied;
  context.graphs = graphs;
  context.kernels = kernels;
  context.lineAlgorithms = lineAlgorithms;
}

/// Whether the names of the operations are free in `module`.
static bool areFree(llvm::ArrayRef<std::unique_ptr<ir::Operation>> ops, const ir::Module &module) {
  return llvm::none_of(ops, [&](const std::unique_ptr<ir::Operation> &op) {
    return module.lookup(op->symbol()) != nullptr;
  });
}

llvm::Optional<BuiltGraph> KeptGraph::in(BuildContext &context, const Instance &subject,
                                         DType dtype,
                                         llvm::function_ref<llvm::Optional<BuiltGraph>()> build) {
  std::string wanted = keyOf(context, subject, dtype);
  if (wanted == key && !owned.empty() && areFree(owned, context.module)) {
    for (std::unique_ptr<ir::Operation> &op : owned)
      lent.push_back(&context.module.body().insert(std::move(op)));
    owned.clear();
    moveInto(context);
    return graph;
  }
  forget();
  llvm::DenseSet<const ir::Operation *> before;
  for (const ir::Operation &op : context.module.body())
    before.insert(&op);
  size_t uses = context.evaluator.constantUses(), problems = context.diagnostics.all().size(),
         unsupported = context.unsupported.size();
  auto built = build();
  if (!built || context.evaluator.constantUses() != uses ||
      context.diagnostics.all().size() != problems || context.unsupported.size() != unsupported)
    return built;
  llvm::StringSet<> names;
  for (ir::Operation &op : context.module.body())
    if (!before.count(&op)) {
      lent.push_back(&op);
      names.insert(op.symbol());
    }
  key = std::move(wanted);
  graph = *built;
  symbols.clear();
  for (const auto &entry : context.symbols)
    if (names.count(entry.second))
      symbols[entry.first()] = entry.second;
  applied = context.applied;
  graphs = context.graphs;
  kernels = context.kernels;
  lineAlgorithms = context.lineAlgorithms;
  return built;
}

void KeptGraph::takeFrom(ir::Module &module) {
  for (ir::Operation *op : lent)
    owned.push_back(module.body().take(*op));
  lent.clear();
}
