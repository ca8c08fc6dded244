// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/OpModel.h"

#include "frontend/build/Domains.h"
#include "frontend/build/Draws.h"
#include "frontend/build/Equations.h"
#include "frontend/build/OpChecks.h"
#include "frontend/build/OpSignature.h"
#include "frontend/build/Unused.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/core/Type.h"
#include <fmt/format.h>

using namespace perfc;

const OpTensor *OpModel::find(llvm::StringRef tensor) const {
  for (const OpTensor &candidate : tensors)
    if (candidate.name == tensor)
      return &candidate;
  return nullptr;
}

std::string OpDraw::text() const {
  std::string text = kind;
  if (kind == "zipf")
    text += "(" + Value(theta).text() + ")";
  if (kind == "power_law")
    text += "(" + Value(theta).text() + ", " + Value(most).text() + ")";
  return distinct ? fmt::format("{} distinct {}", text, *distinct) : text;
}

namespace {

/// Steps of building one model; each returns false after a report.
class Builder {
public:
  Builder(Elaborator &elaborator, const OpCall &call, bool allowMissing)
      : elaborator(elaborator), evaluator(elaborator.evaluator), diagnostics(evaluator.diagnostics),
        instance(*call.instance), decl(*instance.decl), allowMissing(allowMissing),
        signature(elaborator, instance, call.dtype, allowMissing), scope(signature.scope),
        reader(evaluator, scope) {}

  llvm::Optional<OpModel> build();

private:
  bool readBody();
  bool readItem(const ast::Item &item);
  bool readEquation(const ast::Item &item);
  bool readWhere(const ast::Item &item);
  bool readDrawOf(const ast::Item &item);
  bool readRequirement(const ast::Item &item);
  bool checkRequirements();
  llvm::Optional<size_t> ranksOf(llvm::StringRef tensor);
  bool bindIndices();
  bool bindIndicesAlone(const IndexExtents *settled);
  bool bindIndex(const OpAccess &access, const IndexExtents *settled);
  void rangesFromConditions();
  bool bindHulls();
  bool bindHull(const OpSlot &slot, const OpRank &rank, size_t position);
  bool finishDomains();
  bool finishTensors();
  bool finishTensor(const OpSlot &slot);
  void addIntermediates();
  bool finishShape(const OpSlot &slot, OpTensor &tensor);
  bool writesInOrder();

