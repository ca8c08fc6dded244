// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/WorkloadMapping.h"

#include "frontend/build/MappingLoops.h"
#include "frontend/build/MappingNames.h"
#include "frontend/build/TimeloopBuilder.h"
#include "ir/common/diagnostics/Fusion.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Timeloop.h"

using namespace perfc;

namespace {

class WorkloadMappingBuilder {
public:
  WorkloadMappingBuilder(BuildContext &context, const WorkloadMapping &from)
      : context(context), diagnostics(context.diagnostics), from(from) {}

  bool build(std::string &symbol);

private:
  bool readLine(const Node &line);
  bool readPlace(const Node &at);
  bool readLoops(const Node &list, const PlaceName &place, llvm::StringRef axis);
  bool readTensors(const Node &line);

  BuildContext &context;
  DiagnosticEngine &diagnostics;
  const WorkloadMapping &from;
  ir::Operation *op = nullptr;
};

} // namespace

static bool checkFuses(DiagnosticEngine &diagnostics, const Decl &mapping, const Node &block) {
  if (llvm::any_of(block.children, [](const Node *child) { return child->word == "fuse"; }))
    return true;
  diagnostics.report(mapping.nameRange, diag::WorkloadWithoutFuse, mapping.name);
  return false;
}

/// The indices before `=`: `p`, `y.p`, or several of them; none after a report.
static std::vector<std::string> indicesOf(DiagnosticEngine &diagnostics, const ast::Arg &loop) {
  std::vector<const ast::Expr *> parts;
  if (loop.value->kind == ast::ExprKind::Tuple)
    for (const ast::Arg &part : loop.value->args)
      parts.push_back(part.value);
  else
    parts.push_back(loop.value);
  std::vector<std::string> names;
  for (const ast::Expr *part : parts) {
    bool isMember =
        part->kind == ast::ExprKind::Member && part->operands[0]->kind == ast::ExprKind::Name;
    if (loop.assign != "=" || !(isMember || part->kind == ast::ExprKind::Name)) {
      if (!loop.value->role) // which was reported
        diagnostics.report(loop.range, diag::BadLoop);
      return {};
    }
    names.push_back((isMember ? part->operands[0]->text.str() + "." : "") + part->text.str());
  }
  return names;
}

bool WorkloadMappingBuilder::readLoops(const Node &list, const PlaceName &place,
                                       llvm::StringRef axis) {
  bool good = true;
  ir::Operation *line = context.builder.create(op->body(), "loopnest.place", list.range);
  line->setAttr("at", place.part);
  for (const ast::Arg &arg : list.syntaxArgs()) {
    std::vector<std::string> indices = indicesOf(diagnostics, arg);
    if (indices.empty()) {
      good = false;
      continue;
    }
    Value value = context.evaluator.evaluate(*arg.assigned, *list.scope);
    auto factor = readFactor(diagnostics, arg, value, /*allowHoles=*/false);
    if (!factor) {
      good = false;
      continue;
    }
    ir::Operation *loop = context.builder.create(line->body(), "loopnest.loop", arg.range);
    loop->setAttr("indices", ir::Attribute::strings(indices));
    if (factor->count)
      loop->setAttr("factor", *factor->count);
    if (!axis.empty())
      loop->setAttr("axis", axis);
  }
  return good;
}

bool WorkloadMappingBuilder::readPlace(const Node &at) {
  auto place = readPlaceName(diagnostics, at);
  bool good = place.hasValue();
  for (const Node *child : at.children) {
    if (!place)
      continue;
    if (child->word == "for")
      good &= readLoops(*child, *place, "");
    else if (child->word == "parallel")
      good &= readLoops(*child, *place, place->axis.empty() ? "x" : place->axis);
    else if (child->word == "order") {
      reportHole(diagnostics, child->range);
      good = false;
    }
  }
  return good;
}

