// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/MappingNames.h"

#include "llvm/ADT/STLExtras.h"

#include "ir/common/diagnostics/Mappings.h"

using namespace perfc;

/// Longest chain of `from` that is followed; cycles were reported when the chip was built.
static constexpr unsigned maxInheritance = 16;

/// What `hardware`, whose parameters are in `inner`, is made from.
static llvm::Optional<Instance> baseOf(Evaluator &evaluator, const Instance &hardware,
                                       const Scope &inner) {
  for (const ast::Clause &clause : hardware.decl->item->clauses)
    if (clause.word == "from" && clause.args.size() == 1) {
      Value origin = evaluator.evaluate(*clause.args[0].value, inner);
      if (const Instance *instance = origin.getIf<Instance>())
        return *instance;
    }
  return llvm::None;
}

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
    hardware = baseOf(evaluator, *hardware, inner);
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

/// The chip that `mapping` says it is on; null where it says none.
static const Decl *targetOf(Evaluator &evaluator, const Instance &mapping) {
  for (const ast::Clause &clause : mapping.decl->item->clauses)
    if (clause.word == "on" && clause.args.size() == 1) {
      Value chip = evaluator.evaluate(*clause.args[0].value, Scope(*mapping.decl->module));
      const Instance *instance = chip.getIf<Instance>();
      return instance ? instance->decl : nullptr;
    }
  return nullptr;
}

/// True when `a` and `b` have arrays of the same names and sizes, at any depth.
static bool haveSameArrays(const Node &a, const Node &b) {
  auto isIn = [](const Node &array, const Node &other) {
    return llvm::any_of(other.children, [&](const Node *child) {
      if (child->word != "array" || child->name != array.name ||
          child->args.size() != array.args.size())
        return false;
      for (size_t i = 0; i < array.args.size(); ++i)
        if (child->args[i].name != array.args[i].name ||
            child->args[i].value.text() != array.args[i].value.text())
          return false;
      return haveSameArrays(array, *child);
    });
  };
  auto areIn = [&](const Node &from, const Node &other) {
    return llvm::all_of(from.children, [&](const Node *child) {
      return child->word != "array" || isIn(*child, other);
    });
  };
  return areIn(a, b) && areIn(b, a);
}

/// The chip of `target`'s declaration that `chip` is made from, itself included.
static llvm::Optional<Instance> originOf(Evaluator &evaluator, const Instance &chip,
                                         const Decl *target) {
  llvm::Optional<Instance> hardware = chip;
  for (unsigned depth = 0; hardware && depth < maxInheritance; ++depth) {
    if (hardware->decl == target)
      return hardware;
    Scope inner(*hardware->decl->module);
    if (!evaluator.bind(*hardware, inner, /*allowMissing=*/true))
      return llvm::None;
    hardware = baseOf(evaluator, *hardware, inner);
  }
  return llvm::None;
}

bool perfc::checkMappingTarget(BuildContext &context, const Instance &mapping,
                               const BuiltTarget &chip) {
  const Decl *target = targetOf(context.evaluator, mapping);
  if (!target || !chip.instance || chip.instance->decl == target)
    return true;
  llvm::Optional<Instance> origin = originOf(context.evaluator, *chip.instance, target);
  bool isOpen = mapping.decl->kind == DeclKind::Mapspace; // its holes fit arrays of any size
  if (origin &&
      (isOpen ||
       haveSameArrays(*context.elaborator.declaration(*origin, context.allowMissing),
                      *context.elaborator.declaration(*chip.instance, context.allowMissing))))
    return true;
  context.diagnostics
      .report(mapping.range, diag::MappingForOther, mapping.decl->name, target->name, chip.label)
      .note(mapping.decl->nameRange, "it is declared here")
      .help(origin ? fmt::format("`{}` is made from `{}`, but its arrays are others", chip.label,
                                 target->name)
                   : fmt::format("a mapping of its own says `on {}`", chip.instance->decl->name));
  return false;
}

size_t perfc::mappedStatement(const OpModel &model) {
  for (size_t i = 0; i < model.statements.size(); ++i)
    if (model.statements[i].mac)
      return i;
  return 0;
}
