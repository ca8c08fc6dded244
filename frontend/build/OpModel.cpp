// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/OpModel.h"

#include "frontend/build/Domains.h"
#include "frontend/build/Equations.h"
#include "ir/core/Type.h"

using namespace perfc;

const OpTensor *OpModel::find(llvm::StringRef tensor) const {
  for (const OpTensor &candidate : tensors)
    if (candidate.name == tensor)
      return &candidate;
  return nullptr;
}

namespace {

/// A rank of a tensor in the signature: an extent's name, or `...`, or an expression.
struct Rank {
  llvm::StringRef extent;
  bool leading = false;
  const ast::Expr *expr = nullptr;
  const ast::Expr *byDefault = nullptr;
};

struct Slot {
  llvm::StringRef name;
  std::string role;
  SourceRange range;
  std::vector<Rank> ranks;
  const Tensor *passed = nullptr;
  bool isArgument = false;
  bool isResult = false;
};

/// Steps of building one model; each returns false after a report.
class Builder {
public:
  Builder(Elaborator &elaborator, const Instance &instance, DType dtype, bool allowMissing)
      : evaluator(elaborator.evaluator), diagnostics(evaluator.diagnostics), instance(instance),
        decl(*instance.decl), dtype(dtype), allowMissing(allowMissing), elaborator(elaborator),
        scope(elaborator.newScope(*decl.module)), reader(evaluator, scope) {}

