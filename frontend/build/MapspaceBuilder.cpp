// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/MapspaceBuilder.h"

#include "frontend/build/MappingLoops.h"
#include "frontend/build/MappingNames.h"
#include "frontend/build/TimeloopBuilder.h"
#include "ir/common/diagnostics/Fusion.h"
#include "ir/common/diagnostics/Mappings.h"
#include "ir/common/diagnostics/Search.h"
#include "ir/common/diagnostics/Timeloop.h"
#include "ir/target/TargetOps.h"

using namespace perfc;

namespace {

class MapspaceBuilder {
public:
  MapspaceBuilder(BuildContext &context, const Instance &mapspace, const BuiltTarget &chip)
      : context(context), evaluator(context.evaluator), diagnostics(context.diagnostics),
        mapspace(mapspace), chip(chip) {}

  bool build(const std::string &kernel, std::string &symbol);

private:
  bool readPlace(const Node &at, ir::Operation &op);
  bool checkPlace(const PlaceName &name, SourceRange range);
  bool readHole(const ast::Arg &arg, const Scope &scope, ir::Operation &open);
  bool readFactors(const ast::Arg &arg, const Value &value, int64_t extent, ir::Operation &hole);
  bool readRange(const ast::Arg &arg, const RangeValue &range, int64_t extent,
                 std::vector<int64_t> &factors);
  bool readKeep(const Node &line, ir::Operation &op);
  llvm::Optional<int64_t> extentOf(const ast::Expr &name);

  BuildContext &context;
  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  const Instance &mapspace;
  const BuiltTarget &chip;
  const OpStatement *statement = nullptr;
  std::string place;        ///< as written, of the line being read
  bool isImperfect = false; ///< factors may leave a rest
};

/// Most factors that a range may stand for where they need not divide.
constexpr int64_t mostFactors = 65536;

} // namespace

llvm::Optional<int64_t> MapspaceBuilder::extentOf(const ast::Expr &name) {
  std::vector<std::string> known;
  for (const auto &[index, size] : statement->domain) {
    if (index == name.text)
      return size;
    known.push_back(index);
  }
  diagnostics.report(name.range, diag::UnknownIndex, name.text)
      .help(fmt::format("its indices are `{}`", fmt::join(known, "`, `")));
  return llvm::None;
}

/// The factors of a range: divisors of the extent, or all up to it.
bool MapspaceBuilder::readRange(const ast::Arg &arg, const RangeValue &range, int64_t extent,
                                std::vector<int64_t> &factors) {
  auto add = [&](int64_t factor) {
    if (contains(range, Quantity(Rational(factor))))
      factors.push_back(factor);
  };
  if (!isImperfect) {
    for (int64_t d = 1; d <= extent / d; ++d)
      if (extent % d == 0) {
        add(d);
        if (d != extent / d)
          add(extent / d);
      }
    llvm::sort(factors);
    return true;
  }
  if (extent <= mostFactors) {
    for (int64_t d = 1; d <= extent; ++d)
      add(d);
    return true;
  }
  RangeValue inside = range;
  if (compare(inside.last, Quantity(Rational(extent))) > 0)
    inside.last = Quantity(Rational(extent), inside.last.dimension());
  if (auto members = expandRange(inside, mostFactors)) {
    for (const Value &member : *members)
      if (auto number = member.getIf<Quantity>(); number->isInteger() && number->sign() > 0)
        factors.push_back(number->rational().numerator());
    return true;
  }
  diagnostics.report(arg.assigned->range, diag::HoleTooLong,
                     diagnostics.sourceManager().text(arg.value->range), place, mostFactors);
  return false;
}

