// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/MappingNames.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

/// Longest chain of `from` that is followed; cycles were reported when the chip was built.
static constexpr unsigned maxInheritance = 16;

/// What `name` is worth in the chip's declaration, or in the one that it is made from.
static llvm::Optional<Value> chipParameter(Evaluator &evaluator, const BuiltTarget &chip,
                                           llvm::StringRef name) {
  llvm::Optional<Instance> hardware;
  if (chip.instance)
    hardware = *chip.instance;
  for (unsigned depth = 0; hardware && depth < maxInheritance; ++depth) {
    Scope inner(*hardware->decl->module);
    if (!evaluator.bind(*hardware, inner, /*allowMissing=*/true))
      return llvm::None;
    if (hardware->decl->findParameter(name))
      return *inner.find(name);
    llvm::Optional<Instance> base;
    for (const ast::Clause &clause : hardware->decl->item->clauses)
      if (clause.word == "from" && clause.args.size() == 1) {
        Value origin = evaluator.evaluate(*clause.args[0].value, inner);
        if (const Instance *instance = origin.getIf<Instance>())
          base = *instance;
      }
    hardware = std::move(base);
  }
  return llvm::None;
}

bool perfc::bindMappingNames(BuildContext &context, const Instance &mapping,
                             const BuiltTarget &chip, const OpModel &model, Scope &scope) {
  for (const auto &[name, value] : model.bindings)
    scope.set(llvm::StringRef(name), value);
  Instance bound = mapping;
  size_t byPosition = llvm::count_if(
      mapping.arguments, [](const Argument &argument) { return argument.name.empty(); });
  llvm::ArrayRef<Parameter> parameters = mapping.decl->parameters;
  for (const Parameter &parameter :
       parameters.drop_front(std::min(byPosition, parameters.size()))) {
    auto value = findArgument(bound.arguments, parameter.name)
                     ? llvm::None
                     : chipParameter(context.evaluator, chip, parameter.name);
    if (value)
      bound.arguments.push_back(makeArgument(parameter.name.str(), *value, mapping.range));
  }
  return context.evaluator.bind(bound, scope, /*allowMissing=*/false);
}

size_t perfc::mappedStatement(const OpModel &model) {
  for (size_t i = 0; i < model.statements.size(); ++i)
    if (model.statements[i].mac)
      return i;
  return 0;
}