  llvm::Optional<OpModel> build();

private:
  bool readSignature();
  bool readSlot(const ast::Arg &arg, bool isArgument);
  bool bindArguments();
  bool bindArgument(const Argument &argument, llvm::StringRef name);
  bool bindShape(const Slot &slot);
  bool setExtent(llvm::StringRef extent, int64_t size, SourceRange where, llvm::StringRef why);
  bool bindDefaults();
  bool dependsOnOpenExtent(const ast::Expr &expr) const;
  bool readBody();
  bool readItem(const ast::Item &item);
  bool bindIndices();
  bool bindIndex(const OpAccess &access);
  void rangesFromConditions();
  bool bindHulls();
  bool finishDomains();
  bool finishTensors();
  bool finishShape(const Slot &slot, OpTensor &tensor);
  llvm::Optional<int64_t> extentOf(llvm::StringRef name) const;
  Slot *findSlot(llvm::StringRef name);
  bool writesInOrder();

  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  const Instance &instance;
  const Decl &decl;
  DType dtype;
  bool allowMissing;
  Elaborator &elaborator;
  Scope &scope;
  EquationReader reader;
  OpModel model;
  std::deque<Slot> slots;
  llvm::SmallVector<int64_t, 4> leadingShape;
  std::vector<llvm::StringRef> extents; ///< all names, in order of the signature
  std::vector<AffineExpr> conditions;
  IndexExtents indexExtents;
  llvm::StringMap<size_t> intermediateRanks;
  bool open = false; ///< an argument is unknown: check, but build nothing
};

//===-- Signature and arguments
//----------------------------------------------------------------===//

Slot *Builder::findSlot(llvm::StringRef name) {
  for (Slot &slot : slots)
    if (slot.name == name)
      return &slot;
  return nullptr;
}

bool Builder::readSlot(const ast::Arg &arg, bool isArgument) {
  const ast::Expr &expr = *arg.value;
  if (expr.kind != ast::ExprKind::Index || expr.operands[0]->kind != ast::ExprKind::Name) {
    if (isArgument)
      return true; // a number
    diagnostics.report(arg.range, diag::ResultNotTensor);
    return false;
  }
  llvm::StringRef name = expr.operands[0]->text;
  if (Slot *same = findSlot(name); same && !isArgument) {
    if (same->isResult)
      diagnostics.report(arg.range, diag::DuplicateDeclaration, name)
          .note(same->range, "the first declaration is here");
    same->isResult = true; // updated in place
    return true;
  }
  Slot slot{name,       isArgument ? "input" : "output", expr.range, {}, nullptr, isArgument,
            !isArgument};
  if (arg.role && arg.role->kind == ast::ExprKind::Name)
    slot.role = arg.role->text.str();
  static constexpr llvm::StringLiteral roles[] = {"input", "weight", "output", "intermediate",
                                                  "cache"};
  if (!llvm::is_contained(roles, slot.role)) {
    diagnostics.report(arg.role->range, diag::UnknownRole, slot.role)
        .help("the roles of arguments are `input` and `weight`");
    return false;
  }
  for (const ast::Arg &rank : expr.args) {
    Rank entry;
    entry.byDefault = rank.assigned;
    entry.leading = rank.value->kind == ast::ExprKind::Ellipsis;
    if (rank.value->kind == ast::ExprKind::Name) {
      entry.extent = rank.value->text;
      if (!llvm::is_contained(extents, entry.extent) && !decl.findParameter(entry.extent))
        extents.push_back(entry.extent);
    } else if (!entry.leading) {
      entry.expr = rank.value;
    }
    slot.ranks.push_back(entry);
  }
  slots.push_back(std::move(slot));
  return true;
}

bool Builder::readSignature() {
  bool good = true;
  const ast::Expr &head = *decl.item->args[0].value;
  if (head.kind == ast::ExprKind::Call)
    for (const ast::Arg &arg : head.args)
      good &= readSlot(arg, /*isArgument=*/true);
  if (decl.item->results.empty()) {
    diagnostics.report(head.range.after(), diag::OpWithoutResult, decl.name);
    return false;
  }
  for (const ast::Arg &arg : decl.item->results)
    good &= readSlot(arg, /*isArgument=*/false);
  return good;
}

bool Builder::setExtent(llvm::StringRef extent, int64_t size, SourceRange where,
                        llvm::StringRef why) {
  if (const Value *known = scope.find(extent)) {
    const Quantity *value = known->getIf<Quantity>();
    if (!value || *value == Quantity(Rational(size)))
      return true;
    diagnostics.report(where, diag::ExtentConflict, extent, value->text(), size, why)
        .note(decl.nameRange, "`" + decl.name.str() + "` is declared here");
    return false;
  }
  if (size < 0) {
    diagnostics.report(where, diag::NegativeExtent, extent, size);
    return false;
  }
  scope.set(extent, Quantity(Rational(size)));
  return true;
}

bool Builder::bindArgument(const Argument &argument, llvm::StringRef name) {
  const Value &value = *argument.value;
  if (Slot *slot = findSlot(name); slot && slot->isArgument) {
    if (value.isUnknown())
      return open = true;
    if (!value.is<Tensor>()) {
      diagnostics.report(argument.range, diag::NotATensor, name, value.describe());
      return false;
    }
    slot->passed = value.getIf<Tensor>();
    return true;
  }
  if (name == "dtype" && !decl.findParameter("dtype")) {
    const WordValue *word = value.getIf<WordValue>();
    auto parsed = word ? parseDType(word->word) : llvm::None;
    if (!parsed && !value.isUnknown())
      diagnostics.report(argument.range, diag::NotADType, value.describe());
    dtype = parsed.getValueOr(dtype);
    return parsed.hasValue() || value.isUnknown();
  }
  if (llvm::is_contained(extents, name)) {
    const Quantity *size = value.getIf<Quantity>();
    if (value.isUnknown()) {
      scope.set(name, Value());
      return open = true;
    }
    if (!size || !size->isInteger() || size->sign() < 0 ||
        !size->dimension().withoutCounts().isNumber()) {
      diagnostics.report(argument.range, diag::BadExtent, name, value.text());
      return false;
    }
    scope.set(name, value);
    return true;
  }
  if (!decl.findParameter(name)) {
    auto &error = diagnostics.report(argument.range, diag::UnknownParameter, decl.name, name);
    std::vector<llvm::StringRef> candidates(extents);
    for (const Parameter &parameter : decl.parameters)
      candidates.push_back(parameter.name);
    if (std::string nearest = nearestName(name, candidates); !nearest.empty())
      error.help("did you mean `" + nearest + "`?");
    error.note(decl.nameRange, "it is declared here");
    return false;
  }
  open |= value.isUnknown();
  scope.set(name, value);
  return true;
}

bool Builder::bindArguments() {
  bool good = true;
  size_t position = 0;
  for (const Argument &argument : instance.arguments) {
    if (argument.isMistaken) { // it was probably meant for one that is missing
      open = true;
      continue;
    }
    llvm::StringRef name = argument.name;
    if (name.empty() && position == decl.parameters.size()) {
      diagnostics.report(argument.range, diag::TooManyArguments, decl.name, decl.parameters.size());
      return false;
    }
    good &= bindArgument(argument, name.empty() ? decl.parameters[position++].name : name);
  }
  for (const Slot &slot : slots)
    if (slot.passed)
      good &= bindShape(slot);
  for (const Parameter &parameter : decl.parameters) {
    if (findSlot(parameter.name) || scope.hasLocal(parameter.name))
      continue;
    if (!parameter.byDefault) {
      scope.set(parameter.name, Value());
      if (allowMissing)
        open = true;
      else
        diagnostics.report(instance.range, diag::MissingArgument, decl.name, parameter.name);
      good &= allowMissing;
      continue;
    }
    if (!dependsOnOpenExtent(*parameter.byDefault))
      scope.set(parameter.name, evaluator.evaluate(*parameter.byDefault, scope));
  }
  return good;
}

bool Builder::bindShape(const Slot &slot) {
  const Tensor &tensor = *slot.passed;
  bool leads = llvm::any_of(slot.ranks, [](const Rank &rank) { return rank.leading; });
  size_t fixed = slot.ranks.size() - leads;
  if (leads ? tensor.shape.size() < fixed : tensor.shape.size() != fixed) {
    diagnostics.report(instance.range, diag::ArgumentRank, slot.name, fixed, tensor.shape.size())
        .note(slot.range, "it is declared here");
    return false;
  }
  bool good = true;
  size_t extra = tensor.shape.size() - fixed, at = 0;
  for (const Rank &rank : slot.ranks) {
    if (rank.leading) {
      llvm::ArrayRef<int64_t> shape = llvm::makeArrayRef(tensor.shape).slice(at, extra);
      at += extra;
      if (leadingShape.empty() && reader.leading.empty()) {
        leadingShape.assign(shape.begin(), shape.end());
        for (size_t i = 0; i < extra; ++i)
          reader.leading.push_back("_" + std::to_string(i));
      } else if (shape != llvm::makeArrayRef(leadingShape)) {
        diagnostics.report(instance.range, diag::LeadingRanksDiffer, slot.name)
            .note(slot.range, "it is declared here");
        good = false;
      }
      continue;
    }
    if (!rank.extent.empty())
      good &= setExtent(rank.extent, tensor.shape[at], instance.range,
                        "from `" + slot.name.str() + "`");
    ++at;
  }
  return good;
}

//===-- Defaults
//-------------------------------------------------------------------------------===//

bool Builder::dependsOnOpenExtent(const ast::Expr &expr) const {
  if (expr.kind == ast::ExprKind::Name)
    return !scope.hasLocal(expr.text) &&
           (llvm::is_contained(extents, expr.text) || decl.findParameter(expr.text));
  return llvm::any_of(expr.operands, [&](auto *inner) { return dependsOnOpenExtent(*inner); }) ||
         llvm::any_of(expr.args, [&](auto &arg) { return dependsOnOpenExtent(*arg.value); });
}

bool Builder::bindDefaults() {
  for (bool progress = true; progress;) {
    progress = false;
    for (const Slot &slot : slots)
      for (const Rank &rank : slot.ranks) {
        if (!rank.byDefault || scope.hasLocal(rank.extent) || dependsOnOpenExtent(*rank.byDefault))
          continue;
        auto size =
            evaluator.integer(*rank.byDefault, scope, "the extent `" + rank.extent.str() + "`");
        if (!size && !open && !allowMissing)
          return false;
        if (!size)
          scope.set(rank.extent, Value());
        else if (!setExtent(rank.extent, *size, instance.range, "by default"))
          return false;
        progress = true;
      }
    for (const Parameter &parameter : decl.parameters)
      if (parameter.byDefault && !findSlot(parameter.name) && !scope.hasLocal(parameter.name) &&
          !dependsOnOpenExtent(*parameter.byDefault)) {
        scope.set(parameter.name, evaluator.evaluate(*parameter.byDefault, scope));
        progress = true;
      }
  }
  return true;
}

//===-- Body
//-----------------------------------------------------------------------------------===//

bool Builder::readItem(const ast::Item &item) {
  if (item.kind == ast::ItemKind::Equation) {
    auto statement = reader.equation(item);
    if (!statement)
      return reader.incomplete;
    llvm::StringRef target = statement->write.tensor;
    Slot *slot = findSlot(target);
    if (slot && !slot->isResult) {
      diagnostics.report(item.target->range, diag::WritesArgument, target)
          .help("name it as a result to update it in place");
      return false;
    }
    if (size_t ranks = slot ? *reader.ranksOf(target) : 0;
        slot && ranks != statement->write.map.size()) {
      diagnostics
          .report(item.target->range, diag::RankMismatch, target, ranks,
                  statement->write.map.size())
          .note(slot->range, "it is declared here");
      return false;
    }
    auto [known, isNew] = intermediateRanks.try_emplace(target, statement->write.map.size());
    if (!isNew && known->second != statement->write.map.size()) {
      diagnostics.report(item.target->range, diag::RankMismatch, target, known->second,
                         statement->write.map.size());
      return false;
    }
    model.statements.push_back(std::move(*statement));
    return true;
  }
  if (item.kind == ast::ItemKind::If) {
    Value chosen = evaluator.evaluate(*item.value, scope);
    const bool *truth = chosen.getIf<bool>();
    const ast::Body *branch = truth && !*truth ? item.otherwise : item.block;
    bool good = true;
    for (const ast::Item *inner : branch ? branch->items : llvm::ArrayRef<ast::Item *>())
      good &= readItem(*inner);
    return good;
  }
  if (elaborator.let(item, scope))
    return true;
  if (item.word == "where" && item.kind == ast::ItemKind::Line) {
    bool good = true;
    for (const ast::Arg &arg : item.args)
      good &= reader.condition(*arg.value, conditions);
    return good;
  }
  auto &error = diagnostics.report(item.wordRange, diag::UnknownWord, describeBlock(BlockKind::Op),
                                   item.word);
  error.help("an op holds equations, `where`, `let` and `if`");
  return false;
}

bool Builder::readBody() {
  reader.ranksOf = [this](llvm::StringRef name) -> llvm::Optional<size_t> {
    if (Slot *slot = findSlot(name)) {
      size_t ranks = slot->ranks.size();
      bool leads = llvm::any_of(slot->ranks, [](const Rank &rank) { return rank.leading; });
      return leads ? ranks - 1 + reader.leading.size() : ranks;
    }
    auto found = intermediateRanks.find(name);
    return found == intermediateRanks.end() ? llvm::None : llvm::Optional<size_t>(found->second);
  };
  bool good = true;
  if (!decl.item->block) {
    diagnostics.report(decl.nameRange, diag::OpWithoutBody, decl.name);
    return false;
  }
  for (const ast::Item *item : decl.item->block->items)
    good &= readItem(*item);
  return good;
}

llvm::Optional<int64_t> Builder::extentOf(llvm::StringRef name) const {
  const Value *value = scope.find(name);
  const Quantity *size = value ? value->getIf<Quantity>() : nullptr;
  return size && size->isInteger() ? llvm::Optional<int64_t>(size->rational().numerator())
                                   : llvm::None;
}

/// An index that stands alone in a rank runs over that rank's extent.
bool Builder::bindIndex(const OpAccess &access) {
  Slot *slot = findSlot(access.tensor);
  if (!slot)
    return true;
  size_t at = 0;
  for (const Rank &rank : slot->ranks) {
    if (rank.leading) {
      at += reader.leading.size();
      continue;
    }
    size_t position = at++;
    if (position >= access.map.size() || !access.map[position])
      continue;
    llvm::StringRef index = access.map[position]->asVariable();
    auto size = rank.extent.empty() ? llvm::None : extentOf(rank.extent);
    if (index.empty() || !size)
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

bool Builder::bindIndices() {
  for (size_t i = 0; i < reader.leading.size(); ++i)
    indexExtents[reader.leading[i]] = leadingShape[i];
  for (OpStatement &statement : model.statements) {
    if (!bindIndex(statement.write))
      return false;
    for (const OpAccess &read : statement.reads)
      if (!bindIndex(read))
        return false;
  }
  rangesFromConditions();
  return true;
}

bool Builder::finishDomains() {
  OpenIndex open = setDomains(model.statements, conditions, indexExtents);
  if (!open.statement)
    return true;
  diagnostics.report(open.statement->range, diag::IndexWithoutExtent, open.name)
      .note(instance.range, "for this call")
      .help("an index stands alone in a rank of an argument or result, or has `where " + open.name +
            " < …`");
  return false;
}

//===-- Shapes
//---------------------------------------------------------------------------------===//

bool Builder::bindHulls() {
  bool good = true;
  for (const Slot &slot : slots) {
    size_t at = 0;
    for (const Rank &rank : slot.ranks) {
      if (rank.leading) {
        at += reader.leading.size();
        continue;
      }
      size_t position = at++;
      if (rank.extent.empty() || scope.hasLocal(rank.extent))
        continue;
      if (auto size = hull(model.statements, slot.name, position, indexExtents)) {
        scope.set(rank.extent, Quantity(Rational(*size)));
        continue;
      }
      if (allowMissing) {
        open = true;
        continue;
      }
      if (good)
        diagnostics.report(instance.range, diag::UnknownExtent, decl.name, rank.extent, slot.name)
            .help("give it: `" + decl.name.str() + "(" + rank.extent.str() + " = …)`");
      scope.set(rank.extent, Value());
      good = false;
    }
  }
  return good;
}

bool Builder::finishShape(const Slot &slot, OpTensor &tensor) {
  for (const Rank &rank : slot.ranks) {
    if (rank.leading) {
      tensor.shape.append(leadingShape.begin(), leadingShape.end());
      continue;
    }
    auto size =
        rank.expr ? evaluator.integer(*rank.expr, scope, "an extent") : extentOf(rank.extent);
    if (!size)
      return false;
    tensor.shape.push_back(*size);
  }
  if (slot.passed && llvm::makeArrayRef(tensor.shape) != llvm::makeArrayRef(slot.passed->shape)) {
    diagnostics.report(instance.range, diag::ShapeMismatch, slot.name)
        .note(slot.range, "it is declared here");
    return false;
  }
  return true;
}

bool Builder::finishTensors() {
  for (const Slot &slot : slots) {
    OpTensor tensor{slot.name.str(),
                    slot.role,
                    {},
                    slot.passed ? slot.passed->dtype : dtype,
                    slot.isArgument && slot.isResult};
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
  }
  for (const OpStatement &statement : model.statements) {
    if (model.find(statement.write.tensor))
      continue;
    OpTensor tensor{statement.write.tensor, "intermediate", {}, dtype, false};
    for (size_t rank = 0; rank < statement.write.map.size(); ++rank)
      tensor.shape.push_back(hull(model.statements, tensor.name, rank, indexExtents).getValueOr(1));
    model.tensors.push_back(std::move(tensor));
  }
  for (llvm::StringRef name : extents)
    if (const Value *value = scope.find(name))
      model.bindings.push_back({name.str(), *value});
  for (const Parameter &parameter : decl.parameters)
    if (const Value *value = findSlot(parameter.name) ? nullptr : scope.find(parameter.name))
      model.bindings.push_back({parameter.name.str(), *value});
  return true;
}

/// Equations are in data-flow order, and every result is set.
bool Builder::writesInOrder() {
  llvm::StringMap<bool> written;
  for (const Slot &slot : slots)
    if (slot.isArgument)
      written[slot.name] = true;
  for (const OpStatement &statement : model.statements) {
    for (const OpAccess &read : statement.reads)
      if (!written.count(read.tensor)) {
        diagnostics.report(statement.range, diag::ReadBeforeSet, read.tensor);
        return false;
      }
    written[statement.write.tensor] = true;
  }
  for (const Slot &slot : slots)
    if (!written.count(slot.name)) {
      diagnostics.report(slot.range, diag::ResultNeverSet, slot.name);
      return false;
    }
  return true;
}

llvm::Optional<OpModel> Builder::build() {
  model.decl = &decl;
  bool good = readSignature() && bindArguments() && bindDefaults();
  if (good && allowMissing) // while it is checked on its own, its extents are names without values
    for (llvm::StringRef extent : extents)
      if (!scope.hasLocal(extent)) {
        scope.set(extent, Value());
        open = true;
      }
  good = good && readBody();
  open |= reader.incomplete;
  if (!good || !writesInOrder() || !bindIndices())
    return llvm::None;
  if (!bindHulls() || open || !finishDomains() || !finishTensors())
    return llvm::None;
  return std::move(model);
}

} // namespace

llvm::Optional<OpModel> perfc::buildOpModel(Elaborator &elaborator, const OpCall &call,
                                            bool allowMissing) {
  return Builder(elaborator, *call.instance, call.dtype, allowMissing).build();
}