/// The factors of the extent among what is written.
bool MapspaceBuilder::readFactors(const ast::Arg &arg, const Value &value, int64_t extent,
                                  ir::Operation &hole) {
  if (value.is<Value::Any>())
    return true;
  std::vector<int64_t> factors;
  if (const RangeValue *range = value.getIf<RangeValue>()) {
    if (!readRange(arg, *range, extent, factors))
      return false;
  } else {
    std::vector<Value> entries{value};
    if (const Value::List *list = value.getIf<Value::List>())
      entries.assign(list->values.begin(), list->values.end());
    for (const Value &entry : entries) {
      auto factor = readFactor(diagnostics, arg, entry, /*allowHoles=*/false);
      if (!factor)
        return false;
      if (factor->isRest) {
        hole.setAttr("rest", ir::Attribute::unit());
        return true;
      }
      if (isImperfect ? *factor->count <= extent : extent % *factor->count == 0)
        factors.push_back(*factor->count);
    }
    llvm::sort(factors);
  }
  if (factors.empty()) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= extent && divisors.size() < 12; ++d)
      if (extent % d == 0)
        divisors.push_back(d);
    diagnostics
        .report(arg.assigned->range, diag::EmptyHole,
                diagnostics.sourceManager().text(arg.value->range), place, extent,
                isImperfect ? fmt::format("1 to {}", extent)
                            : fmt::format("{}{}", fmt::join(divisors, ", "),
                                          divisors.back() < extent ? ", …" : ""))
        .help(isImperfect ? "a factor is at most the size of its index"
                          : "a factor of a mapspace divides its index without a rest, unless it "
                            "says `factors imperfect`");
    return false;
  }
  hole.setAttr("factors", ir::Attribute::ints(factors));
  return true;
}

bool MapspaceBuilder::readHole(const ast::Arg &arg, const Scope &scope, ir::Operation &open) {
  if (arg.assign.empty() && arg.value->kind == ast::ExprKind::Name && arg.value->text == "any") {
    open.setAttr("others", ir::Attribute::unit());
    return true;
  }
  auto names = readIndices(diagnostics, arg);
  if (names.empty())
    return false;
  if (names.size() > 1) {
    context.unsupported.push_back({arg.range, "one lane number for several indices in a mapspace"});
    return true;
  }
  auto extent = extentOf(*names.front());
  Value value = evaluator.evaluate(*arg.assigned, scope);
  if (!extent || value.isUnknown())
    return false;
  ir::Operation *hole = context.builder.create(open.body(), "loopnest.hole", arg.range);
  hole->setAttr("index", names.front()->text);
  return readFactors(arg, value, *extent, *hole);
}

/// Whether the chip has the memory, or the array with such an axis. A system's chips may have any.
bool MapspaceBuilder::checkPlace(const PlaceName &name, SourceRange range) {
  const ir::Operation *target = context.module.lookup(chip.symbol), *found = nullptr;
  if (!target->is(target::ChipOp::opName))
    return true;
  std::vector<llvm::StringRef> known;
  target->walk([&](const ir::Operation &part) {
    if (!part.is(target::MemoryOp::opName) && !part.is(target::ArrayOp::opName))
      return;
    known.push_back(part.symbol());
    found = part.symbol() == name.part ? &part : found;
  });
  if (!found) {
    diagnostics.report(range, diag::UnknownPlace, target->symbol(), name.part)
        .suggest(name.part, known, fmt::format("there are {}", fmt::join(known, ", ")));
    return false;
  }
  auto array = ir::as<target::ArrayOp>(*found);
  if (!array || name.axis.empty() || array.axes().find(name.axis))
    return true;
  known.clear();
  for (const auto &axis : array.axes().entries())
    known.push_back(axis.first);
  diagnostics.report(range, diag::UnknownMappingAxis, name.part, name.axis)
      .suggest(name.axis, known, fmt::format("there are {}", fmt::join(known, ", ")));
  return false;
}

bool MapspaceBuilder::readPlace(const Node &at, ir::Operation &op) {
  auto name = readPlaceName(diagnostics, at);
  if (!name || !checkPlace(*name, at.range))
    return false;
  place = name->part.str() + (name->axis.empty() ? "" : "." + name->axis.str());
  ir::Operation *open = context.builder.create(op.body(), "loopnest.open", at.range);
  open->setAttr("at", name->part);
  bool good = true;
  for (const Node *child : at.children) {
    bool parallel = child->word == "parallel";
    if (parallel || !name->axis.empty())
      open->setAttr("axis", name->axis.empty() ? llvm::StringRef("x") : name->axis);
    if (child->word == "order")
      open->setAttr("order_any", ir::Attribute::unit());
    else if (child->word == "for" || parallel)
      for (const ast::Arg &arg : child->syntaxArgs())
        good &= readHole(arg, *child->scope, *open);
  }
  return good;
}

