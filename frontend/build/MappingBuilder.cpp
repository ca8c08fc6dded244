// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings to loopnest.mapping: one for each kernel that the mapping serves, with its factors
// known. Whether it is legal on the chip is checked when it is lowered, where the whole nest is
// known.
#include "frontend/build/MappingLoops.h"
#include "frontend/build/MappingNames.h"
#include "frontend/build/TimeloopBuilder.h"
#include "frontend/build/WorkloadMapping.h"
#include "ir/common/diagnostics/Fusion.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Timeloop.h"

using namespace perfc;

namespace {

/// A loop of a mapping: one lane or step number that drives one index or several.
struct Loop {
  std::string place;
  std::string axis; ///< of a parallel loop
  std::vector<std::string> indices;
  llvm::Optional<int64_t> factor; ///< nothing for `rest`
  SourceRange range;
};

class MappingBuilder {
public:
  MappingBuilder(BuildContext &context, const Instance &mapping, const BuiltTarget &chip)
      : context(context), evaluator(context.evaluator), diagnostics(context.diagnostics),
        mapping(mapping), chip(chip) {}

  bool build(const std::string &kernel, std::string &symbol);

private:
  bool readPlace(const Node &at);
  bool readLoops(const Node &list, llvm::StringRef place, llvm::StringRef axis);
  bool readLoop(const ast::Arg &arg, const Scope &scope, Loop loop);
  bool readKeep(const Node &keep);
  bool readFuse(const Node &fuse);
  std::vector<llvm::StringRef> tensors() const;
  int64_t extentOf(const std::string &index) const;
  void emitTensors(ir::Operation &op, llvm::StringRef name, const Node &line) const;
  bool fillRests();
  void emit(ir::Operation &op) const;

