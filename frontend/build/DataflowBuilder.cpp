// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dataflows to loopnest.dataflow: one for each kernel that a dataflow is for, with sizes known. A
// directive names an index of the op, or a rank of one of its tensors by its extent: `y(3, offset =
// 1)` is a window over the rank Y of `I[N, C, Y, X]`.
#include "frontend/build/MappingLoops.h"
#include "frontend/build/MappingNames.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/loopnest/Dataflow.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

namespace {

class DataflowBuilder {
public:
  DataflowBuilder(BuildContext &context, const Instance &dataflow, const BuiltTarget &chip)
      : context(context), diagnostics(context.diagnostics), dataflow(dataflow), chip(chip) {}

  bool build(const std::string &kernel, std::string &symbol);

private:
  struct Directive {
    std::string name; ///< "" for a cluster
    std::vector<std::string> indices;
    std::vector<int64_t> coefficients;
    int64_t size = 1;
    int64_t offset = 1;
    bool spatial = false;
    SourceRange range;
  };

  bool readCluster(const Node &cluster);
  bool readDirective(const ast::Arg &arg, const Scope &scope, bool spatial);
  bool readSizes(const ast::Arg &arg, const Scope &scope, Directive &directive);
  bool findRank(const ast::Expr &name, Directive &directive);
  bool count(const ast::Arg &arg, const Value &value, int64_t &result);
  void emit(ir::Operation &op) const;

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const Instance &dataflow;
  const BuiltTarget &chip;
  std::vector<Directive> directives;
  const OpModel *model = nullptr;
  const OpStatement *statement = nullptr;
};

} // namespace

bool DataflowBuilder::count(const ast::Arg &arg, const Value &value, int64_t &result) {
  const Quantity *number = value.getIf<Quantity>();
  bool isCount = number && number->isInteger() && number->sign() > 0 &&
                 number->dimension().isExtent() &&
                 number->rational().numerator() <= dataflow::maxSize;
  if (isCount)
    result = number->rational().numerator();
  else if (!value.isUnknown())
    diagnostics.report(arg.range, diag::BadFactor,
                       diagnostics.sourceManager().text(arg.value->range), written(value));
  return isCount;
}

/// The rank of a tensor whose extent has this name, as the terms of its subscript.
bool DataflowBuilder::findRank(const ast::Expr &name, Directive &directive) {
  auto isIndex = [&](const auto &entry) { return entry.first == name.text; };
  directive.name = name.text.str();
  if (llvm::any_of(statement->domain, isIndex)) {
    directive.indices = {directive.name};
    directive.coefficients = {1};
    return true;
  }
  for (const RankName &rank : ranksNamed(model->decl, name.text))
    for (const OpAccess &read : statement->reads) {
      bool here =
          read.tensor == rank.tensor && rank.fromEnd < read.map.size() && directive.indices.empty();
      const auto *map = here ? &read.map[read.map.size() - 1 - rank.fromEnd] : nullptr;
      if (!map || !*map)
        continue;
      for (const AffineExpr::Term &term : (*map)->terms()) {
        directive.indices.push_back(term.name);
        directive.coefficients.push_back(term.coefficient);
      }
    }
  bool isWindow = !directive.indices.empty() &&
                  llvm::all_of(directive.coefficients, [](int64_t c) { return c > 0; });
  if (isWindow)
    return true;
  std::vector<std::string> known;
  known.reserve(statement->domain.size());
  for (const auto &entry : statement->domain)
    known.push_back(entry.first);
  diagnostics.report(name.range, diag::UnknownIndex, name.text)
      .help(fmt::format("its indices are `{}`", fmt::join(known, "`, `")));
  return false;
}

bool DataflowBuilder::readSizes(const ast::Arg &arg, const Scope &scope, Directive &directive) {
  bool hasSize = false, hasOffset = false;
  for (const Argument &argument : context.evaluator.arguments(arg.value->args, scope)) {
    bool isOffset = argument.name == "offset" || (argument.name.empty() && hasSize);
    bool isSize = argument.name == "size" || (argument.name.empty() && !isOffset);
    bool again = isOffset ? hasOffset : hasSize;
    if ((!isOffset && !isSize) || again) {
      diagnostics.report(argument.range, diag::BadDirective,
                         directive.spatial ? "spatial" : "temporal");
      return false;
    }
    if (!count(arg, *argument.value, isOffset ? directive.offset : directive.size))
      return false;
    (isOffset ? hasOffset : hasSize) = true;
  }
  if (!hasOffset)
    directive.offset = directive.size;
  if (!hasSize)
    diagnostics.report(arg.range, diag::BadDirective, directive.spatial ? "spatial" : "temporal");
  return hasSize;
}