/// `fuse`, `keep` or `bypass`.
bool WorkloadMappingBuilder::readTensors(const Node &line) {
  const Node *at = line.find("at");
  if (!at || at->args.empty()) {
    diagnostics.report(line.range, diag::YamlMissing, "at", "a line `" + line.word.str() + "`");
    return false;
  }
  llvm::StringRef memory = at->args[0].value.get<WordValue>().word;
  if (!checkMemoryName(context, from.chip, memory, at->args[0].range))
    return false;
  bool fuses = line.word == "fuse";
  ir::Operation *lineOp =
      context.builder.create(op->body(), fuses ? "loopnest.fuse" : "loopnest.keep", line.range);
  lineOp->setAttr("at", memory);
  std::vector<std::string> tensors;
  for (const NodeArg &tensor : line.args)
    tensors.push_back(tensor.value.get<WordValue>().word);
  lineOp->setAttr("tensors", ir::Attribute::strings(tensors));
  if (line.word == "bypass")
    lineOp->setAttr("bypass", ir::Attribute::unit());
  const Node *halo = line.find("halo");
  if (halo && !halo->args.empty() && halo->args[0].value.get<WordValue>().word == "retain")
    lineOp->setAttr("retain", ir::Attribute::unit());
  return true;
}

bool WorkloadMappingBuilder::readLine(const Node &line) {
  if (line.word == "at")
    return readPlace(line);
  if (line.word == "fuse" || line.word == "keep" || line.word == "bypass")
    return readTensors(line);
  context.unsupported.push_back(
      {line.range, "`" + line.word.str() + "` in a mapping for a workload"});
  return true;
}

bool WorkloadMappingBuilder::build(std::string &symbol) {
  const Decl &decl = *from.mapping.decl;
  Scope &scope = context.elaborator.newScope(*decl.module);
  context.evaluator.bind(from.subject, scope, /*allowMissing=*/true);
  if (!bindMappingNames(context, from.mapping, from.chip, OpModel(), scope))
    return false;
  size_t errors = diagnostics.errorCount();
  Node root;
  if (decl.item->block)
    context.elaborator.body(*decl.item->block, BlockKind::Mapping, scope, root);
  if (!checkFuses(diagnostics, decl, root))
    return false;
  op = context.createTop("loopnest.mapping", decl.name.str() + "_" + from.graph.symbol,
                         decl.nameRange);
  op->setAttr("graph", ir::Attribute::symbol(from.graph.symbol));
  op->setAttr("target", ir::Attribute::symbol(from.chip.symbol));
  op->setAttr("source", decl.name);
  bool good = diagnostics.errorCount() == errors;
  for (const Node *child : root.children)
    good &= readLine(*child);
  symbol = op->symbol().str();
  return good;
}

const Decl *perfc::servedWorkload(BuildContext &context, const Instance &mapping) {
  for (const ast::Clause &clause : mapping.decl->item->clauses) {
    if (clause.word != "for" || clause.args.size() != 1)
      continue;
    Value served = context.evaluator.evaluate(*clause.args[0].value, Scope(*mapping.decl->module));
    const Instance *instance = served.getIf<Instance>();
    if (instance && instance->decl->kind == DeclKind::Workload)
      return instance->decl;
  }
  return nullptr;
}

bool perfc::buildWorkloadMapping(BuildContext &context, const WorkloadMapping &from,
                                 std::string &symbol) {
  return WorkloadMappingBuilder(context, from).build(symbol);
}

void perfc::checkWorkloadLines(Evaluator &evaluator, const Decl &mapping, const Node &block) {
  checkFuses(evaluator.diagnostics, mapping, block);
  for (const Node *at : block.children) {
    if (at->word != "at" || at->item->args.empty())
      continue;
    readPlaceName(evaluator.diagnostics, *at);
    for (const Node *child : at->children)
      if (child->word == "for" || child->word == "parallel")
        for (const ast::Arg &arg : child->syntaxArgs())
          if (!indicesOf(evaluator.diagnostics, arg).empty())
            readFactor(evaluator.diagnostics, arg, evaluator.evaluate(*arg.assigned, *child->scope),
                       /*allowHoles=*/false);
  }
}