  BuildContext &context;
  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  const Instance &mapping;
  const BuiltTarget &chip;
  std::vector<Loop> loops;
  std::vector<const Node *> keeps; ///< `keep A at GLB`, `bypass A at GLB`
  std::vector<const Node *> fuses; ///< `fuse S at GLB`
  const OpModel *model = nullptr;
  const OpStatement *statement = nullptr; ///< the equation that is mapped
};

bool MappingBuilder::readLoop(const ast::Arg &arg, const Scope &scope, Loop loop) {
  loop.range = arg.range;
  auto names = readIndices(diagnostics, arg);
  if (names.empty())
    return false;
  for (const ast::Expr *name : names) {
    auto isIndex = [&](const auto &entry) { return entry.first == name->text; };
    bool isFused = !fuses.empty() && llvm::any_of(model->statements, [&](const OpStatement &one) {
      return llvm::any_of(one.domain, isIndex);
    });
    if (!isFused && !llvm::any_of(statement->domain, isIndex)) {
      bool elsewhere = llvm::any_of(model->statements, [&](const OpStatement &other) {
        return llvm::any_of(other.domain, isIndex);
      });
      if (elsewhere) {
        context.unsupported.push_back({name->range, "a mapping of several equations"});
        return false;
      }
      auto &error = diagnostics.report(name->range, diag::UnknownIndex, name->text);
      std::vector<std::string> known;
      for (const auto &entry : statement->domain)
        known.push_back(entry.first);
      error.help(fmt::format("its indices are `{}`", fmt::join(known, "`, `")));
      return false;
    }
    loop.indices.push_back(name->text.str());
  }
  Value value = evaluator.evaluate(*arg.assigned, scope);
  auto factor = readFactor(diagnostics, arg, value, /*allowHoles=*/false);
  if (!factor)
    return false;
  loop.factor = factor->count;
  loops.push_back(std::move(loop));
  return true;
}

bool MappingBuilder::readLoops(const Node &list, llvm::StringRef place, llvm::StringRef axis) {
  bool good = true;
  for (const ast::Arg &arg : list.syntaxArgs())
    good &= readLoop(arg, *list.scope, {place.str(), axis.str(), {}, llvm::None, {}});
  return good;
}

bool MappingBuilder::readPlace(const Node &at) {
  auto name = readPlaceName(diagnostics, at);
  if (!name)
    return false;
  auto [place, axis] = *name;
  bool good = true;
  for (const Node *child : at.children) {
    if (child->word == "for")
      good &= readLoops(*child, place, "");
    else if (child->word == "parallel")
      good &= readLoops(*child, place, axis.empty() ? "x" : axis);
    else if (child->word == "order") {
      reportHole(diagnostics, child->range);
      good = false;
    }
  }
  return good;
}

/// `keep A, B at GLB` or `bypass A at GLB`.
bool MappingBuilder::readKeep(const Node &keep) {
  const Node *at = keep.find("at");
  if (!at || at->args.empty()) {
    diagnostics.report(keep.range, diag::YamlMissing, "at", "a line `" + keep.word.str() + "`");
    return false;
  }
  keeps.push_back(&keep);
  bool good =
      checkMemoryName(context, chip, at->args[0].value.get<WordValue>().word, at->args[0].range);
  for (const NodeArg &tensor : keep.args)
    good &= checkTensorName(context, tensors(), tensor.value.get<WordValue>().word, tensor.range);
  return good;
}

/// The tensors of the equation, or of all when they are fused.
std::vector<llvm::StringRef> MappingBuilder::tensors() const {
  if (fuses.empty())
    return tensorsOf(*statement);
  std::vector<llvm::StringRef> names;
  for (const OpTensor &tensor : model->tensors)
    names.push_back(tensor.name);
  return names;
}

/// `fuse S, P at SMEM`: intermediates of the op.
bool MappingBuilder::readFuse(const Node &fuse) {
  if (!readKeep(fuse))
    return false;
  keeps.pop_back();
  for (const NodeArg &arg : fuse.args) {
    const OpTensor *tensor = model->find(arg.value.get<WordValue>().word);
    if (tensor->role == "intermediate")
      continue;
    diagnostics.report(arg.range, diag::NoIntermediate, tensor->name,
                       tensor->role == "output" ? "a result" : "an argument");
    return false;
  }
  return true;
}

/// The extent of an index of the equation, or of the first that has it when they are fused.
int64_t MappingBuilder::extentOf(const std::string &index) const {
  for (const auto &[name, size] : statement->domain)
    if (name == index)
      return size;
  for (const OpStatement &other : model->statements)
    for (const auto &[name, size] : other.domain)
      if (name == index)
        return size;
  return 0;
}

/// `rest` is the smallest factor that covers what the other loops of its index leave.
bool MappingBuilder::fillRests() {
  for (Loop &loop : loops) {
    if (loop.factor)
      continue;
    int64_t needed = 1;
    for (const std::string &index : loop.indices) {
      llvm::Optional<int64_t> others = 1;
      for (const Loop &other : loops) {
        if (&other == &loop || !llvm::is_contained(other.indices, index))
          continue;
        if (!other.factor) {
          diagnostics.report(other.range, diag::TwoRests, index)
              .note(loop.range, "the first is here");
          return false;
        }
        others = others ? checkedMultiply(*others, *other.factor) : llvm::None;
      }
      int64_t extent = extentOf(index);
      // Factors whose product overflows cover any extent.
      int64_t rest = others ? (extent + *others - 1) / *others : 1;
      needed = std::max({needed, rest, int64_t(1)});
    }
    loop.factor = needed;
  }
  return true;
}

void MappingBuilder::emit(ir::Operation &op) const {
  ir::Operation *place = nullptr;
  for (const Loop &loop : loops) {
    if (!place || place->stringAttr("at") != loop.place) {
      place = context.builder.create(op.body(), "loopnest.place", loop.range);
      place->setAttr("at", loop.place);
    }
    ir::Operation *inner = context.builder.create(place->body(), "loopnest.loop", loop.range);
    inner->setAttr("indices", ir::Attribute::strings(loop.indices));
    inner->setAttr("factor", *loop.factor);
    if (!loop.axis.empty())
      inner->setAttr("axis", loop.axis);
  }
  for (const Node *keep : keeps)
    emitTensors(op, "loopnest.keep", *keep);
  for (const Node *fuse : fuses)
    emitTensors(op, "loopnest.fuse", *fuse);
}

/// A line about tensors at a memory.
void MappingBuilder::emitTensors(ir::Operation &op, llvm::StringRef name, const Node &from) const {
  ir::Operation *line = context.builder.create(op.body(), name, from.range);
  line->setAttr("at", from.find("at")->args[0].value.get<WordValue>().word);
  std::vector<std::string> tensors;
  for (const NodeArg &tensor : from.args)
    tensors.push_back(tensor.value.get<WordValue>().word);
  line->setAttr("tensors", ir::Attribute::strings(tensors));
  if (from.word == "bypass")
    line->setAttr("bypass", ir::Attribute::unit());
  const Node *halo = from.find("halo");
  if (halo && !halo->args.empty() && halo->args[0].value.get<WordValue>().word == "retain")
    line->setAttr("retain", ir::Attribute::unit());
}

bool MappingBuilder::build(const std::string &kernel, std::string &symbol) {
  model = &context.kernels.find(kernel)->second;
  auto position = static_cast<int64_t>(mappedStatement(*model));
  statement = &model->statements[position];
  Scope &scope = context.elaborator.newScope(*mapping.decl->module);
  if (!bindMappingNames(context, mapping, chip, *model, scope))
    return false;
  size_t errors = diagnostics.errorCount();
  Node root;
  if (mapping.decl->item->block)
    context.elaborator.body(*mapping.decl->item->block, BlockKind::Mapping, scope, root);
  bool good = diagnostics.errorCount() == errors;
  // Conditions that leave no line: the mapping is for other calls of the op.
  const ast::Body *block = mapping.decl->item->block;
  if (good && root.children.empty() && block && !block->items.empty())
    return true;
  const Node *timeloop = root.find("timeloop");
  for (const Node *child : root.children)
    if (child->word == "fuse")
      fuses.push_back(child);
  for (const Node *child : root.children) {
    if (child->word == "at") {
      good &= readPlace(*child);
      continue;
    }
    if (child->word == "keep" || child->word == "bypass") {
      good &= readKeep(*child);
      continue;
    }
    if (child->word == "fuse") {
      good &= readFuse(*child);
      continue;
    }
    if (child == timeloop && fuses.empty())
      continue;
    context.unsupported.push_back({child->range, "`" + child->word.str() + "` in a mapping"});
  }
  // What cannot be evaluated yet leaves no mapping, and the statement says so.
  if (diagnostics.errorCount() == errors && !context.unsupported.empty())
    return true;
  if (!good || !fillRests())
    return false;
  ir::Operation *op = context.createTop("loopnest.mapping", mapping.decl->name.str() + "_" + kernel,
                                        mapping.decl->nameRange);
  op->setAttr("kernel", ir::Attribute::symbol(kernel));
  op->setAttr("target", ir::Attribute::symbol(chip.symbol));
  op->setAttr("source", mapping.decl->name);
  if (fuses.empty())
    op->setAttr("statement", position);
  if (timeloop && !setTimeloopMapping(context, *timeloop, *statement, chip, *op))
    return false;
  emit(*op);
  symbol = op->symbol().str();
  return true;
}

} // namespace