bool DataflowBuilder::readDirective(const ast::Arg &arg, const Scope &scope, bool spatial) {
  const ast::Expr &head = *arg.value;
  bool isCall = arg.assign.empty() && head.kind == ast::ExprKind::Call &&
                head.operands[0]->kind == ast::ExprKind::Name;
  if (!isCall) {
    diagnostics.report(arg.range, diag::BadDirective, spatial ? "spatial" : "temporal");
    return false;
  }
  Directive directive;
  directive.spatial = spatial;
  directive.range = arg.range;
  if (!findRank(*head.operands[0], directive) || !readSizes(arg, scope, directive))
    return false;
  directives.push_back(std::move(directive));
  return true;
}

bool DataflowBuilder::readCluster(const Node &cluster) {
  Directive directive;
  directive.range = cluster.range;
  const Quantity *size = cluster.args.empty() ? nullptr : cluster.args[0].value.getIf<Quantity>();
  bool isCount = size && size->isInteger() && size->sign() > 0 &&
                 size->rational().numerator() <= dataflow::maxSize;
  if (!isCount) {
    diagnostics.report(cluster.range, diag::BadFactor, "cluster",
                       cluster.args.empty() ? "nothing" : written(cluster.args[0].value));
    return false;
  }
  directive.size = size->rational().numerator();
  directives.push_back(std::move(directive));
  return true;
}

void DataflowBuilder::emit(ir::Operation &op) const {
  for (const Directive &directive : directives) {
    bool isCluster = directive.name.empty();
    ir::Operation *part = context.builder.create(
        op.body(), isCluster ? "loopnest.cluster" : "loopnest.directive", directive.range);
    if (!isCluster) {
      part->setAttr("of", directive.name);
      part->setAttr("indices", ir::Attribute::strings(directive.indices));
      part->setAttr("coefficients", ir::Attribute::ints(directive.coefficients));
    }
    part->setAttr("size", directive.size);
    if (isCluster)
      continue;
    part->setAttr("offset", directive.offset);
    if (directive.spatial)
      part->setAttr("spatial", ir::Attribute::unit());
  }
}

bool DataflowBuilder::build(const std::string &kernel, std::string &symbol) {
  model = &context.kernels.find(kernel)->second;
  size_t position = mappedStatement(*model);
  statement = &model->statements[position];
  Scope &scope = context.elaborator.newScope(*dataflow.decl->module);
  if (!bindMappingNames(context, dataflow, chip, *model, scope))
    return false;
  size_t errors = diagnostics.errorCount();
  Node root;
  if (dataflow.decl->item->block)
    context.elaborator.body(*dataflow.decl->item->block, BlockKind::Dataflow, scope, root);
  bool good = diagnostics.errorCount() == errors;
  for (const Node *child : root.children) {
    if (child->word == "cluster")
      good &= readCluster(*child);
    else if (child->word == "temporal" || child->word == "spatial")
      for (const ast::Arg &arg : child->syntaxArgs())
        good &= readDirective(arg, *child->scope, child->word == "spatial");
  }
  if (!good)
    return false;
  ir::Operation *op = context.createTop(
      "loopnest.dataflow", dataflow.decl->name.str() + "_" + kernel, dataflow.decl->nameRange);
  op->setAttr("kernel", ir::Attribute::symbol(kernel));
  op->setAttr("target", ir::Attribute::symbol(chip.symbol));
  op->setAttr("source", dataflow.decl->name);
  op->setAttr("statement", static_cast<int64_t>(position));
  emit(*op);
  symbol = op->symbol().str();
  return true;
}

bool perfc::buildDataflow(BuildContext &context, const Instance &dataflow, const BuiltTarget &chip,
                          const std::string &kernel, std::string &symbol) {
  return DataflowBuilder(context, dataflow, chip).build(kernel, symbol);
}