/// `keep A at GLB`, `bypass A at GLB`, `keep any at GLB`, and `keep any` for all memories.
bool MapspaceBuilder::readKeep(const Node &line, ir::Operation &op) {
  const Node *at = line.find("at");
  bool isOpen = line.args.size() == 1 && line.args[0].value.get<WordValue>().word == "any";
  if (!isOpen && (!at || at->args.empty())) {
    diagnostics.report(line.range, diag::YamlMissing, "at", "a line `" + line.word.str() + "`");
    return false;
  }
  std::string memory = at && !at->args.empty() ? at->args[0].value.get<WordValue>().word : "";
  bool good = memory.empty() || checkMemoryName(context, chip, memory, at->args[0].range);
  std::vector<std::string> tensors;
  for (const NodeArg &tensor : line.args) {
    if (isOpen)
      break;
    tensors.push_back(tensor.value.get<WordValue>().word);
    good &= checkTensorName(context, tensorsOf(*statement), tensors.back(), tensor.range);
  }
  if (!good)
    return false;
  const ir::Operation *outermost = nullptr;
  context.module.lookup(chip.symbol)->walk([&](const ir::Operation &part) {
    if (!outermost && part.is("target.memory"))
      outermost = &part;
  });
  if (line.word == "bypass" && !isOpen && outermost && outermost->symbol() == memory) {
    diagnostics.report(line.range, diag::OutermostBypass, tensors.front(), memory);
    return false;
  }
  ir::Operation *keep = context.builder.create(op.body(), "loopnest.keep", line.range);
  keep->setAttr("at", memory);
  keep->setAttr("tensors", ir::Attribute::strings(tensors));
  if (isOpen)
    keep->setAttr("any", ir::Attribute::unit());
  else if (line.word == "bypass")
    keep->setAttr("bypass", ir::Attribute::unit());
  return true;
}

bool MapspaceBuilder::build(const std::string &kernel, std::string &symbol) {
  const OpModel &model = context.kernels.find(kernel)->second;
  size_t position = 0;
  for (size_t i = model.statements.size(); i-- > 0;)
    position = model.statements[i].mac ? i : position;
  statement = &model.statements[position];
  Scope &scope = context.elaborator.newScope(*mapspace.decl->module);
  for (const auto &[name, value] : model.bindings)
    scope.set(llvm::StringRef(name), value);
  if (!evaluator.bind(mapspace, scope, /*allowMissing=*/false))
    return false;
  size_t errors = diagnostics.errorCount();
  Node root;
  if (mapspace.decl->item->block)
    context.elaborator.body(*mapspace.decl->item->block, BlockKind::Mapspace, scope, root);
  if (diagnostics.errorCount() != errors)
    return false;
  ir::Operation *op = context.createTop(
      "loopnest.mapspace", mapspace.decl->name.str() + "_" + kernel, mapspace.decl->nameRange);
  op->setAttr("kernel", ir::Attribute::symbol(kernel));
  op->setAttr("target", ir::Attribute::symbol(chip.symbol));
  op->setAttr("source", mapspace.decl->name);
  op->setAttr("statement", static_cast<int64_t>(position));
  const Node *factors = root.find("factors");
  isImperfect = factors && !factors->args.empty() &&
                factors->args[0].value.get<WordValue>().word == "imperfect";
  if (isImperfect)
    op->setAttr("imperfect", ir::Attribute::unit());
  bool good = true;
  for (const Node *child : root.children) {
    if (child == factors)
      continue;
    if (child->word == "at")
      good &= readPlace(*child, *op);
    else if (child->word == "keep" || child->word == "bypass")
      good &= readKeep(*child, *op);
    else
      context.unsupported.push_back({child->range, "`" + child->word.str() + "` in a mapspace"});
  }
  symbol = op->symbol().str();
  return good;
}

bool perfc::buildMapspaces(BuildContext &context, const Instance &mapspace, const BuiltGraph &graph,
                           const BuiltTarget &chip, std::vector<std::string> &symbols) {
  if (!checkMappingTarget(context, mapspace, chip))
    return false;
  return forEachServedKernel(context, mapspace, graph, [&](const std::string &kernel) {
    std::string symbol;
    if (!MapspaceBuilder(context, mapspace, chip).build(kernel, symbol))
      return false;
    symbols.push_back(symbol);
    return true;
  });
}