const Decl *perfc::servedOp(BuildContext &context, const Instance &mapping) {
  for (const ast::Clause &clause : mapping.decl->item->clauses) {
    if (clause.word != "for" || clause.args.size() != 1)
      continue;
    Value op = context.evaluator.evaluate(*clause.args[0].value, Scope(*mapping.decl->module));
    const Instance *instance = op.getIf<Instance>();
    if (instance && instance->decl->kind == DeclKind::Op)
      return instance->decl;
    if (!op.isUnknown())
      context.diagnostics.report(clause.args[0].range, diag::NotAnOp, op.describe());
    return nullptr;
  }
  context.diagnostics.report(mapping.decl->nameRange, diag::MappingWithoutOp, mapping.decl->name);
  return nullptr;
}

bool perfc::forEachServedKernel(BuildContext &context, const Instance &mapping,
                                const BuiltGraph &graph,
                                llvm::function_ref<bool(const std::string &kernel)> build) {
  const Decl *op = servedOp(context, mapping);
  if (!op)
    return false;
  bool serves = false;
  for (const std::string &kernel : graph.kernels) {
    if (context.kernels.find(kernel)->second.decl != op)
      continue;
    serves = true;
    if (!build(kernel))
      return false;
  }
  if (serves)
    return true;
  context.diagnostics
      .report(mapping.range, diag::MappingServesNothing, mapping.decl->name, op->name, graph.label)
      .note(mapping.decl->nameRange, "it is declared here");
  return false;
}

static bool buildForWorkload(BuildContext &context, const WorkloadMapping &from,
                             const Decl &workload, std::vector<std::string> &symbols) {
  if (from.subject.decl != &workload) {
    context.diagnostics
        .report(from.mapping.range, diag::MappingServesNothing, from.mapping.decl->name,
                workload.name, from.graph.label)
        .note(from.mapping.decl->nameRange, "it is declared here");
    return false;
  }
  std::string &symbol =
      context.symbols["mapping " + from.mapping.decl->module->name + Value(from.mapping).text() +
                      " " + from.graph.symbol + " " + from.chip.symbol];
  if (symbol.empty() && !buildWorkloadMapping(context, from, symbol))
    return false;
  symbols.push_back(symbol);
  return true;
}

bool perfc::buildMappings(BuildContext &context, const Instance &mapping, const Instance &subject,
                          const BuiltGraph &graph, const BuiltTarget &chip,
                          std::vector<std::string> &symbols) {
  BlameScope blame(context.diagnostics, mapping.range);
  if (!checkMappingTarget(context, mapping, chip))
    return false;
  if (mapping.decl->kind == DeclKind::Mapping)
    if (const Decl *workload = servedWorkload(context, mapping))
      return buildForWorkload(context, {mapping, subject, graph, chip}, *workload, symbols);
  size_t before = symbols.size(), errors = context.diagnostics.errorCount();
  bool good = forEachServedKernel(context, mapping, graph, [&](const std::string &kernel) {
    std::string key = "mapping " + mapping.decl->module->name + Value(mapping).text() + " " +
                      kernel + " " + chip.symbol;
    std::string &symbol = context.symbols[key];
    bool isDataflow = mapping.decl->kind == DeclKind::Dataflow;
    if (symbol.empty() &&
        !(isDataflow ? buildDataflow(context, mapping, chip, kernel, symbol)
                     : MappingBuilder(context, mapping, chip).build(kernel, symbol)))
      return false;
    if (!symbol.empty())
      symbols.push_back(symbol);
    return true;
  });
  bool isSilent = context.diagnostics.errorCount() == errors && context.unsupported.empty();
  if (!good || symbols.size() > before || !isSilent)
    return good;
  const Decl *op = servedOp(context, mapping);
  context.diagnostics
      .report(mapping.range, diag::MappingServesNothing, mapping.decl->name, op->name, graph.label)
      .note(mapping.decl->nameRange, "it is declared here");
  return false;
}
