// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/PlaceBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Mappings.h"

using namespace perfc;

/// `die.core.MMA` as written; "" when it is something else.
static std::string pathOf(const ast::Expr &expr) {
  if (expr.kind == ast::ExprKind::Name)
    return expr.text.str();
  if (expr.kind != ast::ExprKind::Member)
    return "";
  std::string outer = pathOf(*expr.operands[0]);
  return outer.empty() ? "" : outer + "." + expr.text.str();
}

/// What an op is called in a program, and the last name of the module that it is declared in.
static std::pair<llvm::StringRef, llvm::StringRef> namesOf(const OpModel &model) {
  if (!model.decl)
    return {model.name, ""};
  llvm::StringRef module = model.decl->module->name;
  return {model.decl->name, module.substr(module.rfind('.') + 1)};
}

/// The kernels that `name` is for: those of that op, else those of the ops of that module.
static ir::AttrList kernelsNamed(BuildContext &context, const BuiltGraph &graph,
                                 llvm::StringRef name) {
  ir::AttrList ofOp, ofModule;
  for (const std::string &symbol : graph.kernels) {
    auto model = context.kernels.find(symbol);
    if (model == context.kernels.end())
      continue;
    auto [op, module] = namesOf(model->second);
    if (op == name)
      ofOp.push_back(ir::Attribute::symbol(symbol));
    else if (module == name)
      ofModule.push_back(ir::Attribute::symbol(symbol));
  }
  return ofOp.empty() ? ofModule : ofOp;
}

static void reportNothingPlaced(BuildContext &context, const BuiltGraph &graph, const NodeArg &arg,
                                llvm::StringRef name) {
  std::vector<llvm::StringRef> known;
  for (const std::string &symbol : graph.kernels)
    if (auto model = context.kernels.find(symbol); model != context.kernels.end())
      if (llvm::StringRef op = namesOf(model->second).first; !llvm::is_contained(known, op))
        known.push_back(op);
  context.diagnostics.report(arg.range, diag::NothingPlaced, graph.label, name)
      .suggest(name, known, fmt::format("its ops are {}", fmt::join(known, ", ")));
}

/// One line of `place`.
static bool buildPlace(BuildContext &context, const Node &line, const BuiltGraph &graph,
                       ir::Operation &evaluate) {
  const Node *on = line.find("on");
  llvm::ArrayRef<ast::Arg> where = on ? on->syntaxArgs() : llvm::ArrayRef<ast::Arg>();
  std::string at = where.size() == 1 ? pathOf(*where[0].value) : "";
  if (at.empty()) {
    context.diagnostics.report(on ? on->range : line.range, diag::ExpectedName, "on")
        .help("an array or unit of the chip: place matmul on die.MMA");
    return false;
  }
  ir::AttrList kernels;
  for (const NodeArg &arg : line.args) {
    const WordValue *name = arg.value.getIf<WordValue>();
    if (!name)
      return false; // reported
    ir::AttrList named = kernelsNamed(context, graph, name->word);
    if (named.empty()) {
      reportNothingPlaced(context, graph, arg, name->word);
      return false;
    }
    for (const ir::Attribute &kernel : named)
      if (llvm::none_of(kernels, [&](const ir::Attribute &known) {
            return known.asSymbol() == kernel.asSymbol();
          }))
        kernels.push_back(kernel);
  }
  ir::Operation *op = context.builder.create(evaluate.body(), "study.place", line.range);
  op->setAttr("kernels", std::move(kernels));
  op->setAttr("at", at);
  return true;
}

bool perfc::buildPlaces(BuildContext &context, const Node &statement, const BuiltGraph &graph,
                        ir::Operation &evaluate) {
  bool good = true;
  for (const Node *child : statement.children)
    if (child->word == "place")
      good &= buildPlace(context, *child, graph, evaluate);
  return good;
}