  Elaborator &elaborator;
  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  const Instance &instance;
  const Decl &decl;
  bool allowMissing;
  OpSignature signature;
  Scope &scope;
  EquationReader reader;
  OpModel model;
  std::vector<AffineExpr> conditions;
  std::vector<SourceRange> conditionRanges;    ///< by condition
  std::vector<const ast::Item *> requirements; ///< those that wait for extents
  bool isRefused = false;                      ///< by a requirement that does not hold
  llvm::StringMap<OpDraw> draws;               ///< by tensor
  IndexExtents indexExtents;
  llvm::StringMap<size_t> intermediateRanks;
};

bool Builder::readEquation(const ast::Item &item) {
  // The right side may read other elements of what it sets.
  size_t named = 0;
  for (const ast::Arg &arg : item.target->args)
    named += arg.value->kind == ast::ExprKind::Ellipsis ? reader.leading.size() : 1;
  if (!signature.findSlot(item.word) && !scope.find(item.word))
    intermediateRanks.try_emplace(item.word, named);
  auto statement = reader.equation(item);
  if (!statement)
    return reader.incomplete;
  llvm::StringRef target = statement->write.tensor;
  OpSlot *slot = signature.findSlot(target);
  if (slot && !slot->isResult) {
    diagnostics.report(item.target->range, diag::WritesArgument, target)
        .help("name it as a result to update it in place");
    return false;
  }
  size_t ranks = statement->write.map.size();
  intermediateRanks.try_emplace(target, ranks);
  if (size_t declared = *ranksOf(target); declared != ranks) {
    auto &error = diagnostics.report(item.target->range, diag::RankMismatch, target,
                                     counted(declared, "rank"), ranks);
    if (slot)
      error.note(slot->range, "it is declared here");
    return false;
  }
  model.statements.push_back(std::move(*statement));
  return true;
}

bool Builder::readWhere(const ast::Item &item) {
  bool good = true;
  for (const ast::Arg &arg : item.args) {
    good &= reader.condition(*arg.value, conditions);
    conditionRanges.resize(conditions.size(), arg.range);
  }
  return good;
}

bool Builder::readDrawOf(const ast::Item &item) {
  llvm::StringRef tensor = drawnTensor(item);
  const OpSlot *slot = signature.findSlot(tensor);
  llvm::Optional<size_t> ranks;
  if (slot && slot->isArgument)
    ranks = slot->ranks.size();
  auto draw = readDraw(item, ranks, scope, evaluator);
  if (draw)
    draws[tensor] = *draw;
  return draw.hasValue();
}

/// What the op asks of its extents and numbers, those that follow from others included.
bool Builder::checkRequirements() {
  bool good = true;
  for (const ast::Item *item : requirements)
    good &= evaluator.fulfils(instance, *item, scope);
  return good;
}

/// Has each name in `expr` a value? (A function has none.)
static bool isKnown(const ast::Expr &expr, const Scope &scope) {
  if (expr.kind == ast::ExprKind::Name)
    return scope.find(expr.text) != nullptr;
  llvm::ArrayRef<ast::Expr *> operands = expr.operands;
  if (expr.kind == ast::ExprKind::Call)
    operands = operands.drop_front();
  return llvm::all_of(operands, [&](const ast::Expr *part) { return isKnown(*part, scope); }) &&
         llvm::all_of(expr.args, [&](const ast::Arg &arg) {
           return isKnown(arg.assigned ? *arg.assigned : *arg.value, scope);
         });
}

/// At once where the call gives all that it asks about, before conditions and extents that count on
/// it; else when all extents are known.
bool Builder::readRequirement(const ast::Item &item) {
  bool isLater = item.args.empty() || !isKnown(*item.args[0].value, scope) ||
                 !llvm::all_of(signature.extents,
                               [&](llvm::StringRef extent) { return scope.hasLocal(extent); });
  if (isLater)
    requirements.push_back(&item);
  isRefused = !isLater && !evaluator.fulfils(instance, item, scope);
  return !isRefused;
}

bool Builder::readItem(const ast::Item &item) {
  if (item.kind == ast::ItemKind::Equation)
    return readEquation(item);
  if (item.kind == ast::ItemKind::If) {
    Value chosen = evaluator.evaluate(*item.value, scope);
    const bool *truth = chosen.getIf<bool>();
    const ast::Body *branch = truth && !*truth ? item.otherwise : item.block;
    bool good = true;
    for (const ast::Item *inner : branch ? branch->items : llvm::ArrayRef<ast::Item *>())
      if (!isRefused)
        good &= readItem(*inner);
    return good;
  }
  if (elaborator.let(item, scope))
    return true;
  if (item.kind == ast::ItemKind::Line && item.word == "where")
    return readWhere(item);
  if (item.kind == ast::ItemKind::Line && item.word == "require")
    return readRequirement(item);
  if (item.kind == ast::ItemKind::Line && item.word == "draw")
    return readDrawOf(item);
  auto &error = diagnostics.report(item.wordRange, diag::UnknownWord, describeBlock(BlockKind::Op),
                                   item.word);
  error.help("an op holds equations, `where`, `require`, `draw`, `let` and `if`");
  return false;
}

llvm::Optional<size_t> Builder::ranksOf(llvm::StringRef tensor) {
  if (const OpSlot *slot = signature.findSlot(tensor))
    return slot->ranks.size() + (slot->hasLeading() ? signature.leading.size() - 1 : 0);
  auto found = intermediateRanks.find(tensor);
  return found == intermediateRanks.end() ? llvm::None : llvm::Optional<size_t>(found->second);
}

bool Builder::readBody() {
  reader.leading = signature.leading;
  reader.ranksOf = [this](llvm::StringRef tensor) { return ranksOf(tensor); };
  bool good = true;
  if (!decl.item->block) {
    diagnostics.report(decl.nameRange, diag::OpWithoutBody, decl.name);
    return false;
  }
  for (const ast::Item *item : decl.item->block->items)
    if (!isRefused)
      good &= readItem(*item);
  return good && (reader.incomplete ||
                  conditionsApply(model.statements, conditions, conditionRanges, diagnostics));
}

/// An index that stands alone in a rank runs over that rank's extent, of those with a name, or
/// after them of those that are expressions for an index that is not `settled` yet.
bool Builder::bindIndex(const OpAccess &access, const IndexExtents *settled) {
  OpSlot *slot = signature.findSlot(access.tensor);
  if (!slot)
    return true;
  size_t at = 0;
  for (const OpRank &rank : slot->ranks) {
    if (rank.leading) {
      at += reader.leading.size();
      continue;
    }
    size_t position = at++;
    if (position >= access.map.size() || !access.map[position])
      continue;
    llvm::StringRef index = access.map[position]->asVariable();
    if (index.empty() || rank.extent.empty() != (settled != nullptr) ||
        (settled && settled->count(index)))
      continue;
    auto size = signature.extentOf(rank);
    if (!size)
      continue;
    auto [known, isNew] = indexExtents.try_emplace(index, *size);
    if (!isNew && known->second != *size) {
      diagnostics
          .report(instance.range, diag::IndexConflict, index, known->second, *size, slot->name)
          .note(slot->range, "its extent comes from here");
      return false;
    }
  }
  return true;
}

void Builder::rangesFromConditions() {
  for (const AffineExpr &condition : conditions) {
    if (condition.terms().size() != 1 || condition.terms()[0].coefficient != -1)
      continue; // `r < R` arrives as R - 1 - r >= 0
    int64_t &size = indexExtents.try_emplace(condition.terms()[0].name, INT64_MAX).first->second;
    size = std::min(size, std::max<int64_t>(condition.constant() + 1, 0));
  }
}

bool Builder::bindIndicesAlone(const IndexExtents *settled) {
  for (OpStatement &statement : model.statements) {
    if (!bindIndex(statement.write, settled))
      return false;
    for (const OpAccess &read : statement.reads)
      if (!bindIndex(read, settled))
        return false;
  }
  return true;
}

bool Builder::bindIndices() {
  for (size_t i = 0; i < reader.leading.size(); ++i)
    indexExtents[reader.leading[i]] = signature.leadingShape[i];
  if (!bindIndicesAlone(nullptr))
    return false;
  rangesFromConditions();
  IndexExtents settled = indexExtents;
  return bindIndicesAlone(&settled);
}

bool Builder::finishDomains() {
  OpenIndex open = setDomains(model.statements, conditions, indexExtents);
  if (!open.statement)
    return writesOnce(model.statements, diagnostics);
  diagnostics.report(open.statement->range, diag::IndexWithoutExtent, open.name)
      .note(instance.range, "for this call")
      .help("an index stands alone in a rank of an argument or result, or has `where " + open.name +
            " < …`");
  return false;
}

/// An extent that nothing gives: the smallest that holds what the equations touch.
bool Builder::bindHull(const OpSlot &slot, const OpRank &rank, size_t position) {
  if (auto size = hull(model.statements, slot.name, position, indexExtents)) {
    scope.set(rank.extent, Quantity(Rational(*size)));
    return true;
  }
  signature.open = true;
  if (allowMissing)
    return true;
  diagnostics.report(instance.range, diag::UnknownExtent, decl.name, rank.extent, slot.name)
      .help("give it: `" + decl.name.str() + "(" + rank.extent.str() + " = …)`");
  return false;
}

bool Builder::bindHulls() {
  for (const OpSlot &slot : signature.slots) {
    size_t at = 0;
    for (const OpRank &rank : slot.ranks) {
      if (rank.leading) {
        at += reader.leading.size();
        continue;
      }
      size_t position = at++;
      if (rank.extent.empty() || scope.hasLocal(rank.extent))
        continue;
      if (!bindHull(slot, rank, position))
        return false;
    }
  }
  return true;
}

bool Builder::finishShape(const OpSlot &slot, OpTensor &tensor) {
  for (const OpRank &rank : slot.ranks) {
    if (rank.leading) {
      tensor.shape.append(signature.leadingShape.begin(), signature.leadingShape.end());
      continue;
    }
    auto size = signature.extentOf(rank);
    if (!size)
      return false;
    if (*size < 0) {
      diagnostics.report(instance.range, diag::NegativeExtent,
                         fmt::format("{}[{}]", slot.name, tensor.shape.size()), *size);
      return false;
    }
    tensor.shape.push_back(*size);
  }
  if (slot.passed && llvm::makeArrayRef(tensor.shape) != llvm::makeArrayRef(slot.passed->shape)) {
    diagnostics.report(instance.range, diag::ShapeMismatch, slot.name)
        .note(slot.range, "it is declared here");
    return false;
  }
  return true;
}

bool Builder::finishTensor(const OpSlot &slot) {
  OpTensor tensor{slot.name.str(),
                  slot.role,
                  {},
                  slot.passed ? slot.passed->dtype : signature.dtype,
                  slot.isArgument && slot.isResult,
                  draws.lookup(slot.name)};
  if (!slot.passed && llvm::is_contained(reader.keys, slot.name))
    tensor.dtype = DType::Int32; // as `token` tensors have it
  if (!finishShape(slot, tensor))
    return false;
  ir::Type type = ir::Type::tensor(tensor.shape, tensor.dtype);
  if (!type.bytes()) {
    diagnostics.report(instance.range, diag::TensorTooLarge, type.text())
        .note(slot.range, "it is declared here");
    return false;
  }
  if (slot.isArgument)
    model.arguments.push_back(model.tensors.size());
  if (slot.isResult)
    model.results.push_back(model.tensors.size());
  model.tensors.push_back(std::move(tensor));
  return true;
}

/// Tensors that the body sets without naming them in the signature.
void Builder::addIntermediates() {
  for (const OpStatement &statement : model.statements) {
    if (model.find(statement.write.tensor))
      continue;
    OpTensor tensor{statement.write.tensor, "intermediate", {}, signature.dtype, false, {}};
    for (size_t rank = 0; rank < statement.write.map.size(); ++rank)
      tensor.shape.push_back(hull(model.statements, tensor.name, rank, indexExtents).getValueOr(1));
    model.tensors.push_back(std::move(tensor));
  }
}

bool Builder::finishTensors() {
  model.tensors.reserve(signature.slots.size() + model.statements.size());
  for (const OpSlot &slot : signature.slots)
    if (!finishTensor(slot))
      return false;
  addIntermediates();
  for (llvm::StringRef name : signature.extents)
    if (const Value *value = scope.find(name))
      model.bindings.push_back({name.str(), *value});
  for (const Parameter &parameter : decl.parameters)
    if (const Value *value =
            signature.findSlot(parameter.name) ? nullptr : scope.find(parameter.name))
      model.bindings.push_back({parameter.name.str(), *value});
  return true;
}

/// Equations are in data-flow order, and every result is set. An equation may read other elements
/// of what it sets: a recurrence.
bool Builder::writesInOrder() {
  llvm::StringMap<bool> written;
  for (const OpSlot &slot : signature.slots)
    if (slot.isArgument)
      written[slot.name] = true;
  for (const OpStatement &statement : model.statements) {
    auto isRecurrence = [&](const OpAccess &read) {
      return read.tensor == statement.write.tensor && read.map != statement.write.map;
    };
    for (const OpAccess &read : statement.reads)
      if (!written.count(read.tensor) && !isRecurrence(read)) {
        diagnostics.report(statement.range, diag::ReadBeforeSet, read.tensor);
        return false;
      }
    written[statement.write.tensor] = true;
  }
  for (const OpSlot &slot : signature.slots)
    if (!written.count(slot.name)) {
      diagnostics.report(slot.range, diag::ResultNeverSet, slot.name);
      return false;
    }
  return true;
}

llvm::Optional<OpModel> Builder::build() {
  model.decl = &decl;
  if (!signature.bind() || !readBody() || !writesInOrder())
    return llvm::None;
  dropUnused(model.statements, [&](llvm::StringRef tensor) {
    const OpSlot *slot = signature.findSlot(tensor);
    return slot && slot->isResult;
  });
  if (!bindIndices() || !bindHulls() || !checkRequirements())
    return llvm::None;
  if (signature.open || reader.incomplete || !finishDomains() || !finishTensors())
    return llvm::None;
  return std::move(model);
}

} // namespace

llvm::Optional<OpModel> perfc::buildOpModel(Elaborator &elaborator, const OpCall &call,
                                            bool allowMissing) {
  BlameScope blame(elaborator.evaluator.diagnostics, call.instance->range);
  return Builder(elaborator, call, allowMissing).build();
}
